#!/usr/bin/env python3
"""What a person meets in the first days: warnings of slips, layers on things, names of sequences, lists of frames, other programs' files."""

import gzip
import os
import struct
import unittest

import firn_runs

HEAD = """
[scene]
spacing = 0.04
[time]
end = 4
[output]
volumes = []
usd = false
"""
GROUND = '[[collider]]\nname = "ground"\nshape = "plane"\nsize = [2, 1, 2]\n'
BOX = '[[snow]]\nname = "{}"\nshape = "box"\nsize = [0.4, 0.4, 0.4]\nposition = [{}, {}, 0]\n'

# A table: a top of 1 x 0.6 m, 0.04 thick, upper side at y = 0.5, and a steep side that holds no snow.
TABLE = """v -0.5 0.5 -0.3
v 0.5 0.5 -0.3
v 0.5 0.5 0.3
v -0.5 0.5 0.3
v 0.7 -0.5 -0.3
v 0.7 -0.5 0.3
f 1 4 3 2
f 2 3 6 5
"""

# A plate of 1 x 1 m from x = {0} to x = {1}.
PLATE = "".join(f"v {{{x}}} {y} {z}\n" for x in (0, 1) for y in (-0.5, 0.5) for z in (-0.5, 0.5)) + """f 1 2 4 3
f 5 7 8 6
f 1 5 6 2
f 3 4 8 7
f 1 3 7 5
f 2 6 8 4
"""


def ply_points(path):
    """A reading of its own: header and records."""
    with open(path, "rb") as file:
        names, kinds, count = [], [], 0
        while (line := file.readline().decode().strip()) != "end_header":
            words = line.split()
            if words[0] == "element":
                count = int(words[2])
            if words[0] == "property":
                kinds.append({"float": "f", "int": "i", "double": "d"}[words[1]])
                names.append(words[2])
        record = struct.Struct("<" + "".join(kinds))
        rows = [dict(zip(names, record.unpack(file.read(record.size)))) for _ in range(count)]
        return rows, file.read()


