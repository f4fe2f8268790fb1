"""The asset's file: named after what it was made from, whole or not there, built by one Houdini at a time."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import houdini_session
from houdini_session import HoudiniTest

import hou
from firn import build, lock, tables
from firn.error import FirnError


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class AssetFile(HoudiniTest):
    def test_is_built_once(self) -> None:
        first = build.build(self.home)
        made = first.stat().st_mtime_ns
        self.assertEqual(build.build(self.home), first)
        self.assertEqual(first.stat().st_mtime_ns, made)
        self.assertEqual(left_behind(self.home), [first.name])

    def test_scene_is_left_as_it_was(self) -> None:
        self.node("/obj").createNode("geo", "mine")
        build.ensure()
        self.assertEqual([node.path() for node in self.node("/obj").children()], ["/obj/mine"])

    def test_temporary_name_is_not_installed(self) -> None:
        path = build.build(self.home)
        self.assertEqual(hou.hda.loadedFiles(), ())
        definition = build.ensure(self.home)
        self.assertEqual(hou.hda.loadedFiles(), (path.as_posix(),))
        self.assertEqual(definition.libraryFilePath(), path.as_posix())

    def test_default_folder_is_the_users(self) -> None:
        definition = build.ensure()
        self.assertEqual(Path(definition.libraryFilePath()).parent, self.home / "firn")

    def test_another_release_of_houdini_gets_its_own(self) -> None:
        new = build.build(self.home)
        self.start(version=(20, 5, 332))
        old = build.build(self.home)
        self.assertNotEqual(new, old)
        self.assertTrue(new.is_file())  # the other release still needs it
        self.start(version=(20, 5, 684))
        self.assertEqual(build.build(self.home), old)  # another build of the same release does not

    def test_licences_do_not_mix(self) -> None:
        made = {}
        for licence, ending in (("Apprentice", ".hdanc"), ("Commercial", ".hda"), ("Indie", ".hdalc")):
            self.start()
            self.world.licence = licence
            made[licence] = build.build(self.home)
            self.assertEqual(made[licence].suffix, ending)
            self.assertEqual(build.build(self.home), made[licence])
            build.ensure(self.home)
        self.assertEqual(len(left_behind(self.home)), 3)

    def test_new_tables_make_a_new_asset_and_remove_the_old(self) -> None:
        old = build.build(self.home)
        changed = self.home / "node_tables.json"
        changed.write_text(tables.table_file().read_text(encoding="utf-8").replace("Young's Modulus", "Stiffness"), encoding="utf-8")
        with mock.patch.object(tables, "table_file", lambda: changed):
            new = build.build(self.home)
        self.assertNotEqual(new, old)
        self.assertFalse(old.exists())
        self.assertIn("Stiffness", new.read_text(encoding="utf-8"))

    def test_new_version_of_firn_takes_over_from_an_installed_old_one(self) -> None:
        with mock.patch("firn.__version__", "0.0.9"):
            old = build.ensure(self.home / "old")
        self.assertIsNone(build.current_definition())
        new = build.ensure(self.home / "new")
        self.assertNotEqual(old.version(), new.version())
        kind = hou.nodeType(hou.sopNodeTypeCategory(), "firn::snow_solver")
        assert kind is not None
        self.assertIs(kind.definition(), new)

    def test_full_disk_leaves_nothing(self) -> None:
        # The definition is written eight times on its way; each of them may fail.
        for writes in range(8):
            self.start()
            self.world.write_fails_after = writes
            with self.assertRaisesRegex(FirnError, "can't be built in .*: .*no space left"):
                build.build(self.home)
            self.assertEqual(left_behind(self.home), [], f"after {writes} writes")
            self.assertEqual(self.node("/obj").children(), ())
            self.assertEqual(hou.hda.loadedFiles(), ())

    def test_no_licence_to_save(self) -> None:
        self.world.no_licence = True
        with self.assertRaisesRegex(FirnError, "can't be built in .*: This licence"):
            build.build(self.home)

    def test_missing_plugin_says_what_to_do(self) -> None:
        self.start(without=("firn::snow_step", "firn::snow_surface"))
        with self.assertRaisesRegex(FirnError, r"does not know firn::snow_step, firn::snow_surface: .* HOUDINI_DSO_ERROR=2"):
            build.ensure()

    def test_old_houdini(self) -> None:
        self.start(version=(19, 5, 805))
        with self.assertRaisesRegex(FirnError, "Houdini 19.5.805 is too old for Firn: use 20.0 or newer"):
            build.ensure()

    def test_folder_that_is_a_file(self) -> None:
        (self.home / "firn").write_text("in the way", encoding="utf-8")
        with self.assertRaisesRegex(FirnError, "can't be made .*: give a folder that is writable"):
            build.ensure()

    def test_read_only_folder(self) -> None:
        folder = self.home / "firn"
        folder.mkdir(mode=0o555)
        script = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import houdini_session; from pathlib import Path\n"
            "from firn import build, tables; from firn.error import FirnError\n"
            "houdini_session.world.reset(tables.table_file(), Path(sys.argv[2]))\n"
            "try: build.ensure()\n"
            "except FirnError as e: print(e)\n"
        )
        command = [sys.executable, "-c", script, str(Path(__file__).parent), str(self.home)]
        if os.geteuid() == 0:  # root without the right to write everywhere
            unprivileged = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
            if shutil.which("setpriv") is None or subprocess.run([*unprivileged, "true"], capture_output=True).returncode:
                self.skipTest("root may write everywhere here")
            command = unprivileged + command
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertIn("can't be made (Permission denied): is the folder writable?", result.stdout, result.stderr)

    def test_program(self) -> None:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(build.main([str(self.home / "made")]), 0)
            self.assertEqual(build.main(["a", "b"]), 2)
            self.start(without=("firn::snow_step",))
            self.assertEqual(build.main([str(self.home / "other")]), 1)
        self.assertTrue(Path(out.getvalue().splitlines()[0]).is_file())
        self.assertTrue(err.getvalue().startswith("firn: Houdini 21.0.440 does not know firn::snow_step"))

    def test_stamp_covers_every_source_of_the_asset(self) -> None:
        """A module that the builder imports and that is not in the stamp would leave old assets behind."""
        here = Path(build.__file__).parent
        imported = set()
        for name in build.SOURCES:
            for line in (here / name).read_text(encoding="utf-8").splitlines():
                words = line.replace(",", " ").split()
                if words[:2] == ["from", "firn"]:
                    imported |= {f"{word}.py" for word in words[3:]}
                elif words[:1] == ["from"] and words[1].startswith("firn."):
                    imported.add(words[1].split(".")[1] + ".py")
        self.assertLessEqual(imported - {"error.py", "lock.py"}, set(build.SOURCES))


class Lock(unittest.TestCase):
    def setUp(self) -> None:
        import tempfile

        scratch = tempfile.TemporaryDirectory(prefix="firn_lock_")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "lock"

    def test_one_at_a_time(self) -> None:
        inside, most = 0, 0
        guard = threading.Lock()

        def work() -> None:
            nonlocal inside, most
            for _ in range(5):
                with lock.held(self.path, pause=0.001):
                    with guard:
                        inside += 1
                        most = max(most, inside)
                    time.sleep(0.001)
                    with guard:
                        inside -= 1

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(most, 1)
        self.assertFalse(self.path.exists())

    def test_patience_ends_with_the_owners_name(self) -> None:
        with lock.held(self.path):
            with self.assertRaisesRegex(FirnError, f"held by process {os.getpid()} on .*: if no other Houdini is starting"):
                with lock.held(self.path, patience=0.05, pause=0.01):
                    pass

    def test_lock_of_a_dead_process_is_taken_over(self) -> None:
        self.path.write_text("process 1 on a machine that burnt\n", encoding="utf-8")
        long_ago = time.time() - lock.STALE_SECONDS - 1
        os.utime(self.path, (long_ago, long_ago))
        with lock.held(self.path, patience=5):
            self.assertIn(str(os.getpid()), self.path.read_text(encoding="utf-8"))
        self.assertEqual(left_behind(self.path.parent), [])

    def test_windows_says_no_while_a_lock_is_being_deleted(self) -> None:
        refusals = [PermissionError(13, "Permission denied"), PermissionError(13, "Permission denied")]
        real = os.open

        def refuse(*arguments: Any) -> int:
            if refusals:
                raise refusals.pop()
            return real(*arguments)

        with mock.patch.object(lock, "WINDOWS", True), mock.patch.object(os, "open", refuse):
            with lock.held(self.path, patience=5, pause=0.001):
                self.assertEqual(refusals, [])

    def test_many_houdinis_at_once_build_one_asset(self) -> None:
        """Real processes, as when a farm starts."""
        folder = self.path.parent
        script = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import houdini_session, json; from pathlib import Path\n"
            "from firn import build, tables\n"
            "houdini_session.world.reset(tables.table_file(), Path(sys.argv[2]) / 'home')\n"
            "path = build.build(Path(sys.argv[2]))\n"
            "print(json.loads(path.read_text())['name'], path.stat().st_ino)\n"
        )
        command = [sys.executable, "-c", script, str(Path(__file__).parent), str(folder)]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        answers = {process.communicate(timeout=120)[0] for process in processes}
        self.assertEqual(len(answers), 1, answers)  # the same file for all: nobody built a second one
        self.assertTrue(answers.pop().startswith("firn::snow_solver "))
        self.assertEqual(len(left_behind(folder)), 1)


if __name__ == "__main__":
    unittest.main()
