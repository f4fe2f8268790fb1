"""Checks of the self-check that simulate: the asset, a snowball, its volumes, the farm's command, a scene file."""

from __future__ import annotations

import contextlib
import io
import math
from pathlib import Path
from typing import cast

import hou

from firn import build, farm, recipes
from firn.error import FirnError
from firn.network import parm
from firn.selfcheck_session import SPACING, Session, geometry_at


def _mass(geometry: hou.Geometry, spacing: float) -> float:
    """In kg: a particle weighs its density as placed times its spacing cubed."""
    if geometry.findPointAttrib("rest_density") is None:
        raise FirnError("the snow has no rest_density: the source did not make it")
    return sum(geometry.pointFloatAttribValues("rest_density")) * spacing**3


def _heights(positions: tuple[float, ...]) -> float:
    return sum(positions[1::3]) / max(len(positions) // 3, 1)


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
    placed = geometry_at(source, first).pointFloatAttribValues("P")
    geometry = geometry_at(solver, first)
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
        session.states[frame] = geometry_at(solver, frame).pointFloatAttribValues("P")
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
    mass = _mass(geometry_at(solver, first + session.frames), SPACING)
    if not math.isclose(mass, session.mass, rel_tol=1e-6):
        raise FirnError(f"the snow weighed {session.mass:.6g} kg and weighs {mass:.6g} kg")
    return f"{mass:.3g} kg"


def check_scrubbing(session: Session) -> str:
    """An earlier frame looks again as it did."""
    solver = session.needed()
    middle = sorted(session.states)[len(session.states) // 2]
    if geometry_at(solver, middle).pointFloatAttribValues("P") != session.states[middle]:
        raise FirnError(f"frame {middle} is not the same when it is looked at again")
    return f"back to frame {middle}"


def check_volumes(session: Session) -> str:
    solver = session.needed()
    frame = max(session.states)
    counts = []
    for output, name in ((1, "volumes"), (2, "surface")):
        geometry = geometry_at(solver, frame, output)
        if geometry.intrinsicValue("primitivecount") == 0:
            raise FirnError(f"the {name} at frame {frame} are empty")
        counts.append(f"{geometry.intrinsicValue('primitivecount')} primitives of {name}")
    return ", ".join(counts)


def check_farm(session: Session) -> str:
    """The command of a render farm, on the scene as it is."""
    path = session.needed().path()
    hou.hipFile.save((session.folder / "farm.hip").as_posix())
    hip = hou.hipFile.path()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = farm.main(["sim", hip, path, "--out", str(session.folder / "farm"), "--frames", "1-3"])
    files = sorted((session.folder / "farm" / "particles").glob("*.bgeo.sc"))
    if code != 0 or len(files) != 3:
        raise FirnError(f"code {code}, {len(files)} files: {' '.join(said.getvalue().split())[-300:]}")
    session.solver = None  # the command has loaded the scene anew
    return f"{len(files)} frames"


def check_scene_file(session: Session) -> str:
    path = session.needed().path()
    hou.hipFile.save((session.folder / "selfcheck.hip").as_posix())
    saved = hou.hipFile.path()  # Houdini picks the ending that its licence asks for
    hou.hipFile.load(saved, suppress_save_prompt=True)
    session.solver = cast("hou.OpNode | None", hou.node(path))
    if session.solver is None:
        raise FirnError(f"{saved} has no {path} when it is loaded again")
    return Path(saved).name
