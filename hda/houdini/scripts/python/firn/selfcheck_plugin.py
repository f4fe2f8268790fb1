"""Checks of the self-check that look at the plugin: where it lies, which nodes it has, and whether they understand what Houdini
hands them."""

from __future__ import annotations

from pathlib import Path

import hou

from firn import build, tables
from firn.error import FirnError
from firn.network import add, objects, parm
from firn.selfcheck_session import SPACING, Session, count_at, geometry_at


def check_package(session: Session) -> str:
    """Houdini loads every firn.so that it finds, and a package file that went wrong finds none."""
    build.check_houdini()
    found = [plugin for folder in hou.houdiniPath() for plugin in sorted((Path(folder) / "dso").glob("firn.*"))]
    if not found:
        raise FirnError(
            f"no folder of HOUDINI_PATH has dso/firn.so: firn.json has no plugin for Houdini {hou.applicationVersionString()}, "
            "or is not read (HOUDINI_PACKAGE_VERBOSE=1 says which package files are)")
    if len(found) > 1:
        raise FirnError("there is more than one plugin: " + ", ".join(str(plugin) for plugin in found))
    return f"Houdini {hou.applicationVersionString()}, {found[0]}"


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


def check_toggles_and_menus(session: Session) -> str:
    """A verb gets its parameters as typed options: toggles and menus that it read as real numbers would all be 0."""
    place = add(objects(), "geo", "firn_check_toggles")
    box = add(place, "box", "box")
    parm(box, "sizex").set(0.3)
    source = add(place, "firn::snow_source", "source", (box,))
    parm(source, "spacing").set(SPACING)
    filled = count_at(source)
    parm(source, "input_as").set("points")
    corners = count_at(source)
    if corners != count_at(box) or filled == corners:
        raise FirnError(f"menu: filled {filled} particles, as points {corners}")
    parm(source, "input_as").set("automatic")
    volumes = add(place, "firn::snow_rasterize", "volumes", (source,))
    counts = []
    for velocity in (0, 1):
        for name, value in (("density", 1), ("velocity", velocity), ("masked_density", 0)):
            parm(volumes, name).set(value)
        counts.append(geometry_at(volumes, 1).intrinsicValue("primitivecount"))
    if counts != [1, 2]:
        raise FirnError(f"toggles: {counts[0]} and {counts[1]} volumes with velocity off and on")
    return f"{filled} particles filled, {corners} as points; {counts[0]} and {counts[1]} volumes"
