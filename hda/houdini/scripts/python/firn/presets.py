"""Kinds of snow for nodes that are already there."""

from __future__ import annotations

from typing import Iterable, Mapping

import hou

from firn import tables
from firn.error import FirnError

#: What the solver needs for the kinds of snow that must bounce; the others have its defaults.
SOLVER_VALUES: Mapping[str, Mapping[str, float]] = {
    "crust": {"damping": 0.0, "cfl_wave": 0.5},
    "ice": {"damping": 0.0, "cfl_wave": 0.5},
}


def choices() -> tuple[tables.Choice, ...]:
    return tables.load().node("firn::snow_source").parameter("preset").choices


def apply(node: hou.OpNode, preset: str) -> None:
    """Sets the preset of a Snow Source or a Snow Solver, and on a solver also what goes with it."""
    menu = node.parm("preset")
    if menu is None:
        raise FirnError(f"{node.path()} has no snow preset: select Firn Snow Source or Firn Snow Solver nodes")
    known = {choice.token for choice in choices()}
    if preset not in known:
        raise FirnError(f"there is no snow preset '{preset}'; the presets are {', '.join(sorted(known))}")
    menu.set(preset)
    step = tables.load().node("firn::snow_step")
    for token in sorted({token for values in SOLVER_VALUES.values() for token in values}):
        found = node.parm(token)
        if found is not None:
            found.set(SOLVER_VALUES.get(preset, {}).get(token, float(step.parameter(token).default[0])))


def from_shelf(nodes: Iterable[hou.OpNode]) -> None:
    """A shelf tool: asks for a preset and gives it to the selected nodes."""
    offered = choices()
    picked = hou.ui.selectFromList(
        [f"{choice.label}: {choice.help}" for choice in offered], exclusive=True, title="Firn", message="Kind of snow"
    )
    try:
        for index in picked[:1]:
            targets = list(nodes)
            if not targets:
                raise FirnError("nothing is selected: select Firn Snow Source or Firn Snow Solver nodes")
            for node in targets:
                apply(node, offered[index].token)
    except FirnError as trouble:
        hou.ui.displayMessage(str(trouble), severity=hou.severityType.Error, title="Firn")
