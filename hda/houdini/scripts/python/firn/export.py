"""A snow set-up of Houdini as a scene file for `firn`, with its geometry, so that machines without Houdini can run it.

What is taken: a firn::snow_solver asset with its settings, ground plane and wind; every firn::snow_source and
firn::snow_collider above it, or the plain geometry that the asset makes snow and colliders of. Sources become meshes, VDBs
or, where points say more than a mesh can, particles; colliders become meshes or VDBs that stand still, keyframes of what
moves as a whole, and one mesh for each frame of what deforms. What a scene file can't hold is told as a warning, and as a
comment at the top of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping, Sequence, cast

import hou

from firn import rigid, surfaces, tables, toml_text
from firn.error import FirnError
from firn.network import COLLIDER_MARKS, SNOW_MARKS, parm
from firn.new_file import new_file, write_text
from firn.snow_solver import ASSET_NAME, Plan, make_plan
from firn.tables import Parameter

#: Where the rows of firn::snow_step stand in a scene file, by their folder. Machines decide about themselves.
SECTIONS = {
    "Scene": "scene", "Snow": "material", "Time": "time", "Method": "solver", "Remedies": "solver", "Boundaries": "solver",
}
#: Attributes of a source's input that make snow differ from point to point, with their short names.
OVERRIDES = (
    "young_modulus", "E", "poisson_ratio", "nu", "hardening", "xi", "theta_c", "theta_s", "rest_density", "rho0", "v",
)
SURFACE_TOKENS = ("friction", "adhesion", "bounce", "sticky")
MATERIAL_TOKENS = ("young_modulus", "poisson_ratio", "hardening", "theta_c", "theta_s", "rest_density")

Entries = dict[str, toml_text.Value]


@dataclass(frozen=True)
class Settings:
    """Parameters of a node under the tokens of a table: its own, or those that the asset has for a node inside."""

    node: hou.OpNode
    names: Mapping[str, str]

    def parm(self, token: str) -> hou.Parm:
        return parm(self.node, self.names.get(token, token))

    def number(self, token: str) -> float:
        return self.parm(token).evalAsFloat()

    def whole(self, token: str) -> int:
        return self.parm(token).evalAsInt()

    def text(self, token: str) -> str:
        return self.parm(token).evalAsString()

    def vector(self, token: str) -> rigid.Vector:
        name = self.names.get(token, token)
        values = [parm(self.node, name + letter).evalAsFloat() for letter in "xyz"]
        return (values[0], values[1], values[2])

    def value(self, row: Parameter) -> toml_text.Value:
        if row.kind == "vector":
            return self.vector(row.token)
        if row.kind == "toggle":
            return bool(self.whole(row.token))
        if row.kind == "integer":
            return self.whole(row.token)
        if row.kind == "real":
            return self.number(row.token)
        return self.text(row.token)


def default_of(row: Parameter) -> toml_text.Value:
    if row.kind == "vector":
        return tuple(float(component) for component in row.default)
    if row.kind == "choice":
        return row.choices[int(row.default[0])].token
    if row.kind == "toggle":
        return bool(row.default[0])
    return cast(toml_text.Value, row.default[0])


def is_type(node: hou.OpNode, name: str) -> bool:
    """Whatever its version."""
    own = node.type().name()
    return own == name or own.startswith(f"{name}::")


def leaves(node: hou.OpNode | None, wanted: str) -> list[hou.SopNode]:
    """The nodes above that make what a wire carries: through merges, nulls and switches, up to those of the type `wanted`
    or whatever else is there."""
    if node is None:
        return []
    sop = cast(hou.SopNode, node)
    kind = node.type().name()
    inputs = node.inputs()
    if not is_type(node, wanted):
        if kind == "switch" and inputs:
            chosen = parm(node, "input").evalAsInt()
            return leaves(inputs[min(max(chosen, 0), len(inputs) - 1)], wanted)
        if kind in ("merge", "null", "output") or sop.isBypassed():
            through = inputs if kind == "merge" else inputs[:1]
            return [leaf for above in through for leaf in leaves(above, wanted)]
    return [sop]


@dataclass
class Export:
    """One export under way."""

    asset: hou.OpNode
    path: Path
    first: int
    last: int
    warnings: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Path:
        """Of the geometry, beside the scene file."""
        return self.path.with_name(f"{self.path.stem}_geo")

    def file_entry(self, name: str) -> str:
        """As it stands in the scene, where paths start at the scene's folder."""
        return f"{self.folder.name}/{name}"

    def unique(self, name: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_-]", "_", name) or "body"
        chosen, number = base, 2
        while chosen in self.names:
            chosen, number = f"{base}_{number}", number + 1
        self.names.add(chosen)
        return chosen

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def warn_of_motion(self, settings: Settings, tokens: Sequence[str]) -> None:
        """Scene files hold values, not channels."""
        for token in tokens:
            name = settings.names.get(token, token)
            found = settings.node.parmTuple(name)
            if found is not None and any(component.isTimeDependent() for component in found):
                self.warn(f"{settings.node.path()}: {name} changes over time; its value at frame {self.first} is taken")


