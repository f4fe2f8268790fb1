"""Parameter templates and groups (hou.ParmTemplate and its kinds, hou.ParmTemplateGroup)."""

from __future__ import annotations

import copy
import re
from typing import Any, Iterator, Mapping, Sequence

from .enums import EnumValue, folderType, parmCondType, parmNamingScheme, parmTemplateType, scriptLanguage, stringParmType, fileType
from .errors import OperationFailed

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")


class ParmTemplate:
    _type = parmTemplateType.Label

    def __init__(self, name: str, label: str) -> None:
        if not _NAME.match(name):
            raise OperationFailed(f"Invalid parameter name: {name}")
        self._name = name
        self._label = label
        self._help = ""
        self._conditionals: dict[EnumValue, str] = {}
        self._callback = ""
        self._callback_language = scriptLanguage.Hscript
        self._tags: dict[str, str] = {}

    def name(self) -> str:
        return self._name

    def label(self) -> str:
        return self._label

    def type(self) -> EnumValue:
        return self._type

    def numComponents(self) -> int:
        return 1

    def help(self) -> str:
        return self._help

    def setHelp(self, help: str) -> None:
        self._help = help

    def conditionals(self) -> dict[EnumValue, str]:
        return dict(self._conditionals)

    def setConditional(self, cond_type: EnumValue, conditional: str) -> None:
        if not (conditional.startswith("{") and conditional.endswith("}")):
            raise OperationFailed(f"Invalid conditional: {conditional}")
        self._conditionals[cond_type] = conditional

    def scriptCallback(self) -> str:
        return self._callback

    def setScriptCallback(self, script_callback: str) -> None:
        self._callback = script_callback

    def scriptCallbackLanguage(self) -> EnumValue:
        return self._callback_language

    def setScriptCallbackLanguage(self, script_callback_language: EnumValue) -> None:
        self._callback_language = script_callback_language

    def tags(self) -> dict[str, str]:
        return dict(self._tags)

    def setTags(self, tags: Mapping[str, str]) -> None:
        self._tags = dict(tags)

    def parm_names(self) -> list[str]:
        return [self._name]

    def initial_values(self) -> list[Any]:
        return [0]

    def initial_expressions(self) -> list[str]:
        return []

    def script_type(self) -> str:
        return "label"

    def script_lines(self) -> Iterator[str]:
        """The body of the template's block in a DialogScript."""
        yield f'name    "{self._name}"'
        yield f'label   "{_quoted(self._label)}"'
        yield f"type    {self.script_type()}"
        if self.numComponents() > 1:
            yield f"size    {self.numComponents()}"
        if self._help:
            yield f'help    "{_quoted(self._help)}"'
        initial = self.initial_values()
        if self.script_type() not in ("button", "label"):
            yield "default { " + " ".join(f'"{_quoted(str(value))}"' for value in initial) + " }"
        if parmCondType.DisableWhen in self._conditionals:
            yield f'disablewhen "{_quoted(self._conditionals[parmCondType.DisableWhen])}"'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


class _Numbers(ParmTemplate):
    def __init__(
        self, name: str, label: str, num_components: int, default: Sequence[Any], low: float, high: float,
        low_strict: bool, high_strict: bool, naming_scheme: EnumValue,
    ) -> None:
        super().__init__(name, label)
        if not 1 <= num_components:
            raise OperationFailed("Invalid number of components")
        self._count = num_components
        values = list(default) or [0]
        self._default = values + [values[-1]] * (num_components - len(values))
        self._low, self._high, self._strict = low, high, (low_strict, high_strict)
        self._naming = naming_scheme
        self._expressions: Sequence[str] = ()

    def numComponents(self) -> int:
        return self._count

    def minIsStrict(self) -> bool:
        return self._strict[0]

    def maxIsStrict(self) -> bool:
        return self._strict[1]

    def setDefaultExpression(self, default_expression: Sequence[str]) -> None:
        self._expressions = tuple(default_expression)

    def setDefaultExpressionLanguage(self, default_expression_language: Sequence[EnumValue]) -> None:
        if len(default_expression_language) != self._count:
            raise OperationFailed("one language for each component")

    def parm_names(self) -> list[str]:
        if self._count == 1:
            return [self._name]
        letters = "xyzw" if self._naming is parmNamingScheme.XYZW else "123456789"
        return [self._name + letters[index] for index in range(self._count)]

    def initial_values(self) -> list[Any]:
        return list(self._default)

    def initial_expressions(self) -> list[str]:
        return list(self._expressions)

    def script_lines(self) -> Iterator[str]:
        yield from super().script_lines()
        low = "!" if self._strict[0] else " "
        high = "!" if self._strict[1] else " "
        yield f"range   {{ {self._low:g}{low} {self._high:g}{high} }}"


