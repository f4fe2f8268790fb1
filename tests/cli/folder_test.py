#!/usr/bin/env python3
"""What is in a run's folder: files of others stay, files of the run are whole, or are made again."""

import json
import os
import shutil
import subprocess
import tempfile

import firn_runs

SCENE = firn_runs.FALL.replace("volumes = []", 'volumes = ["density"]')


def tree(folder):
    """The bytes of every file below a folder, by its relative path; links by where they lead."""
    found = {}
    for where, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = os.readlink(path)
                continue
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Folders(firn_runs.Runs):
    """Each test gets a copy of one finished run."""

    shared = None

    def setUp(self):
        super().setUp()
        self.scene = self.write("fall.toml", SCENE)
        if Folders.shared is None:
            Folders.shared = tempfile.TemporaryDirectory(prefix="firn_cli_")
            self.firn("sim", self.scene, "--out", os.path.join(Folders.shared.name, "run"))
        shutil.copytree(os.path.join(Folders.shared.name, "run"), self.path("run"))
        self.whole = tree(self.path("run"))

    def sim(self, *options, **others):
        return self.firn("sim", self.scene, "--out", "run", *options, **others)

    def put(self, name, text="mine"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        return self.write(name, text)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def cut(self, name, size=100):
        with open(self.path(name), "r+b") as file:
            file.truncate(size)

    def flip(self, name):
        """Changes one bit, and neither size nor time."""
        stat = os.stat(self.path(name))
        with open(self.path(name), "r+b") as file:
            file.seek(stat.st_size // 2)
            byte = file.read(1)
            file.seek(stat.st_size // 2)
            file.write(bytes([byte[0] ^ 1]))
        os.utime(self.path(name), ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def assert_whole(self, but=()):
        """Every frame, checkpoint and stage is, to the bit, that of a run that nothing happened to."""
        now = tree(self.path("run"))
        for name, content in self.whole.items():
            if name in ("run.jsonl", "manifest.jsonl", "scene.toml") or name in but:
                continue
            self.assertTrue(now.get(name) == content, name)
        self.assertLessEqual(set(range(1, 11)), set(self.log("run")))
        self.firn("verify", "run")


class Others(Folders):
    """Never delete what is not provably ours."""

    def test_files_of_others_stay(self):
        mine = ["new/preview/0001.png", "new/report.html", "new/preview.mp4", "new/contact_sheet.png",
                "new/particles/other.0001.bgeo", "new/volumes/notes.txt"]
        for name in mine:
            self.put(name)
        self.firn("sim", self.scene, "--out", "new", "--frames", "1-2")
        self.firn("sim", self.scene, "--out", "new", "--resume", "--frames", "1-3")
        self.firn("sim", self.scene, "--out", "new", "--force", "--frames", "1-2")
        for name in mine:
            self.assertEqual(self.read(name), "mine", name)

    def test_files_in_the_way_are_an_error_before_anything_is_written(self):
        for name in ("scene.toml", "run.jsonl", "fall.usda", "particles/fall.0003.bgeo", "volumes/fall.0010.vdb",
                     "checkpoints/fall.0004.bgeo"):
            for options in ((), ("--resume",)):
                with self.subTest(name=name, options=options):
                    shutil.rmtree(self.path("new"), ignore_errors=True)
                    self.put(f"new/{name}")
                    error = self.fails("sim", self.scene, "--out", "new", *options)
                    self.assertIn(f"new/{name}", error)
                    self.assertIn("in the way", error)
                    self.assertEqual({n for n in tree(self.path("new")) if n != ".lock"}, {name})
                    self.assertEqual(self.read(f"new/{name}"), "mine")

    def test_the_scene_itself_is_never_overwritten(self):
        scene = self.put("here/scene.toml", SCENE)
        for options in ((), ("--force",), ("--resume",)):
            error = self.fails("sim", scene, "--out", "here", *options)
            self.assertIn("here/scene.toml", error)
            self.assertEqual(self.read("here/scene.toml"), SCENE)

    def test_force_removes_only_what_the_manifest_names(self):
        self.firn("preview", "run", "--frames", "1", "--size", "64x64", "--contact-sheet")
        self.firn("report", "run")
        for name in ("run/preview/0100.png", "run/particles/fall.0100.bgeo", "run/notes.txt"):
            self.put(name)
        self.sim("--force", "--frames", "1-2")
        now = tree(self.path("run"))
        self.assertEqual(sorted(name for name in now if name.startswith("particles/")),
                         ["particles/fall.0001.bgeo", "particles/fall.0002.bgeo", "particles/fall.0100.bgeo"])
        for name in ("preview/0001.png", "contact_sheet.png", "report.html"):
            self.assertNotIn(name, now)
        for name in ("preview/0100.png", "particles/fall.0100.bgeo", "notes.txt"):
            self.assertEqual(now[name], b"mine")
        self.firn("verify", "run")

    def test_a_manifest_can_not_lead_out_of_its_folder(self):
        precious = self.write("precious", "mine")
        for name in ("../precious", precious, "particles/../../precious"):
            with open(self.path("run/manifest.jsonl"), "a") as manifest:
                manifest.write(json.dumps({"write": name}) + "\n")
            self.assertIn("outside", self.fails("sim", self.scene, "--out", "run", "--force"))
            self.assertEqual(self.read("precious"), "mine")

    def test_pictures_reports_and_volumes_overwrite_only_their_own(self):
        for name, command in (("preview/0001.png", ("preview", "run", "--frames", "1", "--size", "64x64")),
                              ("contact_sheet.png",
                               ("preview", "run", "--frames", "1", "--size", "64x64", "--contact-sheet")),
                              ("report.html", ("report", "run"))):
            with self.subTest(name=name):
                self.put(f"run/{name}")
                self.assertIn(f"run/{name}", self.fails(*command))
                self.assertEqual(self.read(f"run/{name}"), "mine")
                self.firn(*command, "--force")
                self.firn(*command)
        self.put("page.html")
        self.assertIn("page.html", self.fails("report", "run", "--out", "page.html"))
        self.assertEqual(self.read("page.html"), "mine")
        self.put("fine/volumes/fall.0001.vdb")
        volumes = ("volumes", "run", "--frames", "1", "--out", "fine")
        self.assertIn("fine/volumes/fall.0001.vdb", self.fails(*volumes))
        self.assertEqual(self.read("fine/volumes/fall.0001.vdb"), "mine")
        self.firn(*volumes, "--force")

    def test_half_written_files_of_others_stay(self):
        home, space = os.uname().nodename, os.stat("/proc/self/ns/pid").st_ino
        if space != 0xEFFFFFFC:  # in a container
            home += f"-{space}"
        gone = subprocess.Popen(["true"])
        gone.wait()
        ours = self.put(f"run/particles/.fall.0001.bgeo.{home}.{gone.pid}.0.part")
        others = self.put(f"run/particles/.thesis.tex.{home}.{gone.pid}.0.part")
        self.sim("--resume")
        self.assertFalse(os.path.exists(ours))
        self.assertTrue(os.path.exists(others))

    def test_a_scene_can_choose_a_new_folder_here(self):
        for folder in ("new", "new/below", "./another", "..dots", "beside/../new2"):
            with self.subTest(folder=folder):
                scene = self.put("here.toml", SCENE.replace("[output]", f'[output]\nfolder = "{folder}"'))
                self.firn("sim", scene, "--frames", "1")
                self.assertTrue(os.path.exists(os.path.normpath(self.path(folder, "run.jsonl"))))

    def test_a_scene_can_not_choose_a_folder_elsewhere(self):
        os.mkdir(self.path("here"))
        for folder in ("../elsewhere", self.path("elsewhere"), "inside/../../elsewhere", "link/elsewhere"):
            with self.subTest(folder=folder):
                if folder.startswith("link") and not os.path.exists(self.path("here/link")):
                    os.symlink(self.folder, self.path("here/link"))
                scene = self.put("here/leaves.toml", SCENE.replace("[output]", f'[output]\nfolder = "{folder}"'))
                for command in ("sim", "preview"):
                    done = subprocess.run([firn_runs.FIRN, command, scene], cwd=self.path("here"), text=True,
                                          capture_output=True)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("--out", done.stderr)
                    self.assertFalse(os.path.exists(self.path("elsewhere")))
        # Asked for on the command line, it goes anywhere.
        for asked in (("--out", "../elsewhere"), ("--set", "output.folder=../elsewhere2")):
            subprocess.run([firn_runs.FIRN, "sim", "leaves.toml", "--frames", "1-1", "--quiet", *asked],
                           cwd=self.path("here"), check=True)
        self.assertTrue(os.path.exists(self.path("elsewhere2/run.jsonl")))


class WithoutCheckpoints(Folders):
    """--resume never throws away what is there."""

    def lose_checkpoints(self, how):
        folder = self.path("run/checkpoints")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name)) if how == "gone" else self.cut(f"run/checkpoints/{name}")

    def test_frames_stay_and_the_error_says_how_to_go_on(self):
        for how in ("gone", "cut"):
            with self.subTest(how=how):
                shutil.rmtree(self.path("run"))
                self.sim("--frames", "1-8")
                before = self.particles("run")
                self.lose_checkpoints(how)
                error = self.fails("sim", self.scene, "--out", "run", "--resume")
                self.assertIn("1-8", error)
                self.assertIn("--from-frame 8", error)
                self.assertEqual(self.particles("run"), before)
                self.sim("--resume", "--from-frame", "8")
                self.assert_whole(but=("checkpoints/fall.0007.bgeo",))

    def test_a_run_that_is_whole_needs_no_checkpoint(self):
        self.lose_checkpoints("gone")
        _, said = self.sim("--resume")
        self.assertIn("are done", said)
        # Nor to make again what needs no simulation.
        for name in ("fall.usda", "volumes/fall.0004.vdb", "run.jsonl", "scene.toml"):
            os.remove(self.path("run", name))
        self.sim("--resume")
        self.assert_whole(but=("checkpoints/fall.0007.bgeo", "checkpoints/fall.0010.bgeo"))

    def test_another_scene_is_refused_all_the_same(self):
        self.lose_checkpoints("gone")
        before = self.particles("run")
        error = self.fails("sim", self.scene, "--out", "run", "--resume", "--set", "snow.ball.velocity=[0,0,0]")
        self.assertIn("the scene has changed", error)
        self.assertEqual(self.particles("run"), before)

    def test_from_an_earlier_frame(self):
        # Frames after it are made again, with the same bits.
        self.cut("run/particles/fall.0009.bgeo")
        _, said = self.sim("--resume", "--from-frame", "3")
        self.assertIn("particles of frame 3", said)
        self.assert_whole()

    def test_particle_files_of_every_format_hold_the_whole_state(self):
        for kind in ("bgeo_classic", "vdb"):
            with self.subTest(kind=kind):
                options = ("--set", f"output.particles={kind}")
                self.firn("sim", self.scene, "--out", kind, *options)
                before = tree(self.path(kind))
                for name in ("particles/fall.0008", "volumes/fall.0008", "volumes/fall.0003"):
                    os.remove(self.path(kind, next(file for file in before if file.startswith(name))))
                shutil.rmtree(self.path(kind, "checkpoints"))
                self.firn("sim", self.scene, "--out", kind, "--resume", "--from-frame", "7", *options)
                after = tree(self.path(kind))
                for name in before:
                    if name.startswith(("particles/", "volumes/")):
                        self.assertTrue(after[name] == before[name], name)

    def test_what_comes_from_rounded_positions_says_so(self):
        small = ("--set", "output.particles=vdb16")
        self.firn("sim", self.scene, "--out", "small", *small)
        for others in (("volumes",), ("grains", "--per-particle", "2")):
            _, said = self.firn(others[0], "small", "--frames", "2-4", "--force", *others[1:])
            self.assertEqual(said.count("rounded positions"), 1, said)
            self.assertEqual(len(said.splitlines()), 1, said)
        for name in ("volumes/fall.0003.vdb", "volumes/fall.0005.vdb"):
            os.remove(self.path("small", name))
        _, said = self.firn("sim", self.scene, "--out", "small", "--resume", *small)
        self.assertEqual(said.count("rounded positions"), 1, said)
        shutil.rmtree(self.path("small/checkpoints"))
        os.remove(self.path("small/particles/fall.0009.vdb"))
        _, said = self.firn("sim", self.scene, "--out", "small", "--resume", "--from-frame", "7", *small)
        self.assertEqual(said.count("rounded positions"), 1, said)
        self.assertIn("not bit-exact", said)
        # Of whole numbers there is nothing to say.
        os.remove(self.path("run/volumes/fall.0003.vdb"))
        self.assertNotIn("rounded", self.firn("volumes", "run")[1])

    def test_from_a_frame_that_is_not_whole(self):
        self.flip("run/particles/fall.0005.bgeo")
        error = self.fails("sim", self.scene, "--out", "run", "--resume", "--from-frame", "5")
        self.assertIn("no whole particle file", error)
        self.fails("sim", self.scene, "--out", "run", "--from-frame", "5", code=2)
        self.assertIn("no run", self.fails("sim", self.scene, "--out", "new", "--resume", "--from-frame", "5"))


class Whole(Folders):
    """Resume means whole."""

    FILES = ("particles/fall.0001.bgeo", "particles/fall.0004.bgeo", "particles/fall.0005.bgeo",
             "particles/fall.0010.bgeo", "volumes/fall.0001.vdb", "volumes/fall.0007.vdb", "fall.usda", "scene.toml",
             "run.jsonl")

    def test_what_is_missing_is_made_again(self):
        for name in self.FILES:
            os.remove(self.path("run", name))
        said, _ = self.firn("verify", "run", code=1)
        for name in self.FILES:
            self.assertEqual(said.count(f"run/{name}: is not there"), 1, said)
        self.sim("--resume")
        self.assert_whole()

    def test_what_is_damaged_is_made_again(self):
        for damage in (self.cut, self.flip):
            for name in self.FILES:
                damage(f"run/{name}")
            said, _ = self.firn("verify", "run", code=1)
            self.assertEqual(said.count("is damaged") + said.count("has no line"), len(self.FILES), said)
            self.sim("--resume")
            self.assert_whole()

    def test_a_log_that_lost_lines(self):
        with open(self.path("run/run.jsonl")) as log:
            lines = log.read().splitlines()
        with open(self.path("run/run.jsonl"), "w") as log:
            log.write("\n".join(lines[:4] + lines[6:]) + "\n" + lines[5][:50])
        self.assertIn("no line of frame 4-5", self.firn("verify", "run", code=1)[0])
        self.sim("--resume")
        self.assert_whole()
        # What the particles tell is what the log had.
        again = self.log("run")
        before = json.loads(lines[4])
        for name in ("particles", "mass", "kinetic_energy", "potential_energy", "height_mean", "speed", "time"):
            self.assertEqual(again[4][name], before[name], name)

    def test_a_log_whose_numbers_changed(self):
        with open(self.path("run/run.jsonl")) as log:
            lines = log.read().splitlines()
        for number, frames in ((5, "has no line of frame 5"), (0, "is damaged")):
            with self.subTest(line=number):
                # Still JSON, and still a number.
                changed = list(lines)
                changed[number] = changed[number].replace('"particles":', '"particles":1').replace('"fps":', '"fps":1')
                self.assertNotEqual(changed, lines)
                self.write("run/run.jsonl", "\n".join(changed) + "\n")
                self.assertIn(f"run.jsonl: {frames}", self.firn("verify", "run", code=1)[0])
                self.sim("--resume")
                self.assert_whole()
                self.assertEqual(self.log("run")[5]["particles"], json.loads(lines[5])["particles"])

    def test_frames_without_particles_are_simulated_again(self):
        self.firn("sim", self.scene, "--out", "none", "--set", "output.particles=none")
        before = tree(self.path("none"))
        os.remove(self.path("none/volumes/fall.0004.vdb"))
        self.firn("sim", self.scene, "--out", "none", "--resume", "--set", "output.particles=none")
        self.assertTrue(tree(self.path("none"))["volumes/fall.0004.vdb"] == before["volumes/fall.0004.vdb"])

    def test_a_last_file_that_failed(self):
        # A folder where the stage should be, as a disk that fills up with the last file.
        self.firn("sim", self.scene, "--out", "last", "--frames", "1-3", "--set", "output.usd=false")
        os.mkdir(self.path("last/fall.usda"))
        self.fails("sim", self.scene, "--out", "last", "--resume", "--frames", "1-3")
        os.rmdir(self.path("last/fall.usda"))
        self.firn("sim", self.scene, "--out", "last", "--resume", "--frames", "1-3")
        self.assertTrue(os.path.exists(self.path("last/fall.usda")))
        self.firn("verify", "last")

    def test_verify_for_farms(self):
        self.assertEqual(json.loads(self.firn("verify", "run", "--json")[0])["whole"], True)
        os.remove(self.path("run/volumes/fall.0003.vdb"))
        self.flip("run/volumes/fall.0004.vdb")
        self.cut("run/particles/fall.0006.bgeo")
        out, _ = self.firn("verify", "run", "--json", code=1)
        found = json.loads(out)
        self.assertEqual((found["whole"], found["simulate"], found["volumes"]), (False, [6], [3, 4]))
        self.firn("volumes", "run", "--frames", "3-4")
        found = json.loads(self.firn("verify", "run", "--json", code=1)[0])
        self.assertEqual((found["simulate"], found["volumes"]), ([6], []))
        self.sim("--resume")
        self.assert_whole()
        self.assertIn("no run", self.fails("verify", self.folder))

    def test_verify_tells_what_has_to_be_simulated_from_what_can_be_made(self):
        for name in ("run.jsonl", "scene.toml"):
            os.remove(self.path("run/" + name))
        out, _ = self.firn("verify", "run", code=1)
        self.assertIn("to make from what is there: the rest (firn sim SCENE --out run --resume)", out)
        self.assertNotIn("to simulate", out)
        self.assertEqual(json.loads(self.firn("verify", "run", "--json", code=1)[0])["simulate"], [])
        self.sim("--resume")
        self.assert_whole()

    def test_volumes_that_are_left_to_others_count(self):
        self.firn("sim", self.scene, "--out", "bare", "--no-volumes", "--frames", "1-4")
        self.assertEqual(json.loads(self.firn("verify", "bare", "--json", code=1)[0])["volumes"], [1, 2, 3, 4])
        tasks = [self.start("volumes", "bare", "--frames", f"{frame}", "--threads", "1") for frame in range(1, 5)]
        for task in tasks:
            task.stderr.read()
            task.stderr.close()
            self.assertEqual(task.wait(), 0)
        self.firn("verify", "bare")

    def test_a_torn_manifest(self):
        with open(self.path("run/manifest.jsonl"), "a") as manifest:
            manifest.write('{"made":"particles/fall.00')
        self.firn("volumes", "run", "--frames", "1", "--force")
        self.firn("verify", "run")
        self.assertEqual(self.log("run")[10]["frame"], 10)

    def test_a_manifest_that_lost_its_run(self):
        with open(self.path("run/manifest.jsonl")) as manifest:
            lines = manifest.read().splitlines()
        run = next(k for k, line in enumerate(lines) if line.startswith('{"run"'))
        before = self.particles("run")
        for change in (lambda line: line.replace('"last_frame":10', '"last_frame":1'), lambda line: line[1:],
                       lambda line: line[:40]):
            with self.subTest(line=change(lines[run])[:60]):
                changed = list(lines)
                changed[run] = change(changed[run])
                self.assertNotEqual(changed, lines)
                self.write("run/manifest.jsonl", "\n".join(changed) + "\n")
                self.fails("verify", "run")
                for options in ((), ("--resume",), ("--resume", "--frames", "1-2")):
                    self.assertIn("--force", self.fails("sim", self.scene, "--out", "run", *options))
                self.assertEqual(self.particles("run"), before)
        # A run that went on with more frames, and lost the line about those: --resume knows them from the scene.
        self.firn("sim", self.scene, "--out", "more", "--frames", "1-2")
        self.firn("sim", self.scene, "--out", "more", "--resume", "--frames", "1-3")
        with open(self.path("more/manifest.jsonl")) as manifest:
            text = manifest.read()
        self.write("more/manifest.jsonl", text.replace('"last_frame":3', '"last_frame":2'))
        self.assertIn("more frames", self.firn("verify", "more", code=1)[0])
        self.firn("sim", self.scene, "--out", "more", "--resume", "--frames", "1-3")
        self.assertIn("frames 1 to 3", self.firn("verify", "more")[0])

    def test_a_manifest_that_is_gone(self):
        before = self.particles("run")
        for lose in (os.remove, lambda path: open(path, "w").close()):
            lose(self.path("run/manifest.jsonl"))
            error = self.fails("sim", self.scene, "--out", "run", "--resume")
            self.assertIn("frames 1-10", error)
            self.assertIn("manifest.jsonl", error)
            self.assertIn("--force", error)
            self.assertEqual(self.particles("run"), before)
            self.write("run/manifest.jsonl", "")

    def test_a_manifest_of_another_program(self):
        # Of another program, or of another version.
        self.write("run/manifest.jsonl", '{"files": []}\n')
        self.assertIn("manifest.jsonl", self.fails("verify", "run"))
        self.assertIn("manifest.jsonl", self.fails("sim", self.scene, "--out", "run", "--force"))


if __name__ == "__main__":
    firn_runs.main()
