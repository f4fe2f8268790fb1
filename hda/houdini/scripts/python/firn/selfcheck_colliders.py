"""Checks of the self-check with the colliders that studios have: Alembic files and fractured pieces."""

from __future__ import annotations

import hou

from firn.error import FirnError
from firn.network import add, objects, parm
from firn.selfcheck_session import SPACING, Session, count_at, geometry_at


def _box(place: hou.OpNode, name: str, x: float = 0.0) -> hou.SopNode:
    box = add(place, "box", name)
    for letter, size in zip("xyz", (0.4, 0.2, 0.3)):
        parm(box, f"size{letter}").set(size)
    parm(box, "tx").set(x)
    return box


def _collider(place: hou.OpNode, name: str, shape: hou.SopNode) -> hou.SopNode:
    node = add(place, "firn::snow_collider", name, (shape,))
    parm(node, "spacing").set(SPACING)
    return node


def check_alembic(session: Session) -> str:
    """A packed Alembic primitive has no geometry that could be looked at without unpacking."""
    place = add(objects(), "geo", "firn_check_alembic")
    box = _box(place, "box", 1.0)
    file = (session.folder / "box.abc").as_posix()
    writer = add(place, "rop_alembic", "write", (box,))
    parm(writer, "filename").set(file)
    parm(writer, "execute").pressButton()
    reader = add(place, "alembic", "read")
    parm(reader, "fileName").set(file)
    if geometry_at(reader, 1).intrinsicValue("primitivecount") != 1:
        raise FirnError("the Alembic SOP did not load the box as one packed primitive; is its Load As another?")
    wanted, got = count_at(_collider(place, "plain", box)), count_at(_collider(place, "packed", reader))
    if got != wanted:
        raise FirnError(f"the box has {wanted} boundary particles, the same box from an Alembic file {got}")
    return f"{got} boundary particles"


def check_fragments(session: Session) -> str:
    """Fragments share one detail; each stands for some of its primitives."""
    place = add(objects(), "geo", "firn_check_fragments")
    pieces = []
    for number, x in enumerate((0.0, 2.0)):
        named = add(place, "name", f"name{number}", (_box(place, f"box{number}", x),))
        parm(named, "name1").set(f"piece{number}")
        pieces.append(named)
    both = add(place, "merge", "both", pieces)
    packed = add(place, "pack", "fragments", (both,))
    for name, value in (("packbyname", 1), ("packedfragments", 1)):
        parm(packed, name).set(value)
    parm(packed, "nameattribute").set("name")
    wanted = count_at(_collider(place, "plain", both))
    collider = _collider(place, "packed", packed)
    got = count_at(collider)
    bodies = len(set(geometry_at(collider, 1).pointIntAttribValues("body")))
    if got != wanted or bodies != 2:
        raise FirnError(f"two boxes have {wanted} boundary particles, as fragments {got} in {bodies} bodies")
    return f"{got} boundary particles in {bodies} bodies"
