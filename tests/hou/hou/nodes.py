"""Nodes and node types (hou.OpNode, hou.SopNode, hou.NodeType, hou.NodeTypeCategory)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Sequence

from . import world
from .errors import InvalidInput, InvalidNodeType, ObjectWasDeleted, OperationFailed, PermissionError
from .geometry import Geometry, SopVerb
from .parms import Parm, ParmTuple
from .templates import ParmTemplateGroup

if TYPE_CHECKING:
    from .dops import DopSimulation


class NodeTypeCategory:
    def __init__(self, name: str) -> None:
        self._name = name
        self._types: dict[str, OpNodeType] = {}

    def name(self) -> str:
        return self._name

    def nodeTypes(self) -> dict[str, OpNodeType]:
        return dict(self._types)

    def nodeType(self, type_name: str) -> OpNodeType | None:
        return self._types.get(type_name)

    def add_type(self, kind: OpNodeType) -> None:
        self._types[kind.name()] = kind

    def remove_type(self, name: str) -> None:
        self._types.pop(name, None)


class OpNodeTypeCategory(NodeTypeCategory):
    def nodeVerb(self, verb_name: str) -> SopVerb | None:
        return SopVerb() if self.name() == "Sop" and verb_name == "unpack" else None


class OpNodeType:
    """`inside` is the category of what lives in such a node; `fill` makes the contents of a new one."""

    def __init__(
        self, category: NodeTypeCategory, name: str, templates: ParmTemplateGroup, *, inputs: int = 1, outputs: int = 1,
        cook: Callable[[OpNode, int], Geometry] | None = None, inside: str = "", fill: Callable[[OpNode], None] | None = None,
        press: Callable[[OpNode, str], bool] | None = None, definition: Any = None, editable: str = "",
    ) -> None:
        self._category, self._name, self._templates = category, name, templates
        self.inputs, self.outputs, self.cook, self.inside, self.fill = inputs, outputs, cook, inside, fill
        self.press, self._definition, self.editable = press, definition, editable

    def name(self) -> str:
        return self._name

    def category(self) -> NodeTypeCategory:
        return self._category

    def parmTemplateGroup(self) -> ParmTemplateGroup:
        return self._templates.make_clone()

    def definition(self) -> Any:
        return self._definition

    def shared_templates(self) -> ParmTemplateGroup:
        """Not a copy: for nodes, which never change them."""
        return self._templates

    def maxNumInputs(self) -> int:
        return self.inputs


class NetworkMovableItem:
    def name(self) -> str:
        raise NotImplementedError


class SubnetIndirectInput(NetworkMovableItem):
    def __init__(self, owner: OpNode, number: int) -> None:
        self._owner, self._number = owner, number

    def name(self) -> str:
        return str(self._number + 1)

    def number(self) -> int:
        return self._number

    def owner_node(self) -> OpNode:
        return self._owner


class Node(NetworkMovableItem):
    pass


class OpNode(Node):
    def __init__(self, parent: OpNode | None, kind: OpNodeType, name: str) -> None:
        self._parent, self._kind, self._name = parent, kind, name
        self._children: dict[str, OpNode] = {}
        self._wires: dict[int, tuple[NetworkMovableItem, int]] = {}
        self._groups = kind.shared_templates()
        self._parms: dict[str, Parm] = {}
        self._deleted = False
        self._unlocked = False
        self._display = False
        self._render = False
        self._errors: list[str] = []
        self.cache: dict[float, Geometry] = {}
        self._make_parms({})
        if kind.fill is not None:
            kind.fill(self)

    # -- the network

    def path(self) -> str:
        self._alive()
        if self._parent is None:
            return "/"
        above = self._parent.path()
        return f"{'' if above == '/' else above}/{self._name}"

    def name(self) -> str:
        self._alive()
        return self._name

    def parent(self) -> OpNode | None:
        return self._parent

    def type(self) -> OpNodeType:
        self._alive()
        return self._kind

    def childTypeCategory(self) -> NodeTypeCategory | None:
        return world.current.categories[self._kind.inside] if self._kind.inside else None

    def simulation(self) -> DopSimulation:
        from .dops import DopSimulation

        self._alive()
        if self._kind.inside != "Dop":
            raise OperationFailed(f"{self.path()} has no simulation")
        return DopSimulation(self)

    def children(self) -> tuple[OpNode, ...]:
        self._alive()
        return tuple(self._children.values())

    def node(self, node_path: str) -> OpNode | None:
        self._alive()
        place: OpNode | None = self
        if node_path.startswith("/"):
            while place is not None and place._parent is not None:
                place = place._parent
        for part in node_path.split("/"):
            if place is None or part in ("", "."):
                continue
            place = place._parent if part == ".." else place._children.get(part)
        return place

    def createNode(
        self, node_type_name: str, node_name: str | None = None, run_init_scripts: bool = True, load_contents: bool = True,
        exact_type_name: bool = False, force_valid_node_name: bool = False,
    ) -> OpNode:
        self._alive()
        self._check_inside("create a node")
        category = world.current.categories[self._kind.inside] if self._kind.inside else None
        kind = category.nodeType(node_type_name) if category is not None else None
        if kind is None:
            raise OperationFailed(f"Invalid node type name: {node_type_name} in {self.path()}")
        name = node_name or re.sub(r".*::", "", node_type_name) + "1"
        if not re.match(r"[A-Za-z_][A-Za-z0-9_.\-]*$", name):
            raise OperationFailed(f"Invalid node name: {name}")
        while name in self._children:
            stem = re.sub(r"\d+$", "", name)
            name = f"{stem}{int(name[len(stem):] or 0) + 1}"
        made = {"Sop": SopNode, "Dop": DopNode}.get(kind.category().name(), OpNode)(self, kind, name)
        self._children[name] = made
        world.current.changed()
        return made

    def destroy(self) -> None:
        self._alive()
        if self._parent is None:
            raise OperationFailed("the root can't be destroyed")
        self._parent._check_inside("destroy a node")
        for other in self._parent.children():
            other._wires = {k: wire for k, wire in other._wires.items() if wire[0] is not self}
        del self._parent._children[self._name]
        self._bury()
        world.current.changed()

    def _bury(self) -> None:
        for node in self._children.values():
            node._bury()
        self._deleted = True

    def setInput(self, input_index: int, item_to_become_input: NetworkMovableItem | None, output_index: int = 0) -> None:
        self._alive()
        self.check_editable(f"wire {self.path()}")
        if not 0 <= input_index < self._kind.inputs:
            raise InvalidInput(f"{self.path()} has no input {input_index}")
        if item_to_become_input is None:
            self._wires.pop(input_index, None)
            return
        if isinstance(item_to_become_input, OpNode):
            item_to_become_input._alive()
            if item_to_become_input._parent is not self._parent:
                raise OperationFailed(f"{item_to_become_input.path()} is in another network than {self.path()}")
            if not 0 <= output_index < item_to_become_input._kind.outputs:
                raise OperationFailed(f"{item_to_become_input.path()} has no output {output_index}")
        elif isinstance(item_to_become_input, SubnetIndirectInput) and item_to_become_input.owner_node() is not self._parent:
            raise OperationFailed("that is the input of another network")
        self._wires[input_index] = (item_to_become_input, output_index)
        world.current.changed()

    def inputs(self) -> tuple[OpNode | None, ...]:
        last = max(self._wires, default=-1)
        wires = [self._wires.get(index) for index in range(last + 1)]
        return tuple(wire[0] if wire is not None and isinstance(wire[0], OpNode) else None for wire in wires)

    def wired_inputs(self) -> int:
        return max(self._wires, default=-1) + 1

    def indirectInputs(self) -> tuple[SubnetIndirectInput, ...]:
        self._alive()
        return tuple(SubnetIndirectInput(self, number) for number in range(self._kind.inputs))

    def layoutChildren(self) -> None:
        self._alive()

    def setSelected(self, on: bool, clear_all_selected: bool = False) -> None:
        self._alive()

    def errors(self) -> tuple[str, ...]:
        return tuple(self._errors)

    # -- locks

    def isLockedHDA(self) -> bool:
        return self._kind.definition() is not None and not self._unlocked

    def allowEditingOfContents(self, propagate: bool = False) -> None:
        self._alive()
        if self._kind.definition() is None:
            raise OperationFailed(f"{self.path()} is no digital asset")
        self._unlocked = True

    def _check_inside(self, what: str) -> None:
        """May the contents of this node change?"""
        place: OpNode | None = self
        below: list[str] = []
        while place is not None:
            editable = place._kind.editable
            inside = bool(editable) and "/".join(below).startswith(editable)
            if place.isLockedHDA() and not inside and not world.current.loading:
                raise PermissionError(f"can't {what} in {self.path()}: {place.path()} is locked")
            below.insert(0, place._name)
            place = place._parent

    def check_editable(self, what: str) -> None:
        self._alive()
        if self._parent is not None and not world.current.loading:
            self._parent._check_inside(what)

    # -- parameters

    def parm(self, parm_path: str) -> Parm | None:
        self._alive()
        return self._parms.get(parm_path)

    def parms(self) -> tuple[Parm, ...]:
        return tuple(self._parms.values())

    def parmTuple(self, parm_path: str) -> ParmTuple | None:
        template = self._groups.find(parm_path)
        if template is None or not template.parm_names():
            return None
        return ParmTuple(parm_path, [self._parms[name] for name in template.parm_names()])

    def parmTemplateGroup(self) -> ParmTemplateGroup:
        return self._groups.make_clone()

    def setParmTemplateGroup(self, parm_template_group: ParmTemplateGroup, rename_conflicting_parms: bool = False) -> None:
        self._alive()
        parm_template_group.check_names()
        stored = {name: parm.to_json() for name, parm in self._parms.items()}
        self._groups = parm_template_group.make_clone()
        self._make_parms(stored)

    def _make_parms(self, stored: dict[str, Any]) -> None:
        self._parms = {}
        for template in self._groups.all_templates():
            expressions = template.initial_expressions()
            for index, name in enumerate(template.parm_names()):
                expression = expressions[index] if index < len(expressions) else ""
                parm = Parm(self, name, template, template.initial_values()[index], expression)
                if name in stored:
                    parm.from_json(stored[name])
                self._parms[name] = parm

    def on_press(self, name: str) -> bool:
        return self._kind.press(self, name) if self._kind.press is not None else False

    # -- assets

    def createDigitalAsset(
        self, name: str | None = None, hda_file_name: str | None = None, description: str | None = None,
        min_num_inputs: int = 0, max_num_inputs: int = 0, compress_contents: bool = False, comment: str | None = None,
        version: str | None = None, save_as_embedded: bool = False, ignore_external_references: bool = False,
        compile_asset: bool = False, change_node_type: bool = True, create_backup: bool = True,
    ) -> OpNode:
        from .definitions import HDADefinition

        self._alive()
        if self._kind.name() != "subnet":
            raise OperationFailed(f"{self.path()} can't become a digital asset")
        if name is None or hda_file_name is None:
            raise OperationFailed("the fake needs a name and a file")
        world.current.may_save_asset()
        definition = HDADefinition(name, description or name, hda_file_name)
        definition.fill_from(self, min_num_inputs, max_num_inputs, version or "")
        definition.write_file()
        world.current.install(definition)
        self._kind = definition.nodeType()
        self._unlocked = True
        return self

    # -- cooking

    def cook_output(self, output: int) -> Geometry:
        """The geometry of an output at the current frame."""
        self._alive()
        self._errors = []
        try:
            if self._kind.cook is None:
                raise OperationFailed(f"{self.path()} makes no geometry")
            return self._kind.cook(self, output)
        except OperationFailed as trouble:
            self._errors = [trouble.instanceMessage()]
            raise

    def input_geometry(self, index: int) -> Geometry | None:
        """What comes in: from a node, or from outside of the asset."""
        wire = self._wires.get(index)
        if wire is None:
            return None
        item, output = wire
        if isinstance(item, OpNode):
            return item.cook_output(output)
        assert isinstance(item, SubnetIndirectInput)
        return item.owner_node().input_geometry(item.number())

    def _alive(self) -> None:
        if self._deleted:
            raise ObjectWasDeleted("Attempt to access an object that no longer exists in Houdini.")

    # -- files

    def to_json(self) -> dict[str, Any]:
        def wire(item: NetworkMovableItem) -> str:
            return f"#{item.number()}" if isinstance(item, SubnetIndirectInput) else item.name()

        locked = self.isLockedHDA() and not self._kind.editable
        return {
            "type": self._kind.name(),
            "name": self._name,
            "parms": {name: parm.to_json() for name, parm in self._parms.items()},
            "wires": {str(index): [wire(item), output] for index, (item, output) in self._wires.items()},
            "flags": [self._display, self._render],
            "children": [] if locked else [node.to_json() for node in self._children.values()],
        }

    def load_children(self, stored: Sequence[dict[str, Any]]) -> None:
        for entry in stored:
            node = self._children.get(entry["name"])
            if node is None:
                node = self.createNode(entry["type"], entry["name"])
            node._display, node._render = entry["flags"]
            for name, value in entry["parms"].items():
                if name in node._parms:
                    node._parms[name].from_json(value)
            node.load_children(entry["children"])
        for entry in stored:
            for index, (source, output) in entry["wires"].items():
                item = self.indirectInputs()[int(source[1:])] if source.startswith("#") else self._children[source]
                self._children[entry["name"]]._wires[int(index)] = (item, output)


class SopNode(OpNode):
    def geometry(self, output_index: int = 0) -> Geometry | None:
        try:
            return self.cook_output(output_index)
        except OperationFailed:
            return None

    def geometryAtFrame(self, frame: float, output_index: int = 0) -> Geometry | None:
        before = world.current.frame
        world.current.frame = float(frame)
        try:
            return self.geometry(output_index)
        finally:
            world.current.frame = before

    def isBypassed(self) -> bool:
        return False

    def setDisplayFlag(self, on: bool) -> None:
        self._flag("_display", on)

    def setRenderFlag(self, on: bool) -> None:
        self._flag("_render", on)

    def isDisplayFlagSet(self) -> bool:
        return self._display

    def _flag(self, flag: str, on: bool) -> None:
        self.check_editable(f"set a flag of {self.path()}")
        if on and self._parent is not None:
            for node in self._parent.children():
                setattr(node, flag, False)
        setattr(self, flag, on)


class DopNode(OpNode):
    def __init__(self, parent: OpNode | None, kind: OpNodeType, name: str) -> None:
        super().__init__(parent, kind, name)
        self._bypassed = False

    def dopNetNode(self) -> OpNode:
        place = self._parent
        while place is not None and place.childTypeCategory() is not self._kind.category():
            place = place._parent
        if place is None:
            raise OperationFailed(f"{self.path()} is in no DOP network")
        return place

    def isBypassed(self) -> bool:
        return self._bypassed

    def bypass(self, on: bool) -> None:
        self.check_editable(f"bypass {self.path()}")
        self._bypassed = on
