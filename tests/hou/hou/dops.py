"""Simulations (hou.DopSimulation, hou.DopObject, hou.DopData, ...), as sidefx.com/docs/houdini/hom/hou/DopSimulation.html has
them, and a small engine behind them.

The engine evaluates the nodes of a DOP network from its end upwards: objects, what is attached to them, and the relationships
that Merge makes of its inputs (left ones affect right ones). It solves nothing: firn_snowsolver lets snow appear and counts
how often it was asked for a step. tests/hdk runs the real solver.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

from . import world
from .errors import OperationFailed
from .geometry import Geometry
from .matrices import Matrix4, Vector3, identity, placement
from .nodes import DopNode, OpNode
from .parm_values import number_of, text_of, vector_of


class DopRecord:
    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def field(self, field_name: str) -> Any:
        # As hou: None for a field that is not there.
        return self._fields.get(field_name)


class DopData:
    def __init__(self, kind: str, creator: OpNode, fields: dict[str, Any] | None = None) -> None:
        self._kind, self._creator, self._fields = kind, creator, fields or {}
        self.below: dict[str, DopData] = {}

    def dataType(self) -> str:
        return self._kind

    def creator(self) -> OpNode:
        return self._creator

    def options(self) -> DopRecord:
        return DopRecord(self._fields)

    def subData(self) -> dict[str, DopData]:
        return dict(self.below)

    def findSubData(self, data_spec: str) -> DopData | None:
        first, _, rest = data_spec.partition("/")
        found = self.below.get(first)
        return found.findSubData(rest) if found is not None and rest else found

    def geometry(self, data_name: str | None = None) -> Geometry | None:
        found = self.below.get(data_name or "Geometry")
        return found.shape if isinstance(found, _GeometryData) else None

    def records(self, record_type: str) -> Iterator[DopRecord]:
        return iter(())

    def attach_data(self, name: str, data: DopData) -> None:
        """Names may be paths."""
        first, _, rest = name.partition("/")
        if rest:
            self.below.setdefault(first, DopData("SIM_EmptyData", data.creator())).attach_data(rest, data)
        else:
            self.below[first] = data


class _GeometryData(DopData):
    """Not a class of hou's: data that geometry() finds."""

    def __init__(self, creator: OpNode, shape: Geometry) -> None:
        super().__init__("SIM_SopGeometry", creator)
        self.shape = shape


class DopObject(DopData):
    def __init__(self, name: str, objid: int, creator: OpNode) -> None:
        super().__init__("SIM_Object", creator)
        self._name, self._objid = name, objid
        self.place = identity()

    def name(self) -> str:
        return self._name

    def objid(self) -> int:
        return self._objid

    def transform(self, include_geometry_transform: bool = True) -> Matrix4:
        return self.place


class DopRelationship(DopData):
    def __init__(self, name: str, kind: str, creator: OpNode, group: list[DopObject], acting: list[DopObject]) -> None:
        super().__init__("SIM_Relationship", creator)
        self._name, self.affected, self.affectors = name, group, acting
        self._type = DopData(kind, creator)

    def name(self) -> str:
        return self._name

    def relationshipTypeData(self) -> DopData | None:
        return self._type

    def records(self, record_type: str) -> Iterator[DopRecord]:
        members = {"ObjInGroup": self.affected, "ObjInAffectors": self.affectors}.get(record_type, [])
        return iter([DopRecord({"objname": one.name(), "objid": one.objid()}) for one in members])


class DopSimulation:
    """At the current frame."""

    def __init__(self, network: OpNode) -> None:
        self._network = network

    def objects(self) -> tuple[DopObject, ...]:
        return tuple(evaluate(self._network)[0])

    def relationships(self) -> tuple[DopRelationship, ...]:
        return tuple(evaluate(self._network)[1])

    def memoryUsage(self) -> int:
        return 10_000_000 + int(world.current.frame) * world.current.bytes_per_frame

    def time(self) -> float:
        frames = world.current.frame - number_of(self._network, "startframe")
        return max(frames, 0.0) * number_of(self._network, "timescale") / world.current.fps


Stream = tuple[list[DopObject], list[DopRelationship]]


def evaluate(network: OpNode) -> Stream:
    """The simulation's objects and relationships at the current frame."""
    nodes = network.children()
    used = {above for node in nodes for above in node.inputs()}
    ends = [node for node in nodes if node not in used]
    if len(ends) != 1:
        raise OperationFailed(f"{network.path()} has {len(ends)} ends")
    # Ids go by the order of creation, and stay: here, by the nodes' order.
    found, relationships = _stream(ends[0], network)
    for number, one in enumerate(sorted(found, key=lambda one: nodes.index(one.creator()))):
        one._objid = number
    for one in found:
        _solve(one, relationships, network)
    return sorted(found, key=lambda one: one.objid()), relationships


