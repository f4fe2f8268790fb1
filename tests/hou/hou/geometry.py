"""Geometry (hou.Geometry): points with attributes, polygons, and how many primitives there are."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Iterator

from . import world
from .enums import EnumValue, primType
from .errors import OperationFailed


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
    """A polygon, or another primitive of which only the kind is known."""

    def __init__(self, kind: EnumValue, corners: tuple[int, ...], piece: str) -> None:
        self._kind, self._corners, self._piece = kind, corners, piece

    def type(self) -> EnumValue:
        return self._kind

    def vertices(self) -> Iterator[Vertex]:
        return iter([Vertex(Point(corner)) for corner in self._corners])

    def attribValue(self, attrib: str) -> str:
        if attrib != "name":
            raise OperationFailed(f"Invalid attribute name: {attrib}")
        return self._piece


class Polygon(Prim):
    def isClosed(self) -> bool:
        return True


class Volume(Prim):
    """A heightfield: one layer of voxels over the xz plane, `cell` apart, centred on the origin."""

    def __init__(self, columns: int, rows: int, cell: float, heights: tuple[float, ...]) -> None:
        super().__init__(primType.Volume, (), "height")
        self._columns, self._rows, self._cell, self._heights = columns, rows, cell, heights

    def resolution(self) -> tuple[int, int, int]:
        return (self._columns, self._rows, 1)

    def allVoxels(self) -> tuple[float, ...]:
        return self._heights

    def indexToPos(self, index: tuple[int, int, int]) -> tuple[float, float, float]:
        x, z = index[0] - (self._columns - 1) / 2, index[1] - (self._rows - 1) / 2
        return (x * self._cell, 0.0, z * self._cell)


class Geometry:
    def __init__(self) -> None:
        self.attributes: dict[str, list[float]] = {"P": []}
        self.primitive_count = 0
        #: Corners of each polygon, clockwise from outside, and the attribute `name` of each.
        self.polygons: list[tuple[int, ...]] = []
        self.pieces: list[str] = []
        self.volumes: list[Volume] = []

    def prims(self) -> tuple[Prim, ...]:
        polygons = [Polygon(primType.Polygon, corners, piece) for corners, piece in zip(self.polygons, self.pieces)]
        grids = self.primitive_count - len(polygons) - len(self.volumes)
        return (*polygons, *self.volumes, *[Prim(primType.VDB, (), "") for _ in range(grids)])

    def add_polygon(self, corners: tuple[int, ...], piece: str = "") -> None:
        self.polygons.append(corners)
        self.pieces.append(piece)
        self.primitive_count += 1

    def add_volume(self, volume: Volume) -> None:
        self.volumes.append(volume)
        self.primitive_count += 1
        self.attributes["P"] += [0.0, 0.0, 0.0]

    def remove_primitives(self) -> None:
        self.primitive_count, self.polygons, self.pieces, self.volumes = 0, [], [], []

    def saveToFile(self, file_name: str) -> None:
        """.bgeo is the classic format, which `firn` reads; all else is what the double's File SOP reads."""
        world.current.may_write(file_name)
        if file_name.endswith(".bgeo"):
            Path(file_name).write_bytes(self._classic())
        else:
            self.store_json(Path(file_name))

    def store_json(self, path: Path) -> None:
        """For the double's own File SOP."""
        stored = {"attributes": self.attributes, "primitives": self.primitive_count}
        path.write_text(json.dumps(stored), encoding="utf-8")

    def _classic(self) -> bytes:
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

    def findPointAttrib(self, name: str) -> Attrib | None:
        if name not in self.attributes:
            return None
        return Attrib(name, len(self.attributes[name]) // max(self.point_count(), 1))

    def pointFloatAttribValues(self, name: str) -> tuple[float, ...]:
        if name not in self.attributes:
            raise OperationFailed(f"Invalid attribute name: {name}")
        return tuple(self.attributes[name])

    def intrinsicValue(self, intrinsic_name: str) -> Any:
        values = {"pointcount": self.point_count(), "primitivecount": self.primitive_count}
        if intrinsic_name not in values:
            raise OperationFailed(f"Invalid intrinsic: {intrinsic_name}")
        return values[intrinsic_name]

    def point_count(self) -> int:
        return len(self.attributes["P"]) // 3

    def make_copy(self) -> Geometry:
        other = Geometry()
        other.attributes = {name: list(values) for name, values in self.attributes.items()}
        other.primitive_count = self.primitive_count
        other.polygons, other.pieces, other.volumes = list(self.polygons), list(self.pieces), list(self.volumes)
        return other

    def add_points(self, other: Geometry) -> None:
        """As the Merge SOP: attributes that one side lacks are zero there."""
        mine, theirs = self.point_count(), other.point_count()
        self.polygons += [tuple(corner + mine for corner in corners) for corners in other.polygons]
        self.pieces += other.pieces
        self.volumes += other.volumes
        for name in sorted(set(self.attributes) | set(other.attributes)):
            width = len(other.attributes.get(name, [])) // max(theirs, 1) or len(self.attributes.get(name, [])) // max(mine, 1)
            left = self.attributes.get(name, [0.0] * (mine * width))
            self.attributes[name] = left + other.attributes.get(name, [0.0] * (theirs * width))
        self.primitive_count += other.primitive_count

    def bounding_box(self) -> tuple[list[float], list[float]]:
        positions = self.attributes["P"]
        return [min(positions[axis::3]) for axis in range(3)], [max(positions[axis::3]) for axis in range(3)]
