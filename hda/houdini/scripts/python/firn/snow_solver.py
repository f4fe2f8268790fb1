"""What the firn::snow_solver asset shows and which node inside obeys which parameter.

A plan is plain data: `dialog` turns it into Houdini's parameter templates, `network` wires it up and the help page lists
it. Most rows come from the nodes' own tables; what only the asset has is declared here, in rows of the same kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from firn.tables import Choice, Parameter, Tables

ASSET_NAME = "firn::snow_solver"
ASSET_LABEL = "Firn Snow Solver"
ASSET_ICON = "firn_snow_solver"

INPUT_LABELS = (
    "Snow: geometry to fill, or particles of Snow Source nodes",
    "Colliders: geometry, or particles of Snow Collider nodes",
    "Forces: points or volumes that push the snow",
)
OUTPUT_LABELS = (
    "Snow: the particles",
    "Volumes: density, velocity and attributes as VDBs",
    "Surface: of the snow, as a VDB or a mesh",
    "Colliders: the boundary particles, ground plane included",
)

#: The prefix of rows that two nodes have and that mean different things.
PREFIXES = {"source": "source", "collider": "collider", "step": "solver", "rasterize": "volume", "surface": "surface"}

#: These nodes' own rows always have the prefix: an artist meets them far from the particles that they speak of.
ALWAYS_PREFIXED = ("rasterize", "surface")

#: What the nodes find out by themselves inside the asset.
AUTOMATIC = {"rasterize": ("spacing",), "surface": ("spacing",)}

#: Names of the nodes inside the asset that links point to, and their types.
INNER_TYPES = {
    "source": "firn::snow_source",
    "collider": "firn::snow_collider",
    "ground_collider": "firn::snow_collider",
    "step": "firn::snow_step",
    "rasterize": "firn::snow_rasterize",
    "surface": "firn::snow_surface",
}


@dataclass(frozen=True)
class Link:
    """A parameter of an inner node that follows the asset. In `expression`, {asset} is the way up to the asset."""

    node: str
    token: str
    expression: str


@dataclass(frozen=True)
class AssetParameter:
    row: Parameter
    links: tuple[Link, ...] = ()
    callback: str = ""  # Python, with kwargs as Houdini gives it
    default_expressions: tuple[str, ...] = ()  # HScript


@dataclass(frozen=True)
class Folder:
    label: str
    parameters: tuple[AssetParameter, ...]
    folders: tuple[Folder, ...] = ()


@dataclass(frozen=True)
class Plan:
    folders: tuple[Folder, ...]
    #: Inner parameters that no single parameter of the asset owns.
    driven: tuple[Link, ...]

    def parameters(self) -> tuple[AssetParameter, ...]:
        """All of them, in the order of the dialog."""

        def walk(folder: Folder) -> tuple[AssetParameter, ...]:
            inner = tuple(p for sub in folder.folders for p in walk(sub))
            return folder.parameters + inner

        return tuple(p for folder in self.folders for p in walk(folder))

    def links(self) -> tuple[Link, ...]:
        return tuple(link for p in self.parameters() for link in p.links) + self.driven


_AUTO = Choice("auto", "Automatic", "by its attributes")

RESET = Parameter("resimulate", "Reset Simulation", "button", (0,), help="Discards all simulated frames and starts again at the start frame.")
SNOW_INPUT = Parameter(
    "snow_input", "First Input", "choice", (0,), high=2, slider_high=2, help="What is wired into the first input.",
    choices=(
        _AUTO,
        Choice("geometry", "Geometry to Fill", "a closed mesh, a VDB or a heightfield; the settings below fill it with snow"),
        Choice("particles", "Snow Particles", "from one or more Firn Snow Source nodes, each with its own settings"),
    ),
)
COLLIDER_INPUT = Parameter(
    "collider_input", "Second Input", "choice", (0,), high=2, slider_high=2, help="What is wired into the second input.",
    choices=(
        _AUTO,
        Choice("geometry", "Geometry", "the settings below make a collider of it"),
        Choice("particles", "Collider Particles", "from one or more Firn Snow Collider nodes, each with its own settings"),
    ),
)
GROUND_ROWS = (
    Parameter("ground", "Ground Plane", "toggle", (1,), high=1, slider_high=1, help="Adds a level floor that the snow lands on."),
    Parameter(
        "ground_height", "Height", "real", (0.0,), unit="m", low=-1e6, high=1e6, slider_low=-2, slider_high=2,
        help="Height of the ground plane.", disable_when="{ ground == 0 }",
    ),
    Parameter(
        "ground_size", "Size", "real", (0.0,), unit="m", low=0, high=1e5, slider_low=0, slider_high=50,
        help="Edge length of the ground plane, centred on the origin. Snow that leaves it keeps falling. 0 = without end.", disable_when="{ ground == 0 }",
    ),
)
CACHE_ROWS = (
    Parameter(
        "cache_load", "Load from Disk", "toggle", (0,), high=1, slider_high=1,
        help="Reads the snow from the files below instead of simulating.",
    ),
    Parameter(
        "cache_file", "Geometry File", "string", ("$HIP/geo/$HIPNAME.$OS.$F4.bgeo.sc",),
        help="One file per frame. Files that `firn sim` writes can be loaded here too.",
    ),
    Parameter(
        "cache_start", "First Frame", "integer", (1,), unit="frame", low=-1e6, high=1e6, slider_low=1, slider_high=240,
        help="The first frame that Save to Disk writes.",
    ),
    Parameter(
        "cache_end", "Last Frame", "integer", (240,), unit="frame", low=-1e6, high=1e6, slider_low=1, slider_high=240,
        help="The last frame that Save to Disk writes.",
    ),
    Parameter("cache_save", "Save to Disk", "button", (0,), help="Simulates the range and writes one file per frame."),
)
_CALLBACKS = {
    "resimulate": "from firn import buttons; buttons.reset(kwargs['node'])",
    "cache_save": "from firn import buttons; buttons.save_cache(kwargs['node'])",
}
_DEFAULT_EXPRESSIONS = {"cache_start": ("$RFSTART",), "cache_end": ("$RFEND",)}


def _own(row: Parameter) -> AssetParameter:
    return AssetParameter(row, (), _CALLBACKS.get(row.token, ""), _DEFAULT_EXPRESSIONS.get(row.token, ()))


def _link(node: str, row: Parameter, token: str) -> Link:
    """A row that follows the asset's parameter `token`; text is expanded between backquotes."""
    expression = f'`chs("{{asset}}/{token}")`' if row.kind == "string" else f'ch("{{asset}}/{token}")'
    return Link(node, row.token, expression)


