"""What Houdini makes of a package file (sidefx.com/docs/houdini/ref/plugins.html): conditions, variables, hpath."""

from __future__ import annotations

import re
from typing import Any, Mapping


def _version(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


def _comparison(text: str, facts: Mapping[str, str]) -> bool:
    found = re.fullmatch(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*'([^']*)'\s*", text)
    if found is None:
        raise ValueError(f"not a comparison: {text}")
    name, sign, wanted = found.groups()
    mine: Any = facts[name]
    theirs: Any = wanted
    if name == "houdini_version":
        mine, theirs = _version(mine), _version(theirs)
    answers: dict[str, bool] = {
        "==": mine == theirs, "!=": mine != theirs, "<=": mine <= theirs, ">=": mine >= theirs, "<": mine < theirs,
        ">": mine > theirs,
    }
    return answers[sign]


def evaluate(expression: str, facts: Mapping[str, str]) -> bool:
    return any(all(_comparison(part, facts) for part in either.split(" and ")) for either in expression.split(" or "))


def _values(entry: Any, facts: Mapping[str, str]) -> list[str]:
    """Every element whose condition holds counts, not just the first."""
    if isinstance(entry, list):
        return [value for element in entry for value in _values(element, facts)]
    if isinstance(entry, dict):
        return [value for condition, element in entry.items() if evaluate(condition, facts) for value in _values(element, facts)]
    return [str(entry)]


def houdini_path(package: Mapping[str, Any], facts: Mapping[str, str], folder: str) -> list[str]:
    """The folders that the package adds to HOUDINI_PATH; `folder` is where the file lies."""
    if not evaluate(package["enable"], facts):
        return []
    variables = {"HOUDINI_PACKAGE_PATH": folder}

    def expanded(text: str) -> str:
        return re.sub(r"\$(\w+)", lambda found: variables[found.group(1)], text)

    for definition in package["env"]:
        for name, value in definition.items():
            values = _values(value, facts)
            if len(values) > 1:
                raise ValueError(f"{name} has {len(values)} values, and which of them counts depends on its method")
            if values:
                variables[name] = expanded(values[0])
    if not all(isinstance(path, str) for path in package["hpath"]):
        raise ValueError("conditions inside hpath: no public package file has them")
    # A variable that no condition has set leaves a path that is nowhere.
    set_paths = [path for path in package["hpath"] if all(name in variables for name in re.findall(r"\$(\w+)", path))]
    return [expanded(path) for path in set_paths]
