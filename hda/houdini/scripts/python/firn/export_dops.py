"""A DOP network with a firn_snowsolver as a scene.

What is read is the simulation itself, at its first frame: the objects that have the solver, their geometry and forces, and
what collides with them or feeds them through relationships; so it does not matter how the network is wired. After that only
the motion of colliders and sources is of interest: the snow solver is bypassed while the frames are gone through, so that an
export takes no simulation of snow.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterator, cast

import hou

from firn import rigid, surfaces, tables
from firn.error import FirnError
from firn.export_colliders import (
    Moving, add_grids, deforming_entries, keys_of, rigid_entries, surface_entries,
)
from firn.export_engine import engine_sections, time_section
from firn.export_file import Entries, Export
from firn.export_snow import add_particles, mesh_entries, shape_entries
from firn.network import parm
from firn.settings import Settings

SOLVER = "firn_snowsolver"
SOLVER_DATA = "SIM_FirnSnowSolver"

Matrix = tuple[float, ...]  # 16 numbers, for rows times matrix
IDENTITY: Matrix = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def network_of(node: hou.OpNode) -> hou.OpNode | None:
    """The DOP network that a node is or is in."""
    if isinstance(node, hou.DopNode):
        return node.dopNetNode()
    inside = node.childTypeCategory()
    return node if inside is not None and inside.name() == "Dop" else None


def start_frame(network: hou.OpNode) -> int:
    return parm(network, "startframe").evalAsInt()


# ---- what a simulation holds at one frame


def objects_of(network: hou.OpNode) -> dict[int, hou.DopObject]:
    found = cast("tuple[hou.DopObject, ...]", network.simulation().objects())
    return {each.objid(): each for each in found}


def affectors(network: hou.OpNode, affected: int, kind: str) -> list[int]:
    """The ids of the objects that act on an object through relationships of a kind."""
    found: list[int] = []
    for relationship in cast("tuple[hou.DopRelationship, ...]", network.simulation().relationships()):
        data = relationship.relationshipTypeData()
        if data is None or data.dataType() != kind:
            continue
        if affected in ids(relationship, "ObjInGroup"):
            found += [one for one in ids(relationship, "ObjInAffectors") if one != affected and one not in found]
    return found


def ids(relationship: hou.DopRelationship, record_type: str) -> list[int]:
    return [int(cast(int, record.field("objid"))) for record in relationship.records(record_type)]


def data_of_type(data: hou.DopData, kind: str) -> list[hou.DopData]:
    """At any depth: solvers may be parts of other solvers."""
    found = []
    for below in data.subData().values():
        if below.dataType() == kind:
            found.append(below)
        found += data_of_type(below, kind)
    return found


def placement_of(one: hou.DopObject) -> Matrix:
    return tuple(float(number) for number in one.transform().asTuple())


def placed(points: tuple[rigid.Vector, ...], m: Matrix) -> tuple[rigid.Vector, ...]:
    if m == IDENTITY:
        return points
    return tuple(
        (
            p[0] * m[0] + p[1] * m[4] + p[2] * m[8] + m[12],
            p[0] * m[1] + p[1] * m[5] + p[2] * m[9] + m[13],
            p[0] * m[2] + p[1] * m[6] + p[2] * m[10] + m[14],
        )
        for p in points
    )


def geometry_of(one: hou.DopObject, owner: str) -> hou.Geometry:
    found = one.geometry()
    if found is None:
        raise FirnError(f"{owner}: has no geometry: attach some with a SOP Geometry node, or take it out of the relationship")
    return found


def world_geometry(one: hou.DopObject, owner: str) -> hou.Geometry:
    """A copy that stands where the object stands."""
    made = surfaces.copy_of(geometry_of(one, owner))
    made.transform(one.transform())
    return made


# ---- snow


@dataclass(frozen=True)
class Snow:
    """An object that the solver moves."""

    name: str
    objid: int
    solver: hou.OpNode


def snow_objects(network: hou.OpNode, chosen: hou.OpNode) -> list[Snow]:
    """Those of the solver `chosen`, or of the network's only one."""
    found = []
    for objid, one in objects_of(network).items():
        for solver in data_of_type(one, SOLVER_DATA):
            found.append(Snow(one.name(), objid, solver.creator()))
    if chosen != network:
        found = [snow for snow in found if snow.solver == chosen]
    if not found:
        raise FirnError(f"{chosen.path()}: no object has the Firn Snow Solver at frame {start_frame(network)}: wire it to the "
                        "snow's object, and let that be created at the network's start frame")
    solvers = list(dict.fromkeys(snow.solver.path() for snow in found))
    if len(solvers) > 1:
        raise FirnError(f"{network.path()} has several snow solvers, and a scene file the settings of one: export each alone, "
                        f"{' and '.join(solvers)}")
    return found