class _Dialog:
    """Gives each row its token in the asset: rows that two nodes share become one, others get the node's prefix."""

    def __init__(self) -> None:
        self.folders: list[tuple[str, str]] = []
        self._order: list[str] = []
        self._place: dict[str, tuple[str, str]] = {}
        self._parameters: dict[str, AssetParameter] = {}

    def own(self, folder: str, row: Parameter, links: tuple[Link, ...] = ()) -> None:
        self._put((folder, ""), replace(_own(row), links=links))

    def row(self, folder: str, sub: str, node: str, row: Parameter) -> str:
        """Adds a row of an inner node; returns the asset's token for it."""
        token, prefix = row.token, PREFIXES[node]
        known = self._parameters.get(token)
        same = known is not None and (known.row.label, known.row.kind, known.row.default) == (
            row.label, row.kind, row.default,
        )
        if known is not None and same:
            self._parameters[token] = replace(known, links=known.links + (_link(node, row, token),))
            return token
        if (known is not None or node in ALWAYS_PREFIXED) and not token.startswith(f"{prefix}_"):
            token = f"{prefix}_{token}"
        self._put((folder, sub), AssetParameter(replace(row, token=token), (_link(node, row, token),)))
        return token

    def _put(self, place: tuple[str, str], parameter: AssetParameter) -> None:
        token = parameter.row.token
        self._order.append(token)
        self._place[token] = place
        self._parameters[token] = parameter
        if place not in self.folders:
            self.folders.append(place)

    def rename(self, tokens: dict[str, str], prefix_of: set[str]) -> None:
        """Conditions of prefixed rows speak of the prefixed tokens."""
        for token in prefix_of:
            parameter = self._parameters[token]
            condition = re.sub(
                r"[a-z_][a-z0-9_]*", lambda word: tokens.get(word.group(), word.group()), parameter.row.disable_when
            )
            self._parameters[token] = replace(parameter, row=replace(parameter.row, disable_when=condition))

    def result(self) -> tuple[Folder, ...]:
        def inside(place: tuple[str, str]) -> tuple[AssetParameter, ...]:
            return tuple(self._parameters[token] for token in self._order if self._place[token] == place)

        labels = list(dict.fromkeys(folder for folder, _ in self.folders))
        return tuple(
            Folder(
                label,
                inside((label, "")),
                tuple(Folder(sub, inside((label, sub))) for top, sub in self.folders if top == label and sub),
            )
            for label in labels
        )


