#!/usr/bin/env python3
"""Full disks, read-only folders, bad meshes and misspelt keys: one clear line, exit code 1, and no half file."""

import itertools
import os
import re
import resource
import shutil
import subprocess
import unittest

import firn_runs

SCENE = """
[scene]
spacing = 0.05
[time]
end = 2
[output]
volumes = []
[[snow]]
shape = "box"
size = [0.2, 0.2, 0.2]
position = [0, 0.3, 0]
"""

CUBE = """
v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v 0.5 0.5 0.5
v -0.5 0.5 0.5
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 3 4 8 7
f 2 3 7 6
f 1 5 8 4
"""


def turned_inside_out(obj):
    lines = []
    for line in obj.splitlines():
        if line.startswith("f "):
            corners = line.split()[1:]
            line = "f " + " ".join(reversed(corners))
        lines.append(line)
    return "\n".join(lines) + "\n"


class Meshes(firn_runs.Runs):
    def scene(self, mesh, kind="collider", more=""):
        self.write("thing.obj", mesh)
        return self.write("scene.toml", SCENE + f'[[{kind}]]\nname = "thing"\nshape = "mesh"\nfile = "thing.obj"\n{more}')

    def test_a_good_cube(self):
        scene = self.scene(CUBE, more="position = [0, -0.5, 0]\n")
        out, _ = self.firn("check", scene)
        self.assertNotIn("warning", out)
        self.firn("sim", scene, "--out", "run")

    def test_missing(self):
        scene = self.scene(CUBE)
        os.remove(self.path("thing.obj"))
        error = self.fails("sim", scene, "--out", "run")
        self.assertIn("thing.obj", error)
        self.assertIn("scene.toml:12:1", error)
        self.assertFalse(os.path.exists(self.path("run/particles")), "nothing is written before all is read")

    def test_not_a_number(self):
        error = self.fails("check", self.scene(CUBE.replace("v 0.5 0.5 0.5", "v 0.5 nan 0.5")))
        self.assertIn("thing.obj:", error)

    def test_zero_area(self):
        out, _ = self.firn("check", self.scene(CUBE + "f 1 1 2\nf 1 2 2\n"))
        self.assertIn("have no area", out)

    def test_nothing_but_zero_area(self):
        error = self.fails("check", self.scene("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"))
        self.assertIn("no area", error)

    def test_non_manifold(self):
        scene = self.scene(CUBE + "v 0 2 0\nf 1 2 9\n", more="position = [0, -0.5, 0]\n")
        out, _ = self.firn("check", scene)
        self.assertIn("edges have more than two faces", out)
        self.firn("sim", scene, "--out", "run")

    def test_inside_out(self):
        scene = self.scene(turned_inside_out(CUBE))
        out, _ = self.firn("check", scene)
        self.assertIn("inside out", out)
        # As snow it is filled all the same, with a word about it.
        whole, _ = self.firn("check", self.scene(CUBE, "snow"))
        turned, _ = self.firn("check", self.scene(turned_inside_out(CUBE), "snow"))
        count = [line for line in whole.splitlines() if line.startswith("snow ")]
        self.assertEqual(count, [line for line in turned.splitlines() if line.startswith("snow ")])

    def test_a_billion_metres_away(self):
        far = "\n".join("v " + " ".join(str(float(x) + 1e9) for x in line.split()[1:]) if line.startswith("v ") else line
                        for line in CUBE.splitlines()) + "\n"
        for kind in ("collider", "snow"):
            error = self.fails("check", self.scene(far, kind))
            self.assertIn("origin", error)
        error = self.fails("check", self.scene(CUBE, more="position = [1e9, 0, 0]\n"))
        self.assertIn("out of range", error)
        self.assertIn("m", error)

    def test_a_sequence_with_a_hole(self):
        scene = self.write("scene.toml", SCENE.replace("end = 2", "end = 3") +
                           '[[collider]]\nshape = "mesh"\nfile = "thing.%04d.obj"\n')
        self.write("thing.0001.obj", CUBE)
        self.write("thing.0003.obj", CUBE)
        self.assertIn("thing.0002.obj", self.fails("check", scene))

    def test_a_sequence_that_turns_and_one_that_bends(self):
        scene = self.write("scene.toml", SCENE + '[[collider]]\nshape = "mesh"\nfile = "thing.%04d.obj"\n'
                           "position = [0, -0.6, 0]\n")
        self.write("thing.0001.obj", CUBE)
        moved = "\n".join("v " + " ".join(str(float(x) + 0.1) for x in line.split()[1:]) if line.startswith("v ") else line
                          for line in CUBE.splitlines()) + "\n"
        self.write("thing.0002.obj", moved)
        self.assertIn("moving", self.firn("check", scene)[0])
        self.write("thing.0002.obj", CUBE.replace("v 0.5 0.5 0.5", "v 0.5 0.7 0.5"))
        self.assertIn("deforming", self.firn("check", scene)[0])
        self.firn("sim", scene, "--out", "run")


