#!/usr/bin/env python3
"""`firn sim` with a second method: its state is in the files, and an interrupted run resumes bit-exactly.

usage: runner_test.py FIRN_WITH_GRAINS
"""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
os.environ["FIRN"] = sys.argv.pop(1)
import firn_runs  # noqa: E402  (it reads FIRN)

SCENE = """
[scene]
spacing = 0.04
method = "grains"
[time]
end = 10
[output]
volumes = []
checkpoint_every = 3
[[snow]]
shape = "sphere"
radius = 0.2
position = [0, 0.3, 0]
velocity = [1, -2, 0]
[[collider]]
shape = "plane"
size = [4, 1, 4]
bounce = 0.6
"""


class Grains(firn_runs.Runs):
    def test_runs_and_resumes_bit_exactly(self):
        scene = self.write("grains.toml", SCENE)
        self.firn("sim", scene, "--out", "whole")
        self.firn("sim", scene, "--out", "parts", "--frames", "1-4")
        self.firn("sim", scene, "--out", "parts", "--resume")
        whole, parts = (firn_runs.files(self.path(run, "particles")) for run in ("whole", "parts"))
        self.assertEqual(len(whole), 10)
        self.assertEqual(whole, parts)
        with open(self.path("whole", "run.jsonl")) as log:
            lines = [json.loads(line) for line in log]
        self.assertEqual([name for name, _ in lines[0]["solves"]], ["air"])
        self.assertGreater(lines[-1]["air_iterations"], 0)
        self.assertEqual([name for name, _ in lines[-1]["seconds"]][:3], ["neighbours", "air", "integrate"])
        self.firn("report", "whole")
        other = self.write("grains.toml", SCENE.replace('"grains"', '"snow"'))
        _, error = self.firn("sim", other, "--out", "whole", "--resume", code=1)
        self.assertIn("scene.method", error)

    def test_its_arrays_are_in_the_files(self):
        scene = self.write("grains.toml", SCENE)
        self.firn("sim", scene, "--out", "run")
        out, _ = self.firn("info", self.path("run", "particles", "grains.0010.bgeo"))
        for name in ("spin", "hits", "impact", "neighbours"):
            self.assertIn(name, out)
        self.assertNotIn("strain", out)

    def test_an_unknown_method_is_one_line(self):
        scene = self.write("grains.toml", SCENE.replace('"grains"', '"grians"'))
        _, error = self.firn("check", scene, code=1)
        self.assertIn("grains.toml:4:", error)
        self.assertIn("did you mean 'grains'?", error)


if __name__ == "__main__":
    firn_runs.main()
