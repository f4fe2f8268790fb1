"""Parameters of nodes (hou.Parm, hou.ParmTuple, hou.Keyframe)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

from . import world
from .enums import EnumValue, exprLanguage, scriptLanguage
from .errors import OperationFailed, PermissionError
from .expression import evaluate, expand
from .geometry import Geometry
from .templates import MenuParmTemplate, ParmTemplate, StringParmTemplate, ToggleParmTemplate, FloatParmTemplate, ButtonParmTemplate

if TYPE_CHECKING:
    from .nodes import OpNode


class Keyframe:
    def __init__(self) -> None:
        self._frame = 1.0
        self._value = 0.0
        self._expression = "bezier()"

    def setFrame(self, frame: float) -> None:
        self._frame = float(frame)

    def frame(self) -> float:
        return self._frame

    def setValue(self, value: float) -> None:
        self._value = float(value)

    def value(self) -> float:
        return self._value

    def setExpression(self, expression: str, language: EnumValue | None = None) -> None:
        self._expression = expression

    def expression(self) -> str:
        return self._expression


class _Sight:
    """What the expressions of one parameter see."""

    def __init__(self, parm: Parm) -> None:
        self.parm = parm

    def variable(self, name: str) -> Any:
        if name == "OS":
            return self.parm.node().name()
        return world.current.variable(name)

    def channel(self, path: str) -> Any:
        node = self.parm.node()
        where, _, name = path.rpartition("/")
        target = node.node(where or ".")
        found = target.parm(name) if target is not None else None
        if found is None:
            raise OperationFailed(f"Bad parameter reference: {path} in {self.parm.path()}")
        return found.eval()

    def has_point_attribute(self, path: str, name: str) -> bool:
        return self._geometry(path).findPointAttrib(name) is not None

    def primitive_count(self, path: str) -> int:
        return len(self._geometry(path).prims())

    def point_count(self, path: str) -> int:
        return self._geometry(path).point_count()

    def _geometry(self, path: str) -> Geometry:
        target = self.parm.node().node(path)
        if target is None:
            raise OperationFailed(f"Invalid node: {path} in {self.parm.path()}")
        return target.cook_output(0)


class Parm:
    def __init__(self, node: OpNode, name: str, template: ParmTemplate, value: Any, expression: str = "") -> None:
        self._node, self._name, self._template = node, name, template
        self._value = value
        self._expression = expression
        self._keys: list[Keyframe] = []

    def node(self) -> OpNode:
        return self._node

    def name(self) -> str:
        return self._name

    def path(self) -> str:
        return f"{self._node.path()}/{self._name}"

    def parmTemplate(self) -> ParmTemplate:
        return self._template

    def set(self, value: Any) -> None:
        self._node.check_editable(f"set {self.path()}")
        if isinstance(self._template, MenuParmTemplate) and isinstance(value, str):
            items = self._template.menuItems()
            if value not in items:
                raise OperationFailed(f"Invalid menu item: {value} in {self.path()}")
            value = items.index(value)
        text = isinstance(self._template, StringParmTemplate)
        if isinstance(value, str) != text or isinstance(value, (list, tuple)):
            raise TypeError(f"{self.path()} can't be set to {value!r}")
        self._value = value
        self._expression = ""
        world.current.changed()

    def setExpression(self, expression: str, language: EnumValue | None = None) -> None:
        self._node.check_editable(f"set {self.path()}")
        if isinstance(self._template, StringParmTemplate):
            raise OperationFailed(f"{self.path()} is a string; an HScript expression there needs backquotes")
        self._expression = expression
        world.current.changed()

    def expression(self) -> str:
        if not self._expression:
            raise OperationFailed("Parameter does not have an expression.")
        return self._expression

    def setKeyframe(self, keyframe: Keyframe) -> None:
        self._node.check_editable(f"set {self.path()}")
        self._keys = sorted([k for k in self._keys if k.frame() != keyframe.frame()] + [keyframe], key=lambda k: k.frame())
        world.current.changed()

    def isTimeDependent(self) -> bool:
        return len(self._keys) > 1 or any(name in self._expression for name in ("$F", "$T"))

    def keyframes(self) -> tuple[Keyframe, ...]:
        return tuple(self._keys)

    def eval(self) -> Any:
        if self._keys:
            return _between(self._keys, world.current.frame)
        sight = _Sight(self)
        if self._expression:
            value = evaluate(self._expression, sight)
            return value if isinstance(self._template, FloatParmTemplate) else int(value)
        if isinstance(self._template, StringParmTemplate):
            return expand(self._value, sight)
        return self._value

    def evalAsInt(self) -> int:
        return int(self.eval())

    def evalAsFloat(self) -> float:
        return float(self.eval())

    def evalAsString(self) -> str:
        value = self.eval()
        if isinstance(self._template, MenuParmTemplate):
            return self._template.menuItems()[int(value)]
        return str(value)

    def rawValue(self) -> str:
        return self._expression or str(self._value)

    def pressButton(self) -> None:
        if not isinstance(self._template, (ButtonParmTemplate, ToggleParmTemplate)):
            raise OperationFailed(f"{self.path()} is not a button")
        built_in = self._node.on_press(self._name)
        callback = self._template.scriptCallback()
        if callback:
            if self._template.scriptCallbackLanguage() is not scriptLanguage.Python:
                raise OperationFailed(f"{self.path()}: HScript callbacks are not in the fake")
            exec(callback, {"kwargs": {"node": self._node, "parm": self}})  # as Houdini does
        elif not built_in:
            raise OperationFailed(f"{self.path()} does nothing")

    def to_json(self) -> dict[str, Any]:
        keys = [[k.frame(), k.value(), k.expression()] for k in self._keys]
        return {"value": self._value, "expression": self._expression, "keys": keys}

    def from_json(self, stored: dict[str, Any]) -> None:
        self._value, self._expression = stored["value"], stored["expression"]
        self._keys = []
        for frame, value, expression in stored["keys"]:
            key = Keyframe()
            key.setFrame(frame)
            key.setValue(value)
            key.setExpression(expression, exprLanguage.Hscript)
            self._keys.append(key)


def _between(keys: Sequence[Keyframe], frame: float) -> float:
    if frame <= keys[0].frame():
        return keys[0].value()
    for left, right in zip(keys, keys[1:]):
        if frame <= right.frame():
            share = (frame - left.frame()) / (right.frame() - left.frame())
            if left.expression() == "ease()":
                share = share * share * (3 - 2 * share)
            return left.value() + share * (right.value() - left.value())
    return keys[-1].value()


class ParmTuple:
    def __init__(self, name: str, parms: Sequence[Parm]) -> None:
        self._name, self._parms = name, tuple(parms)

    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        return len(self._parms)

    def __getitem__(self, index: int) -> Parm:
        return self._parms[index]

    def __iter__(self) -> Iterator[Parm]:
        return iter(self._parms)

    def eval(self) -> tuple[Any, ...]:
        return tuple(parm.eval() for parm in self._parms)
