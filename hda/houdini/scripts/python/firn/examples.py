"""Writes a scene file for each recipe.

    hython -m firn.examples FOLDER
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import hou

from firn import recipes
from firn.build import describe
from firn.error import FirnError
from firn.network import objects, parm
from firn.recipes import Recipe


def look_at(eye: recipes.Vector, target: recipes.Vector) -> tuple[float, float]:
    """Rotations about x and y, in degrees, of a camera that looks along -z."""
    x, y, z = (t - e for t, e in zip(target, eye))
    return math.degrees(math.atan2(y, math.hypot(x, z))), math.degrees(math.atan2(-x, -z))


def _camera(recipe: Recipe) -> None:
    camera = objects().createNode("cam", "camera")
    for letter, value in zip("xyz", recipe.eye):
        parm(camera, f"t{letter}").set(float(value))
    pitch, yaw = look_at(recipe.eye, recipe.target)
    parm(camera, "rx").set(pitch)
    parm(camera, "ry").set(yaw)


def write(recipe: Recipe, folder: Path) -> str:
    """A scene with the recipe, a camera and the recipe's frames; returns where Houdini saved it."""
    hou.hipFile.clear(suppress_save_prompt=True)
    hou.setFps(24)
    hou.playbar.setFrameRange(1, recipe.end)
    hou.playbar.setPlaybackRange(1, recipe.end)
    recipes.build(recipe)
    _camera(recipe)
    hou.setFrame(1)
    folder.mkdir(parents=True, exist_ok=True)
    hou.hipFile.save((folder / f"firn_{recipe.name}.hip").as_posix())
    return hou.hipFile.path()


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        for recipe in recipes.RECIPES:
            print(write(recipe, Path(arguments[0])))
    except (FirnError, hou.Error, OSError) as trouble:
        print(f"firn: {trouble if isinstance(trouble, FirnError) else describe(trouble)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