def _node_rows(dialog: _Dialog, folder: str, rows: tuple[Parameter, ...], node: str, main: tuple[str, ...]) -> None:
    """The rows of a node; those of the folders `main` stand directly in the tab, others in folders of their own.

    Rows that start with an expression ($FF, 1/$FPS) are right as they are and stay inside.
    """
    tokens = {}
    for row in rows:
        if row.expression or row.kind == "button" or row.token in AUTOMATIC.get(node, ()):
            continue
        tokens[row.token] = dialog.row(folder, "" if row.folder in main else row.folder, node, row)
    changed = {old: new for old, new in tokens.items() if old != new}
    dialog.rename(changed, set(changed.values()))


def make_plan(tables: Tables) -> Plan:
    source = tables.node("firn::snow_source").parameters
    collider = tables.node("firn::snow_collider").parameters
    step = tables.node("firn::snow_step").parameters

    dialog = _Dialog()
    dialog.own("Simulation", RESET)
    first = tuple(row for row in step if row.folder in ("Scene", "Simulation"))
    _node_rows(dialog, "Simulation", first, "step", main=("Scene", "Simulation"))

    dialog.own("Snow", SNOW_INPUT)
    _node_rows(dialog, "Snow", source, "source", main=("Snow",))

    dialog.own("Colliders", COLLIDER_INPUT)
    _node_rows(dialog, "Colliders", collider, "collider", main=("Shape", "Surface"))
    for row in GROUND_ROWS:
        dialog.own("Ground", row)
    # The ground plane has a surface of its own.
    for row in collider:
        if row.token in tables.surface:
            ground = replace(row, token=f"ground_{row.token}", disable_when="{ ground == 0 }")
            dialog.own("Ground", ground, (_link("ground_collider", row, ground.token),))

    wind = tuple(row for row in step if row.folder == "Wind")
    _node_rows(dialog, "Wind", wind, "step", main=("Wind",))
    rest = tuple(row for row in step if row not in first + wind)
    _node_rows(dialog, "Solver", rest, "step", main=("Time",))

    for row in CACHE_ROWS:
        dialog.own("Cache", row)
    _node_rows(dialog, "Surface", tables.node("firn::snow_surface").parameters, "surface", main=("Output",))
    _node_rows(dialog, "Volumes", tables.node("firn::snow_rasterize").parameters, "rasterize", main=("Output",))

    # What the ground shares with every collider.
    driven = [_link("ground_collider", row, row.token) for row in collider if row.token in ("spacing", "boundary_volume")]
    return Plan(dialog.result(), tuple(driven))
