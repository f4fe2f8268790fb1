"""Snow of a scene file: from firn::snow_source nodes, and from particles."""

from __future__ import annotations

from typing import Sequence

import hou

from firn import surfaces, tables, toml_text
from firn.error import FirnError
from firn.export_file import Entries, Export, geometry_at, write_geometry
from firn.export_wires import input_of, is_type
from firn.settings import Settings


def material_tokens() -> tuple[str, ...]:
    return tuple(quantity.token for quantity in tables.load().materials)


def overrides() -> set[str]:
    """Attributes of a source's input that make snow differ from point to point, with their short names."""
    return {name for quantity in tables.load().materials for name in (quantity.token, quantity.symbol)} | {"v"}


def material_entry(settings: Settings) -> toml_text.Value:
    """A preset by its name, or all that is known of the snow."""
    preset = settings.text("preset")
    entries: Entries = {"preset": preset}
    if preset == "custom":
        entries = {token: settings.number(token) for token in material_tokens()}
    elif preset == "measured":
        entries["rest_density"] = settings.number("measured_density")
    if settings.number("noise_amplitude") > 0:
        noise: Entries = {"amplitude": settings.number("noise_amplitude"), "scale": settings.number("noise_scale")}
        if settings.whole("noise_seed"):
            noise["seed"] = settings.whole("noise_seed")
        entries["noise"] = noise
    return preset if entries == {"preset": preset} else entries


def points_of(geometry: hou.Geometry) -> hou.Geometry:
    """Without primitives, which particle files have no use for."""
    if surfaces.primitive_count(geometry) == 0:
        return geometry
    made = surfaces.copy_of(geometry)
    made.deletePrims(made.prims(), keep_points=True)
    return made


def add_particles(export: Export, name: str, geometry: hou.Geometry, frame: int, owner: str) -> None:
    """Particles that appear at a frame, with all their attributes."""
    if surfaces.point_count(geometry) == 0:
        export.warn(f"{owner}: has no particles at frame {frame}, and is left out")
        return
    name = export.unique(name)
    entries: Entries = {"shape": "particles", "file": export.file_entry(f"{name}.bgeo")}
    if frame != export.first:
        entries["start"] = frame
    write_geometry(points_of(geometry), export.folder / f"{name}.bgeo")
    export.body("[[snow]]", name, entries)


def grid_entries(export: Export, name: str, opened: hou.Geometry) -> list[Entries]:
    """A .vdb file, and a shape for each grid in it."""
    grids = surfaces.grids_alone(opened)
    write_geometry(grids, export.folder / f"{name}.vdb")
    shape: Entries = {"shape": "vdb", "file": export.file_entry(f"{name}.vdb")}
    names = surfaces.scalar_grids(grids)
    if len(grids.prims()) == 1:
        return [shape]
    return [{**shape, "grid": grid} for grid in names]


def mesh_entries(export: Export, name: str, whole: surfaces.Surface) -> Entries:
    """A mesh that keeps its shape, written out."""
    surfaces.write_obj(export.folder / f"{name}.obj", whole.points, whole.faces)
    return {"shape": "mesh", "file": export.file_entry(f"{name}.obj")}


def shape_entries(export: Export, name: str, geometry: hou.Geometry, owner: str) -> Entries:
    """A mesh or a VDB, written out."""
    opened = surfaces.unpacked(geometry)
    if surfaces.kinds(opened) == {"VDB"}:
        return grid_entries(export, name, opened)[0]
    return mesh_entries(export, name, surfaces.surface(opened, owner))


def needs_particles(settings: Settings, geometry: hou.Geometry) -> bool:
    """Whether the input says what one mesh or one VDB in a scene file can't."""
    if settings.text("input_as") == "points" or settings.vector("spin") != (0, 0, 0):
        return True
    opened = surfaces.unpacked(geometry)
    present = surfaces.kinds(opened)
    if present != {"Polygon"} and (present != {"VDB"} or len(surfaces.scalar_grids(opened)) != 1):
        return True
    names = overrides() if settings.whole("overrides") else {"v"}
    return any(opened.findPointAttrib(name) is not None for name in names)


def add_source(export: Export, settings: Settings, made: hou.SopNode, above: hou.SopNode, name: str, start: int) -> None:
    """`made` is the node whose geometry are the source's particles, `above` what it fills, `start` when it appears."""
    continuous = settings.text("emission") == "continuous"
    geometry = geometry_at(above, max(start, export.first))
    export.warn_of_motion(settings, ("velocity", "rate", "preset", "noise_amplitude", "noise_scale", *material_tokens()))
    if needs_particles(settings, geometry):
        if continuous:
            raise FirnError(
                f"{settings.node.path()}: a continuous source of {'points' if settings.text('input_as') == 'points' else 'this'} "
                f"can't be exported: fill a mesh or a VDB without point attributes, or use {export.elsewhere}"
            )
        frame = max(start, export.first)
        add_particles(export, name, geometry_at(made, frame), frame, made.path())
        return
    name = export.unique(name)
    entries = shape_entries(export, name, geometry, above.path())
    entries["material"] = material_entry(settings)
    if settings.vector("velocity") != (0, 0, 0):
        entries["velocity"] = settings.vector("velocity")
    if settings.text("filling") == "relaxed":
        entries["filling"] = "relaxed"
    elif settings.number("jitter") > 0:
        entries["jitter"] = settings.number("jitter")
    if settings.whole("seed"):
        entries["seed"] = settings.whole("seed")
    if continuous:
        entries["rate"] = settings.number("rate")
        end = int(settings.number("end_frame"))
        if end < export.last:
            entries["end"] = end
    if start > export.first:
        entries["start"] = start
    export.body("[[snow]]", name, entries)


def start_of(settings: Settings) -> int:
    return int(settings.number("start_frame"))


def add_makers(export: Export, makers: Sequence[hou.SopNode]) -> None:
    """Sources, each with its own settings; of other nodes the particles at the first frame."""
    for leaf in makers:
        if is_type(leaf, "firn::snow_source"):
            settings = Settings(leaf, {})
            add_source(export, settings, leaf, input_of(leaf), leaf.name(), start_of(settings))
        else:
            export.warn(f"{leaf.path()}: its particles at frame {export.first} are taken; later ones are not")
            add_particles(export, leaf.name(), geometry_at(leaf, export.first), export.first, leaf.path())
