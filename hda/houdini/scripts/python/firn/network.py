"""The network inside firn::snow_solver, in code.

    snow       source(input 1), or input 1 itself when it is particles already
    colliders  collider(input 2), or input 2 itself, and the ground plane
    placed     step(nothing, snow) at the start frame, where snow only appears
    solver     from there on, frame by frame: step(Prev_Frame, snow, colliders, input 3)
    cache      solver, or files on disk
    outputs    cache, rasterize(cache), surface(cache), colliders

The Solver SOP keeps what came out of the last frame; firn::snow_step is stateless, so that scrubbing, resimulation from an
edited frame and Houdini's own simulation cache need no code here.
"""

from __future__ import annotations

from typing import Sequence, cast

import hou

from firn.error import FirnError
from firn.snow_solver import INNER_TYPES, Link, Plan

#: From a node inside the Solver SOP's feedback network up to the asset, and from a node beside the Solver SOP.
FROM_FEEDBACK = "../../../.."
FROM_ASSET = ".."

#: Attributes by which "Automatic" knows what Firn's own nodes made: points with these and without primitives. (A mesh may have
#: rest_density too, painted on its points.)
SNOW_MARKS = ("rest_density", "pscale")
COLLIDER_MARKS = ("body",)


def parm(node: hou.OpNode, name: str) -> hou.Parm:
    """The node's parameter, or an error that names the Houdini which lacks it."""
    found = node.parm(name)
    if found is None:
        raise FirnError(
            f"{node.path()} ({node.type().name()}) has no parameter '{name}' in Houdini "
            f"{hou.applicationVersionString()}: use a Firn made for this version"
        )
    return found


def child(node: hou.OpNode, path: str) -> hou.OpNode:
    found = node.node(path)
    if found is None:
        raise FirnError(
            f"{node.path()} ({node.type().name()}) has no node '{path}' in Houdini {hou.applicationVersionString()}: "
            "use a Firn made for this version"
        )
    return found


def objects() -> hou.OpNode:
    """/obj, where objects live."""
    found = hou.node("/obj")
    if found is None:
        raise FirnError("this Houdini has no /obj")
    return cast("hou.OpNode", found)


def add(parent: hou.OpNode, kind: str, name: str, inputs: Sequence[hou.NetworkMovableItem | None] = ()) -> hou.SopNode:
    """A new node, wired up."""
    node = parent.createNode(kind, name)
    for index, source in enumerate(inputs):
        if source is not None:
            node.setInput(index, source)
    return cast(hou.SopNode, node)


def set_expression(node: hou.OpNode, name: str, expression: str) -> None:
    parm(node, name).setExpression(expression, hou.exprLanguage.Hscript)


def follow(node: hou.OpNode, link: Link, way_up: str) -> None:
    """Makes a parameter of an inner node follow the asset."""
    if "`" in link.expression:
        parm(node, link.token).set(link.expression.format(asset=way_up))
        return
    names = node.parmTuple(link.token)
    if names is None:
        parm(node, link.token)  # raises, and says what is missing
        return
    if len(names) == 1:
        set_expression(node, link.token, link.expression.format(asset=way_up))
        return
    for component in names:
        letter = component.name()[len(link.token):]
        set_expression(node, component.name(), link.expression.format(asset=way_up).replace(f'{link.token}"', f'{link.token}{letter}"'))


def _input(parent: hou.OpNode, index: int, name: str) -> hou.SopNode:
    """A node that stands for the asset's input, so that expressions can name it."""
    return add(parent, "null", name, (parent.indirectInputs()[index],))


def _choose(
    raw: hou.SopNode, made: hou.SopNode, nothing: hou.SopNode, name: str, menu: str, marks: tuple[str, ...]
) -> hou.SopNode:
    """Input 0: what the inner node makes of the geometry. Input 1: the geometry, when it is already Firn's particles.
    Input 2: nothing, when there is none, so that an open input is no complaint of the inner node."""
    switch = add(cast("hou.OpNode", raw.parent()), "switch", name, (made, raw, nothing))
    path = f'"../{raw.name()}"'
    particles = " && ".join([f'haspointattrib({path}, "{mark}")' for mark in marks] + [f"nprims({path}) == 0"])
    wanted = f'if(ch("../{menu}") == 0, {particles}, ch("../{menu}") - 1)'
    set_expression(switch, "input", f"if(npoints({path}) == 0, 2, {wanted})")
    return switch


