#!/usr/bin/env python3
"""What `firn check` says of a scene's size, against what `firn sim` then places; and what it costs to know it."""

import itertools
import json
import math
import os
import re
import struct
import subprocess
import time

import firn_runs

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
DEMO = os.path.join(EXAMPLES, "wall_smash.toml")
MEGABYTES = 200  # that a check may take

HEAD = """
[scene]
spacing = 0.05
[time]
end = 3
[output]
volumes = []
"""


def number(text):
    return int(text.replace(",", ""))


class Counts(firn_runs.Runs):
    def counted(self, scene, *options):
        """Snow, boundary particles."""
        said, _ = self.firn("check", scene, *options)
        return (number(re.search(r"^snow +(?:about )?([\d,]+) particles", said, re.M).group(1)),
                number(re.search(r"with (?:about )?([\d,]+) boundary", said).group(1)))

    def placed(self, scene, *options):
        """The same, when the run is over."""
        _, said = self.firn("sim", scene, "--out", "run", "--force", *options)
        boundary = number(re.search(r"snow and ([\d,]+) boundary particles", said).group(1))
        with open(self.path("run", "run.jsonl")) as log:
            return json.loads(log.readlines()[-1])["particles"], boundary

    def compare(self, scene, *options, exact=False):
        counted, placed = self.counted(scene, *options), self.placed(scene, *options)
        self.assertLessEqual(abs(counted[0] - placed[0]), 0 if exact else 0.05 * placed[0], f"snow of {scene} {options}")
        self.assertLessEqual(abs(counted[1] - placed[1]), 0.05 * placed[1], f"boundary of {scene} {options}")

    def measured(self, *arguments):
        """Exit code, what it said, and the megabytes that it had at most; `self.seconds` of a core."""
        with open(self.path("said"), "w+") as said:
            process = subprocess.Popen([firn_runs.FIRN, *arguments], cwd=self.folder, stdout=said, stderr=said)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = used.ru_utime + used.ru_stime
            said.seek(0)
            return process.returncode, said.read(), used.ru_maxrss / 1024

    def test_every_example(self):
        for name in sorted(os.listdir(EXAMPLES)):
            if not name.endswith(".toml"):
                continue
            with self.subTest(name):
                scene = os.path.join(EXAMPLES, name)
                # Its bodies are there from the start; only a source takes frames.
                frames = "40" if name == "snowfall.toml" else "1"
                self.compare(scene, "--set", "scene.resolution=0.5", "--set", "time.end=" + frames, "--set",
                             "output.volumes=[]", exact=name != "snowfall.toml")
                start = time.monotonic()
                _, _, megabytes = self.measured("check", scene)
                print(f"check {name}: {time.monotonic() - start:.2f} s, {megabytes:.0f} MB", flush=True)
                self.assertLess(megabytes, MEGABYTES)

    def test_the_demo_at_any_resolution_takes_no_memory(self):
        for resolution, code in (("8", None), ("16", 1)):
            start = time.monotonic()
            done, said, megabytes = self.measured("check", DEMO, "--set", f"scene.resolution={resolution}")
            print(f"check at {resolution}: {time.monotonic() - start:.2f} s, {megabytes:.0f} MB", flush=True)
            self.assertLess(megabytes, MEGABYTES)
            # Its wall is 2.4 m x 1 m x 0.2 m: a lattice. Whether 14 GB are free depends on the machine.
            self.assertIn(f"snow         {30720 * int(resolution) ** 3:,} particles", said)
            self.assertIn(done, (0, 1) if code is None else (code,), said)

    def test_a_limit_stops_a_run_before_it_takes_memory(self):
        for command in ("check", "sim"):
            options = ("--out", "run") if command == "sim" else ()
            done, said, megabytes = self.measured(command, DEMO, *options, "--set", "scene.resolution=8", "--set",
                                                  "memory_limit=0.5")
            self.assertEqual(done, 1, said)
            errors = [line for line in said.splitlines() if line.startswith("firn ")]
            self.assertEqual(len(errors), 1, said)
            self.assertRegex(errors[0], r"needs? about .* [MG]B.*memory_limit.*spacing")
            self.assertLess(megabytes, MEGABYTES)

    def test_snow_of_every_shape(self):
        shapes = {
            **self.solids(),
            "layer": 'shape = "layer"\nfile = "ground.txt"\nthickness = 0.17\n',
        }
        for name, text in shapes.items():
            for more in ("", "jitter = 0.7\n", 'filling = "relaxed"\n'):
                with self.subTest(name + " " + more):
                    scene = self.write("scene.toml", HEAD + "[[snow]]\n" + text + more)
                    self.compare(scene, "--set", "time.end=1", exact="relaxed" not in more)
            with self.subTest(name + " as a source"):
                # Flakes fly apart faster than they come.
                scene = self.write("scene.toml", HEAD + "[[snow]]\n" + text + "rate = 20\nvelocity = [0, -9, 0]\n")
                self.compare(scene)

    def test_snow_of_a_file_of_particles_and_snow_that_comes_later(self):
        first = self.write("first.toml", HEAD + '[[snow]]\nshape = "sphere"\nradius = 0.3\n')
        self.firn("sim", first, "--out", "first", "--frames", "1-1")
        particles = os.path.join("first", "particles", "first.0001.bgeo")
        scene = self.write("scene.toml", HEAD + f'[[snow]]\nshape = "particles"\nfile = "{particles}"\n'
                           "[[snow]]\nname = \"late\"\nposition = [0, 3, 0]\nstart = 3\n"
                           "[[snow]]\nname = \"never\"\nposition = [0, 9, 0]\nstart = 9\n")
        self.compare(scene, exact=True)

    def test_colliders_of_every_shape(self):
        for frame in (1, 2, 3):
            self.write(f"move.{frame:04d}.obj", self.ball(up=0.1 * frame))
        shapes = {
            **self.solids(),
            "plane": 'shape = "plane"\nsize = [3, 1, 2]\n',
            "container": 'shape = "box"\nsize = [2, 1, 2]\ninverted = true\n',
            "sequence": 'shape = "mesh"\nfile = "move.%04d.obj"\n',
            "heightfield": 'shape = "heightfield"\nfile = "ground.txt"\ntwo_sided = true\n',
        }
        for name, text in shapes.items():
            with self.subTest(name):
                scene = self.write("scene.toml", HEAD + "[[snow]]\nposition = [0, 5, 0]\nsize = [0.2, 0.2, 0.2]\n"
                                   "[[collider]]\n" + text)
                self.compare(scene, exact=True)

    def test_grounds_that_are_sampled_where_snow_is_near(self):
        self.write("ground.txt", "\n".join(" ".join(f"{math.sin(x) * math.cos(z):.3f}" for x in range(12))
                                           for z in range(12)) + "\n")
        shapes = {
            "plane": 'shape = "plane"\nsize = [300, 1, 200]\n',
            "endless": 'shape = "plane"\n',
            "small": 'shape = "plane"\nsize = [1.2, 1, 1.2]\n',
            "turned": 'shape = "plane"\nrotation = [0, 0, 30]\n',
            "heightfield": 'shape = "heightfield"\nfile = "ground.txt"\ncell = 100\nrelief = 0.01\n',
        }
        for name, text in shapes.items():
            with self.subTest(name):
                scene = self.write("scene.toml", HEAD + "[[snow]]\nposition = [0, 0.2, 0]\nsize = [1, 0.3, 0.5]\n"
                                   "[[collider]]\nname = \"ground\"\n" + text)
                start = time.monotonic()
                said, _ = self.firn("check", scene)
                self.assertLess(time.monotonic() - start, 5)
                near = number(re.search(r"snow is near: (?:about )?([\d,]+) boundary", said).group(1))
                _, boundary = self.placed(scene)
                self.assertEqual(boundary, 0)
                with open(self.path("run", "run.jsonl")) as log:
                    there = json.loads(log.readlines()[2])["boundary_particles"]
                # Bricks stand out a little beyond what is near.
                self.assertGreater(there, 0.6 * near)
                self.assertLess(there, 2 * near)

    def many_balls(self, name, side, up=0.0):
        """side^3 of them, a metre apart, as STL. Their triangles."""
        triangles = self.triangles_of(self.ball())
        with open(self.path(name), "wb") as file:
            file.write(bytes(80) + struct.pack("<I", len(triangles) * side ** 3))
            record = struct.Struct("<12fH")
            for x, y, z in itertools.product(range(side), repeat=3):
                place = (x, y + up, z)
                file.write(b"".join(record.pack(0, 0, 0, *(c + place[k % 3] for k, c in enumerate(triangle)), 0)
                                    for triangle in triangles))
        self.assertGreater(os.path.getsize(self.path(name)), 24e6)  # what is read as a whole
        return triangles

    def test_a_large_mesh_that_is_used_often_is_read_once(self):
        self.many_balls("many.stl", 8)
        seconds, counts = [], []
        for uses in (1, 6):
            text = "".join(f'[[{kind}]]\nshape = "mesh"\nfile = "many.stl"\nposition = [{20 * k}, {y}, 0]\n'
                           for k in range(uses) for kind, y in (("snow", 20), ("collider", 0)))
            scene = self.write("scene.toml", HEAD + text)
            counts.append(self.counted(scene))
            _, _, megabytes = self.measured("check", scene)
            self.assertLess(megabytes, MEGABYTES)
            seconds.append(self.seconds)
        self.assertEqual([6 * count for count in counts[0]], list(counts[1]))
        self.assertLess(seconds[1], 2 * seconds[0])

    def test_a_sequence_of_large_meshes(self):
        for frame in (1, 2):
            self.many_balls(f"many.{frame:04d}.stl", 8, up=0.1 * frame)
        scene = self.write("scene.toml", HEAD + '[[snow]]\nposition = [0, 50, 0]\n[[collider]]\nname = "balls"\n'
                           'shape = "mesh"\nfile = "many.%04d.stl"\n')
        _, said, megabytes = self.measured("check", scene)
        self.assertIn("balls: mesh, moving", said)
        self.assertLess(megabytes, MEGABYTES)

    def test_a_layer_on_wide_ground(self):
        self.write("ground.obj", "v -99 0 -99\nv -99 0 99\nv 99 3 99\nv 99 5 -99\nf 1 2 3 4\n")
        for on in ('file = "ground.obj"', 'on = "ground"'):
            scene = self.write("scene.toml", HEAD.replace("0.05", "0.01") + '[[collider]]\nname = "ground"\nshape = "mesh"\n'
                               f'file = "ground.obj"\n[[snow]]\nshape = "layer"\n{on}\nthickness = 0.06\n')
            done, said, megabytes = self.measured("check", scene)
            self.assertEqual(done, 1, said)  # nobody has so much memory
            snow = number(re.search(r"^snow +about ([\d,]+) particles", said, re.M).group(1))
            self.assertLess(abs(snow - 6 * 19800 ** 2), 0.05 * 6 * 19800 ** 2)
            self.assertLess(megabytes, MEGABYTES)

    def test_thousands_of_bodies(self):
        """All together are little work, and as many particles as one by one."""
        def scene(numbers):
            return self.write("scene.toml", HEAD + "".join(
                f'[[{kind}]]\nshape = "sphere"\nradius = {0.3 + 1e-4 * k:.4f}\nposition = [{k}, {y}, 0]\n'
                for k in numbers for kind, y in (("collider", 0), ("snow", 3))))
        some = [self.counted(scene([k])) for k in range(100, 2000, 200)]  # each in the middle of 200
        all_of_them = self.counted(scene(range(2000)))
        self.measured("check", "scene.toml")
        print(f"check of 4,000 bodies: {self.seconds:.2f} s of a core", flush=True)
        self.assertLess(self.seconds, 4)
        for k in range(2):
            expected = 200 * sum(count[k] for count in some)
            self.assertLess(abs(all_of_them[k] - expected), 0.05 * expected)

    def test_large_files_of_particles(self):
        scene = self.write("scene.toml", HEAD.replace("0.05", "0.01") + "[[snow]]\nsize = [1, 0.8, 1]\n")
        self.firn("sim", scene, "--out", "run", "--frames", "1-1")
        particles = os.path.join("run", "particles", "scene.0001.bgeo")
        self.firn("convert", particles, "all.vdb")
        self.firn("convert", particles, "all.bgeo.gz")
        self.firn("convert", particles, "old.bgeo", "--classic")
        for name in (particles, "all.vdb", "all.bgeo.gz", "old.bgeo"):
            with self.subTest(name):
                self.assertGreater(os.path.getsize(self.path(name)), 3e6)  # what is read as a whole
                scene = self.write("again.toml", HEAD.replace("0.05", "0.01") + f'[[snow]]\nshape = "particles"\nfile = "{name}"\n')
                self.assertEqual(self.counted(scene)[0], 800000)
                _, _, megabytes = self.measured("check", scene)
                self.assertLess(megabytes, 100)

    def test_a_mesh_that_is_larger_than_what_a_check_may_take(self):
        side = 12
        self.write("one.obj", self.ball())
        triangles = self.many_balls("many.stl", side)
        # They stand a whole number of spacings apart: each is filled as one alone.
        snow = '[[snow]]\nshape = "mesh"\nfile = "{}"\n'
        one, _ = self.counted(self.write("scene.toml", HEAD + snow.format("one.obj")))
        scene = self.write("scene.toml", HEAD + snow.format("many.stl"))
        many, _ = self.counted(scene)
        self.assertLessEqual(abs(many - one * side ** 3), 0.05 * one * side ** 3)
        _, said, megabytes = self.measured("check", scene)
        self.assertNotIn("not closed", said)
        self.assertLess(megabytes, MEGABYTES)
        collider = '[[snow]]\nposition = [0, 50, 0]\n[[collider]]\nshape = "mesh"\nfile = "{}"\n'
        _, one = self.counted(self.write("scene.toml", HEAD + collider.format("one.obj")))
        scene = self.write("scene.toml", HEAD + collider.format("many.stl"))
        _, many = self.counted(scene)
        self.assertLessEqual(abs(many - one * side ** 3), 0.05 * one * side ** 3)
        start = time.monotonic()
        _, said, megabytes = self.measured("check", scene)
        print(f"check of {len(triangles) * side ** 3:,} triangles: {time.monotonic() - start:.2f} s, {megabytes:.0f} MB",
              flush=True)
        self.assertLess(megabytes, MEGABYTES)

    @staticmethod
    def triangles_of(obj):
        """Nine coordinates each."""
        lines = [line.split() for line in obj.splitlines()]
        points = [[float(c) for c in line[1:]] for line in lines if line[0] == "v"]
        triangles = []
        for line in lines:
            if line[0] == "f":
                corners = [points[int(c) - 1] for c in line[1:]]
                for k in range(2, len(corners)):
                    triangles.append(corners[0] + corners[k - 1] + corners[k])
        return triangles

    def solids(self):
        """Shapes that snow and colliders can both have; and the file of heights for those that they can't."""
        self.write("ball.obj", self.ball())
        self.write("ground.txt", "\n".join(" ".join(f"{0.1 * math.sin(x) * math.cos(z):.3f}" for x in range(12))
                                           for z in range(12)) + "\n")
        return {
            "box": 'shape = "box"\nsize = [0.6, 0.33, 0.5]\n',
            "sphere": 'shape = "sphere"\nradius = 0.41\n',
            "cylinder": 'shape = "cylinder"\nradius = 0.4\nheight = 0.52\n',
            "mesh": 'shape = "mesh"\nfile = "ball.obj"\nscale = 0.9\n',
            "vdb": f'shape = "vdb"\nfile = "{self.level_set()}"\nscale = 1.1\n',
        }

    def level_set(self):
        """A ball as a .vdb: the surface of a run's snow."""
        scene = self.write("grid.toml", HEAD.replace("[]", '["surface"]') + '[[snow]]\nshape = "sphere"\nradius = 0.4\n')
        self.firn("sim", scene, "--out", "grid", "--force", "--frames", "1-1")
        return os.path.join("grid", "volumes", "grid.0001.vdb")

    @staticmethod
    def ball(count=16, radius=0.4, up=0.0):
        """A ball of quads and triangles as OBJ text."""
        lines = [f"v 0 {radius + up} 0"]
        for i in range(1, count):
            for j in range(2 * count):
                a, b = math.pi * i / count, math.pi * j / count
                lines.append(f"v {radius * math.sin(a) * math.cos(b):.6f} {radius * math.cos(a) + up:.6f} "
                             f"{-radius * math.sin(a) * math.sin(b):.6f}")
        lines.append(f"v 0 {-radius + up} 0")
        ring = 2 * count
        for j in range(ring):
            k = (j + 1) % ring
            lines.append(f"f 1 {2 + j} {2 + k}")
            for i in range(count - 2):
                a = 2 + i * ring
                lines.append(f"f {a + j} {a + ring + j} {a + ring + k} {a + k}")
            last = 2 + (count - 2) * ring
            lines.append(f"f {last + j} {last + ring} {last + k}")
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    firn_runs.main()
