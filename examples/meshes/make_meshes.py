#!/usr/bin/env python3
"""Writes the meshes of the examples: boot.obj (a sole with a tread, and a shaft) and plough.obj (a blade)."""
import math
import pathlib

FOLDER = pathlib.Path(__file__).parent


def write(name, points, faces):
    lines = [f"# written by {pathlib.Path(__file__).name}"]
    lines += ["v %.5f %.5f %.5f" % p for p in points]
    lines += ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def prism(points, faces, outline, bottom, top, scale=1.0, centre=(0.0, 0.0)):
    """A closed prism over an outline that runs anticlockwise seen from above (x to the right, z towards the viewer)."""
    first, n = len(points), len(outline)
    for x, z in outline:
        points.append((x, bottom, z))
    for x, z in outline:
        points.append((centre[0] + scale * (x - centre[0]), top, centre[1] + scale * (z - centre[1])))
    faces.append([first + i for i in reversed(range(n))])
    faces.append([first + n + i for i in range(n)])
    for i in range(n):
        j = (i + 1) % n
        faces.append([first + i, first + j, first + n + j, first + n + i])


def sole_half_width(t):
    """Half of the sole's width, m, from the heel (t = 0) to the toe (t = 1)."""
    heel, ball = 0.036, 0.05
    width = heel + (ball - heel) * 0.5 * (1 - math.cos(math.pi * min(max((t - 0.15) / 0.55, 0), 1)))
    if t < 0.12:
        width *= math.sqrt(max(1 - ((0.12 - t) / 0.12) ** 2, 0.02))
    if t > 0.75:
        width *= math.sqrt(max(1 - ((t - 0.75) / 0.25) ** 2, 0.02))
    return width


def outline(begin, end, steps, shrink=0.0):
    """The sole between two shares of its length; the toe points to -z."""
    at = [begin + (end - begin) * k / steps for k in range(steps + 1)]
    z = lambda t: 0.15 - 0.30 * t
    right = [(max(sole_half_width(t) - shrink, 0.004), z(t)) for t in at]
    left = [(-x, zz) for x, zz in reversed(right)]
    return right + left


def boot():
    points, faces = [], []
    prism(points, faces, outline(0, 1, 28), 0.018, 0.045)
    # Bars of the tread, with gaps that print.
    for begin, end in [(0.03, 0.1), (0.14, 0.21), (0.25, 0.3), (0.46, 0.53), (0.57, 0.64), (0.68, 0.75), (0.79, 0.86), (0.9, 0.95)]:
        prism(points, faces, outline(begin, end, 4, 0.004), 0.0, 0.019)
    prism(points, faces, outline(0.02, 0.97, 28, 0.003), 0.044, 0.09, 0.86, (0.0, 0.03))
    shaft = [(0.045 * math.cos(a), 0.085 - 0.055 * math.sin(a)) for a in [2 * math.pi * k / 32 for k in range(32)]]
    prism(points, faces, shaft, 0.085, 0.26, 1.05, (0.0, 0.085))
    write("boot.obj", points, faces)


def plough():
    # A V-shaped blade, hollow in front, that leans forward at the top; drives along +z.
    points, faces = [], []
    profile = [(0.0, 0.005), (-0.045, 0.08), (-0.06, 0.16), (-0.045, 0.24), (0.01, 0.31)]
    n = len(profile)
    stations = [(-0.42, -0.3), (0.0, 0.12), (0.42, -0.3)]
    # Around each station: up the front, down the back.
    for x, z in stations:
        points += [(x, y, z + dz) for dz, y in profile]
        points += [(x, y, z + dz - 0.03) for dz, y in reversed(profile)]
    ring = 2 * n
    for first in (0, ring):
        for k in range(ring):
            next_k = (k + 1) % ring
            faces.append([first + k, first + ring + k, first + ring + next_k, first + next_k])
    for first, turned in ((0, False), (2 * ring, True)):
        for k in range(n - 1):
            cap = [first + k, first + k + 1, first + ring - 2 - k, first + ring - 1 - k]
            faces.append(list(reversed(cap)) if turned else cap)
    write("plough.obj", points, faces)


if __name__ == "__main__":
    boot()
    plough()
