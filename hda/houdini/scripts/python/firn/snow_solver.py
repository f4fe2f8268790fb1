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
OUTPUT_LABELS = ("Snow particles", "Volumes", "Surface", "Colliders")

#: Nodes whose equal rows are one parameter of the asset: the same spacing, the same snow.
SHARING = ("source", "collider", "step")

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


FRAME_TIME = '(ch("{asset}/time_scale") / $FPS)'
LONGEST_STEP = f'min(ch("{{asset}}/dt_max"), {FRAME_TIME} / max(ch("{{asset}}/substeps_min"), 1))'
SHORTEST_STEP = (
    f'min({LONGEST_STEP}, max(ch("{{asset}}/dt_min"), '
    f'if(ch("{{asset}}/substeps_max") > 0, {FRAME_TIME} / max(ch("{{asset}}/substeps_max"), 1), 0)))'
)

#: Parameters of the step that follow more than one parameter of the asset.
STEP_EXPRESSIONS = {"dt_max": LONGEST_STEP, "dt_min": SHORTEST_STEP}

_AUTO = Choice("auto", "Automatic", "by its attributes")

SIMULATION_ROWS = (
    Parameter("resimulate", "Reset Simulation", "button", (0,), help="Forgets all simulated frames."),
    Parameter(
        "start_frame", "Start Frame", "integer", (1,), unit="frame", low=-1e6, high=1e6, slider_low=1, slider_high=240,
        help="The first frame: it holds the snow as it was placed.",
    ),
    Parameter(
        "time_scale", "Time Scale", "real", (1.0,), low=1e-3, high=1000, slider_low=0.1, slider_high=2,
        help="Simulated seconds per second of the scene: below 1 is slow motion. Animated colliders are as fast as they are "
        "animated, whatever the scale.",
    ),
    Parameter(
        "substeps_min", "Min Substeps", "integer", (1,), low=1, high=100000, slider_low=1, slider_high=100,
        help="At least as many steps in each frame.",
    ),
    Parameter(
        "substeps_max", "Max Substeps", "integer", (0,), low=0, high=1000000, slider_low=0, slider_high=1000,
        help="At most as many steps in each frame, even if the motion needs more. 0 = no limit but the shortest substep.",
    ),
)
SNOW_INPUT = Parameter(
    "snow_input", "First Input", "choice", (0,), high=2, slider_high=2, help="What the first input holds.",
    choices=(
        _AUTO,
        Choice("geometry", "Geometry to Fill", "a closed mesh, a VDB or a heightfield; the settings below fill it with snow"),
        Choice("particles", "Snow Particles", "from one or more Firn Snow Source nodes, each with its own settings"),
    ),
)
COLLIDER_INPUT = Parameter(
    "collider_input", "Second Input", "choice", (0,), high=2, slider_high=2, help="What the second input holds.",
    choices=(
        _AUTO,
        Choice("geometry", "Geometry", "the settings below make a collider of it"),
        Choice("particles", "Collider Particles", "from one or more Firn Snow Collider nodes, each with its own settings"),
    ),
)
GROUND_ROWS = (
    Parameter("ground", "Ground Plane", "toggle", (1,), high=1, slider_high=1, help="A level floor under everything."),
    Parameter(
        "ground_height", "Height", "real", (0.0,), unit="m", low=-1e6, high=1e6, slider_low=-2, slider_high=2,
        help="Of the ground plane.", disable_when="{ ground == 0 }",
    ),
    Parameter(
        "ground_size", "Size", "real", (10.0,), unit="m", low=0.01, high=1e5, slider_low=1, slider_high=50,
        help="Edge of the ground plane around the origin. Snow beyond it falls for ever.", disable_when="{ ground == 0 }",
    ),
)
CACHE_ROWS = (
    Parameter(
        "cache_load", "Load from Disk", "toggle", (0,), high=1, slider_high=1,
        help="Takes the snow from the files below instead of simulating.",
    ),
    Parameter(
        "cache_file", "Geometry File", "string", ("$HIP/geo/$HIPNAME.$OS.$F4.bgeo.sc",),
        help="One file for each frame. `firn sim` writes files that can be loaded here too.",
    ),
    Parameter(
        "cache_start", "First Frame", "integer", (1,), unit="frame", low=-1e6, high=1e6, slider_low=1, slider_high=240,
        help="Of what Save to Disk writes.",
    ),
    Parameter(
        "cache_end", "Last Frame", "integer", (240,), unit="frame", low=-1e6, high=1e6, slider_low=1, slider_high=240,
        help="Of what Save to Disk writes.",
    ),
    Parameter("cache_save", "Save to Disk", "button", (0,), help="Simulates and writes every frame of the range."),
)
_CALLBACKS = {
    "resimulate": "from firn import buttons; buttons.reset(kwargs['node'])",
    "cache_save": "from firn import buttons; buttons.save_cache(kwargs['node'])",
}
_DEFAULT_EXPRESSIONS = {"cache_start": ("$RFSTART",), "cache_end": ("$RFEND",)}

