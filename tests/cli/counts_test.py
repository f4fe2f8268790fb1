#!/usr/bin/env python3
"""What `firn check` says of a scene's size, against what `firn sim` then places; and what it costs to know it."""

import json
import math
import os
import re
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
        """Exit code, what it said, and the megabytes that it had at most."""
        with open(self.path("said"), "w+") as said:
            process = subprocess.Popen([firn_runs.FIRN, *arguments], cwd=self.folder, stdout=said, stderr=said)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
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
            self.assertRegex(errors[0], r"needs? about .* GB.*memory_limit.*spacing")
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
