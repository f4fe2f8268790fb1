"""Checks of the self-check with a DOP network: that a .sim file goes on, and what a large collider costs."""

from __future__ import annotations

from typing import cast

import hou

from firn.error import FirnError
from firn.network import add, objects, parm
from firn.selfcheck_session import SPACING, Session

#: Bytes that a cached frame may add. A copy of the ground below would be 14 MB.
GROWTH_LIMIT = 1_000_000


def _network(name: str, rows: int) -> hou.OpNode:
    """A snowball above a ground of rows x rows points."""
    place = add(objects(), "geo", f"{name}_shapes")
    ball = add(place, "sphere", "ball")
    for letter in "xyz":
        parm(ball, f"rad{letter}").set(0.15)
    snow = add(place, "firn::snow_source", "snow", (ball,))
    parm(snow, "spacing").set(SPACING)
    ground = add(place, "grid", "ground")
    parm(ground, "ty").set(-0.3)
    for size, count in (("sizex", "rows"), ("sizey", "cols")):
        parm(ground, size).set(2.0)
        parm(ground, count).set(rows)
    network = objects().createNode("dopnet", name)
    floor = network.createNode("staticobject", "ground")
    parm(floor, "soppath").set(ground.path())
    thing = network.createNode("emptyobject", "snow")
    shape = network.createNode("sopgeo", "shape")
    shape.setInput(0, thing)
    parm(shape, "soppath").set(snow.path())
    solver = network.createNode("firn_snowsolver", "solver")
    solver.setInput(0, shape)
    parm(solver, "spacing").set(SPACING)
    # What stands left affects what stands right.
    merged = network.createNode("merge", "merge")
    merged.setInput(0, floor)
    merged.setInput(1, solver)
    end = network.createNode("output", "output")
    end.setInput(0, merged)
    return network


def _snow(network: hou.OpNode, frame: int) -> tuple[float, ...]:
    hou.setFrame(frame)
    simulation = network.simulation()
    for one in cast("tuple[hou.DopObject, ...]", simulation.objects()):
        geometry = one.geometry()
        if one.name() == "snow" and geometry is not None:
            return tuple(geometry.pointFloatAttribValues("P"))
    raise FirnError(f"{network.path()} has no snow at frame {frame}: {' '.join(' '.join(network.errors()).split())}")


def check_sim_file(session: Session) -> str:
    """Frame 6 by way of a file of frame 4 is frame 6 without it."""
    network = _network("firn_check_sim", 10)
    wanted = {frame: _snow(network, frame) for frame in (1, 4, 6)}
    if not wanted[1] or wanted[6] == wanted[1]:
        raise FirnError(f"the snow of a DOP network does not move: {len(wanted[1]) // 3} particles")
    file = (session.folder / "frame4.sim").as_posix()
    out = hou.node("/out")
    if out is None:
        raise FirnError("this Houdini has no /out")
    writer = cast("hou.OpNode", out).createNode("dop", "firn_check_sim")
    parm(writer, "doppath").set(network.path())
    parm(writer, "dopoutput").set(file)
    hou.setFrame(4)
    parm(writer, "execute").pressButton()
    other = _network("firn_check_sim_loaded", 10)
    parm(other, "startframe").set(4)
    parm(other, "initialstate").set(file)
    if _snow(other, 6) != wanted[6]:
        raise FirnError("frame 6, simulated from a file of frame 4, is another one")
    return f"{len(wanted[6]) // 3} particles, the same bits"


def check_dop_memory(session: Session) -> str:
    """The shape of a collider that stands still is kept once, whatever the number of frames."""
    network = _network("firn_check_memory", 450)
    simulation = network.simulation()
    _snow(network, 3)
    before = simulation.memoryUsage()
    _snow(network, 13)
    growth = (simulation.memoryUsage() - before) / 10
    if growth > GROWTH_LIMIT:
        raise FirnError(f"a frame adds {growth / 1e6:.1f} MB to the cache")
    return f"{growth / 1e3:.0f} kB a frame beside 202,500 vertices"