def geometry_at(node: hou.SopNode, frame: float) -> hou.Geometry:
    found = node.geometryAtFrame(frame)
    if found is None:
        said = "; ".join(node.errors()) or "it makes no geometry"
        raise FirnError(f"{node.path()} does not cook at frame {frame:g}: {said}")
    return found


def input_of(node: hou.SopNode) -> hou.SopNode:
    above = node.inputs()
    if not above or above[0] is None:
        raise FirnError(f"{node.path()} has no input")
    return above[0]


def has_marks(geometry: hou.Geometry, marks: Sequence[str]) -> bool:
    no_prims = geometry.intrinsicValue("primitivecount") == 0
    return no_prims and all(geometry.findPointAttrib(mark) is not None for mark in marks)


def asset_settings(asset: hou.OpNode, plan: Plan, inner: str) -> Settings:
    """The asset's parameters under the tokens of a node inside it."""
    names = {link.token: p.row.token for p in plan.parameters() for link in p.links if link.node == inner}
    return Settings(asset, names)


# ---- snow


def material_entry(settings: Settings) -> toml_text.Value:
    preset = settings.text("preset")
    if preset == "custom":
        return {token: settings.number(token) for token in MATERIAL_TOKENS}
    if preset == "measured":
        return {"preset": "measured", "rest_density": settings.number("measured_density")}
    return preset


def write_geometry(geometry: hou.Geometry, path: Path) -> None:
    """In the format that the name's ending says."""
    with new_file(path) as temporary:
        geometry.saveToFile(temporary.as_posix())


def add_particles(export: Export, name: str, node: hou.SopNode, frame: int) -> None:
    geometry = geometry_at(node, frame)
    if geometry.intrinsicValue("pointcount") == 0:
        export.warn(f"{node.path()}: has no particles at frame {frame}, and is left out")
        return
    entries: Entries = {"name": export.unique(name), "shape": "particles", "file": export.file_entry(f"{name}.bgeo")}
    if frame != export.first:
        entries["start"] = frame
    write_geometry(geometry, export.folder / f"{name}.bgeo")
    export.sections.append(toml_text.section("[[snow]]", entries))


def shape_entries(export: Export, name: str, geometry: hou.Geometry, owner: str) -> Entries:
    """A mesh or a VDB, written out."""
    present = surfaces.kinds(surfaces.unpacked(geometry))
    if present == {"VDB"}:
        write_geometry(geometry, export.folder / f"{name}.vdb")
        return {"shape": "vdb", "file": export.file_entry(f"{name}.vdb")}
    whole = surfaces.surface(geometry, owner)
    surfaces.write_obj(export.folder / f"{name}.obj", whole.points, whole.faces)
    return {"shape": "mesh", "file": export.file_entry(f"{name}.obj")}


def needs_particles(settings: Settings, geometry: hou.Geometry) -> bool:
    """Whether the points of the input say what a mesh in a scene file can't."""
    if settings.text("input_as") == "points" or settings.vector("spin") != (0, 0, 0):
        return True
    if not surfaces.kinds(surfaces.unpacked(geometry)) <= {"Polygon", "VDB"}:
        return True
    names = OVERRIDES if settings.whole("overrides") else ("v",)
    return any(geometry.findPointAttrib(name) is not None for name in names)


