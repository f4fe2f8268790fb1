"""The rigid motion of points from one frame to another, as a scene file's keyframes hold it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

Vector = tuple[float, float, float]
Points = Sequence[Vector]
Matrix = tuple[Vector, Vector, Vector]  # rows


def minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def plus(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def length(a: Vector) -> float:
    return math.sqrt(dot(a, a))


def turned(m: Matrix, a: Vector) -> Vector:
    return (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def middle(points: Points) -> Vector:
    count = max(len(points), 1)
    return (sum(p[0] for p in points) / count, sum(p[1] for p in points) / count, sum(p[2] for p in points) / count)


@dataclass(frozen=True)
class Motion:
    """x -> rotation * (x - from_middle) + to_middle, in metres."""

    rotation: Matrix
    from_middle: Vector
    to_middle: Vector
    error: float  # largest distance of a moved point from where it should be

    def apply(self, point: Vector) -> Vector:
        return plus(turned(self.rotation, minus(point, self.from_middle)), self.to_middle)


@dataclass(frozen=True)
class Corners:
    """Three points that lie far apart: they carry the motion of all. `second` and `third` are equal where all lie on a
    line or in one place."""

    first: int
    second: int
    third: int


def far_corners(points: Points) -> Corners:
    centre = middle(points)
    first = max(range(len(points)), key=lambda k: length(minus(points[k], centre)))
    second = max(range(len(points)), key=lambda k: length(minus(points[k], points[first])))
    along = minus(points[second], points[first])
    third = max(range(len(points)), key=lambda k: length(cross(along, minus(points[k], points[first]))))
    flat = length(cross(along, minus(points[third], points[first]))) <= 1e-6 * dot(along, along)
    return Corners(first, second, second if flat else third)


def _axes(points: Points, corners: Corners) -> Matrix | None:
    """Three unit vectors fixed to the corners, as columns."""
    along = minus(points[corners.second], points[corners.first])
    up = cross(along, minus(points[corners.third], points[corners.first]))
    if length(along) == 0 or length(up) == 0:
        return None
    x = (along[0] / length(along), along[1] / length(along), along[2] / length(along))
    z = (up[0] / length(up), up[1] / length(up), up[2] / length(up))
    y = cross(z, x)
    return ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))


def motion(start: Points, now: Points, corners: Corners) -> Motion | None:
    """The motion that carries `start` to `now`; its error says whether it is rigid. None where points can't tell: other
    numbers of points, or points on a line that turns."""
    if len(start) != len(now) or not start:
        return None
    before, after = _axes(start, corners), _axes(now, corners)
    identity: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    rotation = identity
    if before is not None and after is not None:
        # after * before^T: row by row.
        rotation = (
            (dot(after[0], before[0]), dot(after[0], before[1]), dot(after[0], before[2])),
            (dot(after[1], before[0]), dot(after[1], before[1]), dot(after[1], before[2])),
            (dot(after[2], before[0]), dot(after[2], before[1]), dot(after[2], before[2])),
        )
    found = Motion(rotation, middle(start), middle(now), 0.0)
    error = max(length(minus(found.apply(a), b)) for a, b in zip(start, now))
    return Motion(rotation, found.from_middle, found.to_middle, error)


def angles(m: Matrix) -> Vector:
    """Degrees about x, then y, then z: the order of scene files, and of Houdini's transforms."""
    y = math.asin(max(-1.0, min(1.0, -m[2][0])))
    if abs(m[2][0]) < 1 - 1e-12:
        x, z = math.atan2(m[2][1], m[2][2]), math.atan2(m[1][0], m[0][0])
    else:  # x and z turn about the same axis: all of it in z
        x, z = 0.0, math.atan2(-m[0][1], m[1][1])
    return (math.degrees(x), math.degrees(y), math.degrees(z))


def nearest_turn(turn: Vector, before: Vector) -> Vector:
    """The same rotation with angles next to those of the key before, so that what is between them is between them."""
    def near(angle: float, reference: float) -> float:
        return angle + 360 * round((reference - angle) / 360)

    # Three angles mean the same rotation as (x + 180, 180 - y, z + 180).
    options = [turn, (turn[0] + 180, 180 - turn[1], turn[2] + 180)]
    candidates = [(near(a, before[0]), near(b, before[1]), near(c, before[2])) for a, b, c in options]
    return min(candidates, key=lambda option: length(minus(option, before)))
