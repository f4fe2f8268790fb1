#!/usr/bin/env python3
"""Wind from .vdb files that OpenVDB's own Python module wrote: against closed forms, in time, resumed, and with bad files."""

import math
import os
import signal
import struct
import time
import unittest

import firn_runs

try:
    import numpy
    import pyopenvdb as vdb
except ImportError:
    vdb = None

VOXEL = 0.1  # m
REACH = 12  # voxels to each side of the origin

HEAD = """
[scene]
spacing = 0.04
gravity = [0, 0, 0]
[time]
start = 1
end = {end}
fps = {fps}
[output]
volumes = []
usd = false
particles = "bgeo_classic"
"""

# At this drag a flake has the velocity of the air after every substep.
FOLLOW = "[wind]\ndrag = 1e6\n"


def flakes(*places):
    """Bodies of one particle each, too far apart to feel each other."""
    return "".join(f"[[snow]]\nsize = [0.04, 0.04, 0.04]\nposition = [{x}, {y}, {z}]\n" for x, y, z in places)


def read_classic(path):
    """Positions and velocities of a .bgeo in Houdini's old format, by id."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:5] == b"BgeoV", data[:5]
    _, points, _, _, _, attributes = struct.unpack_from(">6i", data, 5)
    at, layout = 5 + 4 * 9, []
    for _ in range(attributes):
        length, = struct.unpack_from(">H", data, at)
        name = data[at + 2:at + 2 + length].decode()
        size, kind = struct.unpack_from(">Hi", data, at + 2 + length)
        assert kind != 4, "no strings here"
        layout.append((name, size, "i" if kind == 1 else "f"))
        at += 2 + length + 6 + 4 * size
    found = {}
    for _ in range(points):
        values = {"P": struct.unpack_from(">4f", data, at)[:3]}
        at += 16
        for name, size, kind in layout:
            values[name] = struct.unpack_from(f">{size}{kind}", data, at)
            at += 4 * size
        found[values["id"][0]] = values
    return [found[key] for key in sorted(found)]


def field(function, offset=(0, 0, 0), kind=None):
    """A grid of function(x, y, z) at the voxels' middles, moved by `offset` voxels."""
    steps = VOXEL * numpy.arange(-REACH, REACH + 1)
    x, y, z = numpy.meshgrid(*[steps + VOXEL * o for o in offset], indexing="ij")
    values = numpy.stack(numpy.broadcast_arrays(*function(x, y, z)), axis=-1) if kind is None else function(x, y, z)
    grid = vdb.Vec3SGrid() if kind is None else kind()
    grid.copyFromArray(numpy.ascontiguousarray(values, dtype=numpy.float32), ijk=(-REACH, -REACH, -REACH))
    grid.transform = vdb.createLinearTransform(voxelSize=VOXEL)
    grid.transform.translate([VOXEL * o for o in offset])
    grid.name = "vel"
    return grid


def even(u):
    """The same velocity everywhere."""
    return field(lambda x, y, z: (u[0] + 0 * x, u[1] + 0 * y, u[2] + 0 * z))


def stretching(x, y, z):
    return x, -0.5 * y, 0 * z


