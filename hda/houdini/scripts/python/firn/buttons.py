"""What the asset's buttons do."""

from __future__ import annotations

import hou

from firn.network import child, parm


def reset(asset: hou.OpNode) -> None:
    """Forgets all simulated frames."""
    parm(child(asset, "solver"), "resimulate").pressButton()


def save_cache(asset: hou.OpNode) -> None:
    """Simulates from the start and writes every frame of the cache's range."""
    parm(asset, "cache_load").set(0)
    reset(asset)
    parm(child(asset, "save_cache"), "execute").pressButton()
    parm(asset, "cache_load").set(1)
