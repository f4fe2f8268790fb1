#!/usr/bin/env python3
"""`firn check` of files that are far larger than what it may take. It prints what it took.

FIRN_MILLIONS: triangles of the meshes (12). FIRN_KINDS: of KINDS, which (all). Two cores that have nothing else to do need half of the seconds of a core."""

import array
import math
import os
import re
import struct
import subprocess
import zlib

import firn_runs

MEGABYTES = 200  # that a check may take
SECONDS = 4      # of a core: 2 s of two
MILLIONS = float(os.environ.get("FIRN_MILLIONS", "12"))
RADIUS = 2.0     # m, of a ball

HEAD = """
[scene]
spacing = {}
[time]
end = 1
[output]
volumes = []
"""
FAR_SNOW = "[[snow]]\nposition = [0, 90, 0]\nsize = [0.5, 0.5, 0.5]\n"


def number(text):
    return int(text.replace(",", ""))


def ring(row, rows, columns):
    """A ring of points of a ball, coordinate by coordinate."""
    polar = math.pi * row / rows
    y, r = RADIUS * math.cos(polar), RADIUS * math.sin(polar)
    return [c for k in range(columns)
            for c in (r * math.cos(2 * math.pi * k / columns), y, -r * math.sin(2 * math.pi * k / columns))]


def in_own_process(make, *arguments):
    """What a process had at most is counted to those that it starts: files are made in one that starts none."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            make(*arguments)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RuntimeError("a file could not be made")


def write_picture(path, side):
    """16 bits of grey: smooth hills."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    across = [math.sin(9 * i / side) for i in range(side)]
    packer, content = zlib.compressobj(1), []
    for j in range(side):
        high = 12000 * math.cos(7 * j / side)
        row = array.array("H", [int(30000 + high * x) for x in across])
        row.byteswap()
        content.append(packer.compress(b"\0" + row.tobytes()))
    content.append(packer.flush())
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 0, 0, 0, 0)) +
                   chunk(b"IDAT", b"".join(content)) + chunk(b"IEND", b""))


# Endings and how they are written.
KINDS = {"stl": "stl", "text.stl": "stl", "ply": "ply", "big.ply": "ply", "text.ply": "ply", "mixed.ply": "ply", "obj": "obj",
         "backwards.obj": "obj"}


def ply_header(order, points, faces):
    return (f"ply\nformat {order} 1.0\nelement vertex {points}\nproperty float x\nproperty float y\nproperty float z\n"
            f"element face {faces}\nproperty list uchar int vertex_indices\nend_header\n").encode()


def face_bytes(kind, columns, above, below, a, b):
    """The faces between two rings, whose first points have the numbers a and b."""
    ends = [(k, (k + 1) % columns) for k in range(columns)]
    if kind in ("stl", "text.stl"):
        values = []
        for k, j in ends:
            i, j = 3 * k, 3 * j
            values += [*above[i:i + 3], *below[i:i + 3], *below[j:j + 3], *above[i:i + 3], *below[j:j + 3], *above[j:j + 3]]
        if kind == "stl":
            return b"".join(struct.pack("<12fH", 0, 0, 0, *values[n:n + 9], 0) for n in range(0, len(values), 9))
        facet = ("facet normal 0 0 0\n outer loop\n" + 3 * "  vertex %.6e %.6e %.6e\n" + " endloop\nendfacet\n")
        return (2 * columns * facet % tuple(values)).encode()
    values = []
    if kind == "mixed.ply":  # every third pair of triangles is a quad
        for k, j in ends:
            values.append(struct.pack("<B4I", 4, a + k, b + k, b + j, a + j) if k % 3 == 0 else
                          struct.pack("<B3IB3I", 3, a + k, b + k, b + j, 3, a + k, b + j, a + j))
        return b"".join(values)
    if kind in ("ply", "big.ply", "text.ply"):
        for k, j in ends:
            values += [3, a + k, b + k, b + j, 3, a + k, b + j, a + j]
        if kind == "text.ply":
            return (2 * columns * "%d %d %d %d\n" % tuple(values)).encode()
        return struct.pack(("<" if kind == "ply" else ">") + 2 * columns * "B3I", *values)
    # Backwards from the last point of the file, as all points come first.
    from_point = 1 if kind == "obj" else -ROWS[0]
    for k, j in ends:
        values += [from_point + n for n in (a + k, b + k, b + j, a + k, b + j, a + j)]
    return (2 * columns * "f %d %d %d\n" % tuple(values)).encode()


ROWS = [0]  # points of the ball that is being written


