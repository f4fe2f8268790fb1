"""Node types of Houdini that Firn's networks use, with just the parameters they set, and stand-ins for the plugin's nodes.

The parameters are named as in sidefx.com/docs/houdini/nodes/sop/ and dop/. What the stand-ins compute is no snow: points of a lattice
that fall. They show that wires, expressions and frames are right; tests/hdk runs the real nodes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from . import world
from .enums import parmNamingScheme
from .errors import OperationFailed
from .geometry import VDB, Geometry, PackedGeometry
from .matrices import placement
from .nodes import OpNode, OpNodeType, OpNodeTypeCategory
from .parm_values import number_of, text_of, vector_of
from .templates import (
    ButtonParmTemplate, FloatParmTemplate, IntParmTemplate, MenuParmTemplate, ParmTemplate, ParmTemplateGroup,
    StringParmTemplate, ToggleParmTemplate,
)


def _needed(node: OpNode, index: int) -> Geometry:
    geometry = node.input_geometry(index)
    if geometry is None:
        raise OperationFailed(f"Not enough sources specified: {node.path()}")
    return geometry


def _box(low: list[float], high: list[float]) -> Geometry:
    made = Geometry()
    # Corners by their bits: 4 is x, 2 is y, 1 is z. Clockwise from outside.
    for corners in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
        made.add_polygon(corners)
    for x in (low[0], high[0]):
        for y in (low[1], high[1]):
            for z in (low[2], high[2]):
                made.attributes["P"] += [x, y, z]
    return made


def _cook_box(node: OpNode, output: int) -> Geometry:
    size, at = vector_of(node, "size"), vector_of(node, "t")
    return _box([t - s / 2 for t, s in zip(at, size)], [t + s / 2 for t, s in zip(at, size)])


def _cook_sphere(node: OpNode, output: int) -> Geometry:
    radius = vector_of(node, "rad")
    return _box([-r for r in radius], radius)


def _cook_grid(node: OpNode, output: int) -> Geometry:
    x, z, height = number_of(node, "sizex") / 2, number_of(node, "sizey") / 2, number_of(node, "ty")
    return _box([-x, height, -z], [x, height, z])


def _cook_file(node: OpNode, output: int) -> Geometry:
    parm = node.parm("file")
    path = Path(parm.evalAsString() if parm is not None else "")
    if not path.is_file():
        raise OperationFailed(f"Unable to read file \"{path}\".")
    made = Geometry()
    if path.suffix == ".obj":
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("v "):
                made.attributes["P"] += [float(word) for word in line.split()[1:4]]
            elif line.startswith("f "):
                made.add_polygon(tuple(int(word.split("/")[0]) - 1 for word in line.split()[1:])[::-1])
    else:
        made.load_json(path)
    return made


def _cook_xform(node: OpNode, output: int) -> Geometry:
    made = _needed(node, 0).make_copy()
    made.transform(placement(vector_of(node, "t"), vector_of(node, "r"), vector_of(node, "s")))
    return made


def _cook_pack(node: OpNode, output: int) -> Geometry:
    made, whole = Geometry(), _needed(node, 0)
    if not number_of(node, "packbyname"):
        made.add_on_a_point(PackedGeometry(whole))
        return made
    prims = list(whole.prims())
    for name in dict.fromkeys(str(prim.attribValue("name")) for prim in prims):
        piece = whole.make_copy()
        piece.keep_polygons([str(prim.attribValue("name")) == name for prim in prims])
        made.add_on_a_point(PackedGeometry(piece, name))
    return made


def _cook_name(node: OpNode, output: int) -> Geometry:
    made = _needed(node, 0).make_copy()
    made.name_polygons([text_of(node, "name1")] * len(made.prims()))
    return made


def _press_alembic(node: OpNode, name: str) -> bool:
    if name == "execute":
        _needed(node, 0).store_json(Path(text_of(node, "filename")))
    return name == "execute"


def _cook_alembic(node: OpNode, output: int) -> Geometry:
    path = Path(text_of(node, "fileName"))
    if not path.is_file():
        raise OperationFailed(f"Unable to open {path}")
    inside, made = Geometry(), Geometry()
    inside.load_json(path)
    inside.remove_primitives()
    made.add_on_a_point(PackedGeometry(inside))
    return made


def _cook_merge(node: OpNode, output: int) -> Geometry:
    made = Geometry()
    for index in range(node.wired_inputs()):
        geometry = node.input_geometry(index)
        if geometry is not None:
            made.merge(geometry)
    return made


def _cook_switch(node: OpNode, output: int) -> Geometry:
    return _needed(node, int(number_of(node, "input")))


def _cook_null(node: OpNode, output: int) -> Geometry:
    return node.input_geometry(0) or Geometry()


def _press_rop(node: OpNode, name: str) -> bool:
    if name != "execute":
        return False
    target = node.parm("sopoutput")
    if target is None:
        raise OperationFailed("no sopoutput")
    before = world.current.frame
    for frame in range(int(number_of(node, "f1")), int(number_of(node, "f2")) + 1, int(number_of(node, "f3"))):
        world.current.frame = float(frame)
        path = Path(target.evalAsString())
        path.parent.mkdir(parents=True, exist_ok=True)
        _needed(node, 0).store_json(path)
    world.current.frame = before
    return True


# ---- the Solver SOP: a locked asset with an editable network inside


def _fill_solver(node: OpNode) -> None:
    with world.current.load():
        inside = node.createNode("dopnet", "d").createNode("sopsolver", "s")
        previous = inside.createNode("dopimport", "Prev_Frame")
        for number in range(1, 5):
            inside.createNode("object_merge", f"Input_{number}")
        inside.createNode("null", "OUT").setInput(0, previous)


def _solver_of(node: OpNode) -> OpNode:
    above: OpNode | None = node
    while above is not None and above.type().name() != "solver":
        above = above.parent()
    if above is None:
        raise OperationFailed(f"{node.path()} is not in a Solver SOP")
    return above


def _cook_previous(node: OpNode, output: int) -> Geometry:
    solver = _solver_of(node)
    frame = world.current.frame
    if frame <= number_of(solver, "startframe"):
        return _needed(solver, 0)
    return _state(solver, frame - 1)


def _cook_object_merge(node: OpNode, output: int) -> Geometry:
    """Another node's geometry; in a Solver SOP, without a path, an input of it."""
    parm = node.parm("objpath1")
    path = parm.evalAsString() if parm is not None else ""
    if path:
        other = node.node(path)
        if other is None:
            raise OperationFailed(f"Invalid node: {path}")
        return other.cook_output(0)
    return _solver_of(node).input_geometry(int(node.name()[-1]) - 1) or Geometry()


