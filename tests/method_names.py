#!/usr/bin/env python3
"""docs/method.md names kernels and parameters that exist, in the files that it says.

A line that begins with **Code** lists names; the table at the end says which file of solver/ defines which of them; and the
table before it has every parameter. usage: method_names.py SOURCES [--write]
--write makes the last table anew, for when kernels have moved.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
solver = root / "solver"
page = root / "docs" / "method.md"
text = page.read_text(encoding="utf-8")
sources = {str(path.relative_to(solver)): path.read_text(encoding="utf-8")
           for path in sorted(solver.rglob("*")) if path.suffix in (".h", ".cpp", ".cu")}
problems: list[str] = []


def defines(source: str, name: str) -> bool:
    """A type with a body, or a function: a name behind a type, and something in braces behind its parentheses."""
    return (re.search(rf"\b(struct|class) {name}\b[^;{{]*{{", source) is not None
            or re.search(rf"^[ \t]*[A-Za-z_][\w:<>&*, ]*[ &*](\w+::)?{name}\([^;{{}}]*\)[^;{{}}()]*{{", source, re.MULTILINE) is not None)


named = {name: None for line in text.splitlines() if line.startswith("**Code**") for name in re.findall(r"`(\w+)`", line)}
if not named:
    problems.append("there is no line that begins with **Code**")
table_start = text.index("| file in `solver/` | names |")
if "--write" in sys.argv[2:]:
    by_file: dict[str, list[str]] = {}
    for name in named:
        for file in [file for file, source in sources.items() if defines(source, name)][:1]:
            by_file.setdefault(file, []).append(f"`{name}`")
    lines = [f"| `{file}` | {', '.join(names)} |" for file, names in sorted(by_file.items())]
    text = text[:table_start] + "\n".join(["| file in `solver/` | names |", "|---|---|", *lines]) + "\n"
    page.write_text(text, encoding="utf-8")
table = text[table_start:]
listed: dict[str, str] = {}
for file, names in re.findall(r"^\| `([\w/.]+)` \| (.*) \|$", table, re.MULTILINE):
    for name in re.findall(r"`(\w+)`", names):
        listed[name] = file
for name in sorted(named):
    homes = [file for file, source in sources.items() if defines(source, name)]
    if not homes:
        problems.append(f"`{name}` is not defined in solver/")
    elif listed.get(name) not in homes:
        problems.append(f"`{name}` is in {' and '.join(homes)}, the last table says {listed.get(name, 'nothing')}")
for name in sorted(set(listed) - set(named)):
    problems.append(f"`{name}` is in the last table and in no line that begins with **Code**")

types = "real|integer|toggle|choice|vector"
parameters = re.findall(rf'\{{"(\w+)", "[^"]*", "[^"]*", "[^"]*", (?:{types}),', sources["parameters.cpp"])
if not parameters:
    problems.append("parameters.cpp has no table that this test can read")
rows = text[text.index("## From parameter to equation"):text.index("## Where the kernels are")]
for token in parameters:
    if f"`{token}`" not in rows:
        problems.append(f"the parameter `{token}` has no row")

for problem in problems:
    print(f"docs/method.md: {problem}")
if not problems:
    print(f"docs/method.md: {len(named)} names and {len(parameters)} parameters are there")
sys.exit(1 if problems else 0)
