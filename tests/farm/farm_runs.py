"""What the tests of the submissions share: a shot, and what one machine alone makes of it."""

import os
import subprocess
import sys

SOURCE = os.environ["FIRN_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from firn_runs import FIRN, Runs, files  # noqa: E402,F401


def ball_scene(frames, volumes, presets, radius):
    """A snowball that falls, in several kinds of snow."""
    return f"""
[scene]
spacing = 0.04
[time]
end = {frames}
[output]
volumes = {volumes}
[[snow]]
name = "ball"
shape = "sphere"
radius = {radius}
position = [0, {1.5 * radius}, 0]
velocity = [0, -3, 0]
[[collider]]
name = "ground"
shape = "plane"
size = [2, 1, 2]
[[wedge]]
key = "material.preset"
values = {presets}
"""


def volumes_alone(scene, folder, *options):
    """The volumes that one machine makes, to compare with."""
    subprocess.run([FIRN, "sim", scene, "--out", folder, "--quiet", *options], check=True, timeout=300)
    return files(os.path.join(folder, "volumes"))
