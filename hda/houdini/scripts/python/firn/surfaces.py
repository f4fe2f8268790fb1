"""Surfaces of Houdini's geometry, and the OBJ files that `firn` reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import hou

from firn.error import FirnError
from firn.new_file import write_text
from firn.rigid import Points, Vector, minus

PACKED = ("PackedGeometry", "PackedFragment", "PackedPrim", "AlembicRef")

#: The primitive attribute that tells of which packed primitive something was.
PIECE = "firn_piece"


@dataclass(frozen=True)
class Surface:
    points: tuple[Vector, ...]
    faces: tuple[tuple[int, ...], ...]  # counter-clockwise from outside
    pieces: tuple[str, ...]  # of each face: a packed primitive, a value of the piece attribute, or ""


def kinds(geometry: hou.Geometry) -> set[str]:
    """The names of hou.primType that occur."""
    return {prim.type().name() for prim in geometry.prims()}


def point_count(geometry: hou.Geometry) -> int:
    return cast(int, geometry.intrinsicValue("pointcount"))


def primitive_count(geometry: hou.Geometry) -> int:
    return cast(int, geometry.intrinsicValue("primitivecount"))


def copy_of(geometry: hou.Geometry) -> hou.Geometry:
    """One that may be changed."""
    made = hou.Geometry()
    made.merge(geometry)
    return made


def primitive_name(geometry: hou.Geometry, prim: hou.Prim) -> str:
    return str(prim.attribValue("name")) if geometry.findPrimAttrib("name") is not None else ""


def piece_names(geometry: hou.Geometry) -> list[str]:
    """For each primitive: "", or what a packed one is called. Two may have one name; two bodies may not."""
    names: list[str] = []
    for prim in geometry.prims():
        if prim.type().name() not in PACKED:
            names.append("")
            continue
        name = chosen = primitive_name(geometry, prim) or f"packed{prim.number()}"
        again = 1
        while chosen in names:
            again += 1
            chosen = f"{name}_{again}"
        names.append(chosen)
    return names


def unpacked(geometry: hou.Geometry) -> hou.Geometry:
    """With packed primitives opened; PIECE says which one something comes from."""
    if not kinds(geometry).intersection(PACKED):
        return geometry
    verb = cast("hou.SopVerb | None", hou.sopNodeTypeCategory().nodeVerb("unpack"))
    if verb is None:
        raise FirnError("this Houdini has no Unpack verb: unpack the geometry before Firn")
    names = piece_names(geometry)
    marked = copy_of(geometry)
    marked.addAttrib(hou.attribType.Prim, PIECE, "")
    marked.setPrimStringAttribValues(PIECE, names)
    # Unpack needs to know which primitives are packed where others are beside them.
    packed = " ".join(str(number) for number, name in enumerate(names) if name)
    verb.setParms({"group": packed, "transfer_attributes": PIECE})
    made = hou.Geometry()
    verb.execute(made, [marked])
    return made


def scalar_grids(geometry: hou.Geometry) -> list[str]:
    """The names of the VDBs that are shapes: a vector field may stand beside one."""
    return [primitive_name(geometry, prim) for prim in geometry.prims()
            if prim.type() == hou.primType.VDB and cast(hou.VDB, prim).dataType() == hou.vdbData.Float]


def grids_alone(geometry: hou.Geometry) -> hou.Geometry:
    """Without what a .vdb can't hold."""
    others = [prim for prim in geometry.prims() if prim.type() != hou.primType.VDB]
    if not others:
        return geometry
    made = copy_of(geometry)
    made.deletePrims([prim for prim in made.prims() if prim.type() != hou.primType.VDB])
    return made


def vectors(flat: tuple[float, ...]) -> tuple[Vector, ...]:
    return tuple(zip(flat[0::3], flat[1::3], flat[2::3]))


def surface(geometry: hou.Geometry, owner: str, piece_attribute: str = "") -> Surface:
    """The polygons, and the terrain of a heightfield. A curve is an error, as it is for the nodes; what else there is, is for the
    caller to warn of. `owner` is for errors."""
    opened = unpacked(geometry)
    if piece_attribute and opened.findPrimAttrib(piece_attribute) is None:
        raise FirnError(f"{owner}: has no primitive attribute '{piece_attribute}' to cut it into pieces")
    was_packed = opened.findPrimAttrib(PIECE) is not None
    points: tuple[Vector, ...] = vectors(opened.pointFloatAttribValues("P"))
    faces: list[tuple[int, ...]] = []
    pieces: list[str] = []
    for prim in opened.prims():
        if prim.type() != hou.primType.Polygon:
            continue
        if not cast(hou.Polygon, prim).isClosed():
            raise FirnError(f"{owner}: primitive {prim.number()} is a curve, which has no surface: close it (Ends SOP), make it a tube "
                            "(PolyWire SOP) or delete it")
        # Houdini counts clockwise, everyone else counter-clockwise.
        faces.append(tuple(vertex.point().number() for vertex in prim.vertices())[::-1])
        piece = str(prim.attribValue(PIECE)) if was_packed else ""
        pieces.append(piece or (str(prim.attribValue(piece_attribute)) if piece_attribute else ""))
    terrain = height_surface(opened)
    if terrain is not None:
        faces += [tuple(corner + len(points) for corner in face) for face in terrain.faces]
        points += terrain.points
        pieces += terrain.pieces
    if not faces:
        raise FirnError(f"{owner}: has no polygons; convert it to polygons or a VDB first")
    return used(points, tuple(faces), tuple(pieces))


def used(points: tuple[Vector, ...], faces: tuple[tuple[int, ...], ...], pieces: tuple[str, ...]) -> Surface:
    """Without the points that no face has."""
    corners = sorted({corner for face in faces for corner in face})
    new = {old: number for number, old in enumerate(corners)}
    return Surface(
        tuple(points[k] for k in corners), tuple(tuple(new[corner] for corner in face) for face in faces), pieces
    )


def height_surface(geometry: hou.Geometry) -> Surface | None:
    """The terrain of a heightfield, one point for each voxel of its volume `height`; None if there is none."""
    for prim in geometry.prims():
        if prim.type() != hou.primType.Volume:
            continue
        volume = cast(hou.Volume, prim)
        name = primitive_name(geometry, prim)
        if name != "height" and (name or not volume.isHeightField()):
            continue
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
        return Surface(tuple(points), tuple(faces), ("",) * len(faces))
    return None


def piece(whole: Surface, name: str) -> Surface:
    """The faces of one piece, and only their points."""
    faces = tuple(face for face, of in zip(whole.faces, whole.pieces) if of == name)
    return used(whole.points, faces, (name,) * len(faces))


def write_obj(path: Path, points: Points, faces: tuple[tuple[int, ...], ...]) -> None:
    """Nine digits: every float32 comes back."""
    lines = [f"v {p[0]:.9g} {p[1]:.9g} {p[2]:.9g}" for p in points]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    write_text(path, "\n".join(lines) + "\n")
