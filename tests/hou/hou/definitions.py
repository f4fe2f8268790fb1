"""Digital assets (hou.HDADefinition, hou.HDASection, hou.hda). The file is JSON here; its name is all that Firn relies on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import world
from .errors import OperationFailed
from .geometry import Geometry
from .nodes import OpNode, OpNodeType
from .templates import ParmTemplateGroup

if TYPE_CHECKING:
    from .enums import EnumValue

# Templates don't fit into JSON; like Houdini, the fake keeps them by the DialogScript that it saved.
_templates_by_script: dict[str, ParmTemplateGroup] = {}


class HDASection:
    def __init__(self, definition: HDADefinition, name: str) -> None:
        self._definition, self._name = definition, name

    def name(self) -> str:
        return self._name

    def contents(self) -> str:
        return self._definition.texts[self._name]

    def setContents(self, contents: str) -> None:
        self._definition.set_text(self._name, contents)


class HDADefinition:
    def __init__(self, name: str, description: str, file: str) -> None:
        # As with a licence that is not commercial: Houdini changes the ending.
        ending = {"Commercial": ".hda", "Indie": ".hdalc", "Apprentice": ".hdanc"}[world.current.licence]
        self._name, self._description, self._file = name, description, Path(file).with_suffix(ending).as_posix()
        self.texts: dict[str, str] = {}
        self._nodes: list[dict[str, Any]] = []
        self._templates = ParmTemplateGroup()
        self._inputs, self._outputs = (0, 0), 1
        self._version, self._comment, self._icon = "", "", ""

    def nodeTypeName(self) -> str:
        return self._name

    def nodeType(self) -> OpNodeType:
        return self._kind()

    def libraryFilePath(self) -> str:
        return self._file

    def description(self) -> str:
        return self._description

    def version(self) -> str:
        return self._version

    def comment(self) -> str:
        return self._comment

    def setComment(self, comment: str) -> None:
        self._comment = comment
        self.write_file()

    def icon(self) -> str:
        return self._icon

    def setIcon(self, icon: str) -> None:
        self._icon = icon
        self.write_file()

    def minNumInputs(self) -> int:
        return self._inputs[0]

    def maxNumInputs(self) -> int:
        return self._inputs[1]

    def maxNumOutputs(self) -> int:
        return self._outputs

    def setMaxNumOutputs(self, max_num_outputs: int) -> None:
        self._outputs = max_num_outputs
        self.write_file()

    def sections(self) -> dict[str, HDASection]:
        return {name: HDASection(self, name) for name in self.texts}

    def hasSection(self, name: str) -> bool:
        return name in self.texts

    def addSection(self, name: str, contents: str = "", compression_type: EnumValue | None = None) -> HDASection:
        self.set_text(name, contents)
        return HDASection(self, name)

    def parmTemplateGroup(self) -> ParmTemplateGroup:
        return self._templates.make_clone()

    def setParmTemplateGroup(
        self, parm_template_group: ParmTemplateGroup, rename_conflicting_parms: bool = False, create_backup: bool = True
    ) -> None:
        parm_template_group.check_names()
        self._templates = parm_template_group.make_clone()
        self.set_text("DialogScript", self._templates.asDialogScript(self._name, self._description))

    def isInstalled(self) -> bool:
        return any(d is self for d in world.current.libraries.get(self._file, []))

    def isCurrent(self) -> bool:
        kind = world.current.categories["Sop"].nodeType(self._name)
        return kind is not None and kind.definition() is self

    def save(self, file_name: str, template_node: OpNode | None = None, options: Any = None, black_box: bool = False, create_backup: bool = True) -> None:
        if create_backup:
            raise OperationFailed("the fake would leave a backup folder behind, as Houdini does")
        if file_name != self._file:
            raise OperationFailed("the fake saves in place only")
        self.write_file()

    def fill_from(self, node: OpNode, least: int, most: int, version: str) -> None:
        self._inputs, self._version = (least, most), version
        self._templates = node.parmTemplateGroup()
        self._nodes = [inner.to_json() for inner in node.children()]
        self.texts["DialogScript"] = self._templates.asDialogScript(self._name, self._description)
        self.texts["CreateScript"] = ""
        self._outputs = 1

    def set_text(self, name: str, text: str) -> None:
        self.texts[name] = text
        self.write_file()

    def write_file(self) -> None:
        world.current.may_write(self._file)
        _templates_by_script[self.texts["DialogScript"]] = self._templates.make_clone()
        path = Path(self._file)
        try:
            path.write_text(
                json.dumps(
                    {
                        "name": self._name, "description": self._description, "inputs": self._inputs,
                        "outputs": self._outputs, "version": self._version, "comment": self._comment, "icon": self._icon,
                        "texts": self.texts, "nodes": self._nodes,
                    }
                ),
                encoding="utf-8",
            )
        except OSError as trouble:
            raise OperationFailed(f"Unable to write {self._file}: {trouble.strerror}") from trouble

    @staticmethod
    def read_file(file: str) -> list[HDADefinition]:
        try:
            data = json.loads(Path(file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as trouble:
            raise OperationFailed(f"Unable to load {file}") from trouble
        made = HDADefinition(data["name"], data["description"], file)
        made._inputs, made._outputs = (data["inputs"][0], data["inputs"][1]), data["outputs"]
        made._version, made._comment, made._icon = data["version"], data["comment"], data["icon"]
        made.texts, made._nodes = data["texts"], data["nodes"]
        made._templates = _templates_by_script[made.texts["DialogScript"]].make_clone()
        return [made]

    def _kind(self) -> OpNodeType:
        known = world.current.categories["Sop"].nodeType(self._name)
        if known is not None and known.definition() is self:
            return known

        def fill(node: OpNode) -> None:
            with world.current.load():
                node.load_children(self._nodes)

        def cook(node: OpNode, output: int) -> Geometry:
            for inner in node.children():
                index = inner.parm("outputidx")
                if inner.type().name() == "output" and index is not None and index.evalAsInt() == output:
                    return inner.cook_output(0)
            raise OperationFailed(f"{node.path()} has no output {output}")

        return OpNodeType(
            world.current.categories["Sop"], self._name, self._templates, inputs=self._inputs[1], outputs=self._outputs,
            cook=cook, inside="Sop", fill=fill, definition=self,
        )


class hda:
    @staticmethod
    def installFile(
        file_path: str, oplibraries_file: str | None = None, change_oplibraries_file: bool = True,
        force_use_assets: bool = False,
    ) -> None:
        if change_oplibraries_file:
            raise OperationFailed("Firn must not write into the user's OPlibraries")
        for definition in HDADefinition.read_file(file_path):
            world.current.install(definition, force_use_assets)

    @staticmethod
    def uninstallFile(file_path: str, oplibraries_file: str | None = None, change_oplibraries_file: bool = True) -> None:
        if change_oplibraries_file:
            raise OperationFailed("Firn must not write into the user's OPlibraries")
        if file_path not in world.current.libraries:
            raise OperationFailed(f"{file_path} is not installed")
        world.current.uninstall(file_path)

    @staticmethod
    def loadedFiles() -> tuple[str, ...]:
        return tuple(world.current.libraries)

    @staticmethod
    def definitionsInFile(file_path: str) -> tuple[HDADefinition, ...]:
        if not os.path.exists(file_path):
            raise OperationFailed(f"{file_path} does not exist")
        return tuple(world.current.libraries.get(file_path) or HDADefinition.read_file(file_path))
