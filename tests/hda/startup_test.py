"""The start-up hook: the asset is there afterwards, and a Houdini starts whatever happens."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import unittest
from unittest import mock

import houdini_session
from houdini_session import FOLDER, HoudiniTest

import hou
from firn import build, startup


class Startup(HoudiniTest):
    def quietly(self) -> tuple[bool, str]:
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            done = startup.ready()
        return done, text.getvalue()

    def test_asset_is_there_and_nothing_is_said(self) -> None:
        self.assertEqual(self.quietly(), (True, ""))
        self.assertIsNotNone(build.current_definition())

    def test_second_start_uses_the_file(self) -> None:
        self.quietly()
        path = build.find_asset(self.home / "firn")
        assert path is not None
        made = path.stat().st_mtime_ns
        self.start()
        self.quietly()
        self.assertIsNotNone(build.current_definition())
        self.assertEqual(path.stat().st_mtime_ns, made)

    def test_asset_beside_the_plugin_is_used(self) -> None:
        """Built at install: Houdini has loaded it from otls/ before ready.py runs."""
        path = build.build(self.home / "package" / "otls")
        hou.hda.installFile(path.as_posix(), change_oplibraries_file=False)
        self.quietly()
        self.assertFalse((self.home / "firn").exists())

    def test_missing_plugin_is_one_line(self) -> None:
        self.start(without=("firn::snow_source",))
        done, said = self.quietly()
        self.assertFalse(done)
        self.assertRegex(said, r"\Afirn: Houdini 21.0.440 does not know firn::snow_source: [^\n]*\n\Z")

    def test_any_exception_is_one_line(self) -> None:
        with mock.patch.object(build, "ensure", side_effect=ZeroDivisionError("a bug")):
            done, said = self.quietly()
        self.assertFalse(done)
        self.assertRegex(said, r"\Afirn: the snow solver asset is not available: [^\n]*a bug[^\n]*\n\Z")

    def test_can_be_turned_off(self) -> None:
        with mock.patch.dict(os.environ, {"FIRN_NO_ASSET": "1"}):
            self.assertEqual(self.quietly(), (False, ""))
        self.assertIsNone(build.current_definition())

    def test_every_ready_file_runs(self) -> None:
        # Python of Houdini 20.0, 20.5 and 21.0, 22.0 (sidefx.com/docs/houdini/hom/locations.html: pythonX.Ylibs), and between.
        files = sorted(FOLDER.glob("python*libs/ready.py"))
        self.assertEqual({file.parent.name for file in files}, {f"python3.{minor}libs" for minor in range(9, 14)})
        self.assertEqual(len({file.read_text(encoding="utf-8") for file in files}), 1)
        for file in files:
            self.start()
            runpy.run_path(str(file))
            self.assertIsNotNone(build.current_definition(), file)

    def test_no_file_that_would_hide_the_users_own(self) -> None:
        for name in ("scripts/123.py", "scripts/456.py", "scripts/123.cmd", "scripts/456.cmd", "MainMenuCommon.xml"):
            self.assertFalse((FOLDER / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
