#!/usr/bin/env python3
"""Writes the meshes of the examples: boot.obj (a sole with a tread, and a shaft), plough.obj (a blade), tyre.obj (with lugs), sledge.obj (two runners
below a seat) and angel.0001.obj and on (a person who lies in the snow and moves arms and legs)."""
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


def lathe(points, faces, profile, steps):
    """A closed ring: the profile (x, radius), itself closed, turned about the x axis."""
    first, n = len(points), len(profile)
    for k in range(steps):
        a = 2 * math.pi * k / steps
        points += [(x, r * math.cos(a), r * math.sin(a)) for x, r in profile]
    for k in range(steps):
        for i in range(n):
            a, b = first + k * n, first + (k + 1) % steps * n
            faces.append([a + i, b + i, b + (i + 1) % n, a + (i + 1) % n])


def tyre():
    # The axle is x; it rolls along z. 66 cm high, 24 cm wide, lugs of 2.2 cm that slant as on a tractor.
    points, faces = [], []
    radius, half, lug, count = 0.308, 0.12, 0.022, 20
    lathe(points, faces, [(-0.09, 0.17), (-half, 0.21), (-half, 0.28), (-0.1, 0.3), (-0.05, radius), (0.05, radius), (0.1, 0.3), (half, 0.28), (half, 0.21), (0.09, 0.17)], 40)
    for side in (-1, 1):
        for k in range(count):
            middle = 2 * math.pi * (k + (0.5 if side > 0 else 0)) / count
            rings = []
            for x in (0.004, 0.06, 0.115):
                lead = middle - 2.4 * (x - 0.06)
                bottom = (radius if x < 0.1 else 0.296) - 0.012
                top = radius + lug - (0.008 if x > 0.1 else 0)
                rings.append([(side * x, r * math.cos(a), r * math.sin(a)) for a, r in
                              ((lead - 0.062, bottom), (lead + 0.062, bottom), (lead + 0.05, top), (lead - 0.05, top))])
            first = len(points)
            points += [p for ring in rings for p in ring]
            parts = [[0, 1, 2, 3], [8, 11, 10, 9]]
            parts += [[4 * r + i, 4 * r + 4 + i, 4 * r + 4 + (i + 1) % 4, 4 * r + (i + 1) % 4] for r in (0, 1) for i in range(4)]
            for part in parts:
                faces.append([first + i for i in (part if side > 0 else reversed(part))])
    write("tyre.obj", points, faces)


def sledge():
    # Runners turned up in front (+z), and boards across.
    points, faces = [], []
    for side in (-0.17, 0.17):
        first = len(points)
        path = [(-0.45, 0.0), (-0.2, 0.0), (0.1, 0.0), (0.3, 0.008), (0.4, 0.035), (0.47, 0.09), (0.5, 0.16)]
        for z, y in path:
            points += [(side - 0.02, y, z), (side + 0.02, y, z), (side + 0.02, y + 0.035, z - 0.4 * y), (side - 0.02, y + 0.035, z - 0.4 * y)]
        faces.append([first + 3, first + 2, first + 1, first])
        last = first + 4 * (len(path) - 1)
        faces.append([last, last + 1, last + 2, last + 3])
        for k in range(len(path) - 1):
            a, b = first + 4 * k, first + 4 * k + 4
            faces += [[a + i, a + (i + 1) % 4, b + (i + 1) % 4, b + i] for i in range(4)]
        for z in (-0.35, 0.15):
            prism(points, faces, [(side - 0.015, z + 0.02), (side + 0.015, z + 0.02), (side + 0.015, z - 0.02), (side - 0.015, z - 0.02)], 0.03, 0.2)
    for k in range(5):
        x = -0.16 + 0.08 * k
        prism(points, faces, [(x - 0.03, 0.26), (x + 0.03, 0.26), (x + 0.03, -0.45), (x - 0.03, -0.45)], 0.195, 0.215)
    write("sledge.obj", points, faces)


def tube(points, faces, centres, radii, sides=8):
    """A limb: rings about the centres, closed at both ends; it lies in the plane y = 0 and is as thick as wide."""
    first, n = len(points), len(centres)
    for k, (x, y, z) in enumerate(centres):
        before, after = centres[max(k - 1, 0)], centres[min(k + 1, n - 1)]
        dx, dz = after[0] - before[0], after[2] - before[2]
        size = math.hypot(dx, dz)
        along = (dx / size, dz / size)
        for i in range(sides):
            a = 2 * math.pi * i / sides
            across = radii[k] * math.cos(a)
            points.append((x - along[1] * across, y + radii[k] * math.sin(a), z + along[0] * across))
    faces.append([first + i for i in range(sides)])
    faces.append([first + (n - 1) * sides + i for i in reversed(range(sides))])
    for k in range(n - 1):
        a, b = first + k * sides, first + (k + 1) * sides
        faces += [[a + i, b + i, b + (i + 1) % sides, a + (i + 1) % sides] for i in range(sides)]


def limb(start, angle, bend, lengths):
    """Centres of a limb in the plane y = start's; each part turns by `bend` from the one before. 0 points to the feet (+z)."""
    centres = [start]
    for length in lengths:
        x, y, z = centres[-1]
        centres.append((x + length * math.sin(angle), y, z + length * math.cos(angle)))
        angle += bend
    return centres


def angel(frames=48):
    ease = lambda t: 0.5 - 0.5 * math.cos(math.pi * min(max(t, 0), 1))
    for frame in range(1, frames + 1):
        # Falls back into the snow, sweeps once, and is lifted out.
        y = 0.6 - 0.26 * ease((frame - 1) / 6) + 0.5 * ease((frame - 37) / 10)
        phase = 2 * math.pi * min(max((frame - 8) / 27, 0), 1)
        sweep, speed = 0.5 - 0.5 * math.cos(phase), math.sin(phase)
        points, faces = [], []
        tube(points, faces, [(0, y, z) for z in (-0.86, -0.83, -0.74, -0.65, -0.62)], [0.04, 0.08, 0.1, 0.08, 0.05])
        tube(points, faces, [(0, y, z) for z in (-0.6, -0.55, -0.35, -0.1, 0.05, 0.1)], [0.06, 0.15, 0.16, 0.13, 0.15, 0.1], 12)
        for side in (-1, 1):
            arm = 0.35 + 1.9 * sweep
            centres = limb((side * 0.13, y, -0.5), side * arm, side * -0.12 * speed, (0.1, 0.17, 0.17, 0.15, 0.06))
            tube(points, faces, centres, [0.055, 0.06, 0.055, 0.048, 0.045, 0.03])
            leg = 0.06 + 0.42 * sweep
            centres = limb((side * 0.08, y, 0.05), side * leg, side * -0.06 * speed, (0.12, 0.25, 0.22, 0.22, 0.08))
            tube(points, faces, centres, [0.075, 0.085, 0.072, 0.06, 0.055, 0.04])
        write(f"angel.{frame:04d}.obj", points, faces)


if __name__ == "__main__":
    boot()
    plough()
    tyre()
    sledge()
    angel()
