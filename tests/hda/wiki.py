"""Reads a help page in Houdini's wiki format (sidefx.com/docs/houdini/help/nodes.html) as far as Firn's pages go.

A title, properties, a summary, sections; entries are a label with a colon and indented text, with `#id:` in parameters. Marks
that Houdini's own parser (github.com/mchaput/bookish, grammars/wiki.bkgrammar) would take for something else are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PROPERTIES = ("type", "context", "internal", "icon", "tags", "since")
SECTIONS = ("inputs", "outputs", "parameters", "related")
LINK = re.compile(r"\[(?:[^\]|]*\|)?([A-Z][a-z]+):([^\]]+)\]")


class WikiError(Exception):
    pass


@dataclass
class Page:
    title: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    sections: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    entries: dict[str, list[str]] = field(default_factory=dict)  # labels by section
    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)


#: Outside of code, links and __labels__: what would become a link, emphasis, a key, a glyph, a tag, a table, an arrow.
SURPRISES = re.compile(r"[\[\]*]|\(\(|\+\(|%\{|<[A-Za-z/!]|&[A-Za-z#]|\|$|\|\||--|[-=]>|<[-=]|\{\{\{|~~|\((?:c|r|tm)\)", re.IGNORECASE)


def _check_text(number: int, line: str) -> None:
    if "\t" in line or line != line.rstrip():
        raise WikiError(f"line {number}: a tab, or blanks at the end")
    if (len(line) - len(line.lstrip())) % 4:
        raise WikiError(f"line {number}: the indentation is not by four")
    if line.count("`") % 2:
        raise WikiError(f"line {number}: a backquote without its other half")
    plain = re.sub(r"`[^`]*`|__[A-Z][^_]*__|#\w+:.*", "", LINK.sub("", line))
    surprise = SURPRISES.search(plain)
    if surprise is not None:
        raise WikiError(f"line {number}: {surprise.group()!r} means something to the wiki")
    if "_" in plain:
        raise WikiError(f"line {number}: a name with underscores must be `code`")


def parse(text: str) -> Page:
    page = Page()
    lines = text.splitlines()
    found = re.fullmatch(r"= (.+) =", lines[0]) if lines else None
    if found is None:
        raise WikiError("line 1: no title")
    page.title = found.group(1)
    section = ""
    entry_depth: int | None = None
    for number, line in enumerate(lines[1:], 2):
        _check_text(number, line)
        page.links += LINK.findall(line)
        stripped = line.strip()
        depth = len(line) - len(line.lstrip())
        property_found = re.fullmatch(r"#(\w+): (.+)", stripped)
        after = lines[number] if number < len(lines) else ""
        if property_found and len(after) - len(after.lstrip()) > depth:
            raise WikiError(f"line {number}: the next line is deeper and would belong to the value")
        if not stripped:
            continue
        if property_found and depth == 0:
            if page.summary or property_found.group(1) not in PROPERTIES:
                raise WikiError(f"line {number}: #{property_found.group(1)} does not belong here")
            page.properties[property_found.group(1)] = property_found.group(2)
        elif property_found:
            if property_found.group(1) != "id" or section != "parameters" or entry_depth is None:
                raise WikiError(f"line {number}: only a parameter has an #id")
            page.ids.append(property_found.group(2))
        elif stripped.startswith('"""'):
            if not re.fullmatch(r'""".+"""', stripped) or page.summary:
                raise WikiError(f"line {number}: the summary is one line between triple quotes, once")
            page.summary = stripped[3:-3]
        elif re.fullmatch(r"@\w+", stripped):
            section = stripped[1:]
            if section not in SECTIONS or section in page.sections or depth:
                raise WikiError(f"line {number}: @{section} is unknown, or there twice")
            page.sections.append(section)
        elif stripped.startswith("="):
            if not re.fullmatch(r"== .+ ==", stripped):
                raise WikiError(f"line {number}: a heading is '== text =='")
            page.headings.append(stripped[3:-3])
            if section != "parameters":
                section = ""
        elif stripped.endswith(":"):
            if depth == 0:
                page.entries.setdefault(section, []).append(stripped[:-1])
                entry_depth = depth
        elif depth and entry_depth is None:
            raise WikiError(f"line {number}: indented text under nothing")
    if not page.summary:
        raise WikiError("no summary")
    return page
