#!/usr/bin/env python3
"""Lists every symbol of the HDK that the plugin uses, with its header and its page of SideFX's documentation.

usage: plugin/hdk_symbols.py            writes docs/hdk_symbols.md
       plugin/hdk_symbols.py --check    says whether that file is current; exit code 1 if not

The plugin's own names are snake_case or stand in namespace firn, the HDK's are camelCase or have a prefix (SIM_, GA_, ...):
that, and the fake HDK (tests/hdk/include), which declares all that the plugin may use, tells them apart. A file has to include
the header of each that it uses: SideFX's headers forward-declare what ours might define.
"""

import argparse
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAKE = ROOT / "tests" / "hdk" / "include"
PLUGIN = ROOT / "plugin"
LIST = ROOT / "docs" / "hdk_symbols.md"
PAGES = "https://www.sidefx.com/docs/hdk/"

PREFIXED = re.compile(r"^(CH|GA|GEO|GU|HDK|OP|PRM|SIM|SOP|SYS|UT)_\w+$")
FREE_FUNCTION = re.compile(r"^(CH|GA|GEO|GU|OP|PRM|SIM|SOP|SYS|UT)[a-z]\w*$")
CAMEL = re.compile(r"^[a-z]+[a-z0-9]*[A-Z]\w*$")
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[^\sA-Za-z_]")
ACCESSOR = re.compile(r"^(GETSET|GET|SET)_DATA_FUNCS?_\w+$")
# What Houdini looks up in a DSO by name: a header may name them, but no class has them.
ENTRY_POINTS = {"initializeSIM": "SIM/SIM_Utils.h", "newSopOperator": "OP/OP_OperatorTable.h"}
# Types that every header of the HDK has; UT_VectorTypes.h names the vectors that UT_Vector3.h and the like define.
NUMBERS = {"GA/GA_Types.h", "SYS/SYS_Types.h", "UT/UT_VectorTypes.h"}
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "static_cast", "defined", "operator", "new", "delete"}


@dataclass
class Header:
    """One header of the fake: what it declares, and what it includes."""

    path: str
    names: dict[str, str] = field(default_factory=dict)  # name -> kind
    methods: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # method -> classes
    bases: dict[str, list[str]] = field(default_factory=dict)
    includes: list[str] = field(default_factory=list)


@dataclass(frozen=True, order=True)
class Symbol:
    header: str
    name: str
    kind: str


def without_comments(text: str) -> str:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def page_of(name: str, prefix: str = "class") -> str:
    """The name of a class as Doxygen writes it into the name of its page."""
    mangled = "".join("__" if c == "_" else "_" + c.lower() if c.isupper() else c for c in name)
    return PAGES + prefix + mangled + ".html"


def header_page(path: str) -> str:
    return page_of(Path(path).stem, "") .replace(".html", "_8h.html")


