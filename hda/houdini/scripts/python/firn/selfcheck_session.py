"""What the checks of the self-check share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import hou

from firn.error import FirnError

#: A snowball of 0.25 m with this spacing has some hundred particles: seconds, not minutes.
SPACING = 0.05


@dataclass
class Session:
    """What one check leaves for the next."""

    frames: int
    folder: Path
    solver: hou.OpNode | None = None
    start: tuple[float, ...] = ()
    mass: float = 0.0
    states: dict[int, tuple[float, ...]] = field(default_factory=dict)

    def needed(self) -> hou.SopNode:
        if not isinstance(self.solver, hou.SopNode):
            raise FirnError("there is no snow solver to look at")
        return self.solver


def geometry_at(node: hou.SopNode, frame: float, output: int = 0) -> hou.Geometry:
    hou.setFrame(frame)
    geometry = node.geometry(output)
    errors = " ".join(node.errors())
    if errors or geometry is None:
        raise FirnError(f"{node.path()} does not cook at frame {frame:g}: {' '.join(errors.split()) or 'no geometry'}")
    return geometry


def count_at(node: hou.SopNode, frame: float = 1) -> int:
    return len(geometry_at(node, frame).pointFloatAttribValues("P")) // 3