def _state(solver: OpNode, frame: float) -> Geometry:
    """The solver's geometry at a frame, simulated up to there where it is not known."""
    start = number_of(solver, "startframe")
    before = world.current.frame
    try:
        at = start
        while at <= max(frame, start):
            if at not in solver.cache:
                world.current.frame = at
                out = solver.node("d/s/OUT")
                if out is None:
                    raise OperationFailed(f"{solver.path()} has no OUT")
                steps = at > start or world.current.solver_steps_start_frame
                solver.cache[at] = (out.cook_output(0) if steps else _needed(solver, 0)).make_copy()
            at += 1
    finally:
        world.current.frame = before
    return solver.cache[max(frame, start)]


def _cook_solver(node: OpNode, output: int) -> Geometry:
    made = _state(node, world.current.frame).make_copy()
    back = world.current.frame < max(node.cache)
    if world.current.solver_forgets and back or world.current.solver_moves_start and len(node.cache) == 1:
        made.attributes["P"] = [value + 1e-3 for value in made.attributes["P"]]
    return made


def _press_solver(node: OpNode, name: str) -> bool:
    if name == "resimulate":
        node.cache.clear()
    return name == "resimulate"


# ---- stand-ins for Firn's nodes


def _cook_source(node: OpNode, output: int) -> Geometry:
    shape = _needed(node, 0)
    made = Geometry()
    if not shape.point_count():
        raise OperationFailed(f"{node.path()}: the input has no inside")
    if number_of(node, "input_as") and not world.current.menus_are_zero:
        made.attributes["P"] = list(shape.attributes["P"])
        return made
    spacing = number_of(node, "spacing")
    low, high = shape.bounding_box()
    counts = [max(int((h - l) / spacing + 1e-6), 1) for l, h in zip(low, high)]
    if counts[0] * counts[1] * counts[2] > 20000:
        raise OperationFailed(f"{node.path()}: the fake fills small shapes only")
    velocity = vector_of(node, "velocity")
    density = number_of(node, "rest_density")
    for i in range(counts[0]):
        for j in range(counts[1]):
            for k in range(counts[2]):
                made.attributes["P"] += [l + (n + 0.5) * spacing for l, n in zip(low, (i, j, k))]
    made.attributes["v"] = velocity * made.point_count()
    made.attributes["rest_density"] = [density] * made.point_count()
    made.attributes["pscale"] = [spacing / 2] * made.point_count()
    # It comes out at every frame; the step takes what is born.
    made.attributes["birth_frame"] = [number_of(node, "start_frame")] * made.point_count()
    return made


