"""Values of parameters that the fake's own nodes must have."""

from __future__ import annotations

from .errors import OperationFailed
from .nodes import OpNode
from .parms import Parm


def _parm(node: OpNode, name: str) -> Parm:
    found = node.parm(name)
    if found is None:
        raise OperationFailed(f"{node.path()} has no {name}")
    return found


def number_of(node: OpNode, name: str) -> float:
    return _parm(node, name).evalAsFloat()


def vector_of(node: OpNode, name: str) -> list[float]:
    return [number_of(node, name + letter) for letter in "xyz"]


def text_of(node: OpNode, name: str) -> str:
    return _parm(node, name).evalAsString()