def add_source(export: Export, settings: Settings, made: hou.SopNode, above: hou.SopNode, name: str) -> None:
    """`made` is the node whose geometry are the source's particles, `above` what it fills."""
    continuous = settings.text("emission") == "continuous"
    start = int(settings.number("start_frame"))
    geometry = geometry_at(above, max(start, export.first))
    export.warn_of_motion(settings, ("velocity", "rate", "preset", *MATERIAL_TOKENS))
    if needs_particles(settings, geometry):
        if continuous:
            raise FirnError(
                f"{settings.node.path()}: a continuous source of {'points' if settings.text('input_as') == 'points' else 'this'} "
                "can't be exported: fill a mesh or a VDB without point attributes, or use firn.farm sim"
            )
        add_particles(export, name, made, max(start, export.first))
        return
    entries: Entries = {"name": export.unique(name), **shape_entries(export, name, geometry, above.path())}
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
    export.sections.append(toml_text.section("[[snow]]", entries))


def add_snow(export: Export, plan: Plan) -> None:
    asset = cast(hou.SopNode, export.asset)
    inputs = asset.inputs()
    if not inputs or inputs[0] is None:
        raise FirnError(f"{asset.path()} has no snow: nothing is wired to its first input")
    menu = parm(asset, "snow_input").evalAsString()
    above = inputs[0]
    makers = leaves(above, "firn::snow_source")
    # A source that opens later has nothing yet that could be recognised.
    is_made = any(is_type(leaf, "firn::snow_source") for leaf in makers)
    if menu == "geometry" or (
        menu == "auto" and not is_made and not has_marks(geometry_at(above, export.first), SNOW_MARKS)
    ):
        inner = cast(hou.SopNode, asset.node("source"))
        add_source(export, asset_settings(asset, plan, "source"), inner, above, above.name())
        return
    for leaf in makers:
        if is_type(leaf, "firn::snow_source"):
            add_source(export, Settings(leaf, {}), leaf, input_of(leaf), leaf.name())
        else:
            export.warn(f"{leaf.path()}: its particles at frame {export.first} are taken; later ones are not")
            add_particles(export, leaf.name(), leaf, export.first)


# ---- colliders


def surface_entries(export: Export, settings: Settings, geometry: hou.Geometry) -> Entries:
    export.warn_of_motion(settings, SURFACE_TOKENS)
    for token in SURFACE_TOKENS:
        if geometry.findPointAttrib(token) is not None:
            export.warn(f"{settings.node.path()}: the point attribute {token} is passed over; the parameter is taken")
    entries: Entries = {token: settings.number(token) for token in SURFACE_TOKENS}
    for token in ("inverted", "two_sided"):
        if settings.whole(token):
            entries[token] = True
    return entries


Frames = Callable[[int], surfaces.Surface]


def moving_entries(export: Export, name: str, at: Frames, rigid_wanted: bool, owner: str, spacing: float) -> Entries:
    """Keyframes where the surface moves as a whole, one mesh for each frame where it doesn't."""
    start = at(export.first)
    if rigid_wanted:
        corners = rigid.far_corners(start.points)
        keys: list[Entries] = []
        before: rigid.Vector = (0.0, 0.0, 0.0)
        for frame in range(export.first, export.last + 1):
            found = rigid.motion(start.points, at(frame).points, corners)
            # As large as what firn itself takes for rounding.
            if found is None or found.error > 0.02 * spacing:
                export.warn(f"{owner}: '{name}' does not move as a whole (frame {frame}); it is exported frame by frame")
                break
            before = rigid.nearest_turn(rigid.angles(found.rotation), before)
            keys.append({"frame": frame, "position": found.to_middle, "rotation": before})
        else:
            centre = rigid.middle(start.points)
            local = [rigid.minus(point, centre) for point in start.points]
            surfaces.write_obj(export.folder / f"{name}.obj", local, start.faces)
            return {
                "shape": "mesh", "file": export.file_entry(f"{name}.obj"), "keys": keys, "interpolation": "linear",
            }
    for frame in range(export.first, export.last + 1):
        now = at(frame)
        if now.faces != start.faces:
            raise FirnError(f"{owner}: '{name}' has other polygons at frame {frame} than at {export.first}: a deforming "
                            "collider must keep its topology")
        surfaces.write_obj(export.folder / f"{name}.{frame:04d}.obj", now.points, now.faces)
    return {"shape": "mesh", "file": export.file_entry(f"{name}.%04d.obj")}


