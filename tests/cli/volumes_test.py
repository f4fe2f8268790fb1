#!/usr/bin/env python3
"""Volumes made from a run's particles, wedges, and tasks that are run twice at once."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

import firn_runs
from firn_runs import files

SCENE = firn_runs.FALL.replace("volumes = []", 'volumes = ["density", "vel", "surface", "compaction"]')

WEDGES = """
[[wedge]]
key = "material.E"
values = [7e4, 2.8e5]
[[wedge]]
key = "snow.late.velocity"
values = [[0, -2, 0], [1, 0, 0], [0, 0, 0]]
"""


class Volumes(firn_runs.Runs):
    @classmethod
    def setUpClass(cls):
        # Two runs for all tests here: one makes its volumes itself, one leaves them to `firn volumes`.
        cls.shared = cls("runTest")
        cls.shared.setUp()
        scene = cls.shared.write("fall.toml", SCENE)
        cls.shared.firn("sim", scene, "--out", "whole", "--frames", "1-6")
        cls.shared.firn("sim", scene, "--out", "bare", "--frames", "1-6", "--no-volumes")

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    def runTest(self):
        pass

    def setUp(self):
        super().setUp()
        if self is not self.shared:
            self.run_copy = self.path("run")
            subprocess.run(["cp", "-a", self.shared.path("bare"), self.run_copy], check=True)

    def whole(self):
        return files(self.shared.path("whole/volumes"))

    def made(self):
        return files(os.path.join(self.run_copy, "volumes"))

    def assert_whole(self):
        self.assertEqual(sorted(self.made()), sorted(self.whole()))
        for name, bytes_made in self.made().items():
            self.assertTrue(bytes_made == self.whole()[name], name)

    def test_the_same_bytes_as_the_simulation_makes(self):
        self.assertFalse(os.path.exists(os.path.join(self.run_copy, "volumes")))
        self.firn("volumes", "run", "--frames", "4-6")
        self.assertEqual(len(self.made()), 3)
        self.firn("volumes", "run", "--frames", "-3", "--threads", "1")
        self.assert_whole()

    def test_the_stage_names_them_before_they_are_made(self):
        with open(os.path.join(self.run_copy, "fall.usda")) as stage:
            text = stage.read()
        for frame in range(1, 7):
            self.assertIn(f"volumes/fall.{frame:04d}.vdb", text)

    def test_the_stage_knows_how_large_they_are(self):
        with open(self.shared.path("whole/fall.usda")) as stage:
            text = stage.read()
        volume = text[text.index('def Volume "snow"'):]
        samples = re.search(r"extent.timeSamples = \{(.*?)\n        *\}", volume, re.S).group(1).strip().splitlines()
        self.assertEqual(len(samples), 6)
        # The ball is 0.32 m wide; flakes fill 0.6 x 0.6 m up to a height of 0.65 m; voxels reach a little further.
        for sample in samples:
            low_x, low_y, low_z, x, y, z = (float(n) for n in re.findall(r"-?\d[\d.e-]*", sample.split(":", 1)[1]))
            self.assertGreater(x - low_x, 0.32, sample)
            self.assertLess(x - low_x, 2, sample)
            self.assertGreater(y, 0.3, sample)
            self.assertLess(y, 1.3, sample)
            self.assertGreater(z - low_z, 0.32, sample)

    def test_whole_frames_are_left_alone(self):
        self.firn("volumes", "run")
        stat = {name: os.stat(os.path.join(self.run_copy, "volumes", name)) for name in self.made()}
        # One frame is cut, one has a byte changed, one is gone.
        with open(os.path.join(self.run_copy, "volumes/fall.0002.vdb"), "r+b") as file:
            file.truncate(4000)
        with open(os.path.join(self.run_copy, "volumes/fall.0003.vdb"), "r+b") as file:
            file.seek(-1000, os.SEEK_END)
            byte = file.read(1)
            file.seek(-1000, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        os.remove(os.path.join(self.run_copy, "volumes/fall.0005.vdb"))
        out, _ = self.firn("volumes", "run")
        self.assertEqual(out.count("is there"), 3, out)
        self.assert_whole()
        for frame in (1, 4, 6):
            name = f"fall.{frame:04d}.vdb"
            self.assertEqual(os.stat(os.path.join(self.run_copy, "volumes", name)).st_ino, stat[name].st_ino)

    def test_other_settings_and_newer_particles_are_noticed(self):
        self.firn("volumes", "run", "--frames", "1-2")
        out, _ = self.firn("volumes", "run", "--frames", "1-2", "--set", "output.voxel=0.03")
        self.assertNotIn("is there", out)
        out, _ = self.firn("volumes", "run", "--frames", "1-2", "--set", "output.voxel=0.03")
        self.assertEqual(out.count("is there"), 2)
        later = time.time() + 5
        os.utime(os.path.join(self.run_copy, "particles/fall.0002.bgeo"), (later, later))
        out, _ = self.firn("volumes", "run", "--frames", "1-2", "--set", "output.voxel=0.03")
        self.assertEqual(out.count("is there"), 1)
        out, _ = self.firn("volumes", "run", "--frames", "1", "--force", "--set", "output.voxel=0.03")
        self.assertNotIn("is there", out)

    def test_two_tasks_at_once(self):
        tasks = [subprocess.Popen([firn_runs.FIRN, "volumes", "run", "--quiet", "--threads", "1"], cwd=self.folder)
                 for _ in range(3)]
        self.assertEqual([task.wait(300) for task in tasks], [0, 0, 0])
        self.assert_whole()
        self.assertEqual(self.leftovers("run"), [])

    def test_killed_tasks_leave_nothing_half_done(self):
        for delay in (0.02, 0.05, 0.1):
            task = subprocess.Popen([firn_runs.FIRN, "volumes", "run", "--quiet"], cwd=self.folder)
            time.sleep(delay)
            task.send_signal(signal.SIGKILL)
            task.wait()
            for name, bytes_made in self.made().items() if os.path.exists(self.run_copy + "/volumes") else ():
                if name.endswith(".vdb"):
                    self.assertTrue(bytes_made == self.whole()[name], name)
        # What another task is still writing stays: this process lives.
        os.makedirs(os.path.join(self.run_copy, "volumes"), exist_ok=True)
        home, space = os.uname().nodename, os.stat("/proc/self/ns/pid").st_ino
        if space != 0xEFFFFFFC:  # in a container
            home += f"-{space}"
        busy = os.path.join(self.run_copy, f"volumes/.fall.0001.vdb.{home}.{os.getpid()}.0.part")
        elsewhere = os.path.join(self.run_copy, "volumes/.fall.0001.vdb.another-node.1234567.0.part")
        for path in (busy, elsewhere):
            with open(path, "w"):
                pass
        self.firn("volumes", "run")
        self.assertEqual(sorted(self.leftovers("run")), sorted([busy, elsewhere]))
        yesterday = time.time() - 25 * 3600
        os.utime(elsewhere, (yesterday, yesterday))
        self.firn("volumes", "run")
        self.assertEqual(self.leftovers("run"), [busy])
        os.remove(busy)
        self.assert_whole()

    def test_frames_that_are_not_simulated_yet(self):
        os.remove(os.path.join(self.run_copy, "particles/fall.0003.bgeo"))
        error = self.fails("volumes", "run", "--frames", "2-4")
        self.assertIn("frame 3", error)
        self.assertEqual(sorted(self.made()), ["fall.0002.vdb", "fall.0004.vdb"])
        self.firn("volumes", "run")  # all that are there
        self.assertIn("1 to 6", self.fails("volumes", "run", "--frames", "60-70"))
        self.firn("volumes", "run", "--frames", "6-99")

    def test_wrong_usage(self):
        self.assertIn("output.KEY", self.fails("volumes", "run", "--set", "E=1e5", code=2))
        self.assertIn("scene.toml", self.fails("volumes", self.folder))
        self.assertIn("not a folder", self.fails("volumes", "nothing"))
        self.fails("volumes", "run", "--frames", "6-4", code=2)
        scene = self.write("none.toml", SCENE)
        self.fails("sim", scene, "--no-volumes", "--set", "output.particles=none", code=2)
        self.fails("sim", scene, "--wait", code=2)


class TwiceAtOnce(firn_runs.Runs):
    def test_a_simulation(self):
        scene = self.write("fall.toml", SCENE)
        self.firn("sim", scene, "--out", "alone")
        tasks = [subprocess.Popen([firn_runs.FIRN, "sim", scene, "--out", "twice", "--resume", "--wait"],
                                  cwd=self.folder, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [task.communicate(timeout=300)[1] for task in tasks]
        self.assertEqual([task.returncode for task in tasks], [0, 0], said)
        self.assertEqual(sum("waiting for it" in text for text in said), 1, said)
        self.assertEqual(sum("are done" in text for text in said), 1, said)
        self.assert_same_particles("alone", "twice")
        self.assertEqual(files(self.path("alone/volumes")), files(self.path("twice/volumes")))

    def test_the_second_goes_on_when_the_first_dies(self):
        scene = self.write("fall.toml", SCENE)
        self.firn("sim", scene, "--out", "alone")
        first = self.start("sim", scene, "--out", "twice", "--resume", "--wait")
        for line in first.stderr:
            if line.startswith("frame 5/"):
                break
        first.send_signal(signal.SIGSTOP)
        second = self.start("sim", scene, "--out", "twice", "--resume", "--wait")
        for line in second.stderr:
            if "waiting for it" in line:
                break
        first.send_signal(signal.SIGKILL)
        first.wait()
        first.stderr.close()
        second.stderr.read()
        self.assertEqual(second.wait(300), 0)
        second.stderr.close()
        self.assert_same_particles("alone", "twice")


class Wedges(firn_runs.Runs):
    def test_all_combinations(self):
        scene = self.write("fall.toml", SCENE + WEDGES)
        self.assertEqual(self.firn("wedges", scene, "--count")[0], "6\n")
        listed = json.loads(self.firn("wedges", scene, "--json")[0])
        self.assertEqual([one["wedge"] for one in listed], list(range(6)))
        values = [[setting.split("=")[1].replace(" ", "") for setting in one["set"]] for one in listed]
        self.assertEqual([float(first) for first, _ in values], [7e4] * 3 + [2.8e5] * 3)
        self.assertEqual([second for _, second in values], ["[0,-2,0]", "[1,0,0]", "[0,0,0]"] * 2)
        self.assertEqual(len(self.firn("wedges", scene)[0].splitlines()), 6)

    def test_a_wedge_is_the_scene_with_its_values(self):
        scene = self.write("fall.toml", SCENE + WEDGES)
        self.firn("sim", scene, "--wedge", "4", "--out", "wedged", "--frames", "1-3", "--no-volumes")
        self.firn("sim", scene, "--out", "by_hand", "--frames", "1-3", "--set", "E=2.8e5", "--set",
                  "snow.late.velocity=[1,0,0]", "--no-volumes")
        self.assert_same_particles("wedged/wedge_0004", "by_hand")
        self.firn("volumes", "wedged", "--wedge", "4")
        self.assertEqual(len(os.listdir(self.path("wedged/wedge_0004/volumes"))), 3)
        # The run's own copy of the scene is enough to continue.
        self.firn("sim", "wedged/wedge_0004/scene.toml", "--out", "wedged/wedge_0004", "--resume", "--frames", "1-4")

    def test_mistakes(self):
        scene = self.write("fall.toml", SCENE + WEDGES)
        self.assertIn("0 to 5", self.fails("sim", scene, "--wedge", "6"))
        self.assertIn("no wedges", self.fails("sim", self.write("none.toml", SCENE), "--wedge", "0"))
        bad = self.write("bad.toml", SCENE + '[[wedge]]\nkey = "material.E"\nvalues = [1e5, "soft"]\n')
        self.assertIn("soft", self.fails("wedges", bad))
        self.assertIn("key", self.fails("check", self.write("bad.toml", SCENE + "[[wedge]]\nvalues = [1]\n")))
        self.assertIn("values", self.fails("check", self.write("bad.toml", SCENE + '[[wedge]]\nkey = "E"\n')))
        many = "".join(f'[[wedge]]\nkey = "E"\nvalues = {list(range(1, 101))}\n' for _ in range(3))
        self.assertIn("10000", self.fails("check", self.write("bad.toml", SCENE + many)))
        self.firn("sim", scene, "--wedge", "3", "--frames", "1-1")
        with open(self.path("out/fall/wedge_0003/scene.toml")) as copy:
            self.assertIn("280000", copy.read())


if __name__ == "__main__":
    firn_runs.main()
