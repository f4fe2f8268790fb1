"""Geometry (hou.Geometry): points with attributes, and how many primitives there are."""

from __future__ import annotations

from typing import Any

from .errors import OperationFailed


class Attrib:
    def __init__(self, name: str, size: int) -> None:
        self._name, self._size = name, size

    def name(self) -> str:
        return self._name

    def size(self) -> int:
        return self._size


class Geometry:
    def __init__(self) -> None:
        self.attributes: dict[str, list[float]] = {"P": []}
        self.primitive_count = 0

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
        return other

    def add_points(self, other: Geometry) -> None:
        """As the Merge SOP: attributes that one side lacks are zero there."""
        mine, theirs = self.point_count(), other.point_count()
        for name in sorted(set(self.attributes) | set(other.attributes)):
            width = len(other.attributes.get(name, [])) // max(theirs, 1) or len(self.attributes.get(name, [])) // max(mine, 1)
            left = self.attributes.get(name, [0.0] * (mine * width))
            self.attributes[name] = left + other.attributes.get(name, [0.0] * (theirs * width))
        self.primitive_count += other.primitive_count

    def bounding_box(self) -> tuple[list[float], list[float]]:
        positions = self.attributes["P"]
        return [min(positions[axis::3]) for axis in range(3)], [max(positions[axis::3]) for axis in range(3)]
