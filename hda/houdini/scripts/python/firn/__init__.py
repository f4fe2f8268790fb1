"""Firn's artist side: the snow solver asset, recipes, farm entries and the self-check.

Only the modules that need Houdini import `hou`; tables, plans and texts work in any Python.
"""

__version__ = "0.2.0"