#: Tokens of a collider that the ground plane has of its own.
GROUND_TOKENS = ("friction", "adhesion", "bounce", "sticky")


def _own(row: Parameter) -> AssetParameter:
    return AssetParameter(row, (), _CALLBACKS.get(row.token, ""), _DEFAULT_EXPRESSIONS.get(row.token, ()))


class _Dialog:
    """Gives each row its token in the asset: rows that two nodes share become one, others get the node's prefix."""

    def __init__(self) -> None:
        self.folders: list[tuple[str, str]] = []
        self._order: list[str] = []
        self._place: dict[str, tuple[str, str]] = {}
        self._parameters: dict[str, AssetParameter] = {}

    def own(self, folder: str, row: Parameter, links: tuple[Link, ...] = ()) -> None:
        self._put((folder, ""), replace(_own(row), links=links))

    def row(self, folder: str, sub: str, node: str, row: Parameter, prefix: str, expression: str = "") -> str:
        """Adds a row of an inner node; returns the asset's token for it."""
        token = row.token
        known = self._parameters.get(token)
        shared = known is not None and node in SHARING and (known.row.label, known.row.kind, known.row.default) == (
            row.label, row.kind, row.default,
        )
        if known is not None and not shared:
            token = f"{prefix}_{token}"
        link = Link(node, row.token, expression or f'ch("{{asset}}/{token}")')
        if row.kind == "string":
            link = replace(link, expression=f'`chs("{{asset}}/{token}")`')
        if known is not None and shared:
            self._parameters[token] = replace(known, links=known.links + (link,))
        elif row.kind == "button":
            return token  # nobody presses a button inside
        else:
            self._put((folder, sub), AssetParameter(replace(row, token=token), (link,)))
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


def _node_rows(
    dialog: _Dialog, folder: str, rows: tuple[Parameter, ...], node: str, prefix: str, main: str = ""
) -> None:
    """All rows of a node; those of the table's folder `main` stand directly in the tab, others in folders of their own."""
    tokens = {}
    for row in rows:
        sub = "" if row.folder == main or not row.folder else row.folder
        expression = STEP_EXPRESSIONS.get(row.token, "") if node == "step" else ""
        tokens[row.token] = dialog.row(folder, sub, node, row, prefix, expression)
    changed = {old: new for old, new in tokens.items() if old != new}
    if changed:
        dialog.rename(changed, set(changed.values()))


def make_plan(tables: Tables) -> Plan:
    source = tables.node("firn::snow_source").parameters
    collider = tables.node("firn::snow_collider").parameters
    step = tables.node("firn::snow_step").parameters
    time = {"time_scale", "timescale"}

    dialog = _Dialog()
    for row in SIMULATION_ROWS:
        dialog.own("Simulation", row)
    _node_rows(dialog, "Simulation", tuple(row for row in step if row.folder == "Scene"), "step", "solver", main="Scene")

    dialog.own("Snow", SNOW_INPUT)
    _node_rows(dialog, "Snow", source, "source", "source", main=source[0].folder if source else "")

    dialog.own("Colliders", COLLIDER_INPUT)
    _node_rows(dialog, "Colliders", collider, "collider", "collider", main="Collider")
    for row in GROUND_ROWS:
        dialog.own("Ground", row)
    for row in collider:
        if row.token in GROUND_TOKENS:
            token = f"ground_{row.token}"
            ground = replace(row, token=token, disable_when="{ ground == 0 }")
            dialog.own("Ground", ground, (Link("ground_collider", row.token, f'ch("{{asset}}/{token}")'),))

    rest = tuple(row for row in step if row.folder != "Scene" and row.token not in time)
    _node_rows(dialog, "Solver", rest, "step", "solver", main="Method")

    for row in CACHE_ROWS:
        dialog.own("Cache", row)
    _node_rows(dialog, "Volumes", tables.node("firn::snow_rasterize").parameters, "rasterize", "volume", main="Volumes")
    _node_rows(dialog, "Surface", tables.node("firn::snow_surface").parameters, "surface", "surface", main="Surface")

    driven = [Link("step", row.token, 'ch("{asset}/time_scale")') for row in step if row.token in time]
    # What the ground shares with every collider: the spacing that the rest of the scene has.
    driven += [
        Link("ground_collider", row.token, f'ch("{{asset}}/{row.token}")') for row in collider if row.token == "spacing"
    ]
    return Plan(dialog.result(), tuple(driven))