def write_ball(path, kind, rows):
    """A ball of 4 rows^2 triangles, ring by ring."""
    columns = 2 * rows
    points, faces = (rows + 1) * columns, 2 * rows * columns
    ROWS[0] = points
    with open(path, "wb", buffering=1 << 22) as file:
        if kind == "mixed.ply":
            faces -= rows * ((columns + 2) // 3)
        if KINDS[kind] == "ply":
            order = {"big.ply": "binary_big_endian", "text.ply": "ascii"}.get(kind, "binary_little_endian")
            file.write(ply_header(order, points, faces))
        if kind == "stl":
            file.write(bytes(80) + struct.pack("<I", faces))
        if kind == "text.stl":
            file.write(b"solid ball\n")
        if KINDS[kind] != "stl":
            for row in range(rows + 1):
                here = array.array("f", ring(row, rows, columns))
                if kind == "text.ply":
                    file.write((columns * "%.6f %.6f %.6f\n" % tuple(here)).encode())
                elif KINDS[kind] == "obj":
                    file.write((columns * "v %.6f %.6f %.6f\n" % tuple(here)).encode())
                else:
                    if kind == "big.ply":
                        here.byteswap()
                    file.write(here.tobytes())
        above = ring(0, rows, columns)
        for row in range(rows):
            below = ring(row + 1, rows, columns)
            file.write(face_bytes(kind, columns, above, below, row * columns, (row + 1) * columns))
            above = below
        if kind == "text.stl":
            file.write(b"endsolid ball\n")


class HugeFiles(firn_runs.Runs):
    def checked(self, title, scene):
        """What a check counts of snow and boundary particles."""
        with open(self.path("said"), "w+") as said:
            process = subprocess.Popen([firn_runs.FIRN, "check", self.write("scene.toml", scene)], cwd=self.folder,
                                       stdout=said, stderr=said)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read()
        seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"{title}: {seconds:.1f} s of a core, {megabytes:.0f} MB", flush=True)
        snow = re.search(r"^snow +(?:about )?([\d,]+) particles", text, re.M)
        boundary = re.search(r"with (?:about )?([\d,]+) boundary", text)
        self.assertTrue(snow and boundary, text)
        if ".png" not in scene:
            self.assertRegex(text, r"note: .*: counted from \d+ of about \d+ triangles")
        self.assertLess(megabytes, MEGABYTES)
        self.assertLess(seconds, SECONDS)
        return number(snow.group(1)), number(boundary.group(1))

    def assert_about(self, counted, expected):
        self.assertLess(abs(counted - expected), 0.05 * expected)

    def test_balls(self):
        area, volume = 4 * math.pi * RADIUS ** 2, 4 / 3 * math.pi * RADIUS ** 3
        for kind in os.environ.get("FIRN_KINDS", " ".join(KINDS)).split():
            name, rows = "ball." + kind, int(math.sqrt(MILLIONS * 1e6 / 4))
            title = f"{kind} of {4 * rows * rows / 1e6:.0f} million triangles"
            in_own_process(write_ball, self.path(name), kind, rows)
            shape = f'shape = "mesh"\nfile = "{name}"\n'
            for spacing in (0.05, 0.005):
                _, boundary = self.checked(f"{title}, collider at {spacing} m",
                                           HEAD.format(spacing) + FAR_SNOW + "[[collider]]\n" + shape)
                self.assert_about(boundary, area / spacing ** 2)
            spacing = 0.05
            snow, _ = self.checked(f"{title}, snow", HEAD.format(spacing) + "[[snow]]\n" + shape)
            self.assert_about(snow, volume / spacing ** 3)
            snow, _ = self.checked(f"{title}, a layer upon it", HEAD.format(spacing) +
                                   f'[[snow]]\nshape = "layer"\nfile = "{name}"\nthickness = 0.2\n')
            # Snow stays on slopes of up to 60 degrees.
            self.assert_about(snow, 4 * math.pi * (RADIUS * math.sin(math.pi / 3)) ** 2 / spacing ** 2)
            os.remove(self.path(name))

    def test_a_picture_of_heights(self):
        side, cell, spacing = 8000, 0.01, 0.05
        in_own_process(write_picture, self.path("heights.png"), side)
        shape = f'file = "heights.png"\ncell = {cell}\nrelief = 2\n'
        self.checked(f"PNG of {side:,} x {side:,}, collider",
                     HEAD.format(spacing) + FAR_SNOW + '[[collider]]\nshape = "heightfield"\n' + shape)
        snow, _ = self.checked(f"PNG of {side:,} x {side:,}, a layer upon it",
                               HEAD.format(spacing) + '[[snow]]\nshape = "layer"\nthickness = 0.2\n' + shape)
        self.assert_about(snow, 4 * (cell * side / spacing) ** 2)


if __name__ == "__main__":
    firn_runs.main()
