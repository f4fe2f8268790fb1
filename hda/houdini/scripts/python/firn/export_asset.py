"""A firn::snow_solver asset as a scene: its settings, ground plane and wind; every firn::snow_source and
firn::snow_collider above it, or the plain geometry that the asset makes snow and colliders of."""

from __future__ import annotations

from typing import Sequence, cast

import hou

from firn import surfaces, tables, toml_text
from firn.error import FirnError
from firn.export_colliders import add_collider, add_collider_nodes
from firn.export_engine import engine_sections, step_time
from firn.export_file import Entries, Export, geometry_at
from firn.export_snow import add_makers, add_source, start_of
from firn.export_wires import input_at, is_type, leaves
from firn.network import COLLIDER_MARKS, SNOW_MARKS, child, parm
from firn.settings import Settings
from firn.snow_solver import Plan, make_plan


def has_marks(geometry: hou.Geometry, marks: Sequence[str]) -> bool:
    no_prims = surfaces.primitive_count(geometry) == 0
    return no_prims and all(geometry.findPointAttrib(mark) is not None for mark in marks)


def asset_settings(asset: hou.OpNode, plan: Plan, inner: str) -> Settings:
    """The asset's parameters under the tokens of a node inside it."""
    names = {link.token: p.row.token for p in plan.parameters() for link in p.links if link.node == inner}
    return Settings(asset, names)


def add_snow(export: Export, plan: Plan) -> None:
    asset = export.node
    above = cast("hou.SopNode | None", input_at(asset, 0))
    if above is None:
        raise FirnError(f"{asset.path()} has no snow: nothing is wired to its first input")
    menu = parm(asset, "snow_input").evalAsString()
    makers = leaves(above, "firn::snow_source")
    # A source that opens later has nothing yet that could be recognised.
    is_made = any(is_type(leaf, "firn::snow_source") for leaf in makers)
    if menu == "geometry" or (
        menu == "auto" and not is_made and not has_marks(geometry_at(above, export.first), SNOW_MARKS)
    ):
        settings = asset_settings(asset, plan, "source")
        inner = cast(hou.SopNode, child(asset, "source"))
        add_source(export, settings, inner, above, above.name(), start_of(settings))
        return
    add_makers(export, makers)


def add_ground(export: Export) -> None:
    asset = export.node
    size = parm(asset, "ground_size").evalAsFloat()
    entries: Entries = {"shape": "plane"}
    if size > 0:
        entries["size"] = (size, 1.0, size)
    height = parm(asset, "ground_height").evalAsFloat()
    if height:
        entries["position"] = (0.0, height, 0.0)
    for token in tables.load().surface:
        entries[token] = parm(asset, f"ground_{token}").evalAsFloat()
    export.body("[[collider]]", export.unique("ground"), entries)


def add_colliders(export: Export, plan: Plan) -> None:
    asset = export.node
    above = cast("hou.SopNode | None", input_at(asset, 1))
    if above is not None:
        menu = parm(asset, "collider_input").evalAsString()
        found = geometry_at(above, export.first)
        if menu == "geometry" or (menu == "auto" and not has_marks(found, COLLIDER_MARKS)):
            add_collider(export, asset_settings(asset, plan, "collider"), above, above.name())
        else:
            add_collider_nodes(export, leaves(above, "firn::snow_collider"))
    if parm(asset, "ground").evalAsInt():
        add_ground(export)
    if input_at(asset, 2) is not None:
        export.warn(f"{asset.path()}: the forces of its third input can't be exported; {export.elsewhere} has them")


def output_section(export: Export, plan: Plan) -> Entries:
    volumes = asset_settings(export.node, plan, "rasterize")
    surface = asset_settings(export.node, plan, "surface")
    grids = [name for token, name in (("density", "density"), ("velocity", "vel"), ("masked_density", "density_masked"))
             if volumes.whole(token)]
    grids += ["surface", *volumes.text("attributes").split()]
    entries: Entries = {"volumes": cast(toml_text.Value, grids)}
    if volumes.number("voxel") > 0:
        entries["voxel"] = volumes.number("voxel")
    if volumes.whole("staggered"):
        entries["staggered"] = True
    if volumes.number("velocity_extension") > 0:
        entries["velocity_extension"] = volumes.number("velocity_extension")
    if volumes.whole("density_grains"):
        entries["density_grains"] = volumes.whole("density_grains")
    if surface.text("surface_shape") != "balls":
        entries["surface_shape"] = surface.text("surface_shape")
    for token in ("surface_radius", "surface_dilate", "surface_erode", "surface_relief", "surface_relief_size"):
        if surface.number(token) != 0:
            entries[token] = surface.number(token)
    if surface.whole("surface_smooth") >= 0:
        entries["surface_smooth"] = surface.whole("surface_smooth")
    return entries


def start_frame(asset: hou.OpNode) -> int:
    return parm(asset, "start_frame").evalAsInt()


def fill(export: Export, known: tables.Tables) -> dict[str, Entries]:
    """Adds bodies to the export; returns the other sections."""
    plan = make_plan(known)
    settings = asset_settings(export.node, plan, "step")
    rows = [row for row in known.node("firn::snow_step").parameters if row.token in settings.names]
    sections = engine_sections(export, rows, settings)
    sections["time"] = step_time(export, settings, sections.get("time", {}), 1 / hou.fps())
    add_snow(export, plan)
    add_colliders(export, plan)
    sections["output"] = output_section(export, plan)
    return sections
