"""A feedback loop of one's own as a scene: a Solver SOP with a firn::snow_step inside.

The Solver's first input is the snow at the start; the step's inputs are sources, colliders and forces, from the Solver's
other inputs or from Object Merges. What a loop does besides the step is no part of a scene file, and is refused.
"""

from __future__ import annotations

from typing import cast

import hou

from firn import tables
from firn.error import FirnError
from firn.export_colliders import add_collider_nodes
from firn.export_engine import engine_sections, step_time
from firn.export_file import Entries, Export, geometry_at
from firn.export_snow import add_makers, add_particles, add_source
from firn.export_wires import LOOP, above_of_type, input_at, input_of, is_type, leaves
from firn.network import child, parm
from firn.settings import Settings

STEP = "firn::snow_step"


def step_of(solver: hou.OpNode) -> hou.SopNode:
    steps = [node for node in child(solver, LOOP).children() if is_type(node, STEP)]
    if len(steps) != 1:
        raise FirnError(f"{solver.path()} has {len(steps) or 'no'} {STEP} inside: a loop for a scene file has one")
    return cast(hou.SopNode, steps[0])


def solver_of(step: hou.OpNode) -> hou.OpNode:
    solver = above_of_type(step, "solver")
    if solver is None or step.parent() != solver.node(LOOP):
        raise FirnError(f"{step.path()} is not in the loop of a Solver SOP: only there it can be exported; put it in one, or "
                        "use a firn::snow_solver")
    return solver


def start_frame(step: hou.OpNode) -> int:
    solver = solver_of(step)
    first, own = parm(solver, "startframe").evalAsInt(), int(parm(step, "start_frame").evalAsFloat())
    if first != own:
        raise FirnError(f"{solver.path()} starts at frame {first}, but {step.path()} at {own}: give both the same Start Frame")
    return first


def reaches(node: hou.OpNode | None, goal: hou.OpNode) -> bool:
    """Whether a wire from `goal` ends here, through nodes that change nothing."""
    if node is None:
        return False
    if node == goal:
        return True
    plain = node.type().name() in ("null", "output", "switch") or cast(hou.SopNode, node).isBypassed()
    return plain and any(reaches(above, goal) for above in node.inputs())


def check_loop(step: hou.SopNode, solver: hou.OpNode, elsewhere: str) -> None:
    """Nothing but the step happens between two frames."""
    inside = child(solver, LOOP)
    previous = child(inside, "Prev_Frame")
    if not reaches(input_at(step, 0), previous):
        raise FirnError(f"{step.path()}: its first input is not {previous.name()} alone; a scene file can't hold what changes "
                        f"the snow before each step: take it out, or use {elsewhere}")
    shown = [node for node in inside.children() if isinstance(node, hou.SopNode) and node.isDisplayFlagSet()]
    out = shown[0] if shown else child(inside, "OUT")
    if not reaches(out, step):
        raise FirnError(f"{out.path()}: other nodes than {step.name()} change the snow after each step, which a scene file "
                        f"can't hold: take them out, or use {elsewhere}")


def outside(step: hou.SopNode, index: int, wanted: str) -> list[hou.SopNode]:
    """What makes the step's input; nodes in the loop itself can't be asked for other frames."""
    found = leaves(input_at(step, index), wanted)
    for leaf in found:
        if leaf.parent() == step.parent():
            raise FirnError(f"{leaf.path()} is inside the loop: put it outside, and give it to the Solver as an input")
    return found


def add_first_snow(export: Export, leaf: hou.SopNode) -> None:
    """The Solver takes all of its first input at the start, whenever a source says that it opens."""
    settings = Settings(leaf, {})
    if is_type(leaf, "firn::snow_source") and settings.text("emission") == "once":
        add_source(export, settings, leaf, input_of(leaf), leaf.name(), export.first)
    else:
        add_particles(export, leaf.name(), geometry_at(leaf, export.first), export.first, leaf.path())


def fill(export: Export, known: tables.Tables) -> dict[str, Entries]:
    """Adds bodies to the export; returns the other sections."""
    step = cast(hou.SopNode, export.node)
    solver = solver_of(step)
    check_loop(step, solver, export.elsewhere)
    settings = Settings(step, {})
    sections = engine_sections(export, known.node(STEP).parameters, settings)
    sections["time"] = step_time(export, settings, sections.get("time", {}), settings.number("timestep"))
    first = leaves(input_at(solver, 0), "firn::snow_source")
    later = outside(step, 1, "firn::snow_source")
    if not first and not later:
        raise FirnError(f"{solver.path()} has no snow: wire a Snow Source to its first input")
    for leaf in first:
        add_first_snow(export, leaf)
    add_makers(export, later)
    add_collider_nodes(export, outside(step, 2, "firn::snow_collider"))
    if outside(step, 3, "firn::snow_collider"):
        export.warn(f"{step.path()}: the forces of its fourth input can't be exported; {export.elsewhere} has them")
    return sections