def parse_header(path: Path) -> Header:
    header = Header(str(path.relative_to(FAKE)))
    text = path.read_text()
    header.includes = re.findall(r"#include <(\w+/\w+\.h)>", text)
    text = without_comments(text)
    for name in re.findall(r"#define (\w+)", text):
        header.names[name] = "macro"
    text = re.sub(r"#define(.*\\\n)*.*", " ", text)
    text = re.sub(r"^\s*#.*$", " ", text, flags=re.M)
    tokens = TOKEN.findall(text)
    scopes: list[str] = []  # the class that each open brace belongs to, "" = none
    pending: str | None = None
    in_enum = False
    for k, token in enumerate(tokens):
        following = tokens[k + 1] if k + 1 < len(tokens) else ""
        if token in ("class", "struct") and re.match(r"\w", following) and tokens[k - 1] not in ("enum", "<", ",", "friend"):
            words = [t for t in tokens[k + 1 : k + 4] if re.match(r"[A-Za-z_]\w*$", t) and not t.endswith("_API")]
            if words:
                pending = words[0]
                end = next((j for j in range(k, len(tokens)) if tokens[j] in "{;"), k)
                if tokens[end] == "{":
                    head = tokens[k + 1 : end]
                    if ":" in head:
                        header.bases[pending] = [t for t in head[head.index(":") :] if PREFIXED.match(t)]
                    header.names.setdefault(pending, "class")
                else:
                    pending = None
        elif token == "namespace" and PREFIXED.match(following):
            header.names.setdefault(following, "namespace")
        elif token == "enum":
            in_enum = True
        elif token == "{":
            scopes.append(pending or (scopes[-1] if in_enum and scopes else ""))
            pending = None
        elif token == "}" and scopes:
            scopes.pop()
            in_enum = False
        elif token in ("typedef", "using"):
            end = next((j for j in range(k, len(tokens)) if tokens[j] == ";"), k)
            names = [t for t in tokens[k:end] if PREFIXED.match(t)]
            pointers = [tokens[j + 2] for j in range(k, end - 2) if tokens[j] == "(" and tokens[j + 1] == "*"]
            if names:
                header.names.setdefault((pointers or names[-1:])[0] if token == "typedef" else names[0], "type")
        elif ACCESSOR.match(token) and scopes and scopes[-1]:
            name = tokens[tokens.index(",", k) + 1]
            for verb in ("get", "set"):
                header.methods[verb + name].add(scopes[-1])
        elif in_enum and PREFIXED.match(token):
            header.names.setdefault(token, "enumerator" if scopes else "type")
        elif following == "(" and re.match(r"[A-Za-z_]\w*$", token) and token not in KEYWORDS:
            if FREE_FUNCTION.match(token):
                header.names.setdefault(token, "function")
            elif scopes and scopes[-1] and token != scopes[-1]:
                header.methods[token].add(scopes[-1])
    return header


def parse_fake() -> dict[str, Header]:
    return {h.path: h for h in (parse_header(p) for p in sorted(FAKE.rglob("*.h")))}


def reachable(headers: dict[str, Header], starts: list[str]) -> set[str]:
    seen: set[str] = set()
    todo = [s for s in starts if s in headers]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += [i for i in headers[path].includes if i in headers]
    return seen


def plugin_includes(path: Path, seen: set[Path]) -> list[str]:
    """HDK headers that a file of the plugin includes, also through the plugin's own headers."""
    if path in seen or not path.exists():
        return []
    seen.add(path)
    text = path.read_text()
    found = re.findall(r"#include <(\w+/\w+\.h)>", text)
    for own in re.findall(r'#include "(\w+\.h)"', text):
        found += plugin_includes(PLUGIN / own, seen)
    return found


def not_included(path: Path, found: set[Symbol], headers: dict[str, Header], bases: dict[str, list[str]]) -> set[Symbol]:
    """Symbols whose header the file leaves to other headers of SideFX's, which may only declare the name (OP_Node.h and
    OP_NodeInfoParms). A class's header does include those of its ancestors."""
    here = plugin_includes(path, set())
    sure = set(here) | NUMBERS
    for header in here:
        for name in headers[header].names if header in headers else ():
            for ancestor in ancestors(name, bases):
                sure |= {h for h in headers if ancestor in headers[h].bases or headers[h].names.get(ancestor) == "class"}
    named = {s for s in found if s.kind != "method" and s.kind != "entry point"}
    elsewhere = {s.name for s in named if s.header in sure}
    return {s for s in named if s.name not in elsewhere}


@lru_cache
def all_plugin_text() -> str:
    return "\n".join(p.read_text() for p in sorted(PLUGIN.glob("*.h")))


def ancestors(name: str, bases: dict[str, list[str]]) -> set[str]:
    found = {name}
    for base in bases.get(name, []):
        found |= ancestors(base, bases)
    return found


