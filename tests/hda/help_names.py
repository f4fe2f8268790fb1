"""The names in the prose of hda/help/: what is `code` must exist in the tables or the plugin, what is a __Label__ must be one.

Words with a capital in the middle of a sentence that are neither must be listed here: else they are labels from memory."""

from __future__ import annotations

import re
from pathlib import Path

import houdini_session  # noqa: F401  (puts hou and firn on the path)

import hou

from firn import snow_solver, tables

ROOT = Path(__file__).resolve().parents[2]
PROSE = ROOT / "hda" / "help"

#: Labels of Houdini's own, as its help and dialogs have them.
HOUDINIS_LABELS = {"Parameter Operations", "Set Initial", "Set Always", "Default Operation", "Cache", "Particle Separation"}
#: Names that everyone in Houdini knows, and what is no name of Firn's.
PROPER = {
    "Houdini", "Firn", "DOP", "DOPs", "SOP", "SOPs", "VDB", "VDBs", "Python", "NURBS", "Alembic", "USD", "MPM", "Source", "Container",
    "Solver", "Coulomb", "CFL", "Tab", "Geometry", "Spreadsheet", "Time", "Shift", "Rest", "Position", "MB", "N",
}
#: In expressions: names of the example's own nodes, and of Houdini's records.
EXAMPLES = {"Options", "snow", "../dopnet1", "../solver", "force_ground"}


def labels(known: tables.Tables) -> set[str]:
    found = {snow_solver.ASSET_LABEL, "Firn Snow"}
    rows = [row for node in known.nodes for row in node.parameters]
    plan = snow_solver.make_plan(known)
    rows += [parameter.row for parameter in plan.parameters()]
    for row in rows:
        found |= {row.label, row.folder, *(choice.label for choice in row.choices)}
    for folder in plan.folders:
        found |= {folder.label, *(sub.label for sub in folder.folders)}
    return found | {node.label for node in known.nodes}


def literals() -> set[str]:
    """The texts in the plugin's sources: names of attributes and of data that are in no table."""
    found: set[str] = set()
    for path in (ROOT / "plugin").glob("*.[ch]*"):
        found |= set(re.findall(r'"([A-Za-z_]\w*)"', path.read_text(encoding="utf-8")))
    return found


def names(known: tables.Tables) -> set[str]:
    found = {attribute.name for attribute in known.attributes} | set(known.surface) | literals()
    for quantity in known.materials:
        found |= {quantity.token, quantity.symbol}
    for node in known.nodes:
        for row in node.parameters:
            found |= {row.token, *(choice.token for choice in row.choices)}
    for solve in known.solves:
        found |= {f"{solve.name}_{what}" for what in ("iterations", "iterations_most", "residual")}
    return found


def unknown_code(code: str, known: set[str]) -> list[str]:
    """What a piece of code names and nobody has."""
    if re.fullmatch(r"[A-Za-z_]\w*", code):
        # force_NAME: the plugin has the beginning.
        return [] if code in known or code == "firn" or code.partition("NAME")[0] in known else [code]
    module = re.fullmatch(r"hython -m firn\.(\w+)", code)
    if module is not None:
        path = ROOT / "hda" / "houdini" / "scripts" / "python" / "firn" / f"{module.group(1)}.py"
        return [] if path.is_file() else [code]
    command = re.fullmatch(r"firn (\w+)", code)
    if command is not None:
        completion = (ROOT / "cli" / "firn.bash-completion").read_text(encoding="utf-8")
        return [] if re.search(rf"\b{command.group(1)}\b", completion) else [code]
    wrong = [word for word in re.findall(r'"([^"]*)"', code) if word not in known | EXAMPLES]
    if code.startswith("object."):
        methods = {name for kind in (hou.DopData, hou.DopRecord) for name in dir(kind)}
        wrong += [method for method in re.findall(r"\.(\w+)\(", code) if method not in methods]
    return wrong


def plain(text: str) -> str:
    """Without code, links and labels."""
    return re.sub(r"`[^`]*`|\[[^\]]*\]|__[^_]+__", "x", text)


def paragraphs(text: str) -> list[str]:
    """Prose, without properties, headings, sections and the heads of entries."""
    kept: list[list[str]] = [[]]
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or re.match(r"[#=@-]|TIP:", stripped) or stripped.endswith(":"):
            kept.append([])
        else:
            kept[-1].append(stripped.strip('"'))
    return [" ".join(lines) for lines in kept if lines]


def loose_capitals(text: str) -> list[str]:
    found: list[str] = []
    for paragraph in paragraphs(text):
        for part in re.split(r"(?<=[.:;?!])\s", plain(paragraph)):
            found += [word for word in re.findall(r"[A-Z]\w*", part.partition(" ")[2]) if word not in PROPER]
    return found


def mistakes(text: str, known: tables.Tables) -> list[str]:
    wrong: list[str] = []
    all_names, all_labels = names(known), labels(known) | HOUDINIS_LABELS
    for code in re.findall(r"`([^`]*)`", text):
        wrong += [f"`{word}` is nothing that Firn has" for word in unknown_code(code, all_names)]
    wrong += [f"__{label}__ is no label" for label in re.findall(r"__([^_]+)__", text) if label not in all_labels]
    node_labels = {node.label for node in known.nodes} | {snow_solver.ASSET_LABEL, "Firn Snow"}
    wrong += [f"{name} is no node" for name in re.findall(r"Firn Snow(?: [A-Z]\w+)?", text) if name not in node_labels]
    return wrong + [f"{word}: a label is __marked__, any other name is in tests/hda/help_names.py" for word in loose_capitals(text)]
