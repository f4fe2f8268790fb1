#!/usr/bin/env python3
"""Two thousand small frames: memory stays flat."""

import json
import os

import firn_runs

SCENE = """
[scene]
spacing = 0.05
[time]
end = 2000
fps = 240
[output]
every = 1
checkpoint_every = 20
[[snow]]
shape = "sphere"
radius = 0.15
position = [0, 0.4, 0]
[[collider]]
shape = "plane"
size = [2, 1, 2]
[[collider]]
shape = "box"
size = [0.1, 0.2, 0.4]
interpolation = "linear"
keys = [{ frame = 1, position = [-0.4, 0.12, 0] }, { frame = 1000, position = [0.4, 0.12, 0] },
        { frame = 2000, position = [-0.4, 0.12, 0] }]
"""


class Soak(firn_runs.Runs):
    def test_two_thousand_frames(self):
        self.firn("sim", self.write("soak.toml", SCENE), "--out", "run", "--quiet", timeout=7000)
        with open(os.path.join(self.path("run"), "run.jsonl")) as log:
            resident = [json.loads(line)["bytes_process"] for line in log.readlines()[1:]]
        self.assertEqual(len(resident), 2000)
        # The allocator settles within the first frames; from there on a leak of 1 kB a frame would be seen.
        early, late = max(resident[100:300]), max(resident[-200:])
        print(f"memory: {early / 1e6:.2f} MB at frame 300, {late / 1e6:.2f} MB at frame 2000")
        self.assertLess(late - early, 1.5e6)
        self.assertEqual(len(os.listdir(self.path("run/checkpoints"))), 2)


if __name__ == "__main__":
    firn_runs.main()
