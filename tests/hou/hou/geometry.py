"""Geometry (hou.Geometry): points with attributes, and primitives: polygons, heightfields, VDBs and packed geometry."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from . import world
from .enums import EnumValue, attribType, primType, vdbData
from .errors import OperationFailed
from .matrices import Matrix4, identity


class Attrib:
    def __init__(self, name: str, size: int) -> None:
        self._name, self._size = name, size

    def name(self) -> str:
        return self._name

    def size(self) -> int:
        return self._size


class Point:
    def __init__(self, number: int) -> None:
        self._number = number

    def number(self) -> int:
        return self._number


class Vertex:
    def __init__(self, point: Point) -> None:
        self._point = point

    def point(self) -> Point:
        return self._point


class Prim:
    """`values` are its attributes, all text here; one that a primitive lacks is ""."""

    def __init__(self, kind: EnumValue, corners: tuple[int, ...], values: dict[str, str]) -> None:
        self._kind, self.corners, self.values = kind, corners, dict(values)
        self._number = 0
        self.known_attributes: Iterable[str] = ()

    def type(self) -> EnumValue:
        return self._kind

    def number(self) -> int:
        return self._number

    def vertices(self) -> Iterator[Vertex]:
        return iter([Vertex(Point(corner)) for corner in self.corners])

    def attribValue(self, attrib: str) -> str:
        if attrib not in self.known_attributes:
            raise OperationFailed(f"Invalid attribute name: {attrib}")
        return self.values.get(attrib, "")

    def belongs_to(self, geometry: Geometry, number: int) -> Prim:
        self._number, self.known_attributes = number, geometry.prim_attributes
        return self

    def make_copy(self, first_point: int) -> Prim:
        """In another geometry, whose points from `first_point` on are this one's."""
        return self._made(tuple(corner + first_point for corner in self.corners))

    def _made(self, corners: tuple[int, ...]) -> Prim:
        return Prim(self._kind, corners, self.values)


class Polygon(Prim):
    def __init__(self, corners: tuple[int, ...], values: dict[str, str]) -> None:
        super().__init__(primType.Polygon, corners, values)
        self._closed = True

    def isClosed(self) -> bool:
        return self._closed

    def setIsClosed(self, on: bool) -> None:
        self._closed = on

    def _made(self, corners: tuple[int, ...]) -> Prim:
        made = Polygon(corners, self.values)
        made.setIsClosed(self._closed)
        return made


class Volume(Prim):
    """A heightfield: one layer of voxels over the xz plane, `cell` apart, centred on the origin."""

    def __init__(self, columns: int, rows: int, cell: float, heights: tuple[float, ...], name: str = "height") -> None:
        super().__init__(primType.Volume, (), {"name": name})
        self._columns, self._rows, self._cell, self._heights = columns, rows, cell, heights

    def resolution(self) -> tuple[int, int, int]:
        return (self._columns, self._rows, 1)

    def allVoxels(self) -> tuple[float, ...]:
        return self._heights

    def isHeightField(self) -> bool:
        return True

    def indexToPos(self, index: tuple[int, int, int]) -> tuple[float, float, float]:
        x, z = index[0] - (self._columns - 1) / 2, index[1] - (self._rows - 1) / 2
        return (x * self._cell, 0.0, z * self._cell)

    def _made(self, corners: tuple[int, ...]) -> Prim:
        made = Volume(self._columns, self._rows, self._cell, self._heights)
        made.corners, made.values = corners, dict(self.values)
        return made


class VDB(Prim):
    """A grid that was read from a file, `source`: saving a geometry writes that file's bytes."""

    def __init__(self, name: str = "", source: Path | None = None, data: EnumValue = vdbData.Float) -> None:
        super().__init__(primType.VDB, (), {"name": name})
        self.source, self._data = source, data

    def dataType(self) -> EnumValue:
        return self._data

    def _made(self, corners: tuple[int, ...]) -> Prim:
        made = VDB("", self.source, self._data)
        made.corners, made.values = corners, dict(self.values)
        return made


class PackedPrim(Prim):
    pass


class PackedGeometry(PackedPrim):
    """Stands on one point, which is where the embedded geometry's origin is."""

    def __init__(self, embedded: Geometry, name: str = "", place: Matrix4 | None = None) -> None:
        super().__init__(primType.PackedGeometry, (), {"name": name})
        self._embedded, self._place = embedded, place or identity()

    def getEmbeddedGeometry(self) -> Geometry:
        return self._embedded

    def fullTransform(self) -> Matrix4:
        return self._place

    def move_by(self, matrix: Matrix4) -> None:
        self._place = self._place * matrix

    def _made(self, corners: tuple[int, ...]) -> Prim:
        made = PackedGeometry(self._embedded, "", self._place)
        made.corners, made.values = corners, dict(self.values)
        return made