def _colliders(asset: hou.OpNode, geometry: hou.SopNode, nothing: hou.SopNode) -> hou.SopNode:
    collider = add(asset, INNER_TYPES["collider"], "collider", (geometry,))
    chosen = _choose(geometry, collider, nothing, "collider_particles", "collider_input", COLLIDER_MARKS)
    plane = add(asset, "grid", "ground_plane")
    # Only its place counts for the collider; this is how large it is drawn.
    set_expression(plane, "sizex", 'if(ch("../ground_size") > 0, ch("../ground_size"), 20)')
    set_expression(plane, "sizey", 'if(ch("../ground_size") > 0, ch("../ground_size"), 20)')
    set_expression(plane, "ty", 'ch("../ground_height")')
    parm(plane, "rows").set(2)
    parm(plane, "cols").set(2)
    ground = add(asset, INNER_TYPES["ground_collider"], "ground_collider", (plane,))
    parm(ground, "plane").set(1)
    set_expression(ground, "plane_size", 'ch("../ground_size")')
    both = add(asset, "merge", "with_ground", (chosen, ground))
    switch = add(asset, "switch", "colliders", (chosen, both))
    set_expression(switch, "input", 'ch("../ground")')
    return switch


def _feedback(solver: hou.OpNode) -> hou.SopNode:
    """Fills the part of the Solver SOP that is meant to be edited, so that the rest stays Houdini's own.

    Its input 1 is the snow at the start, 2 sources, 3 colliders, 4 forces.
    """
    inside = child(solver, "d/s")
    previous = child(inside, "Prev_Frame")
    inputs = [child(inside, f"Input_{number}") for number in (2, 3, 4)]
    step = add(inside, INNER_TYPES["step"], "step", (previous, *inputs))
    # Whether a Solver SOP solves its start frame is its own affair; the snow there is as placed, as in `firn sim`.
    from_start = add(inside, "switch", "from_start", (previous, step))
    set_expression(from_start, "input", f'$F > ch("{FROM_FEEDBACK}/start_frame")')
    out = inside.node("OUT")
    if out is None:
        out = add(inside, "null", "OUT")
    out.setInput(0, from_start)
    result = cast(hou.SopNode, out)
    result.setDisplayFlag(True)
    result.setRenderFlag(True)
    return step


def _cache(asset: hou.OpNode, simulated: hou.SopNode) -> hou.SopNode:
    save = add(asset, "rop_geometry", "save_cache", (simulated,))
    parm(save, "trange").set(1)
    parm(save, "sopoutput").set('`chs("../cache_file")`')
    set_expression(save, "f1", 'ch("../cache_start")')
    set_expression(save, "f2", 'ch("../cache_end")')
    parm(save, "f3").set(1)
    load = add(asset, "file", "load_cache")
    parm(load, "file").set('`chs("../cache_file")`')
    switch = add(asset, "switch", "cache", (simulated, load))
    set_expression(switch, "input", 'ch("../cache_load")')
    return switch


def build(asset: hou.OpNode, plan: Plan) -> None:
    """Fills a subnet that already has the asset's parameters."""
    nothing = add(asset, "null", "nothing")
    snow_geometry = _input(asset, 0, "snow_geometry")
    source = add(asset, INNER_TYPES["source"], "source", (snow_geometry,))
    snow = _choose(snow_geometry, source, nothing, "snow", "snow_input", SNOW_MARKS)
    colliders = _colliders(asset, _input(asset, 1, "collider_geometry"), nothing)
    forces = _input(asset, 2, "forces")

    # Up to its start frame a step only lets snow appear: what sources say is there by then, with ids and ages.
    placed = add(asset, INNER_TYPES["step"], "placed", (nothing, snow))
    set_expression(placed, "frame", 'ch("../start_frame")')
    solver = add(asset, "solver", "solver", (placed, snow, colliders, forces))
    set_expression(solver, "startframe", 'ch("../start_frame")')
    parm(solver, "substep").set(1)  # firn::snow_step takes as many steps as a frame needs
    step = _feedback(solver)

    cache = _cache(asset, solver)
    rasterize = add(asset, INNER_TYPES["rasterize"], "rasterize", (cache,))
    surface = add(asset, INNER_TYPES["surface"], "surface", (cache,))

    inner: dict[str, hou.OpNode] = {
        "source": source,
        "collider": child(asset, "collider"),
        "ground_collider": child(asset, "ground_collider"),
        "rasterize": rasterize,
        "surface": surface,
    }
    for link in plan.links():
        if link.node == "step":
            follow(step, link, FROM_FEEDBACK)
            follow(placed, link, FROM_ASSET)
        else:
            follow(inner[link.node], link, FROM_ASSET)

    for index, result in enumerate((cache, rasterize, surface, colliders)):
        output = add(asset, "output", f"output{index}", (result,))
        parm(output, "outputidx").set(index)
        if index == 0:
            output.setDisplayFlag(True)
            output.setRenderFlag(True)
    asset.layoutChildren()
    child(solver, "d/s").layoutChildren()
