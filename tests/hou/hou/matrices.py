"""hou.Matrix4 and hou.Vector3, as far as Firn uses them. Points are rows: p * M."""

from __future__ import annotations

import math
from typing import Sequence


class Vector3:
    def __init__(self, x: Sequence[float]) -> None:
        self._values = (float(x[0]), float(x[1]), float(x[2]))

    def __getitem__(self, index: int) -> float:
        return self._values[index]


class Matrix4:
    def __init__(self, values: Sequence[float]) -> None:
        self._values = tuple(float(value) for value in values)

    def asTuple(self) -> tuple[float, ...]:
        return self._values

    def __mul__(self, matrix4_or_scalar: Matrix4) -> Matrix4:
        a, b = self._values, matrix4_or_scalar._values
        return Matrix4([sum(a[4 * r + k] * b[4 * k + c] for k in range(4)) for r in range(4) for c in range(4)])

    def moved_point(self, p: Sequence[float]) -> list[float]:
        m = self._values
        return [p[0] * m[c] + p[1] * m[4 + c] + p[2] * m[8 + c] + m[12 + c] for c in range(3)]


def identity() -> Matrix4:
    return Matrix4((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))


def placement(moved: Sequence[float], turned: Sequence[float] = (0, 0, 0), scaled: Sequence[float] = (1, 1, 1)) -> Matrix4:
    """Scale, then degrees about x, y and z, then the move: the order of Houdini's transforms."""
    (ca, sa), (cb, sb), (cc, sc) = ((math.cos(math.radians(t)), math.sin(math.radians(t))) for t in turned)
    return (
        Matrix4((scaled[0], 0, 0, 0, 0, scaled[1], 0, 0, 0, 0, scaled[2], 0, 0, 0, 0, 1))
        * Matrix4((1, 0, 0, 0, 0, ca, sa, 0, 0, -sa, ca, 0, 0, 0, 0, 1))
        * Matrix4((cb, 0, -sb, 0, 0, 1, 0, 0, sb, 0, cb, 0, 0, 0, 0, 1))
        * Matrix4((cc, sc, 0, 0, -sc, cc, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))
        * Matrix4((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, moved[0], moved[1], moved[2], 1))
    )
