"""Snow of a Houdini scene on a farm, without its interface.

    hython -m firn.farm export  HIP NODE SCENE.toml [--frames 1-48]
    hython -m firn.farm sim     HIP NODE --out FOLDER [--frames 1-48]
    hython -m firn.farm volumes HIP NODE --out FOLDER [--frames 1-48] [--chunk 8 --task 0]

NODE is a firn::snow_solver; `export` also takes a DOP network with a firn_snowsolver (or that solver) and a Solver SOP with a
firn::snow_step. It writes a scene file with its geometry, for `firn sim` on machines without Houdini. `sim` and `volumes` need
a licence of Houdini Engine on each machine; use them where a scene file can't hold the set-up (forces, nodes between the sources
and the solver).

Every file appears whole or not at all, and frames that exist are left alone. A task can therefore be stopped at any moment, started
again, or run twice at once: the same command continues. `sim` resumes bit-exactly from the last frame that exists, because all of the
snow's state is in its particles.

Wedges: --set NAME=VALUE sets a parameter of NODE (or /obj/.../NAME of any node) for this task; --wedges FILE --wedge N takes
the N-th of a JSON list of such settings, [{"E": 7e4}, {"E": 1.4e5}], and works in FOLDER/wedge_000N.

Exit codes: 0 done, 1 error, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Sequence, Union, cast

import hou

from firn import build as asset_build
from firn import frame_range, tables
from firn.error import FirnError
from firn.export import write_scene
from firn.export_file import geometry_at
from firn.export_wires import is_type
from firn.network import add, child, follow, parm
from firn.new_file import new_file
from firn.snow_solver import ASSET_NAME, INNER_TYPES, Plan, make_plan

Setting = Union[str, int, float]


class Task:
    """A solver of a scene, and the folder that its frames go to: as `firn sim` lays it out."""

    def __init__(self, asset: hou.SopNode, out: Path, frames: range) -> None:
        self.asset, self.out, self.frames = asset, out, frames
        self.first = parm(asset, "start_frame").evalAsInt()

    def particles(self, frame: int) -> Path:
        return self.out / "particles" / f"{self.asset.name()}.{frame:04d}.bgeo.sc"

    def volumes(self, frame: int) -> Path:
        return self.out / "volumes" / f"{self.asset.name()}.{frame:04d}.vdb"


def save(node: hou.SopNode, frame: int, path: Path) -> None:
    hou.setFrame(frame)
    geometry = geometry_at(node, frame)
    with new_file(path) as temporary:
        geometry.saveToFile(temporary.as_posix())


def copy_inside(home: hou.OpNode, asset: hou.OpNode, name: str) -> hou.SopNode:
    """What a node inside the asset makes."""
    merge = add(home, "object_merge", f"firn_farm_{name}")
    parm(merge, "objpath1").set(child(asset, name).path())
    return merge


def follower(home: hou.OpNode, asset: hou.OpNode, plan: Plan, inner: str, inputs: Sequence[hou.SopNode]) -> hou.SopNode:
    """A node of the type that the asset has inside, with the asset's settings."""
    node = add(home, INNER_TYPES[inner], f"firn_farm_{inner}", inputs)
    for link in plan.links():
        if link.node == inner:
            follow(node, link, asset.path())
    return node


def simulate(task: Task, plan: Plan) -> None:
    """Frame after frame from the particles of the frame before, which are read from disk: that is all the state there is."""
    home = cast("hou.OpNode", task.asset.parent())
    snow = copy_inside(home, task.asset, "snow")
    before = add(home, "file", "firn_farm_before")
    inputs = (before, snow, *(copy_inside(home, task.asset, name) for name in ("colliders", "forces")))
    step = follower(home, task.asset, plan, "step", inputs)
    for frame in range(task.first, task.frames[-1] + 1):
        path = task.particles(frame)
        if path.exists():
            print(f"frame {frame}: is there, {path}", flush=True)
            continue
        if frame > task.first:
            parm(before, "file").set(task.particles(frame - 1).as_posix())
        # At the start the snow is as placed, as inside the asset.
        save(step if frame > task.first else snow, frame, path)
        print(f"frame {frame}: {path}", flush=True)


def make_volumes(task: Task, plan: Plan) -> None:
    home = cast("hou.OpNode", task.asset.parent())
    particles = add(home, "file", "firn_farm_particles")
    grids = follower(home, task.asset, plan, "rasterize", (particles,))
    surface = follower(home, task.asset, plan, "surface", (particles,))
    # A .vdb holds no polygons.
    parm(surface, "output").set("sdf")
    both = add(home, "merge", "firn_farm_volumes", (grids, surface))
    missing = []
    for frame in task.frames:
        path, source = task.volumes(frame), task.particles(frame)
        if path.exists() and source.exists() and path.stat().st_mtime >= source.stat().st_mtime:
            print(f"frame {frame}: is there, {path}", flush=True)
            continue
        if not source.exists():
            missing.append(frame)
            continue
        parm(particles, "file").set(source.as_posix())
        save(both, frame, path)
        print(f"frame {frame}: {path}", flush=True)
    if missing:
        some = ", ".join(str(frame) for frame in missing[:8]) + (", ..." if len(missing) > 8 else "")
        raise FirnError(f"{task.out} has no particles of frame {some}: is its simulation done?")