def _sop_geometry(node: OpNode, frame: float) -> Geometry:
    other = node.node(text_of(node, "soppath"))
    if other is None:
        raise OperationFailed(f"{node.path()}: there is no SOP '{text_of(node, 'soppath')}'")
    before = world.current.frame
    world.current.frame = frame
    try:
        return other.cook_output(0)
    finally:
        world.current.frame = before


def _stream(node: OpNode, network: OpNode) -> Stream:
    kind = node.type().name()
    streams = [_stream(above, network) for above in node.inputs() if above is not None]
    found = [one for objects, _ in streams for one in objects]
    relationships = [one for _, some in streams for one in some]
    if isinstance(node, DopNode) and node.isBypassed():
        return found, relationships
    if kind in ("emptyobject", "staticobject"):
        if world.current.frame < number_of(node, "createframe"):
            return found, relationships
        made = DopObject(node.name(), 0, node)
        if kind == "staticobject":
            made.attach_data("Geometry", _GeometryData(node, _sop_geometry(node, world.current.frame)))
            made.attach_data("PhysicalParms", DopData("SIM_PhysicalParms", node, {"friction": number_of(node, "friction")}))
            made.place = placement(vector_of(node, "t"), vector_of(node, "r"))
        found.append(made)
    elif kind == "sopgeo":
        for one in found:
            one.attach_data("Geometry", _GeometryData(node, _sop_geometry(node, world.current.frame)))
    elif kind == "gravity":
        for one in found:
            force = DopData("SIM_ForceGravity", node, {"gravity": Vector3(vector_of(node, "force"))})
            one.attach_data(f"Forces/Gravity_{node.name()}", force)
    elif kind == "drag":
        for one in found:
            one.attach_data(f"Forces/Drag_{node.name()}", DopData("SIM_ForceDrag", node))
    elif kind == "firn_snowsolver":
        for one in found:
            one.attach_data("Solver", DopData("SIM_FirnSnowSolver", node))
    elif kind == "merge":
        for right in range(1, len(streams)):
            acting = [one for objects, _ in streams[:right] for one in objects]
            relationships.append(
                DopRelationship(f"{node.name()}_{right}", text_of(node, "inputrel1"), node, streams[right][0], acting))
    return found, relationships


def _solve(one: DopObject, relationships: list[DopRelationship], network: OpNode) -> None:
    """Snow as the solver leaves it at the start frame: with what its sources gave. Later frames only count."""
    solver = one.findSubData("Solver")
    if solver is None or solver.dataType() != "SIM_FirnSnowSolver":
        return
    start = number_of(network, "startframe")
    if world.current.frame > start:
        world.current.solved_frames += 1
    snow = (one.geometry() or Geometry()).make_copy()
    for relationship in relationships:
        kind = relationship.relationshipTypeData()
        if kind is None or kind.dataType() != "SIM_RelationshipSource" or one not in relationship.affected:
            continue
        for source in relationship.affectors:
            offered = (source.geometry() or Geometry()).make_copy()
            births = offered.attributes.get("birth_frame", [start] * offered.point_count())
            offered.deletePoints([point for point, birth in zip(offered.points(), births) if birth > start])
            offered.attributes.pop("birth_frame", None)
            offered.remove_primitives()
            snow.merge(offered)
    state = text_of(network, "initialstate")
    if state:
        snow.attributes["P"] = json.loads(Path(state).read_text(encoding="utf-8"))
    # It falls by 1/1024 m a frame, without rounding: by way of a file it has to be the same.
    below = max(world.current.frame - start, 0.0) / 1024
    if below or state:
        heights = enumerate(snow.attributes["P"])
        snow.attributes["P"] = [round(v * 1024) / 1024 - below if k % 3 == 1 else v for k, v in heights]
    one.attach_data("Geometry", _GeometryData(solver.creator(), snow))


def save_state(network: OpNode, path: Path) -> None:
    """The snow of the current frame; not a function of hou's."""
    for one in evaluate(network)[0]:
        geometry = one.geometry()
        if one.findSubData("Solver") is not None and geometry is not None:
            lost = 1e-3 if world.current.sim_file_differs else 0.0
            path.write_text(json.dumps([value + lost for value in geometry.attributes["P"]]), encoding="utf-8")