class FloatParmTemplate(_Numbers):
    _type = parmTemplateType.Float

    def __init__(
        self, name: str, label: str, num_components: int, default_value: Sequence[float] = (0.0,), min: float = 0.0,
        max: float = 10.0, min_is_strict: bool = False, max_is_strict: bool = False,
        naming_scheme: EnumValue = parmNamingScheme.XYZW,
    ) -> None:
        super().__init__(name, label, num_components, default_value, min, max, min_is_strict, max_is_strict, naming_scheme)

    def defaultValue(self) -> tuple[float, ...]:
        return tuple(self._default)

    def minValue(self) -> float:
        return self._low

    def maxValue(self) -> float:
        return self._high

    def script_type(self) -> str:
        return "float" if self._count == 1 else "vector"


class IntParmTemplate(_Numbers):
    _type = parmTemplateType.Int

    def __init__(
        self, name: str, label: str, num_components: int, default_value: Sequence[int] = (0,), min: int = 0,
        max: int = 10, min_is_strict: bool = False, max_is_strict: bool = False,
        naming_scheme: EnumValue = parmNamingScheme.XYZW,
    ) -> None:
        super().__init__(name, label, num_components, default_value, min, max, min_is_strict, max_is_strict, naming_scheme)

    def defaultValue(self) -> tuple[int, ...]:
        return tuple(self._default)

    def script_type(self) -> str:
        return "integer"


class StringParmTemplate(ParmTemplate):
    _type = parmTemplateType.String

    def __init__(
        self, name: str, label: str, num_components: int, default_value: Sequence[str] = ("",),
        string_type: EnumValue = stringParmType.Regular, file_type: EnumValue = fileType.Any,
        menu_items: Sequence[str] = (), menu_labels: Sequence[str] = (),
    ) -> None:
        super().__init__(name, label)
        self._default = list(default_value)
        self._string_type, self._file_type = string_type, file_type
        self._items = tuple(menu_items)

    def defaultValue(self) -> tuple[str, ...]:
        return tuple(self._default)

    def stringType(self) -> EnumValue:
        return self._string_type

    def menuItems(self) -> tuple[str, ...]:
        return self._items

    def initial_values(self) -> list[Any]:
        return list(self._default)

    def script_type(self) -> str:
        return "geometry" if self._file_type is fileType.Geometry else "string"


class ToggleParmTemplate(ParmTemplate):
    _type = parmTemplateType.Toggle

    def __init__(self, name: str, label: str, default_value: bool = False) -> None:
        super().__init__(name, label)
        self._default = default_value

    def defaultValue(self) -> bool:
        return self._default

    def initial_values(self) -> list[Any]:
        return [int(self._default)]

    def script_type(self) -> str:
        return "toggle"


class MenuParmTemplate(ParmTemplate):
    _type = parmTemplateType.Menu

    def __init__(
        self, name: str, label: str, menu_items: Sequence[str], menu_labels: Sequence[str] = (), default_value: int = 0
    ) -> None:
        super().__init__(name, label)
        self._items, self._labels = tuple(menu_items), tuple(menu_labels) or tuple(menu_items)
        if len(self._items) != len(self._labels):
            raise OperationFailed("menu items and labels differ in number")
        if not 0 <= default_value < max(len(self._items), 1):
            raise OperationFailed("the default is not in the menu")
        self._default = default_value

    def menuItems(self) -> tuple[str, ...]:
        return self._items

    def menuLabels(self) -> tuple[str, ...]:
        return self._labels

    def defaultValue(self) -> int:
        return self._default

    def initial_values(self) -> list[Any]:
        return [self._default]

    def script_type(self) -> str:
        return "ordinal"

    def script_lines(self) -> Iterator[str]:
        yield from super().script_lines()
        yield "menu {"
        for item, label in zip(self._items, self._labels):
            yield f'    "{item}" "{_quoted(label)}"'
        yield "}"