def _cook_collider(node: OpNode, output: int) -> Geometry:
    shape, made = _needed(node, 0), Geometry()
    packed = [prim for prim in shape.prims() if isinstance(prim, PackedGeometry)]
    pieces = [prim.getEmbeddedGeometry() for prim in packed] or [shape]
    if world.current.fragments_are_whole and len(pieces) > 1:
        whole = Geometry()
        for piece in pieces:
            whole.merge(piece)
        pieces = [whole for _ in pieces]
    bodies: list[float] = []
    for number, piece in enumerate(pieces, 1):
        points = piece.make_copy()
        points.remove_primitives()
        made.merge(points)
        bodies += [float(number)] * points.point_count()
    if not made.point_count() or packed and world.current.packed_is_empty:
        raise OperationFailed(f"{node.path()}: there is nothing to collide with")
    made.attributes["body"] = bodies
    made.attributes["friction"] = [number_of(node, "friction")] * made.point_count()
    return made


def _cook_step(node: OpNode, output: int) -> Geometry:
    made = _needed(node, 0).make_copy()
    frame, start = number_of(node, "frame"), number_of(node, "start_frame")
    born = _born(node.input_geometry(1) or Geometry(), frame, frame <= start)
    if frame <= start:
        made.merge(born)
        return made  # nothing moves up to the start frame; snow only appears
    colliders = node.input_geometry(2)
    floor = colliders.bounding_box()[0][1] if colliders is not None and colliders.point_count() else -math.inf
    dt = number_of(node, "timestep") * number_of(node, "timescale")
    for name in ("dt_min", "dt_max"):
        if number_of(node, name) <= 0:
            raise OperationFailed(f"{node.path()}: {name} is not positive")
    if number_of(node, "dt_min") > number_of(node, "dt_max"):
        raise OperationFailed(f"{node.path()}: dt_min is longer than dt_max")
    gravity = vector_of(node, "gravity")
    keep = max(made.point_count() - world.current.lost_particles, 0)
    for name, values in made.attributes.items():
        made.attributes[name] = values[: keep * (len(values) // max(made.point_count(), 1))] if name != "P" else values
    made.attributes["P"] = made.attributes["P"][: 3 * keep]
    for index in range(3 * keep):
        made.attributes["v"][index] += dt * gravity[index % 3]
        made.attributes["P"][index] += dt * made.attributes["v"][index]
        if index % 3 == 1:
            made.attributes["P"][index] = max(made.attributes["P"][index], floor)
    made.merge(born)
    return made


def _born(source: Geometry, frame: float, first: bool) -> Geometry:
    """The points whose birth_frame it is; at the first frame also those that should have been there before."""
    births = source.attributes.get("birth_frame", [frame if first else frame - 1] * source.point_count())
    taken = [n for n, birth in enumerate(births) if birth == frame or first and birth < frame]
    made = Geometry()
    for name, values in source.attributes.items():
        width = len(values) // max(source.point_count(), 1)
        if name != "birth_frame":
            made.attributes[name] = [values[n * width + k] for n in taken for k in range(width)]
    return made


def _cook_volumes(node: OpNode, output: int) -> Geometry:
    made = Geometry()
    names = [name for name in ("density", "velocity", "masked_density") if node.parm(name) is not None]
    wanted = [name for name in names if number_of(node, name)] if names else ["surface"]
    if _needed(node, 0).point_count():
        for _ in wanted:
            made.add_on_a_point(VDB())
    return made


def _press_dop(node: OpNode, name: str) -> bool:
    """The ROP that writes .sim files."""
    from . import dops

    if name == "execute":
        network = node.node(text_of(node, "doppath"))
        if network is None:
            raise OperationFailed("Invalid DOP path")
        dops.save_state(network, Path(text_of(node, "dopoutput")))
    return name == "execute"


# ---- registration


def _group(*templates: ParmTemplate) -> ParmTemplateGroup:
    return ParmTemplateGroup(templates)


def _floats(*names: str, value: float = 0.0) -> list[ParmTemplate]:
    return [FloatParmTemplate(name, name, 1, (value,)) for name in names]


def _xyz(name: str, value: float = 0.0) -> ParmTemplate:
    return FloatParmTemplate(name, name, 3, (value,) * 3, naming_scheme=parmNamingScheme.XYZW)


def _object_merge() -> ParmTemplateGroup:
    ways = ("none", "local", "object")
    return _group(
        MenuParmTemplate("xformtype", "Transform", ways), IntParmTemplate("numobj", "Number of Objects", 1, (1,)),
        StringParmTemplate("objpath1", "Object 1", 1, ("",)),
    )


def _dop_network() -> ParmTemplateGroup:
    return _group(
        IntParmTemplate("startframe", "Start Frame", 1, (1,)), *_floats("timescale", value=1.0),
        StringParmTemplate("initialstate", "Initial State", 1, ("",)),
    )


def _dop_types() -> list[tuple[str, ParmTemplateGroup, int]]:
    """Named as in sidefx.com/docs/houdini/nodes/dop/; what they do is in dops.py."""
    path = StringParmTemplate("soppath", "SOP Path", 1, ("",))
    creation = FloatParmTemplate("createframe", "Creation Frame", 1, (1.0,))
    relationship = StringParmTemplate("inputrel1", "Relationship", 1, ("SIM_RelationshipCollide",))
    force = FloatParmTemplate("force", "Force", 3, (0.0, -9.81, 0.0), naming_scheme=parmNamingScheme.XYZW)
    return [
        ("sopsolver", _group(), 1),
        ("emptyobject", _group(creation), 0),
        ("staticobject", _group(creation, path, _xyz("t"), _xyz("r"), *_floats("friction", value=0.5)), 0),
        ("sopgeo", _group(path), 1),
        ("gravity", _group(force), 1),
        ("drag", _group(), 1),
        ("merge", _group(relationship), 9999),
        ("output", _group(), 1),
    ]


class _Asset:
    """Stands for the definition of an asset that comes with Houdini."""

    def isInstalled(self) -> bool:
        return True


def register(categories: dict[str, OpNodeTypeCategory]) -> None:
    managers, objects, sops, dops = (categories[name] for name in ("Manager", "Object", "Sop", "Dop"))
    managers.add_type(OpNodeType(managers, "root", _group(), inside="Manager"))
    managers.add_type(OpNodeType(managers, "obj", _group(), inside="Object"))
    managers.add_type(OpNodeType(managers, "out", _group(), inside="Driver"))
    managers.add_type(OpNodeType(managers, "stage", _group(), inside="Lop"))
    # sidefx.com/docs/houdini/nodes/lop/: sublayer, assignmaterial. Their multiparms have one row to begin with.
    lops = categories["Lop"]
    lops.add_type(OpNodeType(lops, "sublayer", _group(StringParmTemplate("filepath1", "File", 1, ("",)))))
    rows = [StringParmTemplate(name, name, 1, ("",)) for name in ("primpattern1", "matspecpath1")]
    lops.add_type(OpNodeType(lops, "assignmaterial", _group(*rows)))
    drivers = categories["Driver"]
    file = [StringParmTemplate(name, name, 1, ("",)) for name in ("doppath", "dopoutput")]
    drivers.add_type(OpNodeType(drivers, "dop", _group(ButtonParmTemplate("execute", "Save to Disk"), *file), press=_press_dop))
    objects.add_type(OpNodeType(objects, "geo", _group(), inside="Sop"))
    objects.add_type(OpNodeType(objects, "dopnet", _dop_network(), inside="Dop"))
    objects.add_type(OpNodeType(objects, "cam", _group(_xyz("t"), _xyz("r"))))
    size = FloatParmTemplate("size", "Size", 2, (10.0, 10.0), naming_scheme=parmNamingScheme.XYZW)
    counts = [IntParmTemplate(name, name, 1, (10,)) for name in ("rows", "cols")]
    kinds = ("prim", "poly", "polymesh", "mesh", "nurbs", "bezier")
    range_menu = MenuParmTemplate("trange", "Valid Frame Range", ("off", "normal", "on"))
    sop: list[tuple[str, ParmTemplateGroup, dict[str, Any]]] = [
        ("box", _group(_xyz("size", 1.0), _xyz("t")), {"cook": _cook_box, "inputs": 1}),
        ("sphere", _group(MenuParmTemplate("type", "Type", kinds), _xyz("rad", 0.5), IntParmTemplate("freq", "Frequency", 1, (2,))), {"cook": _cook_sphere}),
        ("grid", _group(size, _xyz("t"), *counts), {"cook": _cook_grid}),
        ("file", _group(StringParmTemplate("file", "Geometry File", 1, ("default.bgeo",))), {"cook": _cook_file}),
        ("xform", _group(_xyz("t"), _xyz("r"), _xyz("s", 1.0)), {"cook": _cook_xform}),
        ("merge", _group(), {"cook": _cook_merge, "inputs": 9999}),
        ("pack", _group(
            *[ToggleParmTemplate(name, name, False) for name in ("packbyname", "packedfragments")],
            StringParmTemplate("nameattribute", "Name Attribute", 1, ("name",)),
        ), {"cook": _cook_pack}),
        ("name", _group(StringParmTemplate("name1", "Name", 1, ("",))), {"cook": _cook_name}),
        ("rop_alembic", _group(
            ButtonParmTemplate("execute", "Save to Disk"), StringParmTemplate("filename", "Alembic File", 1, ("",)),
        ), {"cook": _cook_null, "press": _press_alembic}),
        ("alembic", _group(StringParmTemplate("fileName", "File Name", 1, ("",))), {"cook": _cook_alembic, "inputs": 0}),
        ("switch", _group(IntParmTemplate("input", "Select Input", 1)), {"cook": _cook_switch, "inputs": 9999}),
        ("null", _group(), {"cook": _cook_null}),
        ("output", _group(IntParmTemplate("outputidx", "Output Index", 1)), {"cook": _cook_null}),
        ("subnet", _group(), {"inside": "Sop", "inputs": 4, "outputs": 4}),
        (
            "rop_geometry",
            _group(
                ButtonParmTemplate("execute", "Save to Disk"), range_menu, *_floats("f1", "f2", "f3", value=1.0),
                StringParmTemplate("sopoutput", "Output File", 1, ("$HIP/$F4.bgeo",)),
            ),
            {"cook": _cook_null, "press": _press_rop},
        ),
        (
            "solver",
            _group(
                ButtonParmTemplate("resimulate", "Reset Simulation"), IntParmTemplate("startframe", "Start Frame", 1, (1,)),
                IntParmTemplate("substep", "Sub Steps", 1, (1,)),
            ),
            {
                "cook": _cook_solver, "inputs": 4, "inside": "Sop", "fill": _fill_solver, "press": _press_solver,
                "definition": _Asset(), "editable": "d/s",
            },
        ),
        ("dopnet", _dop_network(), {"inside": "Dop"}),
        ("dopimport", _group(), {"cook": _cook_previous, "inputs": 0}),
        ("object_merge", _object_merge(), {"cook": _cook_object_merge, "inputs": 0}),
    ]
    for name, templates, rest in sop:
        sops.add_type(OpNodeType(sops, name, templates, **rest))
    for name, templates, inputs in _dop_types():
        dops.add_type(OpNodeType(dops, name, templates, inputs=inputs, inside="Sop" if name == "sopsolver" else ""))


_COOKS = {
    "firn::snow_source": _cook_source,
    "firn::snow_collider": _cook_collider,
    "firn::snow_step": _cook_step,
    "firn::snow_rasterize": _cook_volumes,
    "firn::snow_surface": _cook_volumes,
}


def _template(row: dict[str, Any]) -> ParmTemplate:
    token, label, kind = row["token"], row["label"], row["type"]
    if kind == "real":
        number = FloatParmTemplate(token, label, 1, (row["default"],))
        if row["expression"]:
            number.setDefaultExpression((row["expression"],))
        return number
    if kind == "vector":
        return FloatParmTemplate(token, label, 3, row["default"], naming_scheme=parmNamingScheme.XYZW)
    if kind == "integer":
        return IntParmTemplate(token, label, 1, (int(row["default"]),))
    if kind == "toggle":
        return ToggleParmTemplate(token, label, bool(row["default"]))
    if kind == "choice":
        items = [choice["token"] for choice in row["choices"]]
        default = row["default"] if not isinstance(row["default"], str) else items.index(row["default"])
        return MenuParmTemplate(token, label, items, [choice["label"] for choice in row["choices"]], int(default))
    if kind == "string":
        return StringParmTemplate(token, label, 1, (row["default"],))
    return ButtonParmTemplate(token, label)


def register_plugin_node(categories: dict[str, OpNodeTypeCategory], node: dict[str, Any]) -> None:
    category = categories[node["table"]]
    templates = _group(*[_template(row) for row in node["parameters"]])
    templates.check_names()
    category.add_type(
        OpNodeType(category, node["name"], templates, inputs=max(len(node["inputs"]), 1), cook=_COOKS.get(node["name"]))
    )
