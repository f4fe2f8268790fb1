#!/usr/bin/env python3
"""Snow and colliders that come from files: volumes, height fields, mesh sequences; the mass against the shape's volume."""

import json
import math
import os
import unittest

import firn_runs

try:
    import pyopenvdb as vdb
except ImportError:
    vdb = None

SPACING = 0.04
REST = 400  # kg/m^3, the default snow

HEAD = f"""
[scene]
spacing = {SPACING}
[time]
end = 6
[output]
volumes = []
checkpoint_every = 1
"""


class Shapes(firn_runs.Runs):
    def log(self, run):
        with open(os.path.join(self.path(run), "run.jsonl")) as file:
            return [json.loads(line) for line in file][1:]

    def simulate(self, text, *options):
        self.firn("sim", self.write("scene.toml", HEAD + text), "--out", "run", *options)
        return self.log("run")

    def heights(self, name, function, count=17):
        rows = [" ".join(f"{function(x, z):.4f}" for x in range(count)) for z in range(count)]
        return self.write(name, "\n".join(rows) + "\n")

    def sheet(self, frame, count=13):
        """An OBJ sheet that bulges more from frame to frame."""
        lines = []
        for i in range(count):
            for j in range(count):
                x, z = 1.2 * i / (count - 1) - 0.6, 1.2 * j / (count - 1) - 0.6
                lines.append(f"v {x} {0.02 * frame * math.cos(2 * x) * math.cos(2 * z)} {z}")
        for i in range(count - 1):
            for j in range(count - 1):
                a = i * count + j + 1
                lines.append(f"f {a} {a + 1} {a + count + 1} {a + count}")
        self.write(f"sheet.{frame:04d}.obj", "\n".join(lines) + "\n")

    @unittest.skipIf(vdb is None, "needs python3-openvdb")
    def test_a_ball_of_a_level_set_falls_on_one(self):
        ball = vdb.createLevelSetSphere(radius=0.25, center=(0, 0.6, 0), voxelSize=0.02, halfWidth=3)
        ball.name = "ball"
        ground = vdb.createLevelSetSphere(radius=0.3, center=(0, 0, 0), voxelSize=0.02, halfWidth=3)
        ground.name = "ground"
        vdb.write(self.path("shapes.vdb"), grids=[ball, ground])
        text = """
[[snow]]
shape = "vdb"
file = "shapes.vdb"
grid = "ball"
velocity = [0, -4, 0]
filling = "FILLING"
[[collider]]
shape = "vdb"
file = "shapes.vdb"
grid = "ground"
"""
        expected = REST * 4 / 3 * math.pi * 0.25 ** 3
        for filling in ("regular", "relaxed"):
            self.firn("sim", self.write("scene.toml", HEAD + text.replace("FILLING", filling)), "--out", filling)
            log = self.log(filling)
            # The mass is that of the level set's mesh, whose facets cut off a little of the sphere.
            self.assertAlmostEqual(log[0]["mass"], expected, delta=0.02 * expected, msg=filling)
            self.assertAlmostEqual(log[0]["height_mean"], 0.6, delta=0.01)
            # The ball below holds it: without, five frames of this fall would take it 1 m down.
            self.assertGreater(log[-1]["height_low"], 0.05, filling)
            self.assertLess(log[-1]["height_mean"], 0.6)

    def test_a_column_settles_the_same_at_spacings_that_do_not_divide_it(self):
        # At 0.05 m nothing is stretched or corrected; at the others its base is stretched by 2.6 % and 5.3 %.
        text = '''
[[snow]]
size = [0.4, 0.8, 0.4]
position = [0, 0.4, 0]
[[collider]]
shape = "plane"
'''
        sinks = []
        for spacing in (0.05, 0.0487, 0.0475):
            log = self.simulate(text, "--force", "--set", f"scene.spacing={spacing}", "--set", "time.end=24")
            self.assertAlmostEqual(log[0]["mass"], 51.2, delta=0.06, msg=spacing)
            self.assertAlmostEqual(log[0]["height_mean"], 0.4, delta=1e-3, msg=spacing)
            sinks.append(log[0]["height_mean"] - log[-1]["height_mean"])
        # The middle sinks by 6 mm; by 3 mm more or less would be 0.4 % of the column's height.
        for sink in sinks:
            self.assertAlmostEqual(sink, sinks[0], delta=0.003, msg=sinks)

    def test_a_layer_lies_on_its_height_field(self):
        self.heights("hill.txt", lambda x, z: 0.02 * x)
        log = self.simulate("""
[[snow]]
shape = "layer"
file = "hill.txt"
cell = 0.1
thickness = 0.2
[[collider]]
shape = "heightfield"
file = "hill.txt"
cell = 0.1
friction = 2
""")
        expected = REST * 1.6 * 1.6 * 0.2
        self.assertAlmostEqual(log[0]["mass"], expected, delta=0.002 * expected)
        # A slope of 11 degrees with friction 2 holds it: it settles by less than a spacing.
        self.assertAlmostEqual(log[-1]["height_mean"], log[0]["height_mean"], delta=SPACING)
        self.assertGreater(log[-1]["height_low"], -SPACING)

    def test_a_deforming_sequence_resumes_to_the_bit(self):
        for frame in range(1, 7):
            self.sheet(frame)
        text = """
[[snow]]
shape = "box"
size = [0.5, 0.16, 0.5]
position = [0, 0.16, 0]
[[collider]]
name = "sheet"
shape = "mesh"
file = "sheet.%04d.obj"
two_sided = true
"""
        log = self.simulate(text)
        # The sheet rises by 0.1 m in the middle and takes the snow along.
        self.assertGreater(log[-1]["height_mean"], log[0]["height_mean"] + 0.02)
        self.firn("sim", self.path("scene.toml"), "--out", "parts", "--frames", "1-3")
        self.firn("sim", self.path("scene.toml"), "--out", "parts", "--resume")
        self.assert_same_particles("run", "parts")

    def test_a_sequence_with_a_frame_missing_says_which(self):
        for frame in (1, 2, 4, 5, 6):
            self.sheet(frame)
        scene = self.write("scene.toml", HEAD + '[[snow]]\nsize = [0.2, 0.2, 0.2]\n[[collider]]\nshape = "mesh"\nfile = "sheet.%04d.obj"\n')
        self.assertIn("sheet.0003.obj", self.fails("sim", scene, "--out", "run"))


if __name__ == "__main__":
    firn_runs.main()
