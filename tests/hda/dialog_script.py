"""Reads Houdini's DialogScript: blocks in braces, statements of words and "strings", one to a line.

    { name firn::x  script x  label "X"  inputlabel 1 "..."  help { "" }
      group { name "f" label "F" grouptag { "group_type" "collapsible" }  parm { ... } } }

Knows the statements that Firn's dialogs use and refuses others, so that a misspelt one is found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TYPES = ("float", "integer", "toggle", "ordinal", "vector", "string", "button", "geometry", "label", "color")
_TOKEN = re.compile(r'\s*(?:#[^\n]*\n)?\s*("(?:[^"\\]|\\.)*"|[{}]|[^\s{}"]+)')


class DialogError(Exception):
    pass


@dataclass
class Parm:
    name: str = ""
    label: str = ""
    type: str = ""
    size: int = 1
    default: list[str] = field(default_factory=list)
    range: list[str] = field(default_factory=list)
    menu: list[tuple[str, str]] = field(default_factory=list)
    help: str = ""
    disable_when: str = ""


@dataclass
class Group:
    name: str = ""
    label: str = ""
    parms: list[Parm] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def all_parms(self) -> list[Parm]:
        return self.parms + [parm for group in self.groups for parm in group.all_parms()]

    def all_groups(self) -> list[Group]:
        return self.groups + [inner for group in self.groups for inner in group.all_groups()]


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise DialogError(f"can't read {text[at:at + 40]!r}")
            self.tokens.append(found.group(1))
            at = found.end()

    def take(self, wanted: str = "") -> str:
        if not self.tokens:
            raise DialogError("ends too early")
        token = self.tokens.pop(0)
        if wanted and token != wanted:
            raise DialogError(f"{token!r} where {wanted!r} should be")
        return token

    def text(self) -> str:
        token = self.take()
        if token in "{}":
            raise DialogError(f"{token!r} where a value should be")
        return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token

    def list(self) -> list[str]:
        self.take("{")
        values = []
        while self.tokens and self.tokens[0] != "}":
            values.append(self.text())
        self.take("}")
        return values

    def parm(self) -> Parm:
        made = Parm()
        self.take("{")
        while self.tokens and self.tokens[0] != "}":
            word = self.text()
            if word in ("name", "label", "type", "help"):
                setattr(made, word, self.text())
            elif word == "disablewhen":
                made.disable_when = self.text()
            elif word == "size":
                made.size = int(self.text())
            elif word in ("default", "range"):
                setattr(made, word, self.list())
            elif word == "menu":
                pairs = self.list()
                if len(pairs) % 2:
                    raise DialogError(f"the menu of {made.name} has an item without a label")
                made.menu = list(zip(pairs[0::2], pairs[1::2]))
            else:
                raise DialogError(f"{made.name or 'a parm'}: unknown statement {word!r}")
        self.take("}")
        return made

    def group(self, top: bool) -> Group:
        made = Group()
        self.take("{")
        while self.tokens and self.tokens[0] != "}":
            word = self.text()
            if word == "name":
                made.name = self.text()
            elif word == "label":
                made.label = self.text()
            elif word == "script" and top:
                self.text()
            elif word in ("inputlabel", "outputlabel") and top:
                int(self.text())
                self.text()
            elif word == "grouptag" and not top:
                self.list()
            elif word == "parm":
                made.parms.append(self.parm())
            elif word == "group":
                made.groups.append(self.group(False))
            else:
                raise DialogError(f"unknown statement {word!r}")
        self.take("}")
        return made


def parse(text: str) -> Group:
    reader = _Reader(text)
    made = reader.group(True)
    if reader.tokens:
        raise DialogError(f"{reader.tokens[0]!r} after the end")
    return made


def check(dialog: Group) -> None:
    """What Houdini would refuse or show wrongly."""
    names = [group.name for group in dialog.all_groups()]
    for parm in dialog.all_parms():
        letters = "xyz" if parm.size == 3 else ("xy" if parm.size == 2 else "")
        names += [parm.name + letter for letter in letters] or [parm.name]
    for name in names:
        if not re.match(r"[A-Za-z_][A-Za-z0-9_]*$", name):
            raise DialogError(f"{name!r} can't be a name")
        if names.count(name) > 1:
            raise DialogError(f"two parameters are named {name}")
    tokens = {parm.name: parm for parm in dialog.all_parms()}
    for parm in tokens.values():
        if parm.type not in TYPES:
            raise DialogError(f"{parm.name} is of the unknown type {parm.type!r}")
        if not parm.label:
            raise DialogError(f"{parm.name} has no label")
        if parm.type not in ("button", "label") and len(parm.default) != parm.size:
            raise DialogError(f"{parm.name} has {len(parm.default)} defaults for {parm.size} values")
        if (parm.type == "ordinal") != bool(parm.menu):
            raise DialogError(f"{parm.name}: a menu belongs to an ordinal")
        if parm.menu and parm.default[0] not in [item for item, _ in parm.menu] + [str(i) for i in range(len(parm.menu))]:
            raise DialogError(f"the default of {parm.name} is not in its menu")
        numbers = [float(value.rstrip("!")) for value in parm.range]
        if numbers and (len(numbers) != 2 or not numbers[0] < numbers[1]):
            raise DialogError(f"the range of {parm.name} is empty")
        for condition in re.findall(r"\{([^}]*)\}", parm.disable_when):
            word, _, value = condition.split()
            if word not in tokens:
                raise DialogError(f"{parm.name} is disabled by {word}, which does not exist")
            menu = [item for item, _ in tokens[word].menu]
            if menu and value not in menu:
                raise DialogError(f"{parm.name} is disabled by {word} {value}, which is not in the menu")
        if parm.disable_when and not re.fullmatch(r"(\{ \w+ (?:==|!=|<|>|<=|>=) [\w.]+ \} ?)+", parm.disable_when):
            raise DialogError(f"{parm.name}: Houdini can't read the condition {parm.disable_when!r}")
