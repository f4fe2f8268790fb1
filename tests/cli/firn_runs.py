"""What the end-to-end tests share: scenes in a fresh folder, and the real program."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

FIRN = os.environ.get("FIRN", "build/release/bin/firn")

FALL = """
[scene]
spacing = 0.04
[time]
end = 10
fps = 48
[output]
volumes = []
checkpoint_every = 3
[[snow]]
name = "ball"
shape = "sphere"
radius = 0.16
position = [0, 0.2, 0]
velocity = [0.5, -3, 0]
spin = [0, 90, 0]
material = { preset = "wet", noise = { amplitude = 0.5, scale = 0.1, seed = 3 } }
[[snow]]
name = "late"
shape = "box"
size = [0.12, 0.12, 0.12]
position = [0, 0.8, 0]
velocity = [0, -2, 0]
start = 4
[[snow]]
name = "flakes"
shape = "box"
size = [0.6, 0.1, 0.6]
position = [0, 0.6, 0]
velocity = [0, -1, 0]
rate = 4
[wind]
velocity = [2, 0, 0]
gusts = 1
[[collider]]
name = "ground"
shape = "plane"
size = [1.6, 1, 1.6]
[[collider]]
name = "plough"
shape = "box"
size = [0.08, 0.3, 0.6]
keys = [{ frame = 1, position = [-0.5, 0.16, 0] }, { frame = 10, position = [0, 0.16, 0], rotation = [0, 40, 0] }]
"""


def files(folder):
    """The bytes of every file in a folder, by name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn_cli_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def firn(self, *arguments, code=0, timeout=300, program=FIRN, **options):
        """Runs firn; returns standard output and standard error. `code` is what it must return."""
        done = subprocess.run([program, *arguments], cwd=self.folder, timeout=timeout, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.assertGreaterEqual(done.returncode, 0, f"firn died of signal {-done.returncode}: {done.stderr}")
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def fails(self, *arguments, code=1, **options):
        """The one line that firn says when it can't."""
        _, error = self.firn(*arguments, code=code, **options)
        lines = [line for line in error.splitlines() if line.startswith("firn ")]
        self.assertEqual(len(lines), 1, error)
        return lines[0]

    def start(self, *arguments, **options):
        return subprocess.Popen([FIRN, *arguments], cwd=self.folder, text=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, **options)

    def particles(self, run):
        """The bytes of every particle file, by name."""
        return files(self.path(run, "particles"))

    def assert_same_particles(self, run, other):
        a, b = self.particles(run), self.particles(other)
        self.assertEqual(sorted(a), sorted(b))
        for name in a:
            self.assertTrue(a[name] == b[name], f"{name} differs between {run} and {other}")

    def log(self, run):
        """What the log says of each frame; of a frame that it has twice, the later. Torn lines are passed over."""
        found = {}
        with open(self.path(run, "run.jsonl")) as log:
            for line in log:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if "frame" in record:
                    found[record["frame"]] = record
        return found

    def leftovers(self, run):
        """Files that were never finished."""
        found = []
        for folder, _, names in os.walk(self.path(run)):
            found += [os.path.join(folder, name) for name in names if name.endswith(".part")]
        return found


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(verbosity=2, argv=[sys.argv[0]] + sys.argv[1:])
