"""Values as TOML, which Python can read but not write."""

from __future__ import annotations

import math
from typing import Mapping, Sequence, Union

from firn.error import FirnError

Value = Union[str, bool, int, float, Sequence["Value"], Mapping[str, "Value"]]


def value(item: Value) -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        if not math.isfinite(item):
            raise FirnError(f"{item} is no number that a scene file can hold")
        # Nine digits give every float32 back; an integer's text would change the type.
        text = f"{item:.9g}"
        return text if any(letter in text for letter in ".en") else f"{text}.0"
    if isinstance(item, str):
        plain = item.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{plain}"'
    if isinstance(item, Mapping):
        return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in item.items()) + " }"
    return "[" + ", ".join(value(inner) for inner in item) + "]"


def section(heading: str, entries: Mapping[str, Value]) -> str:
    """A table with its heading, "" without entries."""
    if not entries:
        return ""
    return "\n".join([heading, *(f"{key} = {value(item)}" for key, item in entries.items())]) + "\n"