def symbols_of(path: Path, headers: dict[str, Header], bases: dict[str, list[str]]) -> tuple[set[Symbol], set[str]]:
    """The HDK's symbols in one file, and names that look like some but are declared nowhere."""
    includes = plugin_includes(path, set())
    near = reachable(headers, includes)
    text = re.sub(r"^\s*#include.*$", " ", path.read_text(), flags=re.M)
    tokens = TOKEN.findall(without_comments(text))
    own = {verb + name for name in re.findall(r"\w+_DATA_FUNCS_\w+\(\s*\"\w+\",\s*(\w+)\)", all_plugin_text()) for verb in ("get", "set")}
    mentioned: set[str] = set()
    for token in tokens:
        if PREFIXED.match(token):
            mentioned |= ancestors(token, bases)
    found: set[Symbol] = set()
    unknown: set[str] = set()
    for k, token in enumerate(tokens):
        if PREFIXED.match(token) or FREE_FUNCTION.match(token):
            # A class that is only named (forward) is declared elsewhere.
            places = [h for h in near if token in headers[h].names] or [h for h in headers if token in headers[h].names]
            found |= {Symbol(h, token, headers[h].names[token]) for h in places}
            if not places and not token.startswith("SIM_Firn"):
                unknown.add(token)
        elif token in ENTRY_POINTS:
            found.add(Symbol(ENTRY_POINTS[token], token, "entry point"))
        elif CAMEL.match(token) and k + 1 < len(tokens) and tokens[k + 1] == "(":
            homes = [(h, c) for h in sorted(near) for c in sorted(headers[h].methods.get(token, ()))]
            likely = [(h, c) for h, c in homes if c in mentioned] or homes
            found |= {Symbol(h, f"{c}::{token}", "method") for h, c in likely}
            # OpenVDB's methods are camelCase too.
            if not homes and token not in own and "openvdb" not in text:
                unknown.add(token)
    return found, unknown


def markdown(used: dict[Symbol, set[str]]) -> str:
    lines = [
        "# Symbols of the HDK that the plugin uses",
        "",
        "Made by `plugin/hdk_symbols.py`; a test compares the two. Each symbol with the header that declares it, SideFX's page",
        "about it, and the files of plugin/ that use it. A method that several classes share is listed for each that is near.",
        "",
        f"{len(used)} symbols in {len({s.header for s in used})} headers.",
    ]
    for header in sorted({s.header for s in used}):
        lines += ["", f"## [{header}]({header_page(header)})", "", "| symbol | kind | page | used in |", "|---|---|---|---|"]
        for symbol in sorted(s for s in used if s.header == header):
            owner = symbol.name.split("::")[0]
            is_class = symbol.kind in ("class", "method")
            page = page_of(owner) if is_class else header_page(header)
            files = ", ".join(sorted(used[symbol]))
            lines.append(f"| `{symbol.name}` | {symbol.kind} | [{page.split('/')[-1]}]({page}) | {files} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with docs/hdk_symbols.md instead of writing it")
    check: bool = parser.parse_args().check

    headers = parse_fake()
    bases: dict[str, list[str]] = {}
    for header in headers.values():
        bases.update(header.bases)
    used: dict[Symbol, set[str]] = defaultdict(set)
    strangers: dict[str, set[str]] = defaultdict(set)
    missing: list[str] = []
    for path in sorted([*PLUGIN.glob("*.cpp"), *PLUGIN.glob("*.h")]):
        found, unknown = symbols_of(path, headers, bases)
        for symbol in found:
            used[symbol].add(path.name)
        for name in unknown:
            strangers[name].add(path.name)
        for symbol in sorted(not_included(path, found, headers, bases)):
            missing.append(f"{path.name} uses {symbol.name} and has to include <{symbol.header}>")
    for name, files in sorted(strangers.items()):
        print(f"hdk_symbols: {name} ({', '.join(sorted(files))}) is declared in no header that these include", file=sys.stderr)
    for line in missing:
        print(f"hdk_symbols: {line}", file=sys.stderr)
    if strangers or missing:
        return 1
    text = markdown(used)
    if not check:
        LIST.write_text(text)
        print(f"{LIST.relative_to(ROOT)}: {len(used)} symbols")
        return 0
    if not LIST.exists() or LIST.read_text() != text:
        print("docs/hdk_symbols.md is not current: run plugin/hdk_symbols.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