class Everyday(firn_runs.Runs):
    def check(self, text, *options):
        return self.firn("check", self.write("scene.toml", HEAD + text), *options)[0]

    def points(self, run, frame):
        """Through .ply, which this test reads by itself."""
        self.firn("convert", f"{run}/particles/scene.{frame:04}.bgeo", f"{run}.ply", "--force")
        return ply_points(self.path(f"{run}.ply"))[0]

    def test_check_finds_slips_and_is_silent_without_any(self):
        fine = self.check(BOX.format("a", 0, 0.3) + GROUND)
        self.assertNotIn("warning", fine)
        self.assertRegex(fine, r"time +about \d+ (s|min|h) for the simulation")
        self.assertIn("no [[snow]]", self.check(GROUND))
        self.assertIn("no [[collider]]: its snow falls for ever", self.check(BOX.format("a", 0, 0.3)))
        twice = self.check(BOX.format("a", 0, 0.3) + BOX.format("b", 0.2, 0.3) + GROUND)
        self.assertRegex(twice, r"about (4\d|5\d) % of snow 'b' lies in snow 'a'")
        self.assertNotIn("lies in", self.check(BOX.format("a", 0, 0.3) + BOX.format("b", 0.2, 0.3) + 'overlap = "remove"\n' + GROUND))
        self.assertRegex(self.check(BOX.format("a", 0, 0.1) + GROUND), r"about 2\d % of snow 'a' lies below collider 'ground'")
        post = '[[collider]]\nname = "post"\nshape = "box"\nsize = [0.2, 2, 2]\n'
        self.assertRegex(self.check(BOX.format("a", 0, 0.3) + post + GROUND), r"(4\d|5\d|6\d) % of snow 'a' lies in collider 'post'")
        tub = '[[collider]]\nname = "tub"\nshape = "box"\nsize = [1, 1, 1]\nposition = [0, 0.5, 0]\ninverted = true\n'
        self.assertNotIn("warning", self.check(BOX.format("a", 0, 0.3) + tub))
        self.assertIn("lies outside of collider 'tub'", self.check(BOX.format("a", 2, 0.3) + tub))

    def test_fast_colliders_that_are_too_thin_are_named(self):
        snow = BOX.format("a", 0, 0)
        def plate(motion, thickness=0.02, more="", shape='shape = "box"\nsize = [{}, 1, 1]\n'):
            return snow + '[[collider]]\nname = "plate"\n' + shape.format(thickness) + more + (
                'interpolation = "linear"\nkeys = [{ frame = 1, position = [-0.5, 0, 0] }, { frame = 4, ' + motion + " }]\n")
        across, along, turn = "position = [0.5, 0, 0]", "position = [-0.5, 0, 1]", "rotation = [0, 90, 0]"
        named = "collider 'plate' is 0.02 m thick, and its faces move at up to 8 m/s"
        self.assertIn(named, self.check(plate(across)))
        self.assertIn("thinner than 1.25 spacings (0.05 m)", self.check(plate(across)))
        self.assertIn("collider 'plate' is 0.02 m thick", self.check(plate(turn)))
        self.assertIn("collider 'plate' is 0.02 m thick", self.check(plate(across, shape='shape = "cylinder"\nradius = 0.01\nheight = 1\n')))
        for fine in (plate(across, 0.06), plate(along), plate(across, more="two_sided = true\n"),
                     plate("position = [-0.45, 0, 0]"), plate(across, shape='shape = "sphere"\nradius = 0.1\n')):
            self.assertNotIn("m thick", self.check(fine))
        # The same as a mesh, and as one mesh for each frame.
        self.write("plate.obj", PLATE.format(-0.01, 0.01))
        self.assertIn(named, self.check(plate(across, shape='shape = "mesh"\nfile = "plate.obj"\n')))
        for frame in range(1, 5):
            x = -0.5 + (frame - 1) / 3
            self.write(f"plate.{frame:04}.obj", PLATE.format(x - 0.01, x + 0.01))
        self.assertIn(named, self.check(snow + '[[collider]]\nname = "plate"\nshape = "mesh"\nfile = "plate.%04d.obj"\n'))

        # What the warning is about: the plate leaves snow behind, where a thicker or two-sided one leaves none.
        def left_behind(run, text):
            _, said = self.firn("sim", self.write("scene.toml", HEAD.replace("spacing", "gravity = [0, 0, 0]\nspacing") + text), "--out", run)
            rows = self.points(run, 4)
            return sum(row["x"] < 0.5 for row in rows) / len(rows), said
        behind, said = left_behind("thin", plate(across))
        self.assertGreater(behind, 0.05)
        self.assertIn(named, said)
        for run, text in (("thick", plate(across, 0.05)), ("both", plate(across, more="two_sided = true\n"))):
            behind, said = left_behind(run, text)
            self.assertEqual(behind, 0)
            self.assertNotIn("m thick", said)

    def test_sim_warns_of_the_same_slips_before_it_begins(self):
        post = '[[collider]]\nname = "post"\nshape = "box"\nsize = [0.2, 2, 2]\n'
        for number, (text, said) in enumerate((
                (BOX.format("a", 0, 0.3) + BOX.format("b", 0.2, 0.3) + GROUND, "of snow 'b' lies in snow 'a'"),
                (BOX.format("a", 0, 0.1) + GROUND, "of snow 'a' lies below collider 'ground'"),
                (BOX.format("a", 0, 0.3) + post + GROUND, "of snow 'a' lies in collider 'post'"),
                (BOX.format("a", 0, 0.3), "its snow falls for ever"),
                (GROUND, "the scene has no [[snow]]"))):
            with self.subTest(said=said):
                scene = self.write("scene.toml", HEAD + text)
                checked = {line for line in self.firn("check", scene)[0].splitlines() if line.startswith("warning: ")}
                _, told = self.firn("sim", scene, "--out", f"run{number}", "--frames", "1")
                self.assertTrue(any(said in line for line in checked), checked)
                self.assertLessEqual(checked, set(told.splitlines()))
                # The run has been told once.
                _, again = self.firn("sim", scene, "--out", f"run{number}", "--resume", "--frames", "1-2")
                self.assertNotIn(said, again)
        _, fine = self.firn("sim", self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3) + GROUND), "--out", "fine", "--frames", "1-2")
        self.assertNotIn("warning", fine)

    def test_names_of_sequences(self):
        for name in ("boot.0001.obj", "boot.0002.obj"):
            self.write(name, TABLE)
        for pattern in ("boot.%04d.obj", "boot.$F4.obj", "boot.####.obj"):
            text = f'[[collider]]\nname = "boot"\nshape = "mesh"\nfile = "{pattern}"\n' + BOX.format("a", 0, 1.2)
            said = self.check(text)
            self.assertIn("the files of collider 'boot' go from frame 1 to 2, the shot from 1 to 4", said)
            self.assertIn("boot: mesh", said)
        self.assertIn("$F4 or ####", self.fails("check", self.write("bad.toml", HEAD + '[[collider]]\nshape = "mesh"\nfile = "a.$F4.%d.obj"\n')))

    def test_a_layer_lies_on_any_mesh_and_not_on_its_steep_sides(self):
        self.write("table.obj", TABLE)
        layer = '[[snow]]\nshape = "layer"\nfile = "table.obj"\nthickness = 0.12\nposition = [0.5, 1, 0]\n'
        self.firn("sim", self.write("scene.toml", HEAD + layer + GROUND), "--out", "run", "--frames", "1")
        rows = self.points("run", 1)
        self.assertEqual(len(rows), 25 * 15 * 3)
        self.assertAlmostEqual(min(row["y"] for row in rows), 1.5 + 0.02, places=5)
        self.assertAlmostEqual(max(row["y"] for row in rows), 1.5 + 0.10, places=5)
        self.assertAlmostEqual(sum(row["x"] for row in rows) / len(rows), 0.5, delta=0.02)
        self.assertIn("1,125 particles", self.check(layer + GROUND))

    def test_a_layer_on_a_collider_has_its_velocity(self):
        car = ('[[collider]]\nname = "car"\nshape = "box"\nsize = [1, 0.2, 0.6]\ninterpolation = "linear"\n'
               "keys = [{ frame = 1, position = [0, 0.5, 0] }, { frame = 25, position = [2, 0.5, 0], rotation = [0, 24, 0] }]\n")
        layer = '[[snow]]\nname = "roof"\nshape = "layer"\non = "car"\nthickness = 0.08\n'
        self.firn("sim", self.write("scene.toml", HEAD + layer + car), "--out", "run", "--frames", "1")
        rows = self.points("run", 1)
        self.assertEqual(len(rows), 25 * 15 * 2)
        turn = 24 / 24 * 24 * 3.14159265 / 180  # rad/s at 24 frames a second
        for row in rows:
            self.assertAlmostEqual(row["vx"], 2 + turn * row["z"], delta=0.02)
            self.assertAlmostEqual(row["vz"], -turn * row["x"], delta=0.02)
        self.assertIn("no collider is called that; did you mean 'car'",
                      self.fails("check", self.write("bad.toml", HEAD + layer.replace('"car"', '"cat"') + car)))

    def test_what_a_file_can_not_be(self):
        # Nothing is inside of a sheet: it is said to be open. Scenes of other programs are meshes elsewhere.
        with open(self.path("sheet.obj"), "w") as file:
            file.write("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n")
        sheet = '[[snow]]\nname = "a"\nshape = "mesh"\nfile = "sheet.obj"\n'
        self.assertIn("the mesh is not closed (4 open", self.fails("check", self.write("scene.toml", HEAD + sheet + GROUND)))
        for name in ("boot.abc", "boot.usd"):
            with open(self.path(name), "w"):
                pass
            mesh = f'[[collider]]\nname = "boot"\nshape = "mesh"\nfile = "{name}"\n'
            self.assertIn("one file for each frame", self.fails("check", self.write("scene.toml", HEAD + mesh)))

    def test_overlaps_are_left_out(self):
        two = BOX.format("a", 0, 0.3) + BOX.format("b", 0.2, 0.3)
        self.firn("sim", self.write("scene.toml", HEAD + two + GROUND), "--out", "both", "--frames", "1")
        _, said = self.firn("sim", self.write("scene.toml", HEAD + two + 'overlap = "remove"\n' + GROUND), "--out", "one", "--frames", "1")
        self.assertEqual(len(self.points("both", 1)), 2000)
        self.assertEqual(len(self.points("one", 1)), 1500)
        self.assertIn("500 of 1000 particles were left out", said)

    def test_settled_snow_lies_still_and_starts_as_it_was_told(self):
        snow = '[[snow]]\nname = "a"\nshape = "box"\nsize = [0.32, 0.16, 0.32]\nposition = [0, 0.12, 0]\nvelocity = [0, 0, 0.5]\n' + GROUND
        self.firn("sim", self.write("scene.toml", HEAD + snow), "--out", "fresh", "--frames", "1")
        self.firn("sim", self.write("scene.toml", HEAD.replace("end = 4", "end = 4\nsettle = 0.25") + snow), "--out", "rested", "--frames", "1")
        fresh, rested = self.points("fresh", 1), self.points("rested", 1)
        self.assertEqual(len(fresh), len(rested))
        low = lambda rows: min(row["y"] for row in rows)
        self.assertGreater(low(fresh), 0.055)
        self.assertLess(low(rested), 0.035)  # it has come down to the ground,
        self.assertTrue(all(abs(row["vz"] - 0.5) < 1e-6 and row["vy"] == 0 for row in rested))
        self.assertAlmostEqual(rested[0]["rest_y"], rested[0]["y"], places=6)  # and is born there

    def test_frames_are_lists_everywhere(self):
        scene = self.write("scene.toml", HEAD.replace("end = 4", "end = 9") + BOX.format("a", 0, 0.3) + GROUND)
        self.firn("sim", scene, "--out", "run", "--frames", "1-3,6,8-")
        there = sorted(int(name.split(".")[1]) for name in os.listdir(self.path("run/particles")))
        self.assertEqual(there, [1, 2, 3, 6, 8, 9])
        self.firn("verify", "run")
        self.firn("grains", "run", "--frames", "2,6", "--per-particle", "2")
        self.assertEqual(len(os.listdir(self.path("run/grains"))), 2)
        self.firn("preview", "run", "--frames", "1,8-", "--size", "64x36", "--quality", "draft")
        self.assertEqual(sorted(os.listdir(self.path("run/preview"))), ["0001.png", "0008.png", "0009.png"])

    def test_wedges_print_what_was_written(self):
        wedge = '[[wedge]]\nkey = "material.theta_c"\nvalues = [0.1, 0.025, 3e-3]\n'
        said, _ = self.firn("wedges", self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3) + GROUND + wedge))
        for value in ("theta_c=0.1", "theta_c=0.025", "theta_c=0.003"):
            self.assertRegex(said, value + r"\b(?!0)")

    def test_no_ground_where_there_is_none(self):
        scene = self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3))
        self.firn("preview", scene, "--out", "air", "--size", "64x36", "--quality", "draft")
        scene = self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3) + GROUND)
        self.firn("preview", scene, "--out", "floor", "--size", "64x36", "--quality", "draft")
        pictures = [firn_runs.files(self.path(name, "preview"))["0001.png"] for name in ("air", "floor")]
        self.assertNotEqual(*pictures)

    def test_turntables_and_lenses(self):
        scene = self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3) + GROUND + "[camera]\neye = [1, 1, 2]\nf_stop = 2\n")
        self.firn("sim", scene, "--out", "run", "--frames", "1-2")
        self.firn("preview", "run", "--frames", "2", "--turntable", "3", "--size", "64x36", "--quality", "draft", "--motion-blur")
        self.assertEqual(sorted(os.listdir(self.path("run/turntable"))), ["0001.png", "0002.png", "0003.png"])
        self.firn("verify", "run")
        for options in (("--quality", "nice"), ("--show", "air"), ("--turntable", "1"), ("--f-stop", "0")):
            self.fails("preview", "run", *options, code=2)
        self.assertIn("`firn grains` makes them", self.fails("preview", "run", "--show", "grains"))

    def test_other_programs_files(self):
        scene = self.write("scene.toml", HEAD + BOX.format("a", 0, 0.3) + GROUND)
        self.firn("sim", scene, "--out", "run", "--frames", "1-2")
        source = "run/particles/scene.0002.bgeo"
        self.firn("convert", source, "two.ply")
        rows, rest = ply_points(self.path("two.ply"))
        self.assertEqual((len(rows), rest), (1000, b""))
        self.assertEqual(sorted(row["id"] for row in rows), list(range(1000)))
        for name in ("x", "vy", "radius", "density", "rest_x"):
            self.assertIn(name, rows[0])
        self.assertAlmostEqual(rows[0]["radius"], 0.02, places=6)
        self.firn("convert", source, "two.usda")
        with open(self.path("two.usda")) as text:
            self.assertIn('def Points "grains"', text.read())
        # gzip around the very same bytes, and back.
        self.firn("convert", source, "two.bgeo.gz")
        self.firn("convert", "two.bgeo.gz", "again.bgeo")
        with gzip.open(self.path("two.bgeo.gz")) as packed, open(self.path("again.bgeo"), "rb") as again:
            self.assertEqual(packed.read(), again.read())
        with open(self.path("two.bgeo.gz"), "rb") as file:
            whole = file.read()
        for damaged in (whole[: len(whole) // 2], whole[:1000] + b"\xff" * 40 + whole[1040:]):
            with open(self.path("bad.bgeo.gz"), "wb") as file:
                file.write(damaged)
            self.assertIn("bad.bgeo.gz", self.fails("info", "bad.bgeo.gz"))
        # 16 bits: off by no more than they say.
        self.firn("convert", source, "two.vdb", "--bits", "16")
        self.firn("convert", "two.vdb", "small.ply")
        small = {row["id"]: row for row in ply_points(self.path("small.ply"))[0]}
        for row in rows:
            other = small[row["id"]]
            for name in ("x", "y", "z"):
                self.assertAlmostEqual(row[name], other[name], delta=0.16 / 65535)
            self.assertAlmostEqual(row["vy"], other["vy"], delta=1e-3 * abs(row["vy"]) + 1e-6)
            self.assertEqual(row["rest_x"], other["rest_x"])
        # Houdini's container, with every bit and with 16.
        self.firn("convert", source, "two.bgeo.sc")
        self.firn("convert", "two.bgeo.sc", "third.bgeo")
        with open(self.path("again.bgeo"), "rb") as again, open(self.path("third.bgeo"), "rb") as third:
            self.assertEqual(again.read(), third.read())
        self.firn("convert", source, "small.bgeo.sc", "--bits", "16")
        self.assertLess(os.path.getsize(self.path("small.bgeo.sc")), os.path.getsize(self.path("two.bgeo.sc")))
        self.assertIn("--bits 16", self.fails("convert", source, "x.bgeo", "--bits", "16", code=2))


if __name__ == "__main__":
    unittest.main()
