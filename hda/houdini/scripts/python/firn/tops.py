"""Work items for PDG: what the On Generate callbacks of two Python Processor TOPs call.

    first, "simulate":      from firn import tops; tops.add_simulations(item_holder, tops.Job("/obj/geo1/snow_solver", "$HIP/farm"))
    below it, "volumes":    from firn import tops; tops.add_volumes(item_holder, upstream_items, tops.Job(...same...), 8)

Each item runs `hython -m firn.farm`, on whatever machine its scheduler finds; it may be cooked again at any time. With
wedges (a JSON list of settings, see firn.farm) there is one simulation for each, and each one's volumes wait for it.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Sequence

import hou

from firn import frame_range
from firn.error import FirnError


class WorkItem(Protocol):
    """What is used of pdg.WorkItem."""

    @property
    def index(self) -> int: ...

    def setCommand(self, command_string: str) -> None: ...


class WorkItemHolder(Protocol):
    """What is used of pdg.WorkItemHolder."""

    def addWorkItem(self, **options: Any) -> WorkItem: ...


@dataclass(frozen=True)
class Job:
    node: str  # a firn::snow_solver
    out: str  # folder; variables of Houdini are expanded
    frames: str = ""  # "1-48"; the playbar's range unless given
    wedges: str = ""  # a JSON file
    hython: str = "hython"  # as the workers know it

    def range(self) -> range:
        if self.frames:
            return frame_range.parse(self.frames)
        first, last = hou.playbar.frameRange()
        return range(int(first), int(last) + 1)

    def wedge_count(self) -> int:
        """At least one: the scene itself."""
        if not self.wedges:
            return 1
        path = hou.text.expandString(self.wedges)
        try:
            return len(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as trouble:
            raise FirnError(f"{path}: is no JSON list of settings: {trouble}") from trouble

    def command(self, what: str, wedge: int, more: Sequence[str] = ()) -> str:
        words = ["-m", "firn.farm", what, hou.hipFile.path(), self.node, "--out", hou.text.expandString(self.out)]
        words += ["--frames", frame_range.text(self.range()), *more]
        if self.wedges:
            words += ["--wedges", hou.text.expandString(self.wedges), "--wedge", str(wedge)]
        return " ".join(shlex.quote(word) for word in [self.hython, *words])


def add_simulations(item_holder: WorkItemHolder, job: Job) -> None:
    """One item for each wedge."""
    for wedge in range(job.wedge_count()):
        item_holder.addWorkItem(index=wedge).setCommand(job.command("sim", wedge))


def add_volumes(item_holder: WorkItemHolder, upstream_items: Sequence[WorkItem], job: Job, chunk: int) -> None:
    """One item for each chunk of frames of each simulation, which it waits for."""
    tasks = frame_range.chunk_count(job.range(), chunk)
    for above in upstream_items:
        for task in range(tasks):
            item = item_holder.addWorkItem(index=above.index * tasks + task, parent=above)
            item.setCommand(job.command("volumes", above.index, ("--chunk", str(chunk), "--task", str(task))))
