#!/usr/bin/env python3
"""Render grains made from a run's particles: any frames, any threads, and what is refused."""

import os
import re
import subprocess

import firn_runs
from firn_runs import files


class Grains(firn_runs.Runs):
    @classmethod
    def setUpClass(cls):
        # Snow from the start, a block that appears later, and a source.
        cls.shared = cls("runTest")
        cls.shared.setUp()
        scene = cls.shared.write("fall.toml", firn_runs.FALL)
        cls.shared.firn("sim", scene, "--out", "run", "--frames", "1-8")

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    def runTest(self):
        pass

    def setUp(self):
        super().setUp()
        if self is not self.shared:
            subprocess.run(["cp", "-a", self.shared.path("run"), self.path("run")], check=True)

    def snow_of(self, frame):
        info, _ = self.firn("info", f"run/particles/fall.{frame:04d}.bgeo")
        return int(re.search(r"particles: (\d+)", info).group(1)), info

    def test_any_frames_and_any_threads_give_the_same_bytes(self):
        self.firn("grains", "run", "--per-particle", "16")
        whole = files(self.path("run/grains"))
        self.assertEqual(len(whole), 8)
        self.firn("grains", "run", "--per-particle", "16", "--out", "alone", "--frames", "7", "--threads", "1")
        self.firn("grains", "run", "--per-particle", "16", "--out", "alone", "--frames", "2-4:2", "--threads", "2")
        alone = files(self.path("alone/grains"))
        self.assertEqual(sorted(alone), ["fall.0002.vdb", "fall.0004.vdb", "fall.0007.vdb"])
        for name, made in alone.items():
            self.assertTrue(made == whole[name], name)

    def test_there_are_as_many_as_asked_for(self):
        # A fixed number per particle would follow its lattice; the mean is what was asked for. Flakes of a source and
        # the corners of small blocks have a little more room each.
        for per_particle in (8, 100):
            out, _ = self.firn("grains", "run", "--frames", "8", "--per-particle", str(per_particle))
            made, of = (int(n.replace(",", "")) for n in re.search(r"([\d,]+) grains of ([\d,]+) ", out).groups())
            self.assertEqual(of, self.snow_of(8)[0])
            self.assertAlmostEqual(made / of, per_particle, delta=0.15 * per_particle)
            _, info = self.snow_of(8)
            self.assertIn("attribute: rest, float x 3", info)
            grains, _ = self.firn("info", "run/grains/fall.0008.vdb")
            self.assertIn(str(made), grains.replace(",", ""))

    def test_whole_frames_are_left_alone_and_others_made_again(self):
        self.firn("grains", "run", "--frames", "1-3")
        with open(self.path("run/grains/fall.0002.vdb"), "r+b") as file:
            file.truncate(3000)
        out, _ = self.firn("grains", "run", "--frames", "1-3")
        self.assertEqual(out.count("is there"), 2, out)
        out, _ = self.firn("grains", "run", "--frames", "1-3", "--seed", "2")
        self.assertNotIn("is there", out)
        self.assertIn("whole", self.firn("verify", "run")[0])
        self.firn("grains", "run", "--frames", "2", "--format", "bgeo", "--attributes", "compaction,age")
        out, _ = self.firn("grains", "run", "--frames", "2", "--format", "bgeo", "--attributes", "compaction,age")
        self.assertEqual(out.count("is there"), 1, out)
        info, _ = self.firn("info", "run/grains/fall.0002.bgeo")
        for name in ("v,", "id,", "pscale,", "compaction,", "age,"):
            self.assertIn("attribute: " + name, info)

    def test_compressed_houdini_geometry(self):
        self.firn("grains", "run", "--frames", "8", "--format", "bgeo")
        self.firn("grains", "run", "--frames", "8", "--format", "bgeo.sc")
        self.firn("convert", "run/grains/fall.0008.bgeo", "all.bgeo.sc")
        out, _ = self.firn("grains", "run", "--frames", "8", "--format", "bgeo.sc")
        self.assertEqual(out.count("is there"), 1, out)
        small, whole = (os.path.getsize(self.path(name)) for name in ("run/grains/fall.0008.bgeo.sc", "all.bgeo.sc"))
        self.assertLess(small, 0.7 * whole)
        # As many grains of the same attributes; the preview takes them.
        lines = [[line for line in self.firn("info", name)[0].splitlines() if line.startswith("particles:")]
                 for name in ("run/grains/fall.0008.bgeo.sc", "run/grains/fall.0008.bgeo")]
        self.assertEqual(*lines)
        os.remove(self.path("run/grains/fall.0008.bgeo"))
        out, _ = self.firn("preview", "run", "--frames", "8", "--size", "64x48", "--show", "grains")
        self.assertIn("grains", out)

    def test_a_resumed_run_knows_where_its_snow_was_born(self):
        scene = self.shared.path("fall.toml")
        self.firn("sim", scene, "--out", "again", "--frames", "1-5")
        self.firn("sim", scene, "--out", "again", "--frames", "1-8", "--resume")
        self.assertTrue(files(self.path("again/particles"))["fall.0008.bgeo"] ==
                        files(self.path("run/particles"))["fall.0008.bgeo"])

    def test_files_without_births(self):
        # As another program passes them on; and all but the first frame have new snow.
        for frame in (1, 8):
            with open(self.path(f"run/particles/fall.{frame:04d}.bgeo"), "r+b") as file:
                bytes_there = file.read()
                self.assertIn(b"\x04rest", bytes_there)  # a name behind its length
                file.seek(0)
                file.write(bytes_there.replace(b"\x04rest", b"\x04lost"))
        self.firn("grains", "run", "--frames", "1")
        error = self.fails("grains", "run", "--frames", "8")
        self.assertIn("no attribute 'rest'", error)
        self.firn("grains", "run", "--frames", "8", "--rest", "run/particles/fall.0008.bgeo")

    def test_births_of_other_snow(self):
        self.firn("grains", "run", "--frames", "8")
        # Grains of other births are other grains, and ids that were not there are named.
        error = self.fails("grains", "run", "--frames", "8", "--rest", "run/particles/fall.0001.bgeo")
        self.assertRegex(error, r"particle \d+ is not in ")
        out, _ = self.firn("grains", "run", "--frames", "8", "--rest", "run/particles/fall.0008.bgeo")
        self.assertNotIn("is there", out)
        out, _ = self.firn("grains", "run", "--frames", "8", "--rest", "run/particles/fall.0008.bgeo")
        self.assertIn("is there", out)
        os.remove(self.path("run/particles/fall.0002.bgeo"))
        self.assertIn("has frames 1, 3-8", self.fails("preview", "run", "--frames", "2", "--size", "64x48"))

    def test_wrong_usage(self):
        self.assertIn("compaction", self.fails("grains", "run", "--attributes", "compacton", code=2))
        self.assertIn("--bits", self.fails("grains", "run", "--bits", "12", code=2))
        self.assertIn("--bits", self.fails("grains", "run", "--bits", "8", "--format", "bgeo.sc", code=2))
        self.assertIn("'vdb', 'bgeo', 'bgeo.sc' or 'usda'", self.fails("grains", "run", "--format", "abc", code=2))
        self.fails("grains", "run", "--per-particle", "1000", code=2)
        self.assertIn("no attribute 'density'", self.fails("grains", "run", "--frames", "1", "--attributes", "density"))
        os.remove(self.path("run/particles/fall.0003.bgeo"))
        self.assertIn("frame 3", self.fails("grains", "run", "--frames", "2-4"))
        # Somebody else's file is not overwritten.
        with open(self.path("run/grains/fall.0005.vdb"), "w") as file:
            file.write("mine")
        self.fails("grains", "run", "--frames", "5")
        with open(self.path("run/grains/fall.0005.vdb")) as file:
            self.assertEqual(file.read(), "mine")


if __name__ == "__main__":
    firn_runs.main()
