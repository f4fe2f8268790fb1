#!/usr/bin/env python3
"""What a run leaves behind, `firn info` and `firn convert`."""

import json
import os
import re
import unittest

import firn_runs


class Files(firn_runs.Runs):
    @classmethod
    def setUpClass(cls):
        # One run for all tests here.
        cls.shared = cls("runTest")
        cls.shared.setUp()
        scene = cls.shared.write("fall.toml", firn_runs.FALL.replace("volumes = []", ""))
        cls.shared.firn("sim", scene, "--out", "run", "--frames", "1-4")

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    def runTest(self):
        pass

    def run_path(self, name=""):
        return os.path.join(self.shared.path("run"), name)

    def test_the_folder_is_as_documented(self):
        for frame in range(1, 5):
            self.assertTrue(os.path.exists(self.run_path(f"particles/fall.{frame:04d}.bgeo")))
            self.assertTrue(os.path.exists(self.run_path(f"volumes/fall.{frame:04d}.vdb")))
        for name in ("scene.toml", "run.jsonl", "fall.usda", "checkpoints/fall.0004.bgeo"):
            self.assertTrue(os.path.exists(self.run_path(name)), name)
        self.assertEqual(self.shared.leftovers("run"), [])

    def test_the_log_has_every_frame(self):
        with open(self.run_path("run.jsonl")) as log:
            lines = [json.loads(line) for line in log]
        frames = [line["frame"] for line in lines[1:]]
        self.assertEqual(frames, [1, 2, 3, 4])
        # Nothing is lost: what falls keeps its mass, and what the source adds is there.
        masses = [line["mass"] for line in lines[1:]]
        self.assertEqual(masses, sorted(masses))
        self.assertGreater(masses[-1], masses[0])

    def test_a_frames_warnings_are_in_the_log_and_on_the_terminal(self):
        _, said = self.firn("sim", self.write("hasty.toml", firn_runs.FALL), "--out", "hasty", "--frames", "1-4",
                            "--set", "substeps=1", "--set", "gravity=[0,-400,0]")
        with open(os.path.join(self.path("hasty"), "run.jsonl")) as log:
            logged = [warning for line in log for warning in json.loads(line).get("warnings", [])]
        self.assertTrue(any("set substeps to 0 (automatic)" in warning for warning in logged), logged)
        for warning in logged:
            self.assertIn(warning, said)

    def test_resting_snow_weighs_on_the_ground(self):
        scene = self.write("rest.toml", """
[scene]
spacing = 0.02
[[snow]]
size = [0.2, 0.1, 0.2]
position = [0, 0.05, 0]
[[collider]]
name = "ground"
size = [0.6, 1, 0.6]
[output]
particles = "none"
volumes = []
usd = false
""")
        self.firn("sim", scene, "--out", "rest", "--frames", "1-24")
        with open(self.path("rest", "run.jsonl")) as log:
            last = [json.loads(line) for line in log][-1]
        self.assertEqual([load["name"] for load in last["loads"]], ["ground"])
        force = last["loads"][0]["force"]
        # After a second it lies still but for a rest of its settling.
        self.assertAlmostEqual(force[1] / (-9.81 * last["mass"]), 1, delta=0.02)
        self.assertLess(abs(force[0]) + abs(force[2]), 0.02 * abs(force[1]))

    def test_the_stage_names_the_volumes(self):
        with open(self.run_path("fall.usda")) as stage:
            text = stage.read()
        for frame in range(1, 5):
            self.assertIn(f"volumes/fall.{frame:04d}.vdb", text)
        self.assertIn("plough", text)

    def test_info(self):
        out, _ = self.firn("info", self.run_path())
        self.assertIn("a run of 'fall'", out)
        self.assertRegex(out, r"particles +4, 1 to 4")
        out, _ = self.firn("info", self.run_path("checkpoints/fall.0004.bgeo"))
        self.assertRegex(out, r"frame +4")
        self.assertIn("shear_acceleration", out)
        out, _ = self.firn("info", self.run_path("particles/fall.0004.bgeo"), self.run_path("volumes/fall.0004.vdb"))
        self.assertIn("strain", out)
        self.assertIn("surface", out)
        self.assertIn("density", out)
        error = self.fails("info", self.write("x.txt", "hello"))
        self.assertIn("x.txt", error)
        self.fails("info", self.write("x.vdb", "hello"))
        self.fails("info", self.write("x.bgeo", "hello"))
        self.fails("info", self.folder)

    def test_convert_there_and_back(self):
        first = self.run_path("particles/fall.0004.bgeo")
        self.firn("convert", first, "classic.bgeo", "--classic")
        self.firn("convert", "classic.bgeo", "points.vdb")
        self.firn("convert", "points.vdb", "back.bgeo")
        count = re.search(r"([\d,]+) particles", self.firn("convert", first, "copy.bgeo")[0]).group(1)
        self.assertIn(f"{count} particles", self.firn("convert", "back.bgeo", "again.bgeo")[0])
        out, _ = self.firn("convert", first, "grids.vdb", "--volumes")
        self.assertIn("density", out)
        self.firn("convert", self.run_path("checkpoints/fall.0004.bgeo"), "state.bgeo")
        self.assertIn("strain", self.firn("info", "state.bgeo")[0])
        self.fails("convert", first, "x.obj", code=2)
        self.fails("convert", first, "x.bgeo", "--volumes", code=2)

    def test_convert_overwrites_nothing_unasked(self):
        first = self.run_path("particles/fall.0004.bgeo")
        cube = self.write("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for source, name in ((first, "mine.vdb"), (first, "mine.bgeo"), (cube, "mine.ply")):
            self.write(name, "mine")
            self.assertIn("--force", self.fails("convert", source, name))
            with open(self.path(name)) as file:
                self.assertEqual(file.read(), "mine")
            os.symlink("nowhere", self.path("link_" + name))
            self.assertIn("--force", self.fails("convert", source, "link_" + name))
            self.firn("convert", source, name, "--force")
            self.firn("info", name)

    def test_convert_keeps_groups_and_names_what_it_leaves_out(self):
        data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/bgeo")
        grouped = os.path.join(data, "simple_partanim_16_5.bgeo")
        self.assertIn("group: stream_source_first_input, 10 points", self.firn("info", grouped)[0])
        _, said = self.firn("convert", grouped, "points.vdb")
        self.assertNotIn("warning", said)
        self.firn("convert", "points.vdb", "back.bgeo")
        self.assertIn("group: stream_source_first_input, 10 points", self.firn("info", "back.bgeo")[0])
        _, said = self.firn("convert", grouped, "old.bgeo", "--classic")
        self.assertIn("1 point groups are left out", said)
        cube = os.path.join(data, "cube_multi_groups_16_5.bgeo")
        _, said = self.firn("convert", cube, "corners.bgeo")
        self.assertIn("24 primitives (polygons and the like) are left out", said)
        scene = self.write("corners.toml", f'[scene]\nspacing = 0.1\n[[snow]]\nshape = "particles"\nfile = "{cube}"\n')
        _, said = self.firn("sim", scene, "--out", "corners", "--frames", "1-1", "--set", "output.volumes=[]")
        self.assertIn("24 primitives", said)

    def test_particles_as_the_start_of_another_scene(self):
        scene = self.write("next.toml", f"""
[scene]
spacing = 0.04
[time]
end = 2
[output]
volumes = []
[[snow]]
shape = "particles"
file = "{self.run_path('particles/fall.0004.bgeo')}"
""")
        self.firn("sim", scene, "--out", "next")
        count = re.search(r"([\d,]+) particles", self.firn("convert", self.run_path("particles/fall.0004.bgeo"),
                                                           "copy.bgeo")[0]).group(1)
        self.assertIn(count, self.firn("check", scene)[0])

    def test_particles_keep_their_own_material(self):
        # The ball of the run is wet and uneven; a body beside it has the scene's material.
        text = f"""
[scene]
spacing = 0.04
[time]
end = 1
[output]
volumes = []
[material]
E = 5e4
[[snow]]
shape = "box"
size = [0.2, 0.2, 0.2]
position = [5, 1, 0]
[[snow]]
name = "again"
shape = "particles"
file = "{self.run_path('particles/fall.0004.bgeo')}"
"""
        def moduli(name, *options):
            self.firn("sim", self.write(f"{name}.toml", text), "--out", name, *options)
            out, _ = self.firn("info", f"{name}/particles/{name}.0001.bgeo")
            return re.search(r"young_modulus.*?([\d.e+]+) to ([\d.e+]+)", out).groups()
        before, _ = self.firn("info", self.run_path("particles/fall.0004.bgeo"))
        highest = re.search(r"young_modulus.*?([\d.e+]+) to ([\d.e+]+)", before).group(2)
        self.assertEqual(moduli("keeps"), ("50000", highest))
        self.assertEqual(moduli("changes", "--set", "snow.again.material={E=6e4}"), ("50000", "60000"))

    def test_output_choices(self):
        scene = self.write("fall.toml", firn_runs.FALL)
        self.firn("sim", scene, "--out", "every", "--frames", "3-7", "--set", "output.every=2", "--set",
                  "output.particles=vdb", "--set", 'output.volumes=["density_masked","compaction"]')
        self.assertEqual(sorted(os.listdir(self.path("every/particles"))),
                         [f"fall.{frame:04d}.vdb" for frame in (3, 5, 7)])
        out, _ = self.firn("info", self.path("every/volumes/fall.0005.vdb"))
        self.assertIn("density_masked", out)
        self.assertIn("compaction", out)
        self.assertNotIn("vel", out.replace("level", ""))

    def test_help_and_lists(self):
        for command in ("sim", "check", "preview", "report", "info", "convert", "volumes", "verify", "wedges", "params", "keys"):
            out, _ = self.firn(command, "--help")
            self.assertIn("usage: firn " + command, out)
            self.assertEqual(out, self.firn("help", command)[0])
        self.assertIn("young_modulus", self.firn("params")[0])
        self.assertIn("theta_c", self.firn("params", "--markdown")[0])


if __name__ == "__main__":
    firn_runs.main()
