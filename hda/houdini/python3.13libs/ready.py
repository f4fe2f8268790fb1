"""Houdini runs this file when it has started. What it does, and why here: scripts/python/firn/startup.py."""

try:
    from firn import startup

    startup.ready()
except ImportError as trouble:
    print(f"firn: {trouble}: is scripts/python of Firn's folder complete?")