# ---- the command line


def settings_of(assignments: Sequence[str], wedges: str, wedge: int | None) -> dict[str, Setting]:
    """What --wedge and --set change, in this order."""
    settings: dict[str, Setting] = {}
    if wedge is not None:
        try:
            listed = json.loads(Path(wedges).read_text(encoding="utf-8"))
            chosen = dict(listed[wedge]) if 0 <= wedge < len(listed) else None
        except (OSError, ValueError, TypeError, KeyError) as trouble:
            raise FirnError(f"{wedges}: is not a JSON list of settings: {trouble}") from trouble
        if chosen is None:
            raise FirnError(f"{wedges}: there is no wedge {wedge}; they go from 0 to {len(listed) - 1}")
        settings.update(chosen)
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise FirnError(f"--set {assignment}: write it as NAME=VALUE")
        settings[name] = value
    return settings


def as_number(value: Setting) -> Setting:
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value


def apply(node: hou.OpNode, settings: dict[str, Setting]) -> None:
    for name, value in settings.items():
        found = hou.parm(name) if name.startswith("/") else node.parm(name)
        if found is None:
            raise FirnError(f"--set {name}: {node.path() if not name.startswith('/') else 'the scene'} has no such parameter")
        found.set(as_number(value))


def open_node(hip: str, path: str) -> hou.OpNode:
    asset_build.ensure()
    hou.hipFile.load(hip, suppress_save_prompt=True, ignore_load_warnings=True)
    node = hou.node(path)
    if node is None:
        raise FirnError(f"{hip} has no node {path}")
    return cast("hou.OpNode", node)


def asset_of(node: hou.OpNode) -> hou.SopNode:
    if not is_type(node, ASSET_NAME):
        raise FirnError(f"{node.path()} is a {node.type().name()}; give a {ASSET_NAME}")
    return cast(hou.SopNode, node)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="firn.farm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="export|sim|volumes")
    for name, summary in (("export", "a scene file for firn"), ("sim", "particles"), ("volumes", "volumes of the particles")):
        command = commands.add_parser(name, help=summary)
        command.add_argument("hip", metavar="HIP", help="the Houdini scene")
        command.add_argument("node", metavar="NODE", help="what simulates the snow")
        if name == "export":
            command.add_argument("scene", metavar="SCENE.toml", help="where it goes; its geometry goes beside it")
        else:
            command.add_argument("--out", required=True, metavar="FOLDER", help="where the frames go")
        command.add_argument("--frames", metavar="A-B", help="all of the scene's range unless given")
        command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="sets a parameter; may be given often")
        command.add_argument("--wedges", default="", metavar="FILE", help="a JSON list of settings")
        command.add_argument("--wedge", type=int, metavar="N", help="which of them")
        if name == "volumes":
            command.add_argument("--chunk", type=int, metavar="N", help="frames of a task")
            command.add_argument("--task", type=int, metavar="I", help="which chunk of the frames, from 0")
    return top


def run(given: argparse.Namespace) -> None:
    if (given.wedge is None) != (not given.wedges):
        raise FirnError("--wedges and --wedge belong together")
    settings = settings_of(given.set, given.wedges, given.wedge)
    frames = frame_range.parse(given.frames) if given.frames else None
    node = open_node(given.hip, given.node)
    apply(node, settings)
    if given.command == "export":
        for warning in write_scene(node, Path(given.scene), frames):
            print(f"firn.farm: warning: {warning}", file=sys.stderr)
        print(given.scene)
        return
    asset = asset_of(node)
    if frames is None:
        frames = range(parm(asset, "start_frame").evalAsInt(), int(hou.playbar.frameRange()[1]) + 1)
    out = Path(given.out)
    if given.wedge is not None:
        out = out / f"wedge_{given.wedge:04d}"
    plan = make_plan(tables.load())
    if given.command == "sim":
        simulate(Task(asset, out, frames), plan)
        return
    if (given.chunk is None) != (given.task is None):
        raise FirnError("--chunk and --task belong together")
    if given.chunk is not None:
        frames = frame_range.chunk(frames, given.chunk, given.task)
    make_volumes(Task(asset, out, frames), plan)


def main(arguments: Sequence[str]) -> int:
    try:
        run(parser().parse_args(arguments))
    except (FirnError, hou.Error) as trouble:
        text = str(trouble) if isinstance(trouble, FirnError) else asset_build.describe(trouble)
        print(f"firn.farm: {text}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
