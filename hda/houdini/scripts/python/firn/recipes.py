"""Shots to start from: each a network that plays at once, with the same numbers as a scene in examples/.

    from firn import recipes
    recipes.build(recipes.find("plough"))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Mapping, cast

import hou

from firn import build as asset_build
from firn.error import FirnError
from firn.network import add, objects, parm
from firn.snow_solver import ASSET_NAME

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """A box of `size`, a sphere of `radius` or the mesh `file`, in metres and degrees."""

    name: str
    kind: str
    size: Vector = (1.0, 1.0, 1.0)
    radius: float = 0.5
    file: str = ""
    position: Vector = ZERO
    rotation: Vector = ZERO


@dataclass(frozen=True)
class Key:
    frame: int
    position: Vector
    rotation: Vector = ZERO


@dataclass(frozen=True)
class Snow:
    """`uneven` and `lumps` (m) are the strength and the size of a noise of its material."""

    shape: Shape
    preset: str
    velocity: Vector = ZERO
    uneven: float = 0.0
    lumps: float = 0.1


@dataclass(frozen=True)
class Collider:
    shape: Shape
    friction: float
    keys: tuple[Key, ...] = ()
    ease: bool = True


@dataclass(frozen=True)
class Recipe:
    name: str
    label: str
    sentence: str
    scene: str  # the file in examples/ that it follows
    spacing: float
    end: int
    snow: tuple[Snow, ...]
    colliders: tuple[Collider, ...]
    ground_friction: float
    ground_size: float
    eye: Vector
    target: Vector
    solver: tuple[tuple[str, float], ...] = ()  # parameters of the asset that are not at their defaults


RECIPES = (
    Recipe(
        "snowball", "Snowball", "A ball of powder snow hits the ground and bursts.", "snowball_drop.toml", 0.025, 48,
        (Snow(Shape("ball", "sphere", radius=0.25, position=(0, 1.2, 0)), "powder", (2, -12, 0), 0.5, 0.12),),
        (),
        0.5, 4, (2.0, 1.2, 3.0), (0, 0.6, 0), (("surface_floor", 0.85),),
    ),
    Recipe(
        "footprints", "Footprints", "A boot steps into fresh snow and leaves its print.", "boot_print.toml", 0.012, 48,
        (Snow(Shape("layer", "box", size=(0.5, 0.14, 0.66), position=(0, 0.07, 0)), "powder"),),
        (
            Collider(
                Shape("boot", "mesh", file="boot.obj"), 0.3,
                (
                    Key(1, (0, 0.2, -0.02), (-12, 0, 0)),
                    Key(10, (0, 0.09, 0), (-4, 0, 0)),
                    Key(16, (0, 0.06, 0), (-4, 0, 0)),
                    Key(22, (0, 0.06, 0), (-4, 0, 0)),
                    Key(36, (0, 0.3, 0), (-4, 0, 0)),
                    Key(44, (0, 0.5, -0.1), (-10, 0, 0)),
                ),
            ),
        ),
        1.0, 1.6, (0.55, 0.55, 0.75), (0, 0.05, 0),
    ),
    Recipe(
        "plough", "Plough", "A plough drives through a layer of fresh snow and throws it to the side.", "plough.toml",
        0.025, 60,
        (Snow(Shape("layer", "box", size=(1.3, 0.2, 2.4), position=(0, 0.1, 0)), "dry"),),
        (
            Collider(
                Shape("blade", "mesh", file="plough.obj"), 0.1,
                (Key(1, (0, 0, -1.65)), Key(60, (0, 0, 0.95))), ease=False,
            ),
        ),
        1.0, 6, (1.9, 1.5, 2.2), (0, 0.05, 0),
    ),
    Recipe(
        "wall_smash", "Wall Smash", "An iron ball smashes through a wall of packed snow.", "wall_smash.toml", 0.025, 40,
        (Snow(Shape("wall", "box", size=(1.6, 1, 0.3), position=(0, 0.5, 0)), "packed", ZERO, 0.6, 0.15),),
        (
            Collider(
                Shape("ball", "sphere", radius=0.22), 0.3,
                (Key(1, (0.1, 0.62, -0.9)), Key(40, (0.1, 0.5, 4.87))), ease=False,
            ),
        ),
        0.6, 14, (2.7, 1.35, 3.3), (0.15, 0.3, 0.55),
    ),
    Recipe(
        "roof_slide", "Roof Slide", "Wet snow slides off a metal roof and piles up below.", "roof_slide.toml", 0.025, 60,
        (
            Snow(
                Shape("slab", "box", size=(1.6, 0.15, 1), position=(-0.3, 1.4, 0), rotation=(0, 0, -35)), "wet",
                ZERO, 0.4, 0.2,
            ),
        ),
        (
            Collider(
                Shape("roof", "box", size=(2, 0.1, 1.4), position=(-0.3717, 1.2976, 0), rotation=(0, 0, -35)), 0.05,
            ),
        ),
        0.6, 8, (2.6, 1.6, 3.6), (0.4, 0.7, 0),
    ),
)


def find(name: str) -> Recipe:
    for recipe in RECIPES:
        if recipe.name == name:
            return recipe
    raise FirnError(f"there is no recipe '{name}'; the recipes are {', '.join(recipe.name for recipe in RECIPES)}")


def replace_spacing(recipe: Recipe, spacing: float) -> Recipe:
    """The same recipe with coarser or finer snow."""
    return replace(recipe, spacing=spacing)


def mesh_file(name: str) -> str:
    """Where a mesh of the recipes is: in the folder geo/ that the build puts beside the scripts."""
    folder = Path(__file__).resolve().parents[3] / "geo"
    if (folder / name).is_file():
        return (folder / name).as_posix()
    raise FirnError(f"{name} is not in {folder}: install Firn again")


def _set_vector(node: hou.OpNode, name: str, value: Vector) -> None:
    for letter, component in zip("xyz", value):
        parm(node, name + letter).set(float(component))


def _shape(parent: hou.OpNode, shape: Shape) -> hou.SopNode:
    """The shape at the origin, and the transform that places it."""
    if shape.kind == "box":
        made = add(parent, "box", f"{shape.name}_box")
        _set_vector(made, "size", shape.size)
    elif shape.kind == "sphere":
        made = add(parent, "sphere", f"{shape.name}_sphere")
        parm(made, "type").set("poly")
        parm(made, "freq").set(8)
        _set_vector(made, "rad", (shape.radius,) * 3)
    else:
        made = add(parent, "file", f"{shape.name}_mesh")
        parm(made, "file").set(mesh_file(shape.file))
    place = add(parent, "xform", f"{shape.name}_place", (made,))
    _set_vector(place, "t", shape.position)
    _set_vector(place, "r", shape.rotation)
    return place


def _animate(place: hou.OpNode, keys: tuple[Key, ...], ease: bool) -> None:
    for key in keys:
        for name, value in (("t", key.position), ("r", key.rotation)):
            for letter, component in zip("xyz", value):
                moment = hou.Keyframe()
                moment.setFrame(key.frame)
                moment.setValue(float(component))
                moment.setExpression("ease()" if ease else "linear()", hou.exprLanguage.Hscript)
                parm(place, name + letter).setKeyframe(moment)


def _set(node: hou.OpNode, values: Mapping[str, float | int | str]) -> None:
    for name, value in values.items():
        parm(node, name).set(value)


def build(recipe: Recipe, parent: hou.OpNode | None = None) -> hou.SopNode:
    """Builds the recipe in a new object (or in `parent`, a geometry network) and returns its solver."""
    asset_build.ensure()
    home = parent if parent is not None else objects().createNode("geo", f"firn_{recipe.name}", run_init_scripts=False)

    sources = []
    for snow in recipe.snow:
        place = _shape(home, snow.shape)
        source = add(home, "firn::snow_source", f"{snow.shape.name}_snow", (place,))
        _set(source, {"spacing": recipe.spacing, "preset": snow.preset})
        _set(source, {"noise_amplitude": snow.uneven, "noise_scale": snow.lumps})
        _set_vector(source, "velocity", snow.velocity)
        sources.append(source)
    colliders = []
    for collider in recipe.colliders:
        place = _shape(home, collider.shape)
        _animate(place, collider.keys, collider.ease)
        made = add(home, "firn::snow_collider", f"{collider.shape.name}_collider", (place,))
        _set(made, {"spacing": recipe.spacing, "motion": "rigid" if collider.keys else "static", "friction": collider.friction})
        colliders.append(made)

    snow_in = add(home, "merge", "all_snow", sources)
    colliders_in = add(home, "merge", "all_colliders", colliders) if colliders else None
    solver = add(home, ASSET_NAME, "snow_solver", (snow_in, colliders_in))
    _set(
        solver,
        {"spacing": recipe.spacing, "ground_size": recipe.ground_size, "ground_friction": recipe.ground_friction},
    )
    _set(solver, dict(recipe.solver))
    result = add(home, "null", "SNOW", (solver,))
    for index, name in ((1, "VOLUMES"), (2, "SURFACE")):
        add(home, "null", name).setInput(0, solver, index)
    result.setDisplayFlag(True)
    result.setRenderFlag(True)
    home.layoutChildren()
    return solver


def build_from_shelf(name: str) -> None:
    """A shelf tool: builds the recipe, shows it and says what went wrong in a box."""
    try:
        solver = build(find(name))
    except (FirnError, hou.Error) as trouble:
        text = str(trouble) if isinstance(trouble, FirnError) else asset_build.describe(trouble)
        hou.ui.displayMessage(text, severity=hou.severityType.Error, title="Firn")
        return
    cast("hou.OpNode", solver.parent()).setSelected(True, clear_all_selected=True)
