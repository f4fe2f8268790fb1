"""Does Firn work in this Houdini?

    hython -m firn.selfcheck [--frames N]

Looks for the nodes and their parameters, builds the asset, drops a snowball for ten frames, checks that no snow was lost,
scrubs back, makes volumes and a surface, saves a scene and loads it again. The last line is the verdict. Exit codes: 0
passed, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import hou

import firn
from firn import build, recipes, tables
from firn.error import FirnError
from firn.network import parm

#: A snowball of 0.25 m with this spacing has some hundred particles: seconds, not minutes.
SPACING = 0.05


@dataclass
class Session:
    """What one check leaves for the next."""

    frames: int
    folder: Path
    solver: hou.SopNode | None = None
    start: tuple[float, ...] = ()
    mass: float = 0.0
    states: dict[int, tuple[float, ...]] = field(default_factory=dict)

    def needed(self) -> hou.SopNode:
        if self.solver is None:
            raise FirnError("there is no snow solver to look at")
        return self.solver


def _geometry(node: hou.SopNode, frame: float, output: int = 0) -> hou.Geometry:
    hou.setFrame(frame)
    geometry = node.geometry(output)
    errors = " ".join(node.errors())
    if errors or geometry is None:
        raise FirnError(f"{node.path()} does not cook at frame {frame:g}: {' '.join(errors.split()) or 'no geometry'}")
    return geometry


def _mass(geometry: hou.Geometry, spacing: float) -> float:
    """In kg: a particle weighs its density as placed times its spacing cubed."""
    if geometry.findPointAttrib("rest_density") is None:
        raise FirnError("the snow has no rest_density: the source did not make it")
    return sum(geometry.pointFloatAttribValues("rest_density")) * spacing**3


def _heights(positions: tuple[float, ...]) -> float:
    return sum(positions[1::3]) / max(len(positions) // 3, 1)


def check_release(session: Session) -> str:
    build.check_houdini()
    return f"Houdini {hou.applicationVersionString()}"


def check_nodes(session: Session) -> str:
    known = tables.load()
    build.check_nodes(known)
    if hou.nodeType(hou.dopNodeTypeCategory(), "firn_snowsolver") is None:
        raise FirnError("the DOP firn_snowsolver is not registered: the plugin is of another version than this package")
    return f"{len(known.nodes)} nodes"


def check_parameters(session: Session) -> str:
    """Has every node the parameters that the tables of this package know?"""
    count = 0
    for node in tables.load().nodes:
        category = hou.sopNodeTypeCategory() if node.table == "Sop" else hou.dopNodeTypeCategory()
        kind = hou.nodeType(category, node.name)
        group = kind.parmTemplateGroup() if kind is not None else hou.ParmTemplateGroup()
        for row in node.parameters:
            if group.find(row.token) is None:
                raise FirnError(f"{node.name} has no '{row.token}': the plugin is of another version than this package")
            count += 1
    return f"{count} parameters"


def check_asset(session: Session) -> str:
    path = build.build(session.folder / "asset")
    definition = build.ensure(session.folder / "asset")
    if not path.is_file() or not definition.isInstalled():
        raise FirnError(f"{path} was not installed")
    return path.name


def check_recipe(session: Session) -> str:
    solver = recipes.build(recipes.replace_spacing(recipes.find("snowball"), SPACING))
    session.solver = solver
    return solver.path()


def check_start(session: Session) -> str:
    """The start frame holds the snow as it was placed."""
    solver = session.needed()
    first = int(parm(solver, "start_frame").evalAsInt())
    source = solver.inputs()[0]
    if source is None:
        raise FirnError(f"{solver.path()} has no source")
    placed = _geometry(source, first).pointFloatAttribValues("P")
    geometry = _geometry(solver, first)
    session.start = geometry.pointFloatAttribValues("P")
    session.mass = _mass(geometry, SPACING)
    if len(session.start) == 0:
        raise FirnError("the snowball has no particles")
    if session.start != placed:
        raise FirnError("the snow at the start frame is not where the source put it")
    return f"{len(placed) // 3} particles, {session.mass:.3g} kg"


def check_frames(session: Session) -> str:
    solver = session.needed()
    first = int(parm(solver, "start_frame").evalAsInt())
    for frame in range(first, first + session.frames + 1):
        session.states[frame] = _geometry(solver, frame).pointFloatAttribValues("P")
    last = session.states[first + session.frames]
    if not all(math.isfinite(value) for value in last):
        raise FirnError("a position is not a number")
    fallen = _heights(session.start) - _heights(last)
    # Thrown down from a height of 1.2 m it lies on the ground after a few frames; less would be a snowball that hangs in the air.
    if not fallen > 0.05:
        raise FirnError(f"the snowball fell {fallen:.3g} m in {session.frames} frames: nothing moves it")
    return f"{session.frames} frames, fell {fallen:.3g} m"


def check_mass(session: Session) -> str:
    solver = session.needed()
    first = int(parm(solver, "start_frame").evalAsInt())
    mass = _mass(_geometry(solver, first + session.frames), SPACING)
    if not math.isclose(mass, session.mass, rel_tol=1e-6):
        raise FirnError(f"the snow weighed {session.mass:.6g} kg and weighs {mass:.6g} kg")
    return f"{mass:.3g} kg"


def check_scrubbing(session: Session) -> str:
    """An earlier frame looks again as it did."""
    solver = session.needed()
    middle = sorted(session.states)[len(session.states) // 2]
    if _geometry(solver, middle).pointFloatAttribValues("P") != session.states[middle]:
        raise FirnError(f"frame {middle} is not the same when it is looked at again")
    return f"back to frame {middle}"


def check_volumes(session: Session) -> str:
    solver = session.needed()
    frame = max(session.states)
    counts = []
    for output, name in ((1, "volumes"), (2, "surface")):
        geometry = _geometry(solver, frame, output)
        if geometry.intrinsicValue("primitivecount") == 0:
            raise FirnError(f"the {name} at frame {frame} are empty")
        counts.append(f"{geometry.intrinsicValue('primitivecount')} primitives of {name}")
    return ", ".join(counts)


def check_scene_file(session: Session) -> str:
    solver = session.needed()
    path = solver.path()
    hou.hipFile.save((session.folder / "selfcheck.hip").as_posix())
    saved = hou.hipFile.path()  # Houdini picks the ending that its licence asks for
    session.solver = None
    hou.hipFile.load(saved, suppress_save_prompt=True)
    if hou.node(path) is None:
        raise FirnError(f"{saved} has no {path} when it is loaded again")
    return Path(saved).name


CHECKS: tuple[tuple[str, Callable[[Session], str]], ...] = (
    ("release", check_release),
    ("nodes registered", check_nodes),
    ("parameters as in the tables", check_parameters),
    ("asset built", check_asset),
    ("recipe built", check_recipe),
    ("snow placed", check_start),
    ("frames simulated", check_frames),
    ("mass kept", check_mass),
    ("scrubbing", check_scrubbing),
    ("volumes and surface", check_volumes),
    ("scene saved and loaded", check_scene_file),
)


def run(frames: int = 10, say: Callable[[str], None] = print) -> bool:
    """Runs every check until one fails; the last line that is said is the verdict."""
    if hou.isUIAvailable():
        say(f"firn {firn.__version__} self-check FAILED: it clears the scene; run it with `hython -m firn.selfcheck`")
        return False
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="firn_selfcheck_") as name:
        session = Session(frames, Path(name))
        for title, check in CHECKS:
            try:
                say(f"  {title}: {check(session)}")
            except (FirnError, hou.Error, OSError) as trouble:
                reason = str(trouble) if isinstance(trouble, FirnError) else build.describe(trouble)
                say(f"  {title}: FAILED")
                say(f"firn {firn.__version__} self-check FAILED at '{title}': {reason}")
                return False
        hou.hipFile.clear(suppress_save_prompt=True)
    seconds = time.monotonic() - began
    say(f"firn {firn.__version__} self-check passed: {len(CHECKS)} checks in {seconds:.1f} s")
    return True


def main(arguments: list[str]) -> int:
    frames = 10
    if arguments[:1] == ["--frames"] and len(arguments) == 2 and arguments[1].isdigit() and int(arguments[1]) > 0:
        frames = int(arguments[1])
    elif arguments:
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    return 0 if run(frames) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
