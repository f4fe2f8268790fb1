"""Firn Snow Look: snow materials for Karma on what a stage holds.

    from firn import snow_look
    snow_look.build("wet")                  # for all snow of a Firn stage
    snow_look.build("icy", "/geo/snow")     # for something else

Makes two LOPs in /stage: one that brings the layer usd/firn_snow_look.usda with all five materials (look_materials.py), and one
that assigns a material. The layer can also be sublayered or referenced by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, cast

import hou

from firn.error import FirnError
from firn.look_materials import LOOKS, SCOPE, Look
from firn.network import parm

#: The grains and the surface of a stage that `firn sim` writes.
SNOW = "/firn/grains /firn/surface"


def library() -> Path:
    """The layer with the materials, which the build makes."""
    path = Path(__file__).parents[3] / "usd" / "firn_snow_look.usda"
    if not path.is_file():
        raise FirnError(f"{path} is not there: the Houdini folder of a build has it, the source folder alone does not")
    return path


def find(name: str) -> Look:
    for look in LOOKS:
        if look.name == name:
            return look
    raise FirnError(f"there is no snow look '{name}'; there are {', '.join(look.name for look in LOOKS)}")


def build(name: str, primitives: str = SNOW, after: hou.OpNode | None = None) -> hou.OpNode:
    """Puts the look on `primitives`, behind the LOP `after`. Returns the last of the new nodes."""
    look = find(name)
    layer = library()
    stage = after.parent() if after is not None else hou.node("/stage")
    if stage is None:
        raise FirnError("this Houdini has no /stage: make a LOP network, and give a node of it")
    home = cast("hou.OpNode", stage)
    bring = home.createNode("sublayer", f"snow_look_{look.name}")
    parm(bring, "filepath1").set(layer.as_posix())
    if after is not None:
        bring.setInput(0, after)
    assign = home.createNode("assignmaterial", f"assign_{look.name}")
    assign.setInput(0, bring)
    parm(assign, "primpattern1").set(primitives)
    parm(assign, "matspecpath1").set(f"{SCOPE}/snow_{look.name}")
    home.layoutChildren()
    return assign


def from_shelf(nodes: Iterable[hou.OpNode]) -> None:
    """A shelf tool: asks which, and puts it behind the selected LOP, if one is."""
    labels = [f"{look.label}: {look.about}" for look in LOOKS]
    picked = hou.ui.selectFromList(labels, exclusive=True, title="Firn", message="Which snow?")
    after = next((node for node in nodes if node.type().category().name() == "Lop"), None)
    try:
        for index in picked[:1]:
            build(LOOKS[index].name, after=after)
    except FirnError as trouble:
        hou.ui.displayMessage(str(trouble), severity=hou.severityType.Error, title="Firn")