def add_collider(export: Export, settings: Settings, above: hou.SopNode, name: str) -> None:
    geometry = geometry_at(above, export.first)
    motion = settings.text("motion")
    common = surface_entries(export, settings, geometry)

    def put(body: str, shape: Entries) -> None:
        entries: Entries = {"name": export.unique(body), **shape, **common}
        export.sections.append(toml_text.section("[[collider]]", entries))

    present = surfaces.kinds(surfaces.unpacked(geometry))
    attribute = settings.text("piece_attribute") if settings.text("pieces") == "attribute" else ""
    if present == {"VDB"}:
        if motion != "static":
            raise FirnError(f"{settings.node.path()}: a VDB that moves can't be exported: convert it to polygons first")
        put(name, shape_entries(export, name, geometry, above.path()))
        return
    if present - {"Polygon", "Volume"}:
        export.warn(f"{settings.node.path()}: only the polygons of {above.path()} are taken")

    cooked: dict[int, surfaces.Surface] = {}

    def whole_at(frame: int) -> surfaces.Surface:
        # Many pieces ask for the same frame; a single body asks once, and may be large.
        if frame in cooked:
            return cooked[frame]
        found = surfaces.surface(geometry_at(above, frame), above.path(), attribute)
        if attribute:
            cooked[frame] = found
        return found

    start = whole_at(export.first)
    pieces = list(dict.fromkeys(start.pieces)) if attribute else [""]
    for one in pieces:
        body = f"{name}_{one}" if attribute else name
        body = re.sub(r"[^A-Za-z0-9_-]", "_", body)

        def at(frame: int, one: str = one) -> surfaces.Surface:
            whole = whole_at(frame)
            return surfaces.piece(whole, one) if attribute else whole

        if motion == "static":
            still = at(export.first)
            surfaces.write_obj(export.folder / f"{body}.obj", still.points, still.faces)
            put(body, {"shape": "mesh", "file": export.file_entry(f"{body}.obj")})
        else:
            spacing = settings.number("spacing")
            put(body, moving_entries(export, body, at, motion == "rigid", settings.node.path(), spacing))


def add_colliders(export: Export, plan: Plan) -> None:
    asset = cast(hou.SopNode, export.asset)
    inputs = asset.inputs()
    if len(inputs) > 1 and inputs[1] is not None:
        above = inputs[1]
        menu = parm(asset, "collider_input").evalAsString()
        found = geometry_at(above, export.first)
        if menu == "geometry" or (menu == "auto" and not has_marks(found, COLLIDER_MARKS)):
            add_collider(export, asset_settings(asset, plan, "collider"), above, above.name())
        else:
            for leaf in leaves(above, "firn::snow_collider"):
                if not is_type(leaf, "firn::snow_collider"):
                    raise FirnError(f"{leaf.path()}: changes the particles of Snow Collider nodes, which a scene file can't "
                                    "hold: put it before them, or use firn.farm sim")
                add_collider(export, Settings(leaf, {}), input_of(leaf), leaf.name())
    if parm(asset, "ground").evalAsInt():
        size = parm(asset, "ground_size").evalAsFloat()
        entries: Entries = {"name": export.unique("ground"), "shape": "plane", "size": (size, 1.0, size)}
        height = parm(asset, "ground_height").evalAsFloat()
        if height:
            entries["position"] = (0.0, height, 0.0)
        for token in SURFACE_TOKENS:
            entries[token] = parm(asset, f"ground_{token}").evalAsFloat()
        export.sections.append(toml_text.section("[[collider]]", entries))
    if len(inputs) > 2 and inputs[2] is not None:
        export.warn(f"{asset.path()}: the forces of its third input can't be exported; firn.farm sim has them")


# ---- settings