def gravity_of(export: Export, snow: hou.DopObject, owner: str) -> tuple[float, float, float] | None:
    """The sum of its Gravity Forces; other forces have no place in a scene file."""
    total: tuple[float, float, float] | None = None
    forces = snow.findSubData("Forces")
    for name, force in forces.subData().items() if forces is not None else ():
        if force.dataType() == "SIM_ForceGravity" and not force.subData():
            g = cast(hou.Vector3, force.options().field("gravity"))
            before = total or (0.0, 0.0, 0.0)
            total = (before[0] + float(g[0]), before[1] + float(g[1]), before[2] + float(g[2]))
        else:
            export.warn(f"{owner}: the force {name} ({force.dataType()}) can't be exported; for wind set Wind and Air "
                        "Resistance of the Firn Snow Solver")
    return total


def check_at_origin(snow: hou.DopObject, owner: str) -> None:
    if placement_of(snow) != IDENTITY:
        raise FirnError(f"{owner}: the snow object has a position or a transform of its own; leave both at zero and move its "
                        "points")


@dataclass
class Source:
    """An object that snow comes from, as it was at the last frame."""

    name: str
    positions: tuple[float, ...]


def born_at(geometry: hou.Geometry, frame: int) -> hou.Geometry:
    """The points that appear at a frame, of points that say when they do."""
    births = geometry.pointIntAttribValues("birth_frame")
    if all(birth == frame for birth in births):
        return geometry
    made = surfaces.copy_of(geometry)
    made.deletePoints([point for point, birth in zip(made.points(), births) if birth != frame])
    return made


def add_emission(export: Export, source: Source, one: hou.DopObject, frame: int, always: bool, owner: str) -> None:
    """What a source object gives the snow at a frame, as the solver takes it."""
    geometry = world_geometry(one, owner)
    if geometry.findPointAttrib("flake") is not None:
        raise FirnError(f"{owner}: a continuous Snow Source can't be exported from a DOP network: set its Emission to Once, or "
                        "use a firn::snow_solver")
    name = f"{source.name}_{frame}"
    if geometry.findPointAttrib("birth_frame") is not None:
        born = born_at(geometry, frame)
        if frame > export.first and surfaces.point_count(born) > 0:
            add_particles(export, name, born, frame, owner)
        return
    positions = geometry.pointFloatAttribValues("P")
    changed, source.positions = positions != source.positions, positions
    if frame == export.first or not (changed or always) or not positions:
        return
    if surfaces.kinds(surfaces.unpacked(geometry)) in ({"Polygon"}, {"VDB"}):
        body = export.unique(name)
        export.body("[[snow]]", body, {**shape_entries(export, body, geometry, owner), "start": frame})
    else:
        add_particles(export, name, geometry, frame, owner)


# ---- colliders


@dataclass
class Collider:
    """An object that the snow collides with, frame by frame."""

    name: str
    owner: str
    look: Entries
    grids: hou.Geometry | None = None
    placement: Matrix = IDENTITY
    frames: dict[int, surfaces.Surface] = field(default_factory=dict)


def surface_of(one: hou.DopObject, owner: str) -> surfaces.Surface:
    found = surfaces.surface(geometry_of(one, owner), owner)
    return surfaces.Surface(placed(found.points, placement_of(one)), found.faces, found.pieces)


def new_collider(export: Export, settings: Settings, one: hou.DopObject, owner: str) -> Collider | None:
    geometry = geometry_of(one, owner)
    if surfaces.point_count(geometry) == 0:
        return None
    if surfaces.primitive_count(geometry) == 0:
        raise FirnError(f"{owner}: collides by its points; a scene file needs the surface: give the object the geometry "
                        "itself, without a Snow Collider")
    opened = surfaces.unpacked(geometry)
    look = surface_entries(export, settings, opened, owner)
    physical = one.findSubData("PhysicalParms")
    # Not its bounce: Houdini's objects come with one that is meant for hard bodies, and the solver passes over it too.
    if physical is not None:
        look["friction"] = float(cast(float, physical.options().field("friction")))
    made = Collider(one.name(), owner, look, placement=placement_of(one))
    if surfaces.kinds(opened) == {"VDB"}:
        if made.placement != IDENTITY:
            raise FirnError(f"{owner}: a VDB with a transform can't be exported: convert it to polygons first")
        made.grids = surfaces.copy_of(opened)
    return made


def follow(export: Export, collider: Collider, one: hou.DopObject, frame: int) -> None:
    if collider.grids is None:
        collider.frames[frame] = surface_of(one, collider.owner)
    elif placement_of(one) != collider.placement:
        raise FirnError(f"{collider.owner}: a VDB that moves can't be exported: convert it to polygons first")


