"""The fake Houdini behind the module: a version, a home folder, a scene, what is registered, and what goes wrong.

Not part of hou. Tests call `reset()` and then set what they want to see fail.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

from .errors import LicenseError, OperationFailed

if TYPE_CHECKING:
    from .definitions import HDADefinition
    from .nodes import OpNode, OpNodeTypeCategory


@dataclass
class World:
    version: tuple[int, int, int]
    home: Path
    tables: Path
    categories: dict[str, OpNodeTypeCategory] = field(default_factory=dict)
    libraries: dict[str, list[HDADefinition]] = field(default_factory=dict)
    root: OpNode | None = None
    frame: float = 1.0
    fps: float = 24.0
    frame_range: tuple[float, float] = (1.0, 240.0)
    hip: str = "untitled.hip"
    unsaved: bool = False
    messages: list[str] = field(default_factory=list)
    loading: int = 0
    #: The Solver SOP runs its network at the start frame too. Firn must not care.
    solver_steps_start_frame: bool = True
    #: How many frames of snow a DOP network was asked to simulate.
    solved_frames: int = 0
    #: Folders of HOUDINI_PATH.
    houdini_path: tuple[str, ...] = ()
    #: Bytes that a cached frame of a DOP network takes.
    bytes_per_frame: int = 5000
    licence: str = "Commercial"
    interface: bool = False
    #: Faults.
    no_licence: bool = False
    write_fails_after: int = -1
    lost_particles: int = 0
    solver_forgets: bool = False  # frames look different when they are looked at again
    solver_moves_start: bool = False
    menus_are_zero: bool = False  # a verb that reads its menus as real numbers
    packed_is_empty: bool = False  # packed primitives without a packed detail
    fragments_are_whole: bool = False  # each fragment stands for all
    sim_file_differs: bool = False  # what a .sim file does not keep

    def variable(self, name: str) -> Any:
        values: dict[str, Any] = {
            "F": self.frame, "FF": self.frame, "FPS": self.fps, "T": (self.frame - 1) / self.fps,
            "FSTART": self.frame_range[0], "FEND": self.frame_range[1], "RFSTART": self.frame_range[0],
            "RFEND": self.frame_range[1], "HIP": str(Path(self.hip).parent), "HIPNAME": Path(self.hip).stem,
        }
        if name not in values:
            raise OperationFailed(f"Unknown variable: ${name}")
        return values[name]

    def changed(self) -> None:
        self.unsaved = True

    def may_write(self, file: str) -> None:
        if self.write_fails_after == 0:
            raise OperationFailed(f"Unable to write {file}: no space left on device")
        self.write_fails_after -= 1

    def may_save_asset(self) -> None:
        if self.no_licence:
            raise LicenseError("This licence can't save digital assets.")

    @contextmanager
    def load(self) -> Iterator[None]:
        """While contents are loaded, locks don't count."""
        self.loading += 1
        try:
            yield
        finally:
            self.loading -= 1

    def install(self, definition: HDADefinition, force: bool = False) -> None:
        self.libraries.setdefault(definition.libraryFilePath(), []).append(definition)
        sops = self.categories["Sop"]
        known = sops.nodeType(definition.nodeTypeName())
        if known is None or force or known.definition() is None or not known.definition().isInstalled():
            sops.add_type(definition.nodeType())

    def uninstall(self, file: str) -> None:
        for definition in self.libraries.pop(file):
            name = definition.nodeTypeName()
            kind = self.categories["Sop"].nodeType(name)
            if kind is not None and kind.definition() is definition:
                self.categories["Sop"].remove_type(name)
                for others in self.libraries.values():
                    for other in others:
                        if other.nodeTypeName() == name:
                            self.categories["Sop"].add_type(other.nodeType())


current: World


def reset(
    tables: Path, home: Path, version: tuple[int, int, int] = (21, 0, 440), without: tuple[str, ...] = (),
) -> World:
    """A new session of a Houdini. `without` are nodes of Firn's plugin that did not load."""
    from . import builtin_types
    from .nodes import OpNodeTypeCategory

    global current
    current = World(version, home, tables)
    for name in ("Manager", "Object", "Sop", "Dop", "Driver", "Lop"):
        current.categories[name] = OpNodeTypeCategory(name)
    builtin_types.register(current.categories)
    document = json.loads(tables.read_text(encoding="utf-8"))
    for node in document["nodes"]:
        if node["name"] not in without:
            builtin_types.register_plugin_node(current.categories, node)
    clear()
    return current


def clear() -> None:
    """An empty scene."""
    from .nodes import OpNode

    current.root = OpNode(None, current.categories["Manager"].nodeTypes()["root"], "/")
    current.root.createNode("obj", "obj")
    current.root.createNode("stage", "stage")
    current.root.createNode("out", "out")
    current.unsaved = False
    current.hip = str(Path(current.home) / "untitled.hip")
