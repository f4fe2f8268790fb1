"""Colliders of a scene file: meshes and VDBs that stand still, keyframes of what moves as a whole, and a mesh for each frame
of what deforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import hou

from firn import rigid, surfaces, tables
from firn.error import FirnError
from firn.export_file import Entries, Export, geometry_at
from firn.export_snow import grid_entries, mesh_entries
from firn.export_wires import input_of, is_type
from firn.settings import Settings

Frames = Callable[[int], surfaces.Surface]


def surface_entries(export: Export, settings: Settings, geometry: hou.Geometry, owner: str) -> Entries:
    tokens = tables.load().surface
    export.warn_of_motion(settings, tokens)
    for token in tokens:
        if geometry.findPointAttrib(token) is not None:
            export.warn(f"{owner}: the point attribute {token} is ignored; the parameter is used")
    return {token: settings.number(token) for token in tokens}


@dataclass(frozen=True)
class Moving:
    """A surface over time. `owner` is for warnings and errors; a body that is as good as rigid has `tolerance` (m)."""

    name: str
    at: Frames
    owner: str
    tolerance: float


def keys_of(export: Export, body: Moving, start: surfaces.Surface) -> list[Entries] | int:
    """One for each frame, or the frame at which the body does not move as a whole."""
    corners = rigid.far_corners(start.points)
    keys: list[Entries] = []
    before: rigid.Vector = (0.0, 0.0, 0.0)
    for frame in range(export.first, export.last + 1):
        found = rigid.motion(start.points, body.at(frame).points, corners)
        if found is None or found.error > body.tolerance:
            return frame
        before = rigid.nearest_turn(rigid.angles(found.rotation), before)
        keys.append({"frame": frame, "position": found.to_middle, "rotation": before})
    return keys


def rigid_entries(export: Export, body: Moving, start: surfaces.Surface, keys: list[Entries]) -> Entries:
    centre = rigid.middle(start.points)
    local = surfaces.Surface(tuple(rigid.minus(point, centre) for point in start.points), start.faces, start.pieces)
    return {**mesh_entries(export, body.name, local), "keys": keys, "interpolation": "linear"}


def deforming_entries(export: Export, body: Moving, start: surfaces.Surface) -> Entries:
    for frame in range(export.first, export.last + 1):
        now = body.at(frame)
        if now.faces != start.faces:
            raise FirnError(f"{body.owner}: '{body.name}' has other polygons at frame {frame} than at {export.first}: a "
                            "deforming collider must keep its topology")
        surfaces.write_obj(export.folder / f"{body.name}.{frame:04d}.obj", now.points, now.faces)
    return {"shape": "mesh", "file": export.file_entry(f"{body.name}.%04d.obj")}


def moving_entries(export: Export, body: Moving, rigid_wanted: bool) -> Entries:
    """Keyframes where the surface moves as a whole, one mesh for each frame where it doesn't."""
    start = body.at(export.first)
    if rigid_wanted:
        keys = keys_of(export, body, start)
        if not isinstance(keys, int):
            return rigid_entries(export, body, start, keys)
        export.warn(f"{body.owner}: '{body.name}' does not move as a whole (frame {keys}); it is exported frame by frame")
    return deforming_entries(export, body, start)


def add_grids(export: Export, name: str, opened: hou.Geometry, look: Entries, owner: str) -> None:
    """VDBs that stand still, each a body."""
    names = surfaces.scalar_grids(opened)
    if len(set(names)) != len(names) or (len(names) > 1 and "" in names):
        raise FirnError(f"{owner}: has several VDBs of one name: give each its own, or merge them with VDB Combine")
    body = export.unique(name)
    for shape in grid_entries(export, body, opened):
        part = body if len(names) == 1 else export.unique(f"{name}_{shape['grid']}")
        export.body("[[collider]]", part, {**shape, **look})


def add_collider(export: Export, settings: Settings, above: hou.SopNode, name: str) -> None:
    geometry = surfaces.unpacked(geometry_at(above, export.first))
    owner = settings.node.path()
    motion = settings.text("motion")
    look = surface_entries(export, settings, geometry, owner)
    for token in ("inverted", "two_sided"):
        if settings.whole(token):
            look[token] = True
    attribute = settings.text("piece_attribute") if settings.text("pieces") == "attribute" else ""
    present = surfaces.kinds(geometry)
    if present - {"Polygon", "Volume", "VDB"}:
        export.warn(f"{owner}: only the polygons and VDBs of {above.path()} are taken")
    if "VDB" in present:
        if motion != "static":
            raise FirnError(f"{owner}: a VDB that moves can't be exported: convert it to polygons first")
        add_grids(export, name, geometry, look, owner)
        if present == {"VDB"}:
            return

    cooked: dict[int, surfaces.Surface] = {}

    def whole_at(frame: int) -> surfaces.Surface:
        if frame in cooked:
            return cooked[frame]
        found = surfaces.surface(geometry_at(above, frame), above.path(), attribute)
        # Many pieces ask for the same frame; a single body asks once, and may be large.
        if several:
            cooked[frame] = found
        return found

    several = False
    start = whole_at(export.first)
    pieces = list(dict.fromkeys(start.pieces))
    several = pieces != [""]
    for one in pieces:

        def at(frame: int, one: str = one) -> surfaces.Surface:
            whole = whole_at(frame)
            return surfaces.piece(whole, one) if several else whole

        body = export.unique(f"{name}_{one}" if one else name)
        if motion == "static":
            shape = mesh_entries(export, body, at(export.first))
        else:
            # As large as what firn itself takes for rounding.
            tolerance = 0.02 * settings.number("spacing")
            shape = moving_entries(export, Moving(body, at, owner, tolerance), motion == "rigid")
        export.body("[[collider]]", body, {**shape, **look})


def add_collider_nodes(export: Export, nodes: Sequence[hou.SopNode]) -> None:
    for leaf in nodes:
        if not is_type(leaf, "firn::snow_collider"):
            raise FirnError(f"{leaf.path()}: changes the particles of Snow Collider nodes, which a scene file can't "
                            f"hold: put it before them, or use {export.elsewhere}")
        add_collider(export, Settings(leaf, {}), input_of(leaf), leaf.name())