def add_body(export: Export, collider: Collider, spacing: float) -> None:
    if collider.grids is not None:
        add_grids(export, collider.name, collider.grids, collider.look, collider.owner)
        return
    body = Moving(export.unique(collider.name), collider.frames.__getitem__, collider.owner, 0.02 * spacing)
    start = collider.frames[export.first]
    if all(now == start for now in collider.frames.values()):
        shape = mesh_entries(export, body.name, start)
    else:
        keys = keys_of(export, body, start)
        shape = deforming_entries(export, body, start) if isinstance(keys, int) else rigid_entries(export, body, start, keys)
    export.body("[[collider]]", body.name, {**shape, **collider.look})


# ---- all of it


@contextmanager
def without_solver(node: hou.OpNode) -> Iterator[None]:
    """Where the solver can't be bypassed (in a locked asset) the snow is simulated along: slower, and the same."""
    solver = cast(hou.DopNode, node)
    was = solver.isBypassed()
    try:
        solver.bypass(True)
    except hou.PermissionError:
        yield
        return
    try:
        yield
    finally:
        solver.bypass(was)


@dataclass
class Scan:
    """What is gathered while the frames are gone through."""

    network: hou.OpNode
    settings: Settings
    snow: list[Snow]
    colliders: dict[int, Collider] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)

    def owner(self, name: str) -> str:
        return f"{self.network.path()}: {name}"

    def acting(self, kind: str) -> list[int]:
        """On any of the snow; snow does not act on snow, it is one in the scene."""
        own = [snow.objid for snow in self.snow]
        found = dict.fromkeys(one for objid in own for one in affectors(self.network, objid, kind))
        return [one for one in found if one not in own]


def scan_frame(export: Export, scan: Scan, frame: int) -> None:
    found = objects_of(scan.network)
    always = scan.settings.text("emission") == "always"
    for objid in scan.acting("SIM_RelationshipCollide"):
        if objid not in scan.colliders:
            name = found[objid].name()
            if frame > export.first:
                export.warn(f"{scan.owner(name)}: appears at frame {frame}; a scene file's colliders are there from the start, "
                            "and it is left out")
                continue
            made = new_collider(export, scan.settings, found[objid], scan.owner(name))
            if made is not None:
                scan.colliders[objid] = made
    for objid, collider in scan.colliders.items():
        if objid not in found:
            raise FirnError(f"{collider.owner}: vanishes at frame {frame}, which a scene file can't hold: keep it, or move it "
                            "away")
        follow(export, collider, found[objid], frame)
    for objid in scan.acting("SIM_RelationshipSource"):
        one = found[objid]
        source = scan.sources.setdefault(objid, Source(one.name(), ()))
        add_emission(export, source, one, frame, always, scan.owner(one.name()))


def add_first_snow(export: Export, scan: Scan) -> tuple[float, float, float] | None:
    """The snow as the solver leaves it at the first frame, sources included; returns its gravity."""
    gravities = set()
    for snow in scan.snow:
        one = objects_of(scan.network)[snow.objid]
        owner = scan.owner(snow.name)
        check_at_origin(one, owner)
        gravities.add(gravity_of(export, one, owner))
        geometry = geometry_of(one, owner)
        if surfaces.point_count(geometry) > 0:
            add_particles(export, snow.name, geometry, export.first, owner)
    if len(gravities) > 1:
        raise FirnError(f"{scan.network.path()}: its snow objects have different gravities, and a scene file has one")
    if len(scan.snow) > 1:
        names = " and ".join(snow.name for snow in scan.snow)
        export.warn(f"{scan.network.path()}: {names} are each solved alone in Houdini; in the scene they are one snow")
    return gravities.pop()


def fill(export: Export, known: tables.Tables) -> dict[str, Entries]:
    """Adds bodies to the export; returns the other sections."""
    network = cast("hou.OpNode", network_of(export.node))
    snow = snow_objects(network, export.node)
    settings = Settings(snow[0].solver, {})
    sections = engine_sections(export, known.node(SOLVER).parameters, settings)
    scan = Scan(network, settings, snow)
    gravity = add_first_snow(export, scan)
    if gravity is not None:
        sections["scene"]["gravity"] = gravity
    frame_length = 1 / hou.fps()
    began = network.simulation().time()
    scan_frame(export, scan, export.first)
    with without_solver(snow[0].solver):
        for frame in range(export.first + 1, export.last + 1):
            hou.setFrame(frame)
            scan_frame(export, scan, frame)
            if frame == export.first + 1:
                frame_length = network.simulation().time() - began
    if not any(section.startswith("[[snow]]") for section in export.sections):
        raise FirnError(f"{export.node.path()} has no snow up to frame {export.last}: give the snow's object points of a Snow "
                        "Source, or a source relationship")
    for collider in scan.colliders.values():
        add_body(export, collider, settings.number("spacing"))
    sections["time"] = time_section(export, sections.get("time", {}), frame_length)
    return sections
