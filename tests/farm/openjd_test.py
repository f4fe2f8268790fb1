#!/usr/bin/env python3
"""The Open Job Description template, checked and run by openjd-cli (TOOL)."""

import json
import os
import re
import signal
import subprocess
import unittest

import farm_runs
from farm_runs import files

OPENJD = os.environ["TOOL"]
TEMPLATE = os.path.join(farm_runs.SOURCE, "farm", "openjd", "template.yaml")
SCENE = farm_runs.ball_scene(10, ["density"], ["powder", "dry", "ice"], 0.2)


class OpenJobDescription(farm_runs.Runs):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("shot"))
        self.write("shot/ball.toml", SCENE)

    def command(self, what, *arguments, **parameters):
        values = {"SceneFolder": self.path("shot"), "SceneFile": "ball.toml", "OutputFolder": self.path("out"),
                  "Firn": farm_runs.FIRN, "Frames": "1-10", "FramesPerTask": "4", **parameters}
        command = [OPENJD, what, TEMPLATE, *arguments]
        for name, value in values.items():
            command += ["-p", f"{name}={value}"]
        return command

    def openjd(self, what, *arguments, code=0, **parameters):
        done = subprocess.run(self.command(what, *arguments, **parameters), cwd=self.folder, timeout=300, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def alone(self, name, *options):
        return farm_runs.volumes_alone(self.path("shot", "ball.toml"), self.path(name), *options)

    def test_it_is_a_valid_template(self):
        done = subprocess.run([OPENJD, "check", TEMPLATE], timeout=60, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        summary = json.loads(self.openjd("summary", "--output", "json", Wedges="0-2"))
        steps = {step["name"]: step for step in summary["steps"]}
        self.assertEqual(list(steps), ["Simulate", "Volumes"])
        self.assertEqual([one["step_name"] for one in steps["Volumes"]["dependencies"]], ["Simulate"])

    def test_a_job(self):
        out = self.openjd("run", "--step", "Volumes", "--run-dependencies")
        self.assertEqual(files(self.path("out", "volumes")), self.alone("alone"))
        # Ten frames in chunks of at most four, and progress that the scheduler understood.
        chunks = re.findall(r"Frame(?:\(CHUNK\[INT\]\))? = (\d+-\d+)", out)
        self.assertEqual(len(chunks), 3, out)
        self.assertIn("openjd_progress: 100.0", out)
        self.assertIn("frame 10 of 10", out)
        # The same job once more has nothing to do.
        again = self.openjd("run", "--step", "Volumes", "--run-dependencies")
        self.assertEqual(again.count("is there"), 10, again)
        self.assertIn("are done", again)

    def test_wedges_and_settings(self):
        self.openjd("run", "--step", "Volumes", "--run-dependencies", Wedges="0,2", FramesPerTask="10",
                    Settings="time.end=4 snow.ball.radius=0.15", Frames="1-4")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["wedge_0000", "wedge_0002"])
        for number, preset in ((0, "powder"), (2, "ice")):
            alone = self.alone(preset, "--set", "time.end=4", "--set", "snow.ball.radius=0.15", "--set",
                               f"material.preset={preset}")
            self.assertEqual(files(self.path("out", f"wedge_{number:04d}", "volumes")), alone)

    def test_one_task_twice_at_once(self):
        self.openjd("run", "--step", "Simulate", "--no-run-dependencies")
        tasks = [subprocess.Popen(self.command("run", "--step", "Volumes", "--no-run-dependencies", "-tp", "Wedge=-1",
                                               "-tp", "Frame=1-10"), cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
        said = [task.communicate(timeout=300)[0] for task in tasks]
        self.assertEqual([task.returncode for task in tasks], [0, 0], said)
        self.assertEqual(files(self.path("out", "volumes")), self.alone("alone"))

    def test_a_scene_that_is_wrong_fails_the_job(self):
        out = self.openjd("run", "--step", "Volumes", "--run-dependencies", code=1, Settings="material.E=stiff")
        self.assertIn("material.E=stiff", out)
        self.assertFalse(os.path.exists(self.path("out", "volumes")))

    def test_a_cancelled_simulation_saves(self):
        larger = "scene.resolution=2"
        run = subprocess.Popen(self.command("run", "--step", "Simulate", "--no-run-dependencies", Settings=larger),
                               cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in run.stdout:
            if "frame 3 of 10" in line:
                break
        run.send_signal(signal.SIGINT)  # openjd cancels, as a scheduler would
        rest = run.stdout.read()
        run.wait(120)
        run.stdout.close()
        self.assertIn("is saved", rest)
        out = self.openjd("run", "--step", "Volumes", "--run-dependencies", Settings=larger)
        self.assertIn("resuming after frame", out)
        self.assertEqual(files(self.path("out", "volumes")), self.alone("alone", "--set", larger))


if __name__ == "__main__":
    unittest.main(verbosity=2)