@unittest.skipIf(vdb is None, "needs python3-openvdb and numpy")
class Wind(firn_runs.Runs):
    def save(self, name, *grids):
        vdb.write(self.path(name), grids=list(grids))

    def scene(self, text, end=2, fps=24):
        return self.write("scene.toml", HEAD.format(end=end, fps=fps) + text)

    def simulate(self, text, *options, end=2, fps=24):
        """The particles of the last frame."""
        self.firn("sim", self.scene(text, end, fps), "--out", "run", "--force", "--quiet", *options)
        return read_classic(self.path("run", "particles", f"scene.{end:04d}.bgeo"))

    def assert_near(self, a, b, tolerance):
        for one, other in zip(a, b, strict=True):
            self.assertAlmostEqual(one, other, delta=tolerance, msg=f"{a} and {b}")

    PLACES = ((0.4, 0.3, 0), (-0.31, -0.52, 0.2), (0.05, 0.77, -0.33))

    def test_flakes_follow_a_linear_field(self):
        # In the air (x, -y/2, 0) they fly on x e^t and y e^(-t/2).
        self.save("wind.vdb", field(stretching))
        errors = []
        for fps in (24, 96):
            end = self.simulate(FOLLOW + 'file = "wind.vdb"\n' + flakes(*self.PLACES), end=1 + fps // 2, fps=fps)
            worst = 0
            for (x, y, z), particle in zip(self.PLACES, end, strict=True):
                # Each frame keeps the velocity at its beginning.
                steps = fps // 2
                self.assert_near(particle["P"], (x * (1 + 1 / fps) ** steps, y * (1 - 0.5 / fps) ** steps, z), 1e-4)
                exact = (x * math.exp(0.5), y * math.exp(-0.25), z)
                worst = max(worst, max(abs(a - b) for a, b in zip(particle["P"], exact)))
            errors.append(worst)
        self.assertLess(errors[0], 0.01)
        self.assertLess(errors[1], 0.3 * errors[0])

    def test_every_way_to_store_it_gives_the_same_flight(self):
        text = FOLLOW + 'file = "wind.vdb"\n{more}' + flakes(*self.PLACES)
        parts = []
        for axis, name in enumerate(("vel.x", "vel.y", "vel.z")):
            offset = [0, 0, 0]
            offset[axis] = -0.5  # as Houdini has them, on the faces of the voxels
            part = field(lambda x, y, z, c=axis: stretching(x, y, z)[c], offset, vdb.FloatGrid)
            part.name = name
            parts.append(part)
        # The same faces in one grid, of class staggered.
        on_faces = field(lambda x, y, z: stretching(x - 0.5 * VOXEL, y - 0.5 * VOXEL, z))
        on_faces.gridClass = vdb.GridClass.STAGGERED
        other = even((7, 7, 7))
        other.name = "other"
        density = vdb.FloatGrid()
        density.name = "density"
        stored = {"vector": ([density, field(stretching), other], ""), "staggered": ([on_faces], ""),
                  "parts": ([density, *parts], ""), "named": ([other, field(stretching)], 'grid = "vel"\n'),
                  "named parts": ([other, *parts], 'grid = "vel"\n')}
        for name, (grids, more) in stored.items():
            with self.subTest(stored=name):
                self.save("wind.vdb", *grids)
                for (x, y, z), particle in zip(self.PLACES, self.simulate(text.format(more=more)), strict=True):
                    self.assert_near(particle["v"], stretching(x, y, z), 1e-4)
        self.save("wind.vdb", other, field(stretching))
        self.assert_near(self.simulate(text.format(more=""))[0]["v"], (7, 7, 7), 1e-3)
        end = self.simulate(text.format(more='grid = "vel"\nscale = -3\nwind = [0, 0, 2]\n'))
        for (x, y, z), particle in zip(self.PLACES, end, strict=True):
            self.assert_near(particle["v"], (-3 * x, 1.5 * y, 2), 1e-3)

    def test_outside_of_the_voxels_there_is_no_wind(self):
        self.save("wind.vdb", even((3, 0, 0)))
        inside, outside, far = self.simulate(FOLLOW + 'file = "wind.vdb"\n' +
                                             flakes((0, 0, 0), (0, 2, 0), (300, 0, 0)))
        self.assert_near(inside["v"], (3, 0, 0), 1e-3)
        self.assert_near(outside["v"], (0, 0, 0), 1e-6)
        self.assert_near(far["v"], (0, 0, 0), 1e-6)

    def test_between_two_frames_the_wind_is_between_their_files(self):
        for frame, u in ((1, (1, 0, 0)), (2, (3, 0, 8)), (3, (0, 0, 0))):
            self.save(f"wind.{frame:04d}.vdb", even(u))
        text = FOLLOW + 'file = "wind.%04d.vdb"\n' + flakes((0, 0, 0))
        # It goes with the mean of both, and is as far as if the wind had changed evenly.
        flake, = self.simulate(text)
        self.assert_near(flake["v"], (2, 0, 4), 1e-3)
        self.assert_near(flake["P"], (2 / 24, 0, 4 / 24), 1e-4)
        flake, = self.simulate(text, end=3)
        self.assert_near(flake["v"], (1.5, 0, 4), 1e-3)
        self.assert_near(flake["P"], (3.5 / 24, 0, 8 / 24), 1e-4)
        # The air is no part of the snow.
        self.assertNotIn("air_velocity", flake)

    def test_interrupted_within_a_frame_it_resumes_bit_exactly(self):
        for frame in range(1, 7):
            self.save(f"wind.{frame:04d}.vdb", field(lambda x, y, z, f=frame: (4 * y, f * x - z, numpy.sin(9 * x) * f)))
        scene = self.write("fall.toml", firn_runs.FALL.replace("[wind]\n", '[wind]\nfile = "wind.%04d.vdb"\n'))
        options = ("--frames", "1-6", "--set", "substeps=40", "--set", "output.usd=false")
        self.firn("sim", scene, "--out", "whole", *options)
        self.firn("sim", scene, "--out", "one", *options, "--set", "machine.threads=1")
        self.assert_same_particles("whole", "one")
        # A signal may find the run between two frames: again, until one was within.
        for attempt in range(10):
            out = f"parts{attempt}"
            run = self.start("sim", scene, "--out", out, *options)
            for line in run.stderr:
                if line.startswith("frame 3/"):
                    break
            time.sleep((0.3 + 0.05 * attempt) * self.log("whole")[4]["wall"])
            run.send_signal(signal.SIGTERM)
            run.stderr.read()
            run.stderr.close()
            run.wait()
            _, said = self.firn("sim", scene, "--out", out, *options, "--resume")
            self.assert_same_particles("whole", out)
            if "substeps" in said.partition("resuming after frame")[2].partition("\n")[0]:
                return
        self.fail("no run was interrupted within a frame")

    def refused(self, text, *words, end=4):
        """`check` and `sim` say the same, in one line, with the place in the scene file."""
        scene = self.scene(text + flakes((0, 0, 0)), end)
        said = {self.fails("check", scene).partition(": ")[2], self.fails("sim", scene, "--out", "run").partition(": ")[2]}
        self.assertEqual(len(said), 1, said)
        error = said.pop()
        self.assertIn("scene.toml:", error)
        for word in words:
            self.assertIn(word, error)
        self.assertFalse(os.path.exists(self.path("run", "particles")))

    def test_files_that_are_missing(self):
        one, many = FOLLOW + 'file = "wind.vdb"\n', FOLLOW + 'file = "wind.%04d.vdb"\n'
        self.refused(one, "wind.vdb: there is no such file")
        self.refused(many, "wind.0001.vdb", "none is there")
        for frame in (1, 2):
            self.save(f"wind.{frame:04d}.vdb", even((1, 0, 0)))
        self.refused(many, "wind.0003.vdb", "end at frame 2", "time.end = 2")
        self.save("wind.0004.vdb", even((1, 0, 0)))
        self.refused(many, "wind.0003.vdb", "frames 2 and 4")
        os.rename(self.path("wind.0001.vdb"), self.path("wind.0003.vdb"))
        self.refused(many, "wind.0001.vdb", "begin at frame 2", "time.start = 2")
        self.simulate(many + flakes((0, 0, 0)), "--set", "time.start=2", end=4)

    def test_files_that_hold_no_wind(self):
        one = FOLLOW + 'file = "wind.vdb"\n'
        density = field(lambda x, y, z: x, kind=vdb.FloatGrid)
        density.name = "density"
        self.save("wind.vdb", density)
        self.refused(one, "wind.vdb", "no velocities", "density (float)", "vel.x")
        self.refused(one + 'grid = "density"\n', "no velocities named 'density'", "density (float)", "vectors")
        self.save("wind.vdb", field(stretching))
        self.refused(one + 'grid = "wind"\n', "no velocities named 'wind'", "vel (vec3s)")
        with open(self.path("wind.vdb"), "rb") as file:
            whole = file.read()
        for share in (0.99, 0.5, 0.1):
            with open(self.path("wind.vdb"), "wb") as file:
                file.write(whole[:int(share * len(whole))])
            self.refused(one, "wind.vdb", "write it again")
        self.write("wind.vdb", "v 0 0 0\n")
        self.refused(one, "wind.vdb: is not a .vdb file")
        os.remove(self.path("wind.vdb"))
        os.mkdir(self.path("wind.vdb"))
        self.refused(one, "is a folder")

    def test_a_wind_that_is_not_a_number(self):
        self.save("wind.vdb", even((math.inf, 0, 0)))
        error = self.fails("sim", self.scene(FOLLOW + 'file = "wind.vdb"\n' + flakes((0, 0, 0))), "--out", "run")
        for word in ("frame 2", "wind.vdb", "'vel'", "not finite", "(0, 0, 0)"):
            self.assertIn(word, error)

    def test_keys_that_do_not_go_together(self):
        self.refused('[wind]\ngrid = "vel"\n', "'grid'", "'file'")
        self.refused("[wind]\nscale = 2\n", "'scale'", "'file'")
        self.refused('[wind]\nfile = "wind.%s.vdb"\n', "%04d")
        self.save("wind.vdb", even((1, 0, 0)))
        out, _ = self.firn("check", self.scene('[wind]\nfile = "wind.vdb"\ndrag = 0\n' + flakes((0, 0, 0))))
        self.assertRegex(out, "warning: .*the wind does nothing")


if __name__ == "__main__":
    firn_runs.main()
