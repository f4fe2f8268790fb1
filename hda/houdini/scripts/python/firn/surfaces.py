"""Polygons of Houdini's geometry, and the OBJ files that `firn` reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import hou

from firn.error import FirnError
from firn.new_file import write_text
from firn.rigid import Points, Vector, minus

PACKED = ("PackedGeometry", "PackedFragment", "PackedPrim", "AlembicRef")


@dataclass(frozen=True)
class Surface:
    points: tuple[Vector, ...]
    faces: tuple[tuple[int, ...], ...]  # counter-clockwise from outside
    pieces: tuple[str, ...]  # of each face, where a piece attribute was asked for


def kinds(geometry: hou.Geometry) -> set[str]:
    """The names of hou.primType that occur."""
    return {prim.type().name() for prim in geometry.prims()}


def unpacked(geometry: hou.Geometry) -> hou.Geometry:
    """With packed primitives opened."""
    if not kinds(geometry).intersection(PACKED):
        return geometry
    verb = hou.sopNodeTypeCategory().nodeVerb("unpack")
    if verb is None:
        raise FirnError("this Houdini has no Unpack verb: unpack the geometry before Firn")
    made = hou.Geometry()
    cast(hou.SopVerb, verb).execute(made, [geometry])
    return made


def vectors(flat: tuple[float, ...]) -> tuple[Vector, ...]:
    return tuple(zip(flat[0::3], flat[1::3], flat[2::3]))


def surface(geometry: hou.Geometry, owner: str, piece_attribute: str = "") -> Surface:
    """The closed polygons, or the terrain of a heightfield; what else there is is passed over. `owner` is for errors."""
    opened = unpacked(geometry)
    terrain = height_surface(opened)
    if terrain is not None and not piece_attribute:
        return terrain
    faces, pieces = [], []
    for prim in opened.prims():
        if prim.type() != hou.primType.Polygon or not cast(hou.Polygon, prim).isClosed():
            continue
        # Houdini counts clockwise, everyone else counter-clockwise.
        faces.append(tuple(vertex.point().number() for vertex in prim.vertices())[::-1])
        if piece_attribute:
            pieces.append(str(prim.attribValue(piece_attribute)))
    if not faces:
        raise FirnError(f"{owner}: has no polygons; convert it to polygons or a VDB first")
    return Surface(vectors(opened.pointFloatAttribValues("P")), tuple(faces), tuple(pieces))


def height_surface(geometry: hou.Geometry) -> Surface | None:
    """The terrain of a heightfield, one point for each voxel of its volume `height`; None if there is none."""
    for prim in geometry.prims():
        if prim.type() != hou.primType.Volume or prim.attribValue("name") != "height":
            continue
        volume = cast(hou.Volume, prim)
        columns, rows, _ = volume.resolution()
        heights = volume.allVoxels()
        points = []
        for row in range(rows):
            for column in range(columns):
                at = volume.indexToPos((column, row, 0))
                points.append((at[0], at[1] + heights[row * columns + column], at[2]))
        faces = [
            (row * columns + column, row * columns + column + 1, (row + 1) * columns + column + 1, (row + 1) * columns + column)
            for row in range(rows - 1) for column in range(columns - 1)
        ]
        if not faces:
            return None
        # Its axes may lie either way; terrain faces up.
        across, along = minus(points[1], points[0]), minus(points[columns], points[0])
        if across[2] * along[0] - across[0] * along[2] < 0:
            faces = [face[::-1] for face in faces]
        return Surface(tuple(points), tuple(faces), ())
    return None


def piece(whole: Surface, name: str) -> Surface:
    """The faces of one piece, and only their points."""
    faces = [face for face, of in zip(whole.faces, whole.pieces) if of == name]
    used = sorted({corner for face in faces for corner in face})
    new = {old: number for number, old in enumerate(used)}
    points = tuple(whole.points[k] for k in used)
    return Surface(points, tuple(tuple(new[corner] for corner in face) for face in faces), (name,) * len(faces))


def write_obj(path: Path, points: Points, faces: tuple[tuple[int, ...], ...]) -> None:
    """Nine digits: every float32 comes back."""
    lines = [f"v {p[0]:.9g} {p[1]:.9g} {p[2]:.9g}" for p in points]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    write_text(path, "\n".join(lines) + "\n")