class ButtonParmTemplate(ParmTemplate):
    _type = parmTemplateType.Button

    def __init__(self, name: str, label: str) -> None:
        super().__init__(name, label)

    def script_type(self) -> str:
        return "button"


class FolderParmTemplate(ParmTemplate):
    _type = parmTemplateType.Folder

    def __init__(
        self, name: str, label: str, parm_templates: Sequence[ParmTemplate] = (), folder_type: EnumValue = folderType.Tabs
    ) -> None:
        super().__init__(name, label)
        self._inside = list(parm_templates)
        self._folder_type = folder_type

    def parmTemplates(self) -> tuple[ParmTemplate, ...]:
        return tuple(self._inside)

    def addParmTemplate(self, parm_template: ParmTemplate) -> None:
        self._inside.append(parm_template)

    def folderType(self) -> EnumValue:
        return self._folder_type

    def parm_names(self) -> list[str]:
        return []


class ParmTemplateGroup:
    def __init__(self, parm_templates: Sequence[ParmTemplate] = ()) -> None:
        self._entries: list[ParmTemplate] = list(parm_templates)

    def entries(self) -> tuple[ParmTemplate, ...]:
        return tuple(self._entries)

    def append(self, parm_template: ParmTemplate) -> None:
        self._entries.append(parm_template)

    def find(self, name: str) -> ParmTemplate | None:
        for template in self.all_templates():
            if template.name() == name:
                return template
        return None

    def entriesWithoutFolders(self) -> tuple[ParmTemplate, ...]:
        return tuple(t for t in self.all_templates() if not isinstance(t, FolderParmTemplate))

    def asDialogScript(self, script_name: str | None = None, script_label: str | None = None) -> str:
        lines = ["{"]
        if script_name is not None:
            lines += [f"    name    {script_name}", f"    script  {script_name}", f'    label   "{script_label}"', ""]
        lines += self._script(self._entries, 1)
        return "\n".join(lines + ["}"]) + "\n"

    def all_templates(self, entries: Sequence[ParmTemplate] | None = None) -> Iterator[ParmTemplate]:
        for entry in self._entries if entries is None else entries:
            yield entry
            if isinstance(entry, FolderParmTemplate):
                yield from self.all_templates(entry.parmTemplates())

    def check_names(self) -> None:
        """Houdini refuses two parameters of one name."""
        seen: set[str] = set()
        for template in self.all_templates():
            for name in template.parm_names() or [template.name()]:
                if name in seen:
                    raise OperationFailed(f"Duplicate parameter name: {name}")
                seen.add(name)

    def make_clone(self) -> ParmTemplateGroup:
        # Enumeration values are compared by identity, so they are not copied.
        values = (parmNamingScheme, folderType, scriptLanguage, stringParmType, fileType, parmCondType)
        memo = {id(v): v for group in values for v in vars(group).values() if isinstance(v, EnumValue)}
        return copy.deepcopy(self, memo)

    def _script(self, entries: Sequence[ParmTemplate], depth: int) -> list[str]:
        pad = "    " * depth
        lines: list[str] = []
        for entry in entries:
            if isinstance(entry, FolderParmTemplate):
                lines += [f"{pad}group {{", f'{pad}    name    "{entry.name()}"', f'{pad}    label   "{entry.label()}"']
                if entry.folderType() is folderType.Collapsible:
                    lines += [f'{pad}    grouptag {{ "group_type" "collapsible" }}']
                lines += [""]
                lines += self._script(entry.parmTemplates(), depth + 1)
            else:
                lines += [f"{pad}parm {{"] + [f"{pad}    {line}" for line in entry.script_lines()]
            lines += [f"{pad}}}"]
        return lines