def engine_sections(export: Export, known: tables.Tables, plan: Plan) -> dict[str, Entries]:
    """What differs from the defaults."""
    settings = asset_settings(export.asset, plan, "step")
    sections: dict[str, Entries] = {}
    for row in known.node("firn::snow_step").parameters:
        section = SECTIONS.get(row.folder)
        if section is None or row.token not in settings.names:
            continue
        export.warn_of_motion(settings, (row.token,))
        value = settings.value(row)
        if value != default_of(row) or row.token == "spacing":
            sections.setdefault(section, {})[row.token] = value
    if settings.number("drag") > 0:
        sections["wind"] = {"velocity": settings.vector("wind"), "drag": settings.number("drag")}

    scale = settings.number("timescale")
    if scale <= 0:
        raise FirnError(f"{export.asset.path()}: a Time Scale of {scale:g} can't be exported: nothing would move")
    seconds = scale / hou.fps()
    time = sections.setdefault("time", {})
    fewest, most = settings.whole("substeps_min"), settings.whole("substeps_max")
    # As firn::snow_step limits them.
    if fewest > 0 and not settings.whole("substeps"):
        time["dt_max"] = min(settings.number("dt_max"), seconds / fewest)
    if most > 0 and not settings.whole("substeps"):
        longest = time.get("dt_max", settings.number("dt_max"))
        time["dt_min"] = min(max(settings.number("dt_min"), seconds / most), cast(float, longest))
    sections["time"] = {"fps": hou.fps() / scale, "start": export.first, "end": export.last, **time}
    return sections


def output_section(export: Export, plan: Plan) -> Entries:
    volumes = asset_settings(export.asset, plan, "rasterize")
    surface = asset_settings(export.asset, plan, "surface")
    grids = [name for token, name in (("density", "density"), ("velocity", "vel"), ("masked_density", "density_masked"))
             if volumes.whole(token)]
    grids += ["surface", *volumes.text("attributes").split()]
    entries: Entries = {"volumes": grids}
    if volumes.number("voxel") > 0:
        entries["voxel"] = volumes.number("voxel")
    if volumes.whole("staggered"):
        entries["staggered"] = True
    if volumes.number("velocity_extension") > 0:
        entries["velocity_extension"] = volumes.number("velocity_extension")
    for token in ("surface_radius", "surface_dilate", "surface_erode"):
        if surface.number(token) > 0:
            entries[token] = surface.number(token)
        elif surface.number(token) < 0:
            export.warn(f"{export.asset.path()}: a negative {token} can't be exported; its default is taken")
    if surface.whole("surface_smooth") != 2:
        entries["surface_smooth"] = surface.whole("surface_smooth")
    return entries


def write_scene(asset: hou.OpNode, path: Path, frames: range | None = None) -> list[str]:
    """Writes the scene file and its geometry; returns what could not be taken along. `frames`: from the asset's start frame
    to the end of the playbar unless given; the simulation always begins at the asset's start frame."""
    if not is_type(asset, ASSET_NAME):
        raise FirnError(f"{asset.path()} is a {asset.type().name()}; give a {ASSET_NAME}")
    known = tables.load()
    plan = make_plan(known)
    first = parm(asset, "start_frame").evalAsInt()
    last = frames[-1] if frames is not None else int(hou.playbar.frameRange()[1])
    if last < first:
        raise FirnError(f"{asset.path()} starts at frame {first}, after the last frame {last}")
    export = Export(asset, path, first, last)
    before = hou.frame()
    try:
        hou.setFrame(first)
        sections = engine_sections(export, known, plan)
        add_snow(export, plan)
        add_colliders(export, plan)
        output = output_section(export, plan)
    finally:
        hou.setFrame(before)
    scene: Entries = {"name": export.unique(asset.name()), **sections.pop("scene", {})}
    head = [f"# {asset.path()} of {hou.hipFile.path()}, exported by Firn.", "# firn check, firn sim, firn volumes"]
    head += [f"# warning: {warning}" for warning in export.warnings]
    tables_text = [toml_text.section("[scene]", scene)]
    tables_text += [toml_text.section(f"[{name}]", entries) for name, entries in sections.items()]
    tables_text += export.sections + [toml_text.section("[output]", output)]
    # Last, so that a scene file never names geometry that is not there.
    write_text(path, "\n".join(["\n".join(head) + "\n", *(text for text in tables_text if text)]))
    return export.warnings
