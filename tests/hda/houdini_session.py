"""A fake Houdini for each test: the fake hou, a home folder, and Firn's package as the build made it on the path."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("FIRN_HOUDINI_FOLDER", ROOT / "build" / "release" / "houdini"))
if not FOLDER.is_dir():
    sys.exit(f"{FOLDER} is missing: cmake --build build/release --target houdini_folder")
sys.path[:0] = [str(ROOT / "tests" / "hou"), str(FOLDER / "scripts" / "python")]

import hou  # noqa: E402
from firn import tables  # noqa: E402
from hou import world  # noqa: E402


class HoudiniTest(unittest.TestCase):
    """Starts every test in a new session with an empty scene."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="firn_hda_")
        self.addCleanup(scratch.cleanup)
        self.home = Path(scratch.name) / "home"
        self.plugin = Path(scratch.name) / "plugin"
        (self.plugin / "dso").mkdir(parents=True)
        (self.plugin / "dso" / "firn.so").touch()
        self.home.mkdir()
        self.start()

    def start(self, version: tuple[int, int, int] = (21, 0, 440), without: tuple[str, ...] = ()) -> world.World:
        self.world = world.reset(tables.table_file(), self.home, version, without)
        self.world.houdini_path = (str(self.home), str(self.plugin))
        return self.world

    def node(self, path: str) -> hou.OpNode:
        found = hou.node(path)
        assert found is not None, f"there is no {path}"
        return found

    def sop(self, path: str) -> hou.SopNode:
        found = self.node(path)
        assert isinstance(found, hou.SopNode), f"{path} is no SOP"
        return found

    def parm(self, node: hou.OpNode, name: str) -> hou.Parm:
        found = node.parm(name)
        assert found is not None, f"{node.path()} has no {name}"
        return found

    def positions(self, node: hou.SopNode, frame: float, output: int = 0) -> tuple[float, ...]:
        hou.setFrame(frame)
        geometry = node.geometry(output)
        assert geometry is not None, f"{node.path()} does not cook: {node.errors()}"
        return geometry.pointFloatAttribValues("P")
