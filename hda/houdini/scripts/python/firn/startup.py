"""Runs once when a Houdini starts: makes the asset available.

Houdini runs `pythonX.Ylibs/ready.py` of every folder on its path, in hython and with an interface, after the plugins and
asset libraries were loaded and before a scene is opened (sidefx.com/docs/houdini/hom/locations.html). Of scripts/123.py only
the first on the path runs, so a package that brought one would take the user's own away; ready.py takes nothing away.
"""

from __future__ import annotations

import os
import sys

from firn.error import FirnError


def ready() -> bool:
    """True if the asset is there. Never raises: a Houdini must start, whatever is wrong with Firn."""
    if os.environ.get("FIRN_NO_ASSET"):
        return False
    try:
        from firn import build

        build.ensure()
        return True
    except FirnError as trouble:
        print(f"firn: {trouble}", file=sys.stderr)
    except Exception as trouble:  # noqa: BLE001 (the line above says why)
        print(f"firn: the snow solver asset is not available: {trouble!r}", file=sys.stderr)
    return False
