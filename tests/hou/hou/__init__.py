"""A fake of Houdini's `hou` for tests: the classes and functions that Firn uses, each as in sidefx.com/docs/houdini/hom/hou/.

It proves that the builder, the recipes, the self-check, the export and the start-up hook call what exists, wire what they mean
and fail in words. It can't prove that the real Houdini's nodes have the parameters named in builtin_types.py, that its Solver SOP
behaves as here, that its simulations hold data under the names that dops.py gives, nor that an asset looks right in an
interface: `hython -m firn.selfcheck` does that for nodes and asset, in a real one. A test compares every class, method and
argument here with the stubs of the real hou (types-houdini).
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Sequence

from . import world
from .definitions import HDADefinition, HDASection, hda
from .enums import (
    EnumValue, attribType, exprLanguage, fileType, folderType, licenseCategoryType, parmCondType, parmNamingScheme,
    parmTemplateType, primType, scriptLanguage, severityType, stringParmType, vdbData,
)
from .errors import (
    Error, InvalidInput, InvalidNodeType, LicenseError, LoadWarning, NameConflict, NodeError, ObjectWasDeleted,
    OperationFailed, PermissionError,
)
from .geometry import VDB, Attrib, Geometry, PackedGeometry, PackedPrim, Point, Polygon, Prim, SopVerb, Vertex, Volume
from .matrices import Matrix4, Vector3
from .dops import DopData, DopObject, DopRecord, DopRelationship, DopSimulation
from .nodes import (
    DopNode, NetworkMovableItem, Node, NodeTypeCategory, OpNode, OpNodeType, OpNodeTypeCategory, SopNode, SubnetIndirectInput,
)
from .parms import Keyframe, Parm, ParmTuple
from .templates import (
    ButtonParmTemplate, FloatParmTemplate, FolderParmTemplate, IntParmTemplate, MenuParmTemplate, ParmTemplate,
    ParmTemplateGroup, StringParmTemplate, ToggleParmTemplate,
)


def node(path: str) -> OpNode | None:
    return world.current.root.node(path) if world.current.root is not None else None


def parm(path: str) -> Parm | None:
    owner, _, name = path.rpartition("/")
    found = node(owner)
    return found.parm(name) if found is not None else None


def nodeType(category_or_name: NodeTypeCategory, internal_name: str) -> OpNodeType | None:
    return category_or_name.nodeType(internal_name)


def sopNodeTypeCategory() -> OpNodeTypeCategory:
    return world.current.categories["Sop"]


def dopNodeTypeCategory() -> OpNodeTypeCategory:
    return world.current.categories["Dop"]


def applicationVersion() -> tuple[int, int, int]:
    return world.current.version


def applicationVersionString() -> str:
    return ".".join(str(part) for part in world.current.version)


def licenseCategory() -> EnumValue:
    category: EnumValue = getattr(licenseCategoryType, world.current.licence)
    return category


def homeHoudiniDirectory() -> str:
    return world.current.home.as_posix()


def houdiniPath() -> tuple[str, ...]:
    return world.current.houdini_path


def isUIAvailable() -> bool:
    return world.current.interface


def frame() -> float:
    return world.current.frame


def setFrame(frame: float) -> None:
    world.current.frame = float(frame)


def fps() -> float:
    return world.current.fps


def setFps(fps: float) -> None:
    world.current.fps = float(fps)


class text:
    @staticmethod
    def expandString(str: str, expand_tilde: bool = True) -> str:
        for name in ("HIPNAME", "HIP"):
            str = str.replace(f"${name}", world.current.variable(name))
        return str


class undos:
    @staticmethod
    @contextmanager
    def disabler() -> Iterator[None]:
        yield


class playbar:
    @staticmethod
    def setFrameRange(start: float, end: float) -> None:
        world.current.frame_range = (float(start), float(end))

    @staticmethod
    def setPlaybackRange(start: float, end: float) -> None:
        if start > end:
            raise OperationFailed("the range is empty")

    @staticmethod
    def frameRange() -> tuple[float, ...]:
        return world.current.frame_range


class ui:
    @staticmethod
    def displayMessage(text: str, severity: EnumValue = severityType.Message, title: str | None = None) -> int:
        world.current.messages.append(text)
        return 0


    @staticmethod
    def selectFromList(
        choices: Sequence[str], exclusive: bool = False, message: str | None = None, title: str | None = None
    ) -> tuple[int, ...]:
        return ()


class hipFile:
    @staticmethod
    def clear(suppress_save_prompt: bool = False) -> None:
        if world.current.unsaved and not suppress_save_prompt:
            raise OperationFailed("Houdini would ask whether to save")
        world.clear()

    @staticmethod
    def path() -> str:
        return world.current.hip

    @staticmethod
    def hasUnsavedChanges() -> bool:
        return world.current.unsaved

    @staticmethod
    def save(file_name: str | None = None) -> None:
        path = Path(file_name or world.current.hip)
        root = world.current.root
        world.current.may_write(str(path))
        try:
            path.write_text(json.dumps(root.to_json() if root is not None else {}), encoding="utf-8")
        except OSError as trouble:
            raise OperationFailed(f"Unable to save {path}: {trouble.strerror}") from trouble
        world.current.hip, world.current.unsaved = path.as_posix(), False

    @staticmethod
    def load(file_name: str, suppress_save_prompt: bool = False, ignore_load_warnings: bool = False) -> None:
        try:
            stored: dict[str, Any] = json.loads(Path(file_name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as trouble:
            raise OperationFailed(f"Unable to open {file_name}") from trouble
        world.clear()
        root = world.current.root
        assert root is not None
        with world.current.load():
            root.load_children(stored["children"])
        world.current.hip, world.current.unsaved = file_name, False
