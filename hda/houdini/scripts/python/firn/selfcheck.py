"""Does Firn work in this Houdini? The first command in a studio.

    hython -m firn.selfcheck [--frames N] [--report FILE]

Runs every check, the riskiest first: where the plugin lies, its nodes, toggles and menus, an Alembic collider, packed fragments,
a .sim file, the memory of a DOP network, the asset, a snowball of ten frames, the farm's command, a scene file. One line for each
says what came out and what was expected. The last line is the verdict. All of it, with what we need to know about the machine,
goes into FILE (firn_selfcheck.txt): send us that. Exit codes: 0 passed, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Callable

import hou

import firn
from firn import build, selfcheck_colliders, selfcheck_dops, selfcheck_plugin, selfcheck_snow
from firn.error import FirnError
from firn.selfcheck_session import Session

#: What it is, what should come out, and who looks.
CHECKS: tuple[tuple[str, str, Callable[[Session], str]], ...] = (
    ("package path", "one firn.so on HOUDINI_PATH", selfcheck_plugin.check_package),
    ("nodes registered", "every SOP, and the DOP", selfcheck_plugin.check_nodes),
    ("parameters as in the tables", "every one", selfcheck_plugin.check_parameters),
    ("toggles and menus", "each does what it says", selfcheck_plugin.check_toggles_and_menus),
    ("Alembic collider", "as many boundary particles as the box itself", selfcheck_colliders.check_alembic),
    ("packed fragments", "each is its own piece, and no more", selfcheck_colliders.check_fragments),
    (".sim file", "goes on to the same bits", selfcheck_dops.check_sim_file),
    ("memory of a DOP network", "less than 1 MB a frame", selfcheck_dops.check_dop_memory),
    ("asset built", "a file of this name", selfcheck_snow.check_asset),
    ("recipe built", "a snow solver", selfcheck_snow.check_recipe),
    ("snow placed", "where the source put it", selfcheck_snow.check_start),
    ("frames simulated", "it falls", selfcheck_snow.check_frames),
    ("mass kept", "no snow lost", selfcheck_snow.check_mass),
    ("scrubbing", "the same frame again", selfcheck_snow.check_scrubbing),
    ("volumes and surface", "some of each", selfcheck_snow.check_volumes),
    ("scene saved and loaded", "with its solver", selfcheck_snow.check_scene_file),
    ("farm command", "three frames on disk", selfcheck_snow.check_farm),
)

#: What decides which plugin is found and how it runs.
VARIABLES = (
    "HFS", "HOUDINI_PATH", "HOUDINI_PACKAGE_DIR", "HOUDINI_USER_PREF_DIR", "HSITE", "FIRN_FOLDER", "FIRN_PLUGIN", "FIRN_NO_ASSET",
    "HOUDINI_DSO_ERROR", "CUDA_VISIBLE_DEVICES",
)


def machine() -> list[str]:
    lines = [
        f"firn {firn.__version__}, Houdini {hou.applicationVersionString()} ({hou.licenseCategory()})",
        f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}",
    ]
    return lines + [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]


def _try(check: Callable[[Session], str], session: Session) -> tuple[bool, str, str]:
    """Whether it passed, what came out, and the traceback of what did not."""
    try:
        return True, check(session), ""
    except FirnError as trouble:
        return False, str(trouble), traceback.format_exc()
    except (hou.Error, OSError, LookupError, TypeError, ValueError, AttributeError) as trouble:
        # A Houdini that is not as we expect is what this is for: the other checks go on.
        return False, build.describe(trouble), traceback.format_exc()


def run(frames: int = 10, say: Callable[[str], None] = print, report: Path | None = None) -> bool:
    """Runs every check; the last line that is said is the verdict."""
    if hou.isUIAvailable():
        say(f"firn {firn.__version__} self-check FAILED: it clears the scene; run it with `hython -m firn.selfcheck`")
        return False
    began = time.monotonic()
    written = machine()
    failed: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="firn_selfcheck_") as name:
        session = Session(frames, Path(name))
        for title, expected, check in CHECKS:
            passed, result, trace = _try(check, session)
            line = f"  {'ok    ' if passed else 'FAILED'}  {title}: {result} (expected: {expected})"
            say(line)
            written += [line, trace] if trace else [line]
            if not passed:
                failed.append((title, result))
        hou.hipFile.clear(suppress_save_prompt=True)
    verdict = f"firn {firn.__version__} self-check passed: {len(CHECKS)} checks in {time.monotonic() - began:.1f} s"
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        verdict = f"firn {firn.__version__} self-check FAILED at '{failed[0][0]}': {failed[0][1]}{more}"
    if report is not None:
        try:
            report.write_text("\n".join([*written, verdict]) + "\n", encoding="utf-8")
            say(f"  send us {report}")
        except OSError as trouble:
            say(f"  {report} can't be written: {trouble.strerror}")
    say(verdict)
    return not failed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="hython -m firn.selfcheck", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=10, help="of the snowball (10)")
    parser.add_argument("--report", type=Path, default=Path("firn_selfcheck.txt"), help="where the report goes (firn_selfcheck.txt)")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as usage:
        return int(usage.code or 0)
    if given.frames < 1:
        print("firn.selfcheck: --frames has to be 1 or more", file=sys.stderr)
        return 2
    return 0 if run(given.frames, report=given.report) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
