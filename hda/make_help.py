#!/usr/bin/env python3
"""Makes the help pages from the prose in hda/help/ and the nodes' tables.

    hda/make_help.py FOLDER    writes FOLDER/help/nodes/; the tables are those in FOLDER/scripts/python/firn

The build runs it for its own copy of hda/houdini. Lines `@inputs`, `@outputs`,
`@parameters`, `@presets`, `@material`, `@surface`, `@state`, `@results` and `@solves` in the prose are filled in.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterable

HERE = Path(__file__).resolve().parent
if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    print(__doc__)
    sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
FOLDER = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(FOLDER / "scripts" / "python"))

from firn import snow_solver, tables  # noqa: E402
from firn.error import FirnError  # noqa: E402
from firn.tables import Input, Parameter  # noqa: E402

Folders = list[tuple[str, list[Parameter]]]


def sentence(text: str) -> str:
    """With a capital and a full stop, whatever the table has, and names with underscores as code: the wiki would take the
    underscores for emphasis."""
    text = re.sub(r"(?<![`\w])([A-Za-z]+(?:_[a-z0-9]+)+)(?![`\w])", r"`\1`", text.strip())
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def label(row: Parameter) -> str:
    return f"{row.label} ({row.unit})" if row.unit else row.label


def parameter_lines(row: Parameter) -> list[str]:
    lines = [f"{label(row)}:", f"    #id: {row.token}", f"    {sentence(row.help)}"]
    notes = []
    if row.symbol:
        notes.append(f"`{row.symbol}` in the papers")
    if row.source and row.source != "Firn":
        notes.append(row.source)
    if notes:
        lines += ["", f"    ({'; '.join(notes)})"]
    for choice in row.choices:
        lines += ["", f"    {choice.label}:", f"        {sentence(choice.help) or choice.label + '.'}"]
    return lines + [""]


def parameter_section(folders: Folders) -> list[str]:
    lines = ["@parameters", ""]
    for title, rows in folders:
        lines += [f"== {title} ==", ""]
        for row in rows:
            lines += parameter_lines(row)
    return lines


def node_folders(node: tables.Node) -> Folders:
    """By tab, each once, in the order in which the dialog shows them."""
    titles = list(dict.fromkeys(row.folder for row in node.parameters))
    return [(title, [row for row in node.parameters if row.folder == title]) for title in titles]


def asset_folders(plan: snow_solver.Plan) -> Folders:
    found: Folders = []
    for folder in plan.folders:
        found.append((folder.label, [parameter.row for parameter in folder.parameters]))
        for sub in folder.folders:
            found.append((f"{folder.label}: {sub.label}", [parameter.row for parameter in sub.parameters]))
    return found


def named_section(name: str, entries: list[tuple[str, str]]) -> list[str]:
    lines = [f"@{name}", ""]
    for title, text in entries:
        lines += [f"{title}:", f"    {sentence(text)}", ""]
    return lines


def input_entries(inputs: tuple[Input, ...]) -> list[tuple[str, str]]:
    return [(i.label, i.help if i.required else f"{sentence(i.help)} May be left open.") for i in inputs]


def names_line(names: Iterable[str]) -> str:
    """The head of an entry that explains several attributes."""
    return ", ".join(f"`{name}`" for name in names) + ":"


def solve_lines(known: tables.Tables) -> list[str]:
    """What the DOP's report says of each solve."""
    lines: list[str] = []
    for solve in known.solves:
        lines += [
            names_line(f"{solve.name}_{what}" for what in ("iterations", "iterations_most", "residual")),
            f"    Average and highest number of iterations of the {solve.name} solve in a substep, and its residual ({solve.residual}).", "",
        ]
    return lines


def attribute_lines(known: tables.Tables, role: str) -> list[str]:
    lines: list[str] = []
    for attribute in known.attributes:
        if attribute.role == role:
            unit = f" In {attribute.unit}." if attribute.unit else ""
            lines += [f"`{attribute.name}`:", f"    {sentence(attribute.help)}{unit}", ""]
    return lines


def preset_lines(known: tables.Tables) -> list[str]:
    lines: list[str] = []
    for choice in known.node("firn::snow_source").parameter("preset").choices:
        lines += [f"{choice.label}:", f"    {sentence(choice.help)}", ""]
    return lines


def page(title: str, context: str, internal: str, icon: str, prose: str, sections: dict[str, list[str]]) -> str:
    head = [f"= {title} =", "", "#type: node", f"#context: {context}", f"#internal: {internal}", f"#icon: {icon}"]
    lines = []
    for line in prose.splitlines():
        lines += sections.get(line, [line])
    text = "\n".join(head + lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def split(title: str) -> tuple[str, str]:
    """"Sources: what flows in" as its two halves."""
    head, _, tail = title.partition(": ")
    return head, tail or head


def pages() -> dict[str, str]:
    """Path under help/nodes/ and text of every page."""
    known = tables.load()
    made = {}
    for node in known.nodes:
        context = node.table.lower()
        short = node.name.rpartition("::")[2]
        prose = (HERE / "help" / f"{short}.txt").read_text(encoding="utf-8")
        sections = {
            "@inputs": named_section("inputs", input_entries(node.inputs)),
            "@parameters": parameter_section(node_folders(node)),
            "@presets": preset_lines(known),
            "@material": [names_line(quantity.token for quantity in known.materials)],
            "@surface": [names_line(known.surface)],
            "@state": [names_line(attribute.name for attribute in known.attributes if attribute.role == "state")],
            "@results": attribute_lines(known, "result"),
            "@solves": solve_lines(known),
        }
        file = f"{context}/{node.name.replace('::', '--')}.txt"
        made[file] = page(node.label, context, node.name, node.icon, prose, sections)
    plan = snow_solver.make_plan(known)
    asset = snow_solver.ASSET_NAME
    made[f"sop/{asset.replace('::', '--')}.txt"] = page(
        snow_solver.ASSET_LABEL, "sop", asset, snow_solver.ASSET_ICON,
        (HERE / "help" / "snow_solver.txt").read_text(encoding="utf-8"),
        {
            "@inputs": named_section("inputs", [split(text) for text in snow_solver.INPUT_LABELS]),
            "@outputs": named_section("outputs", [split(text) for text in snow_solver.OUTPUT_LABELS]),
            "@parameters": parameter_section(asset_folders(plan)),
        },
    )
    return made


def main() -> int:
    try:
        made = pages()
    except FirnError as trouble:
        print(f"make_help: {trouble}", file=sys.stderr)
        return 1
    for name, text in made.items():
        path = FOLDER / "help" / "nodes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
