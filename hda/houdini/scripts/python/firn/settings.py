"""Parameters of a node as values of a scene file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, cast

import hou

from firn import rigid, toml_text
from firn.network import parm
from firn.tables import Parameter


@dataclass(frozen=True)
class Settings:
    """Parameters of a node under the tokens of a table: its own, or those that the asset has for a node inside."""

    node: hou.OpNode
    names: Mapping[str, str]

    def parm(self, token: str) -> hou.Parm:
        return parm(self.node, self.names.get(token, token))

    def number(self, token: str) -> float:
        return self.parm(token).evalAsFloat()

    def whole(self, token: str) -> int:
        return self.parm(token).evalAsInt()

    def text(self, token: str) -> str:
        return self.parm(token).evalAsString()

    def vector(self, token: str) -> rigid.Vector:
        name = self.names.get(token, token)
        values = [parm(self.node, name + letter).evalAsFloat() for letter in "xyz"]
        return (values[0], values[1], values[2])

    def value(self, row: Parameter) -> toml_text.Value:
        if row.kind == "vector":
            return self.vector(row.token)
        if row.kind == "toggle":
            return bool(self.whole(row.token))
        if row.kind == "integer":
            return self.whole(row.token)
        if row.kind == "real":
            return self.number(row.token)
        return self.text(row.token)


def default_of(row: Parameter) -> toml_text.Value:
    if row.kind == "vector":
        return tuple(float(component) for component in row.default)
    if row.kind == "choice":
        return row.choices[int(row.default[0])].token
    if row.kind == "toggle":
        return bool(row.default[0])
    return cast(toml_text.Value, row.default[0])
