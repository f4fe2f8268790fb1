"""A scene file under way: its sections, the geometry beside it, and what could not be taken along."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, Sequence

import hou

from firn import toml_text
from firn.error import FirnError
from firn.new_file import new_file, write_text
from firn.settings import Settings

Entries = dict[str, toml_text.Value]


def plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name) or "body"


@dataclass
class Export:
    """`node` is what is exported, `elsewhere` where a set-up runs that a scene file can't hold."""

    node: hou.OpNode
    path: Path
    first: int
    last: int
    elsewhere: str
    warnings: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Path:
        """Of the geometry, beside the scene file."""
        return self.path.with_name(f"{self.path.stem}_geo")

    def file_entry(self, name: str) -> str:
        """As it stands in the scene, where paths start at the scene's folder."""
        return f"{self.folder.name}/{name}"

    def unique(self, name: str) -> str:
        """A name that a body and its files may have."""
        base = plain(name)
        chosen, number = base, 2
        while chosen in self.names:
            chosen, number = f"{base}_{number}", number + 1
        self.names.add(chosen)
        return chosen

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def warn_of_motion(self, settings: Settings, tokens: Sequence[str]) -> None:
        """Scene files hold values, not channels."""
        for token in tokens:
            name = settings.names.get(token, token)
            found = settings.node.parmTuple(name)
            if found is not None and any(component.isTimeDependent() for component in found):
                self.warn(f"{settings.node.path()}: {name} changes over time; its value at frame {self.first} is taken")

    def body(self, heading: str, name: str, entries: Entries) -> None:
        """A [[snow]] or a [[collider]], with a name from unique()."""
        self.sections.append(toml_text.section(heading, {"name": name, **entries}))

    def write(self, sections: Mapping[str, Entries]) -> None:
        """The scene file itself: last, so that it never names geometry that is not there."""
        rest = dict(sections)
        scene: Entries = {"name": plain(self.node.name()), **rest.pop("scene", {})}
        output = rest.pop("output", {})
        head = [f"# {self.node.path()} of {hou.hipFile.path()}, exported by Firn.", "# firn check, firn sim, firn volumes"]
        head += [f"# warning: {warning}" for warning in self.warnings]
        text = [toml_text.section("[scene]", scene)]
        text += [toml_text.section(f"[{name}]", entries) for name, entries in rest.items()]
        text += self.sections + [toml_text.section("[output]", output)]
        write_text(self.path, "\n".join(["\n".join(head) + "\n", *(part for part in text if part)]))


def write_geometry(geometry: hou.Geometry, path: Path) -> None:
    """In the format that the name's ending says."""
    with new_file(path) as temporary:
        geometry.saveToFile(temporary.as_posix())


def geometry_at(node: hou.SopNode, frame: float) -> hou.Geometry:
    found = node.geometryAtFrame(frame)
    if found is None:
        said = "; ".join(node.errors()) or "it makes no geometry"
        raise FirnError(f"{node.path()} does not cook at frame {frame:g}: {said}")
    return found
