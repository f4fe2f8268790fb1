"""The solver's settings as sections of a scene file."""

from __future__ import annotations

from typing import Iterable, cast

import hou

from firn.error import FirnError
from firn.export_file import Entries, Export
from firn.settings import Settings, default_of
from firn.tables import Parameter

#: Where the rows of a solver stand in a scene file, by their folder. Machines decide about themselves.
SECTIONS = {
    "Scene": "scene", "Snow": "material", "Time": "time", "Method": "solver", "Remedies": "solver", "Boundaries": "solver",
    "Wind": "wind",
}


def engine_sections(export: Export, rows: Iterable[Parameter], settings: Settings) -> dict[str, Entries]:
    """What differs from the defaults."""
    sections: dict[str, Entries] = {}
    # A section [wind] means that there is air.
    has_air = settings.number("drag") > 0 or settings.text("drag_law") != "linear"
    for row in rows:
        section = SECTIONS.get(row.folder)
        if section is None or section == "wind" and not has_air:
            continue
        export.warn_of_motion(settings, (row.token,))
        value = settings.value(row)
        if value != default_of(row) or row.token == "spacing":
            sections.setdefault(section, {})[row.token] = value
    return sections


def time_section(export: Export, time: Entries, frame_length: float) -> Entries:
    """`time` are the rows that differ from the defaults, `frame_length` what a frame takes in the simulation, s."""
    if frame_length <= 0:
        raise FirnError(f"{export.node.path()}: a Time Scale of 0 can't be exported: nothing would move")
    return {"fps": 1 / frame_length, "start": export.first, "end": export.last, **time}


def step_time(export: Export, settings: Settings, time: Entries, timestep: float) -> Entries:
    """The section [time] with the limits that firn::snow_step has besides; `timestep` is a frame's length, s."""
    scale = settings.number("timescale")
    if scale <= 0:
        raise FirnError(f"{export.node.path()}: a Time Scale of {scale:g} can't be exported: nothing would move")
    export.warn_of_motion(settings, ("timescale",))
    seconds = scale * timestep
    limited = dict(time)
    fewest, most = settings.whole("substeps_min"), settings.whole("substeps_max")
    # As firn::snow_step limits them.
    if fewest > 0 and not settings.whole("substeps"):
        limited["dt_max"] = min(settings.number("dt_max"), seconds / fewest)
    if most > 0 and not settings.whole("substeps"):
        longest = limited.get("dt_max", settings.number("dt_max"))
        limited["dt_min"] = min(max(settings.number("dt_min"), seconds / most), cast(float, longest))
    return time_section(export, limited, seconds)


def last_frame(frames: range | None) -> int:
    return frames[-1] if frames is not None else int(hou.playbar.frameRange()[1])


def check_range(node: hou.OpNode, first: int, last: int) -> None:
    if last < first:
        raise FirnError(f"{node.path()} starts at frame {first}, after the last frame {last}")
