#!/usr/bin/env python3
"""The Open Job Description template, checked and run by openjd-cli (TOOL)."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

FIRN = os.environ["FIRN"]
OPENJD = os.environ["TOOL"]
TEMPLATE = os.path.join(os.environ["FIRN_SOURCE"], "farm", "openjd", "template.yaml")

SCENE = """
[scene]
spacing = 0.04
[time]
end = 10
[output]
volumes = ["density"]
[[snow]]
name = "ball"
shape = "sphere"
radius = 0.2
position = [0, 0.3, 0]
velocity = [0, -3, 0]
[[collider]]
name = "ground"
shape = "plane"
size = [2, 1, 2]
[[wedge]]
key = "material.preset"
values = ["powder", "dry", "ice"]
"""


def files(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


class OpenJobDescription(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn_openjd_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.mkdir(self.path("shot"))
        with open(self.path("shot", "ball.toml"), "w") as file:
            file.write(SCENE)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def command(self, what, *arguments, **parameters):
        values = {"SceneFolder": self.path("shot"), "SceneFile": "ball.toml", "OutputFolder": self.path("out"),
                  "Firn": FIRN, "Frames": "1-10", "FramesPerTask": "4", **parameters}
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
        subprocess.run([FIRN, "sim", self.path("shot", "ball.toml"), "--out", self.path(name), "--quiet", *options],
                       check=True, timeout=120)
        return files(self.path(name, "volumes"))

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
        self.assertIn("stopped, and saved", rest)
        out = self.openjd("run", "--step", "Volumes", "--run-dependencies", Settings=larger)
        self.assertIn("resuming after frame", out)
        self.assertEqual(files(self.path("out", "volumes")), self.alone("alone", "--set", larger))


if __name__ == "__main__":
    unittest.main(verbosity=2)
