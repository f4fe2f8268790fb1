"""The parameter tables of all nodes, as the plugin declares them, the quantities of snow and of surfaces, and what particles have.

`node_tables.json` is what `firn_node_tables` (plugin/) prints; the build puts it beside this file. Dialogs, help pages and
scene files are made from these rows, so that they can't drift from the nodes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

from firn.error import FirnError

#: The kinds of parameter that a dialog can show.
KINDS = ("real", "integer", "toggle", "choice", "vector", "string", "button")


@dataclass(frozen=True)
class Choice:
    token: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Parameter:
    """One row. `default` holds one value, a vector's three; a choice's is its index."""

    token: str
    label: str
    kind: str
    default: tuple[Any, ...]
    folder: str = ""
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    slider_low: float = 0.0
    slider_high: float = 0.0
    help: str = ""
    symbol: str = ""
    source: str = ""
    choices: tuple[Choice, ...] = ()
    disable_when: str = ""
    expression: str = ""  # HScript that a number starts with, such as "$FF"


@dataclass(frozen=True)
class Input:
    label: str
    help: str = ""
    required: bool = False


@dataclass(frozen=True)
class Node:
    """One node type: `name` as in "firn::snow_source", `table` "Sop" or "Dop"."""

    name: str
    label: str
    table: str
    icon: str
    help: str = ""
    inputs: tuple[Input, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def parameter(self, token: str) -> Parameter:
        for row in self.parameters:
            if row.token == token:
                return row
        raise FirnError(f"{self.name} has no parameter '{token}': node_tables.json is of another version of Firn")


@dataclass(frozen=True)
class Quantity:
    """One of the numbers of a kind of snow. Scene files and point attributes may use `symbol` instead of the token."""

    token: str
    symbol: str
    varies: bool = False


@dataclass(frozen=True)
class Preset:
    """A kind of snow: `values` by the quantities' tokens."""

    token: str
    label: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Attribute:
    """What a particle has beside its position: `role` is required, state, input or result."""

    name: str
    role: str
    unit: str = ""
    help: str = ""


@dataclass(frozen=True)
class Solve:
    """An iterative solve of the step, and what its residual is."""

    name: str
    residual: str


@dataclass(frozen=True)
class Tables:
    nodes: tuple[Node, ...] = field(default_factory=tuple)
    materials: tuple[Quantity, ...] = ()
    presets: tuple[Preset, ...] = ()
    surface: tuple[str, ...] = ()  # tokens of what a collider's surface does to snow
    attributes: tuple[Attribute, ...] = ()
    solves: tuple[Solve, ...] = ()

    def node(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise FirnError(f"node_tables.json has no node {name}: install Firn again")


def table_file() -> Path:
    return Path(__file__).with_name("node_tables.json")


def _default(row: dict[str, Any]) -> tuple[Any, ...]:
    value = row.get("default", 0)
    if row["type"] == "vector":
        return tuple(float(component) for component in value)
    if row["type"] == "string":
        return (str(value),)
    if row["type"] == "real":
        return (float(value),)
    if row["type"] == "choice" and isinstance(value, str):
        tokens = [choice["token"] for choice in row["choices"]]
        return (tokens.index(value),)
    return (int(value or 0),)


def _parameter(row: dict[str, Any]) -> Parameter:
    if row["type"] not in KINDS:
        raise FirnError(f"node_tables.json: {row['token']} is of the unknown type '{row['type']}'")
    return Parameter(
        token=row["token"],
        label=row["label"],
        kind=row["type"],
        default=_default(row),
        folder=row.get("folder", ""),
        unit=row.get("unit", ""),
        low=float(row.get("low", 0)),
        high=float(row.get("high", 0)),
        slider_low=float(row.get("slider_low", 0)),
        slider_high=float(row.get("slider_high", 0)),
        help=row.get("help", ""),
        symbol=row.get("symbol", ""),
        source=row.get("source", ""),
        choices=tuple(Choice(c["token"], c["label"], c.get("help", "")) for c in row.get("choices", ())),
        disable_when=row.get("disable_when", ""),
        expression=row.get("expression", ""),
    )


def parse(text: str) -> Tables:
    """Tables from the text that `firn_node_tables` prints."""
    try:
        document = json.loads(text)
        return Tables(
            tuple(
                Node(
                    name=node["name"],
                    label=node["label"],
                    table=node["table"],
                    icon=node["icon"],
                    help=node.get("help", ""),
                    inputs=tuple(Input(i["label"], i["help"], i["required"]) for i in node.get("inputs", ())),
                    parameters=tuple(_parameter(row) for row in node["parameters"]),
                )
                for node in document["nodes"]
            ),
            tuple(Quantity(q["token"], q["symbol"], q["varies"]) for q in document["materials"]["quantities"]),
            tuple(Preset(p["token"], p["label"], p["values"]) for p in document["materials"]["presets"]),
            tuple(document["surface"]),
            tuple(Attribute(a["name"], a["role"], a["unit"], a["help"]) for a in document["attributes"]),
            tuple(Solve(s["name"], s["residual"]) for s in document["solves"]),
        )
    except (KeyError, TypeError, ValueError) as trouble:
        raise FirnError(f"node_tables.json is damaged ({trouble!r}): install Firn again") from trouble


def load() -> Tables:
    """The tables that were installed with this package."""
    path = table_file()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as trouble:
        raise FirnError(
            f"{path} is missing: install Firn again, or in a source tree build the target houdini_folder "
            "(cmake --build build/release --target houdini_folder) and use build/release/houdini"
        ) from trouble
    except OSError as trouble:
        raise FirnError(f"{path} can't be read ({trouble.strerror}): install Firn again") from trouble
    return parse(text)
