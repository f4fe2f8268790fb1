"""Frame ranges as farms write them: "12", "1-48", "1-48:4", and the chunks that tasks take."""

from __future__ import annotations

import re

from firn.error import FirnError


def parse(text: str) -> range:
    """The frames of a range. Frames below zero may stand alone or on either side: "-5--1"."""
    match = re.fullmatch(r"(-?\d+)(?:-(-?\d+)(?::(\d+))?)?", text.strip())
    if match is None:
        raise FirnError(f"--frames {text}: write it as 12, 1-48 or 1-48:4")
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if last < first or step < 1:
        raise FirnError(f"--frames {text}: write it as 12, 1-48 or 1-48:4, the smaller number first")
    return range(first, last + 1, step)


def chunk(frames: range, size: int, task: int) -> range:
    """The frames of one task, of those that take `size` frames each and count from 0."""
    if size < 1:
        raise FirnError(f"--chunk {size}: a task needs at least one frame")
    count = chunk_count(frames, size)
    if not 0 <= task < count:
        raise FirnError(f"--task {task}: there are tasks 0 to {count - 1}")
    return frames[task * size : (task + 1) * size]


def chunk_count(frames: range, size: int) -> int:
    return (len(frames) + size - 1) // size


def text(frames: range) -> str:
    """As `parse` reads it."""
    step = f":{frames.step}" if frames.step != 1 else ""
    return f"{frames[0]}-{frames[-1]}{step}"
