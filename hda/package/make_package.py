#!/usr/bin/env python3
"""Writes the package file of a folder of builds.

    make_package.py PACKAGES        writes PACKAGES/firn.json for the plugins in PACKAGES/firn/hdk*/dso

A plugin runs in the Houdinis of one version of the HDK's interface (HDK_API_VERSION), which SideFX also changes within a
release: 20.5.405 and 20.5.557 are the first builds of two that don't run each other's plugins. A folder is named by that
number, hdk20050405, and serves every Houdini from that build on, until the next folder's, or the next release. Run it again
whenever folders were added or removed: each installation does.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parent / "firn.json"


def release(api: int) -> tuple[int, int]:
    """20050405 -> (20, 5)"""
    return api // 1000000, api // 10000 % 100


def first_build(api: int) -> str:
    """20050405 -> 20.5.405"""
    return "{}.{}.{}".format(*release(api), api % 10000)


def next_release(api: int) -> str:
    """Releases are x.0 and x.5."""
    major, minor = release(api)
    return f"{major}.5" if minor < 5 else f"{major + 1}.0"


def conditions(apis: list[int]) -> list[dict[str, str]]:
    """One of them at most holds for any Houdini."""
    found = []
    for api, following in zip(apis, [*apis[1:], 0]):
        end = first_build(following) if following and release(following) == release(api) else next_release(api)
        condition = f"houdini_version >= '{first_build(api)}' and houdini_version < '{end}'"
        found.append({condition: f"$FIRN_FOLDER/hdk{api}"})
    return found


def package(apis: list[int]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    if apis:
        # Conditions stand at an environment variable, where SideFX's pages show them; the path only names it.
        made["env"].append({"FIRN_PLUGIN": conditions(sorted(apis))})
        made["hpath"].append("$FIRN_PLUGIN")
    return made


def builds_in(packages: Path) -> list[int]:
    return sorted(
        int(folder.name[3:]) for folder in (packages / "firn").glob("hdk*")
        if re.fullmatch(r"hdk\d{8}", folder.name) and any((folder / "dso").glob("firn.*"))
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    packages = Path(arguments[0])
    apis = builds_in(packages)
    if not apis:
        print(f"make_package: {packages}/firn has no plugin: hdkNUMBER/dso/firn.so", file=sys.stderr)
        return 1
    path = packages / "firn.json"
    beside = packages / "firn.json.new"
    beside.write_text(json.dumps(package(apis), indent=4) + "\n", encoding="utf-8")
    beside.replace(path)
    print(f"{path}: Houdini from " + ", ".join(first_build(api) for api in apis))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
