#!/usr/bin/env python3
"""Simulates and renders the pictures of docs/gallery.md: six shots of 250,000 particles and more, with grains, in Blender's Cycles.

    python3 -m venv venv && venv/bin/pip install bpy
    venv/bin/python scripts/gallery.py [SHOT ...] [--firn build/release/bin/firn] [--out out/gallery] [--pictures docs/gallery]

Run it with a Python that has bpy (PyPI). A shot takes up to an hour of simulation and half an hour of rendering on two cores; what is there
already is kept, so that a run that was stopped goes on. `--scale 0.5` tries everything at half the resolution, `--resolution` and `--grains` give
one shot another size, `--dry` prints the commands.
"""
import argparse
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(HERE)


class Shot:
    """One picture. `layer`: grains only so near to the surface (m), which is all that is seen of solid snow."""

    def __init__(self, scene, resolution, frame, grains, layer, changes=()):
        self.scene, self.resolution, self.frame, self.grains, self.layer, self.changes = scene, resolution, frame, grains, layer, changes


SHOTS = {
    "wall_smash": Shot("wall_smash", 2.05, 16, 64, 0.03, ("camera.eye=[1.75, 0.95, 2.5]", "camera.target=[0.1, 0.35, 0.45]")),
    "boot_print": Shot("boot_print", 2.1, 46, 64, 0.02,
                       ("camera.eye=[0.32, 0.34, 0.46]", "camera.target=[0, 0.07, 0.02]", "camera.f_stop=5.6")),
    "plough": Shot("plough", 1.9, 40, 48, 0.03, ("camera.eye=[1.6, 0.9, 2.0]", "camera.target=[0, 0.1, 0.1]")),
    "roof_slide": Shot("roof_slide", 2.6, 30, 48, 0.02),
    "snowball": Shot("snowball_drop", 4, 5, 48, 0.03,
                     ("snow.ball.jitter=0.6", "camera.eye=[0.95, 0.5, 1.35]", "camera.target=[0.15, 0.22, 0]")),
    "snowfall": Shot("snowfall", 3.3, 96, 48, 0, ("camera.eye=[0.95, 0.75, 1.3]", "camera.target=[0, 0.36, 0]")),
}


def sets(values):
    return [part for value in values for part in ("--set", value)]


def commands(name, shot, arguments):
    """What makes a picture, each with the file that shows that it is done."""
    run = os.path.join(arguments.out, name)
    picture = os.path.join(arguments.pictures, name + ".jpg")
    scene = os.path.join(REPOSITORY, "examples", shot.scene + ".toml")
    frame = f"{shot.frame:04}"
    firn = arguments.firn
    yield (os.path.join(run, "particles", f"{shot.scene}.{frame}.bgeo"),
           [firn, "sim", scene, "--out", run, "--resume", "--frames", str(shot.frame)] +
           sets((f"scene.resolution={arguments.resolution or shot.resolution * arguments.scale:g}", "output.volumes=[]") + shot.changes))
    yield (os.path.join(run, "grains", f"{shot.scene}.{frame}.usda"),
           [firn, "grains", run, "--frames", str(shot.frame), "--format", "usda", "--per-particle", str(arguments.grains or shot.grains)] +
           (["--layer", str(shot.layer)] if shot.layer else []))
    yield (picture,
           [sys.executable, os.path.join(HERE, "render_blender.py"), os.path.join(run, shot.scene + ".usda"), str(shot.frame), picture,
            "--size", arguments.size, "--samples", str(arguments.samples), "--motion-blur"] + (["--denoise"] if arguments.denoise else []))


def main():
    parser = argparse.ArgumentParser(description="The pictures of docs/gallery.md.")
    parser.add_argument("shots", nargs="*", metavar="SHOT", help="of " + ", ".join(SHOTS) + " (default: all)")
    parser.add_argument("--firn", default=os.path.join(REPOSITORY, "build/release/bin/firn"))
    parser.add_argument("--out", default="out/gallery", help="where the runs go")
    parser.add_argument("--pictures", default=os.path.join(REPOSITORY, "docs/gallery"))
    parser.add_argument("--scale", type=float, default=1, help="times the resolution")
    parser.add_argument("--resolution", type=float, help="the scene's, for every shot named (default: the shot's own)")
    parser.add_argument("--grains", type=int, help="for each particle (default: the shot's own)")
    parser.add_argument("--denoise", action="store_true", help="fewer samples will do, at the price of the finest grain")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--samples", type=int, default=128)
    parser.add_argument("--dry", action="store_true", help="print the commands only")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.shots if name not in SHOTS]
    if unknown:
        sys.exit(f"gallery: no shot is called {unknown[0]}; there are {', '.join(SHOTS)}")
    for name in arguments.shots or SHOTS:
        for made, command in commands(name, SHOTS[name], arguments):
            if os.path.exists(made):
                continue
            print(" ".join(shlex.quote(word) for word in command), flush=True)
            if arguments.dry:
                continue
            os.makedirs(os.path.dirname(made) or ".", exist_ok=True)
            if subprocess.run(command).returncode != 0 or not os.path.exists(made):
                sys.exit(f"gallery: {name}: this has not made {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