class Geometry:
    def __init__(self) -> None:
        self.attributes: dict[str, list[float]] = {"P": []}
        self.prim_attributes: set[str] = set()
        self._prims: list[Prim] = []

    # -- primitives

    def prims(self) -> tuple[Prim, ...]:
        return tuple(prim.belongs_to(self, number) for number, prim in enumerate(self._prims))

    def add_polygon(self, corners: tuple[int, ...], piece: str = "") -> None:
        """Corners clockwise from outside."""
        self._prims.append(Polygon(corners, {"name": piece} if piece else {}))
        if piece:
            self.prim_attributes.add("name")

    def add_on_a_point(self, prim: Volume | VDB | PackedGeometry, at: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Volumes and packed primitives have one point each."""
        prim.corners = (self.point_count(),)
        self.attributes["P"] += at
        for name, values in self.attributes.items():
            if name != "P":
                values += [0.0] * (len(values) // max(self.point_count() - 1, 1))
        self._prims.append(prim)
        if prim.values.get("name"):
            self.prim_attributes.add("name")

    def remove_primitives(self) -> None:
        self._prims = []

    def keep_polygons(self, kept: Sequence[bool]) -> None:
        """And the points that they use."""
        self._prims = [prim for prim, keep in zip(self._prims, kept) if keep]
        used = sorted({corner for prim in self._prims for corner in prim.corners})
        moved = {old: new for new, old in enumerate(used)}
        for prim in self._prims:
            prim.corners = tuple(moved[corner] for corner in prim.corners)
        count = self.point_count()
        for name, values in self.attributes.items():
            width = len(values) // max(count, 1)
            self.attributes[name] = [values[old * width + k] for old in used for k in range(width)]

    def name_polygons(self, names: Sequence[str]) -> None:
        self.prim_attributes.add("name")
        for prim, name in zip(self._prims, names):
            prim.values["name"] = name

    def findPrimAttrib(self, name: str) -> Attrib | None:
        return Attrib(name, 1) if name in self.prim_attributes else None

    def addAttrib(self, type: EnumValue, name: str, default_value: str) -> Attrib:
        if type != attribType.Prim:
            raise OperationFailed("the fake adds attributes of primitives only")
        self.prim_attributes.add(name)
        return Attrib(name, 1)

    def setPrimStringAttribValues(self, name: str, values: Sequence[str]) -> None:
        if name not in self.prim_attributes or len(values) != len(self._prims):
            raise OperationFailed(f"Invalid attribute name or number of values: {name}")
        for prim, value in zip(self._prims, values):
            prim.values[name] = value

    def deletePrims(self, prims: Sequence[Prim], keep_points: bool = False) -> None:
        """With the points that only they had."""
        gone = {prim.number() for prim in prims}
        was_used = {corner for prim in self._prims for corner in prim.corners}
        self._prims = [prim for number, prim in enumerate(self._prims) if number not in gone]
        if keep_points:
            return
        still_used = {corner for prim in self._prims for corner in prim.corners}
        self._keep([number for number in range(self.point_count()) if number in still_used or number not in was_used])

    # -- points

    def points(self) -> tuple[Point, ...]:
        return tuple(Point(number) for number in range(self.point_count()))

    def deletePoints(self, points: Iterable[Point]) -> None:
        gone = {point.number() for point in points}
        self._keep([number for number in range(self.point_count()) if number not in gone])

    def _keep(self, kept: list[int]) -> None:
        new = {old: number for number, old in enumerate(kept)}
        count = self.point_count()
        for name, values in self.attributes.items():
            width = len(values) // max(count, 1)
            self.attributes[name] = [values[number * width + k] for number in kept for k in range(width)]
        for prim in self._prims:
            prim.corners = tuple(new[corner] for corner in prim.corners if corner in new)

    def findPointAttrib(self, name: str) -> Attrib | None:
        if name not in self.attributes:
            return None
        return Attrib(name, len(self.attributes[name]) // max(self.point_count(), 1))

    def pointFloatAttribValues(self, name: str) -> tuple[float, ...]:
        if name not in self.attributes:
            raise OperationFailed(f"Invalid attribute name: {name}")
        return tuple(self.attributes[name])

    def pointIntAttribValues(self, name: str) -> tuple[int, ...]:
        return tuple(int(value) for value in self.pointFloatAttribValues(name))

    def point_count(self) -> int:
        return len(self.attributes["P"]) // 3

    # -- all of it

    def intrinsicValue(self, intrinsic_name: str) -> Any:
        values = {"pointcount": self.point_count(), "primitivecount": len(self._prims)}
        if intrinsic_name not in values:
            raise OperationFailed(f"Invalid intrinsic: {intrinsic_name}")
        return values[intrinsic_name]

    def transform(self, matrix: Matrix4) -> None:
        flat = self.attributes["P"]
        points = [matrix.moved_point(flat[k : k + 3]) for k in range(0, len(flat), 3)]
        self.attributes["P"] = [value for point in points for value in point]
        for prim in self._prims:
            if isinstance(prim, PackedGeometry):
                prim.move_by(matrix)

    def merge(self, geometry: Geometry) -> None:
        """Attributes that one side lacks are zero there."""
        mine, theirs = self.point_count(), geometry.point_count()
        self._prims += [prim.make_copy(mine) for prim in geometry._prims]
        self.prim_attributes |= geometry.prim_attributes
        for name in sorted(set(self.attributes) | set(geometry.attributes)):
            left, right = self.attributes.get(name, []), geometry.attributes.get(name, [])
            width = len(right) // max(theirs, 1) or len(left) // max(mine, 1)
            self.attributes[name] = (left or [0.0] * (mine * width)) + (right or [0.0] * (theirs * width))

    def make_copy(self) -> Geometry:
        other = Geometry()
        other.merge(self)
        return other

    def bounding_box(self) -> tuple[list[float], list[float]]:
        """Of what packed primitives hold, too."""
        positions = list(self.attributes["P"])
        for prim in self._prims:
            if isinstance(prim, PackedGeometry):
                low, high = prim.getEmbeddedGeometry().bounding_box()
                for corner in range(8):
                    point = [(low, high)[corner >> axis & 1][axis] for axis in range(3)]
                    positions += prim.fullTransform().moved_point(point)
        return [min(positions[axis::3]) for axis in range(3)], [max(positions[axis::3]) for axis in range(3)]

    # -- files

    def saveToFile(self, file_name: str) -> None:
        """.bgeo is the classic format, which `firn` reads, .vdb the bytes of the file that the grids came from; all else is
        what the fake's File SOP reads."""
        world.current.may_write(file_name)
        if file_name.endswith(".bgeo"):
            Path(file_name).write_bytes(self._classic())
            return
        sources = {prim.source for prim in self._prims if isinstance(prim, VDB) and prim.source is not None}
        if file_name.endswith(".vdb") and sources:
            if len(sources) != 1 or not all(isinstance(prim, VDB) for prim in self._prims):
                raise OperationFailed(f"{file_name}: the fake saves the grids of one file, and nothing else")
            Path(file_name).write_bytes(sources.pop().read_bytes())
        else:
            self.store_json(Path(file_name))

    def store_json(self, path: Path) -> None:
        """For the fake's own File SOP."""
        stored = {"attributes": self.attributes, "primitives": len(self._prims)}
        path.write_text(json.dumps(stored), encoding="utf-8")

    def load_json(self, path: Path) -> None:
        """Primitives come back as grids: their number is all that was kept."""
        stored = json.loads(path.read_text(encoding="utf-8"))
        self.attributes = stored["attributes"]
        self._prims = [VDB() for _ in range(stored["primitives"])]

    def _classic(self) -> bytes:
        if self._prims:
            raise OperationFailed("the fake writes points to .bgeo, and no primitives")
        others = [name for name in self.attributes if name != "P"]
        count = self.point_count()
        out = b"BgeoV" + struct.pack(">9i", 5, count, 0, 0, 0, len(others), 0, 0, 0)
        widths = {name: len(self.attributes[name]) // max(count, 1) for name in others}
        for name in others:
            vector = 5 if widths[name] == 3 else 0
            out += struct.pack(">H", len(name)) + name.encode() + struct.pack(">Hi", widths[name], vector)
            out += struct.pack(f">{widths[name]}f", *([0.0] * widths[name]))
        for k in range(count):
            out += struct.pack(">4f", *self.attributes["P"][3 * k : 3 * k + 3], 1.0)
            for name in others:
                out += struct.pack(f">{widths[name]}f", *self.attributes[name][widths[name] * k : widths[name] * (k + 1)])
        return out + b"\x00\xff"


class SopVerb:
    """Unpack, which is all that Firn uses. As Houdini's, it takes over only those attributes of packed primitives that it is
    told to."""

    def __init__(self) -> None:
        self._parms: dict[str, str] = {}

    def setParms(self, p: dict[str, str]) -> None:
        unknown = set(p) - {"group", "transfer_attributes"}
        if unknown:
            raise OperationFailed(f"Unpack has no {unknown}")
        self._parms = dict(p)

    def execute(self, dest: Geometry, inputs: Sequence[Geometry]) -> None:
        source = inputs[0]
        group = {int(number) for number in self._parms.get("group", "").split()}
        for prim in source.prims():
            if prim.number() in group and not isinstance(prim, PackedPrim):
                raise OperationFailed("Unpack: the group has primitives that are not packed")
        kept = source.make_copy()
        packed = [prim for prim in kept.prims() if isinstance(prim, PackedGeometry) and (not group or prim.number() in group)]
        kept.deletePrims(packed)
        dest.merge(kept)
        for prim in packed:
            opened = prim.getEmbeddedGeometry().make_copy()
            opened.transform(prim.fullTransform())
            for name in self._parms.get("transfer_attributes", "").split():
                opened.prim_attributes.add(name)
                for inner in opened.prims():
                    inner.values[name] = prim.values.get(name, "")
            dest.merge(opened)