class Folders(firn_runs.Runs):
    def mount(self, options):
        """A file system of its own, or None when this user may not mount."""
        folder = self.path("disk")
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            self.skipTest("this user may not mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", folder])
        return folder

    def test_a_full_disk(self):
        disk = self.mount("size=200k")
        scene = self.write("scene.toml", firn_runs.FALL)
        error = self.fails("sim", scene, "--out", os.path.join(disk, "run"))
        self.assertIn("space", error)
        self.assertEqual(self.leftovers("disk/run"), [])
        # With room again it resumes bit-exactly.
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.firn("sim", scene, "--out", os.path.join(disk, "run"), "--resume")
        self.firn("sim", scene, "--out", "whole")
        self.assert_same_particles("whole", "disk/run")

    def test_a_read_only_folder(self):
        disk = self.mount("size=1m")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        scene = self.write("scene.toml", SCENE)
        error = self.fails("sim", scene, "--out", os.path.join(disk, "run"))
        self.assertIn("disk/run", error)
        self.assertIn("Read-only", error)

    def test_a_folder_that_belongs_to_another(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.mkdir(self.path("closed"), 0o555)
        error = self.fails("sim", self.write("scene.toml", SCENE), "--out", "closed/run")
        self.assertIn("closed/run", error)

    def test_a_file_where_the_folder_should_be(self):
        self.write("run", "")
        self.assertIn("run", self.fails("sim", self.write("scene.toml", SCENE), "--out", "run"))


class Limits(firn_runs.Runs):
    """What the system allows a program: threads, processes, sizes of files."""

    def test_more_threads_than_cores_are_named_and_cut(self):
        scene = self.write("scene.toml", SCENE)
        cores = len(os.sched_getaffinity(0))
        said = f"512 threads are more than the {cores} core"
        for arguments in (("sim", scene, "--out", "run", "--threads", "512"), ("check", scene, "--set", "threads=512"),
                          ("sim", scene, "--out", "again", "--set", "threads=512", "--set", 'output.volumes=["density"]'),
                          ("volumes", "again", "--threads", "512", "--force")):
            with self.subTest(arguments=arguments):
                out, error = self.firn(*arguments)
                self.assertEqual((out + error).count("threads are more than"), 1, out + error)
                self.assertIn(said, out + error)
                self.assertNotIn("TBB", out + error)
                self.assertNotIn("workers", out + error)

    def test_no_thread_to_be_had(self):
        scene = self.write("scene.toml", SCENE)
        if os.geteuid() != 0:
            self.skipTest("only root can become a user who has no other process")
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("on one core firn starts no thread")
        # Root has no limit: as nobody, in a folder of nobody's.
        os.chmod(self.folder, 0o777)
        program = shutil.copy(firn_runs.FIRN, self.path("firn"))
        os.chmod(program, 0o755)

        def run(allowed, *arguments):
            def limited():
                os.setgid(65534)
                os.setuid(65534)
                resource.setrlimit(resource.RLIMIT_NPROC, (allowed, allowed))

            done = subprocess.run([program, "sim", scene, "--force", *arguments], cwd=self.folder, text=True,
                                  capture_output=True, preexec_fn=limited)
            self.assertIn(done.returncode, (0, 1), f"{allowed} threads: {done.stderr}")
            if done.returncode == 1:
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn("ulimit -u", done.stderr)
            self.assertEqual(self.leftovers("."), [])
            return done

        # Libraries start threads of their own, before main(): how many are left for firn is not known here.
        volumes = ("--set", 'output.volumes=["density"]')
        by_firn = 0
        for allowed in range(1, 32):
            done = run(allowed, "--out", "run", *volumes)
            if done.returncode == 0:
                break
            if "--threads" in done.stderr:
                by_firn += 1
                self.assertEqual(run(allowed, "--out", "one", "--threads", "1", *volumes).returncode, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(by_firn, 0, "firn itself never had too few")

    def test_files_that_may_not_grow(self):
        scene = self.write("scene.toml", firn_runs.FALL.replace("volumes = []", ""))
        for bytes_allowed in (100, 4096, 20_000):
            with self.subTest(bytes_allowed=bytes_allowed):
                error = self.fails(
                    "sim", scene, "--out", f"run{bytes_allowed}",
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_allowed, bytes_allowed)))
                self.assertIn("can't be written", error)
                self.assertEqual(self.leftovers(f"run{bytes_allowed}"), [])


    def test_what_is_printed_on_a_full_disk_is_no_success(self):
        scene = self.write("scene.toml", SCENE)
        self.firn("sim", scene, "--out", "run")
        for arguments in (("params",), ("keys", "--markdown"), ("check", scene), ("info", "run"), ("verify", "run"), ("--help",)):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([firn_runs.FIRN, *arguments], cwd=self.folder, text=True, stdout=full,
                                      stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("can't be written", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Planted(firn_runs.Runs):
    """Links that somebody else put into a folder that all may write to."""

    def test_links_are_not_followed(self):
        scene = self.write("scene.toml", SCENE)
        secret = self.write("secret", "mine")
        for name in (".lock", "run.jsonl"):
            with self.subTest(name=name):
                self.firn("sim", scene, "--out", "run", "--force")
                planted = self.path("run", name)
                os.remove(planted)
                os.symlink(secret, planted)
                done = subprocess.run([firn_runs.FIRN, "sim", scene, "--out", "run", "--resume", "--frames", "1-3"],
                                      cwd=self.folder, text=True, capture_output=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"run/{name}", done.stderr)
                with open(secret) as file:
                    self.assertEqual(file.read(), "mine")
                os.remove(planted)

    def test_what_is_no_file_is_one_clear_error(self):
        scene = self.write("scene.toml", SCENE)
        self.firn("sim", scene, "--out", "whole")
        resume = ("sim", scene, "--out", "run", "--resume", "--frames", "1-3")
        density = ("--set", 'output.volumes=["density"]')
        places = {
            "manifest.jsonl": (resume, ("sim", scene, "--out", "run", "--force"), ("verify", "run"), ("volumes", "run", *density),
                               ("grains", "run"), ("preview", "run", "--size", "64x36"), ("report", "run")),
            "run.jsonl": (resume, ("verify", "run"), ("report", "run"), ("info", "run")),
            "scene.toml": (resume, ("verify", "run"), ("volumes", "run"), ("grains", "run"),
                           ("preview", "run", "--size", "64x36"), ("info", "run")),
            "checkpoints/scene.0002.bgeo": (("info", "run/checkpoints/scene.0002.bgeo"),),
            "particles/scene.0001.bgeo": (("verify", "run"), ("grains", "run"), ("info", "run/particles/scene.0001.bgeo"),
                                          ("preview", "run", "--size", "64x36")),
        }
        plants = {"pipe": os.mkfifo, "folder": os.mkdir,
                  "link to a device": lambda path: os.symlink("/dev/zero", path)}
        for name, commands in places.items():
            for plant, make in plants.items():
                for command in commands:
                    with self.subTest(name=name, plant=plant, command=command[0]):
                        shutil.rmtree(self.path("run"), ignore_errors=True)
                        shutil.copytree(self.path("whole"), self.path("run"))
                        os.remove(self.path("run", name))
                        make(self.path("run", name))
                        done = subprocess.run([firn_runs.FIRN, *command], cwd=self.folder, text=True, timeout=30,
                                              stdin=subprocess.DEVNULL, capture_output=True)
                        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                        errors = [line for line in done.stderr.splitlines() if line.startswith("firn ")]
                        self.assertLessEqual(len(errors), 1, done.stderr)
                        self.assertIn(f"run/{name}", done.stdout + done.stderr)

    def test_a_checkpoint_that_is_no_file_is_passed_over(self):
        scene = self.write("scene.toml", SCENE)
        self.firn("sim", scene, "--out", "run")
        os.remove(self.path("run/checkpoints/scene.0002.bgeo"))
        os.mkfifo(self.path("run/checkpoints/scene.0002.bgeo"))
        _, said = self.firn("sim", scene, "--out", "run", "--resume", "--frames", "1-3", timeout=30)
        self.assertIn("scene.0002.bgeo: is a pipe, not a file", said)

    def test_a_scene_may_come_through_a_pipe_of_the_shell(self):
        scene = self.write("scene.toml", SCENE)
        done = subprocess.run(["bash", "-c", f"{firn_runs.FIRN} check <(cat {scene})"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.mkfifo(self.path("pipe.toml"))
        self.assertIn("is a pipe, not a file", self.fails("check", "pipe.toml", timeout=30))

    def test_pipes_in_the_place_of_files_that_a_scene_names(self):
        for body in ('[[snow]]\nshape = "mesh"\nfile = "{}.obj"\n', '[[snow]]\nshape = "vdb"\nfile = "{}.vdb"\n',
                     '[[snow]]\nshape = "particles"\nfile = "{}.bgeo"\n', '[[snow]]\n[wind]\nfile = "{}.vdb"\n',
                     '[[snow]]\n[[collider]]\nshape = "heightfield"\nfile = "{}.png"\n'):
            name = re.search(r"{}\.\w+", body)[0].format("pipe")
            if not os.path.exists(self.path(name)):
                os.mkfifo(self.path(name))
            scene = self.write("scene.toml", body.format("pipe"))
            for command in ("check", "sim"):
                with self.subTest(body=body, command=command):
                    self.assertIn(name, self.fails(command, scene, timeout=30))

    def test_errors_quote_one_short_token(self):
        secret = "correct_horse_battery_staple_and_so_on"
        token = secret[:24]
        for name, text in (("a.toml", f"[scene]\n{secret} = 1\n"), ("b.toml", f"{secret} other words\n"),
                           ("c.toml", f"root:{secret}\n"), ("d.toml", f"[{secret}]\n[{secret}]\n"),
                           ("e.toml", f'[solver]\nyield = "{secret}"\n'), ("f.toml", f"[a]\n[a.{secret}]\n[a.{secret}]\n"),
                           ("g.toml", SCENE + f'[[wedge]]\nkey = "{secret}"\nvalues = [1]\n'),
                           ("a.obj", f"v {secret} 1 2\n"), ("b.obj", f"f {secret} 1 2\n"),
                           ("a.stl", f"solid x\n{secret} other words\n"), ("a.ply", f"ply\nformat {secret}\n")):
            with self.subTest(name=name):
                self.write(name, text)
                command = "wedges" if "wedge" in text else "check" if name.endswith(".toml") else "info"
                error = self.fails(command, self.path(name))
                self.assertNotIn(secret[:25], error)
                self.assertNotIn("other words", error)
                if name == "a.obj":
                    self.assertIn(f"'{token}...'", error)


class Scenes(firn_runs.Runs):
    def test_misspelt_keys_get_a_suggestion(self):
        scene = self.write("scene.toml", SCENE.replace("position", "postion"))
        error = self.fails("check", scene)
        self.assertIn("scene.toml:11:1: there is no key 'postion'", error)
        self.assertIn("did you mean 'position'?", error)

    def test_sim_and_check_say_the_same(self):
        scene = self.write("scene.toml", SCENE.replace("spacing = 0.05", "spacing = -1"))
        checked, simulated = self.fails("check", scene), self.fails("sim", scene)
        self.assertEqual(checked.split(": ", 1)[1], simulated.split(": ", 1)[1])

    def test_wrong_usage(self):
        scene = self.write("scene.toml", SCENE)
        self.assertIn("--ressume", self.fails("sim", scene, "--ressume", code=2))
        self.assertIn("SCENE", self.fails("sim", code=2))
        self.assertIn("--frames", self.fails("sim", scene, "--frames", "x", code=2))
        _, error = self.firn("simm", code=2)
        self.assertIn("did you mean 'sim'?", error)
        self.firn("--help")
        self.firn(code=2)

    def test_no_such_scene(self):
        self.assertIn("nothing.toml", self.fails("sim", "nothing.toml"))
        self.assertIn("folder", self.fails("sim", self.folder))

    def test_too_much(self):
        scene = self.write("scene.toml", SCENE)
        error = self.fails("sim", scene, "--set", "snow.0.size=[2e4,2e4,2e4]")
        self.assertIn("particles", error)
        error = self.fails("check", scene, "--set", "memory_limit=1e-6")
        self.assertIn("memory", error)

    def test_both_ends_of_surface_smooth(self):
        scene = self.write("scene.toml", SCENE.replace("volumes = []", 'volumes = ["surface"]').replace("end = 2", "end = 1"))
        for passes in (0, 100):
            self.firn("sim", scene, "--out", f"run{passes}", "--set", f"output.surface_smooth={passes}")
        self.assertIn("0 to 100", self.fails("sim", scene, "--out", "run", "--set", "output.surface_smooth=101"))

    def test_what_check_accepts_sim_can_use_at_both_ends_of_every_range(self):
        scene = self.write("scene.toml", SCENE.replace("end = 2", "end = 1").replace("volumes = []", 'volumes = ["density", "vel", "surface"]')
                           .replace('shape = "box"', 'name = "a"\nshape = "box"') + """
[[snow]]
name = "source"
shape = "box"
size = [0.2, 0.1, 0.2]
position = [0, 0.8, 0]
rate = 5
[[collider]]
name = "ground"
size = [4, 1, 4]
[[collider]]
name = "post"
shape = "cylinder"
position = [2, 0, 0]
""")
        # Parameters of the engine have a test of their own: tests/physics/parameter_ends_test.cpp.
        sections = {"snow": ["snow.a", "snow.source"], "collider": ["collider.ground", "collider.post"], "output": ["output"]}
        page, _ = self.firn("keys", "--markdown")
        section, accepted = "", 0
        for line in page.splitlines():
            if heading := re.match(r"## \W*([\w.]+)\W*$", line):
                section = heading[1]
            row = re.match(r"\| `(\w+)`[^|]*\| ([^|]*) \|[^|]*\| (\S+) to ([^\s|]+) \|", line)
            if not row or section not in sections:
                continue
            for place, end in itertools.product(sections[section], row.groups()[2:]):
                count = 3 if "[x, y, z]" in row[2] else 2 if "[width" in row[2] else 1
                setting = f"{place}.{row[1]}={end if count == 1 else [float(end)] * count}"
                with self.subTest(setting=setting):
                    codes = [subprocess.run([firn_runs.FIRN, *command, "--set", setting], cwd=self.folder, timeout=60,
                                            capture_output=True, text=True)
                             for command in (("check", scene), ("sim", scene, "--out", "run", "--force"))]
                    accepted += codes[0].returncode == 0
                    self.assertEqual(codes[0].returncode, codes[1].returncode, codes[0].stderr + codes[1].stderr)
        self.assertGreater(accepted, 50)

    def test_volumes_that_sim_can_not_make_are_errors_of_check(self):
        scene = self.write("scene.toml", SCENE.replace("volumes = []", 'volumes = ["density", "vel", "surface"]'))
        for key, value, said in (("voxel", 1e-5, "0.0001 to 1000"), ("voxel", 1e-4, "use voxels of"),
                                 ("velocity_extension", 1000, "use voxels of"), ("surface_radius", 1000, "use voxels of"),
                                 ("surface_dilate", 1000, "use voxels of"), ("surface_relief", 1, "0 to a spacing")):
            with self.subTest(key=key, value=value):
                setting = ("--set", f"output.{key}={value}", "--set", "snow.0.size=[1, 1, 1]")
                checked, simulated = self.fails("check", scene, *setting), self.fails("sim", scene, "--out", "run", *setting)
                self.assertIn(said, checked)
                self.assertIn(said, simulated)
                # Before anything is simulated.
                self.assertFalse(os.path.exists(self.path("run/manifest.jsonl")))

    def test_volumes_that_do_not_suit_the_spacing_are_warnings(self):
        scene = self.write("scene.toml", SCENE.replace("volumes = []", 'volumes = ["density", "vel", "surface"]'))
        for key, value in (("voxel", 0.11), ("voxel", 1000), ("voxel", 0.004), ("velocity_extension", 1.1),
                           ("surface_radius", 1.1), ("surface_dilate", 1.1), ("surface_erode", 1.1), ("surface_relief_size", 1.1)):
            with self.subTest(key=key, value=value):
                warnings = [line for line in self.firn("check", scene, "--set", f"output.{key}={value}")[0].splitlines()
                            if line.startswith("warning: output.")]
                self.assertEqual(len(warnings), 1, warnings)
                self.assertIn(f"output.{key} = {value:.3g} m is ", warnings[0])
        _, said = self.firn("sim", scene, "--out", "run", "--set", "output.voxel=0.11")
        self.assertIn("output.voxel = 0.11 m is more than 2 spacings", said)
        for fine in ("output.voxel=0.1", "output.voxel=0.006", "output.surface_erode=-1", "output.surface_radius=0.9"):
            self.assertNotIn("warning: output", self.firn("check", scene, "--set", fine)[0])

    def test_no_gpu_needed(self):
        error = self.fails("sim", self.write("scene.toml", SCENE), "--device", "abacus")
        self.assertIn("abacus", error)


if __name__ == "__main__":
    firn_runs.main()
