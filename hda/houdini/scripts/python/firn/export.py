"""A snow set-up of Houdini as a scene file for `firn`, with its geometry, so that machines without Houdini can run it.

What is taken: a firn::snow_solver asset (`export_asset`), a firn::snow_step in a Solver SOP (`export_loop`), or a DOP network
with a firn_snowsolver (`export_dops`). Sources become meshes, VDBs or, where points say more than a mesh can, particles;
colliders become meshes or VDBs that stand still, keyframes of what moves as a whole, and one mesh for each frame of what
deforms. What a scene file can't hold is reported as a warning and as a comment at the top of the file, or refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import hou

from firn import export_asset, export_dops, export_loop, tables
from firn.error import FirnError
from firn.export_engine import check_range, last_frame
from firn.export_file import Entries, Export
from firn.export_wires import LOOP, above_of_type, is_type
from firn.snow_solver import ASSET_NAME

Fill = Callable[[Export, tables.Tables], dict[str, Entries]]


def set_up_of(node: hou.OpNode) -> tuple[hou.OpNode, int, str, Fill]:
    """The node that says what is simulated, its first frame, where else it can run, and what exports it."""
    asset = node if is_type(node, ASSET_NAME) else above_of_type(node, ASSET_NAME)
    if asset is not None:
        return asset, export_asset.start_frame(asset), "firn.farm sim", export_asset.fill
    if is_type(node, "solver") and node.node(LOOP) is not None:
        node = export_loop.step_of(node)
    if is_type(node, export_loop.STEP):
        return node, export_loop.start_frame(node), "Houdini", export_loop.fill
    network = export_dops.network_of(node)
    if network is not None:
        return node, export_dops.start_frame(network), "Houdini", export_dops.fill
    raise FirnError(f"{node.path()} is a {node.type().name()}; give a {ASSET_NAME}, a Solver SOP with a {export_loop.STEP}, or "
                    f"a DOP network with a {export_dops.SOLVER}")


def write_scene(node: hou.OpNode, path: Path, frames: range | None = None) -> list[str]:
    """Writes the scene file and its geometry; returns what could not be taken along. `frames`: from the set-up's start frame
    to the end of the playbar unless given; the simulation always begins at the set-up's start frame."""
    chosen, first, elsewhere, fill = set_up_of(node)
    last = last_frame(frames)
    check_range(chosen, first, last)
    export = Export(chosen, path, first, last, elsewhere)
    before = hou.frame()
    try:
        hou.setFrame(first)
        sections = fill(export, tables.load())
    finally:
        hou.setFrame(before)
    export.write(sections)
    return export.warnings
