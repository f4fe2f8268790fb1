"""What is above a node: the nodes that make the snow and the colliders that a wire carries."""

from __future__ import annotations

import re
from typing import cast

import hou

from firn.error import FirnError
from firn.network import child, parm

#: The part of a Solver SOP that is meant to be edited.
LOOP = "d/s"


def is_type(node: hou.OpNode, name: str) -> bool:
    """Whatever its version."""
    own = node.type().name()
    return own == name or own.startswith(f"{name}::")


def above_of_type(node: hou.OpNode, name: str) -> hou.OpNode | None:
    """The nearest network of the type `name` that the node is in."""
    place = cast("hou.OpNode | None", node.parent())
    while place is not None and not is_type(place, name):
        place = cast("hou.OpNode | None", place.parent())
    return place


def input_at(node: hou.OpNode, index: int) -> hou.OpNode | None:
    inputs = node.inputs()
    return inputs[index] if index < len(inputs) else None


def input_of(node: hou.SopNode) -> hou.SopNode:
    found = input_at(node, 0)
    if found is None:
        raise FirnError(f"{node.path()} has no input: wire geometry to it")
    return cast(hou.SopNode, found)


def loop_inputs(solver: hou.OpNode) -> dict[str, int]:
    """Nodes of a Solver SOP's loop that stand for its inputs, and which."""
    inside = child(solver, LOOP)
    found = {}
    for node in inside.children():
        numbered = re.fullmatch(r"Input_(\d+)", node.name())
        if numbered:
            found[node.path()] = int(numbered[1]) - 1
    return found


def merged_objects(node: hou.OpNode) -> list[hou.OpNode | None] | None:
    """What an Object Merge carries; None if it does more than carry."""
    solver = above_of_type(node, "solver")
    if solver is not None:
        number = loop_inputs(solver).get(node.path())
        if number is not None:
            return [input_at(solver, number)]
    if parm(node, "numobj").evalAsInt() != 1 or parm(node, "xformtype").evalAsInt() != 0:
        return None
    found = node.node(parm(node, "objpath1").evalAsString())
    return [found] if isinstance(found, hou.SopNode) else None


def leaves(node: hou.OpNode | None, wanted: str) -> list[hou.SopNode]:
    """The nodes above that make what a wire carries: through merges, nulls, switches and Object Merges, up to those of the
    type `wanted` or whatever else is there."""
    if node is None:
        return []
    sop = cast(hou.SopNode, node)
    if is_type(node, wanted):
        return [sop]
    kind = node.type().name()
    inputs = node.inputs()
    through: list[hou.OpNode | None] | None = None
    if kind == "switch" and inputs:
        chosen = parm(node, "input").evalAsInt()
        through = [inputs[min(max(chosen, 0), len(inputs) - 1)]]
    elif kind == "merge":
        through = list(inputs)
    elif kind in ("null", "output") or sop.isBypassed():
        through = list(inputs[:1])
    elif kind == "object_merge":
        through = merged_objects(node)
    if through is None:
        return [sop]
    return [leaf for above in through for leaf in leaves(above, wanted)]
