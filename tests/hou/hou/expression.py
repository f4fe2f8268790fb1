"""The part of HScript's expression language that Firn's network uses.

Stricter than Houdini: a reference to a parameter that does not exist is an error here, and not a zero.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Protocol

from .errors import OperationFailed

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<string>\"[^\"]*\")|(?P<variable>\$[A-Za-z_]\w*)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><=|>=|==|!=|&&|\|\||[-+*/%<>(),]))"
)


class Context(Protocol):
    """What an expression can see."""

    def variable(self, name: str) -> Any: ...

    def channel(self, path: str) -> Any: ...

    def has_point_attribute(self, path: str, name: str) -> bool: ...

    def primitive_count(self, path: str) -> int: ...

    def point_count(self, path: str) -> int: ...


class _Reader:
    def __init__(self, text: str, context: Context) -> None:
        self.context = context
        self.tokens: list[tuple[str, str]] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise OperationFailed(f"Syntax error in expression: {text}")
            self.tokens.append((str(found.lastgroup), found.group(str(found.lastgroup))))
            at = found.end()
        self.text = text

    def peek(self) -> str:
        return self.tokens[0][1] if self.tokens else ""

    def take(self, wanted: str = "") -> tuple[str, str]:
        if not self.tokens or (wanted and self.tokens[0][1] != wanted):
            raise OperationFailed(f"Syntax error in expression: {self.text}")
        return self.tokens.pop(0)

    def binary(self, level: int) -> Any:
        levels: tuple[dict[str, Callable[[Any, Any], Any]], ...] = (
            {"||": lambda a, b: int(bool(a) or bool(b))},
            {"&&": lambda a, b: int(bool(a) and bool(b))},
            {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
            {"<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b)},
            {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
            {"*": lambda a, b: a * b, "/": lambda a, b: a / b, "%": lambda a, b: a % b},
        )
        if level == len(levels):
            return self.unary()
        value = self.binary(level + 1)
        while self.peek() in levels[level]:
            sign = self.take()[1]
            value = levels[level][sign](value, self.binary(level + 1))
        return value

    def unary(self) -> Any:
        if self.peek() == "-":
            self.take()
            return -self.unary()
        if self.peek() == "(":
            self.take()
            value = self.binary(0)
            self.take(")")
            return value
        kind, text = self.take()
        if kind == "number":
            return float(text)
        if kind == "string":
            return text[1:-1]
        if kind == "variable":
            return self.context.variable(text[1:])
        if kind == "word":
            return self.call(text)
        raise OperationFailed(f"Syntax error in expression: {self.text}")

    def call(self, name: str) -> Any:
        self.take("(")
        arguments: list[Any] = []
        while self.peek() != ")":
            arguments.append(self.binary(0))
            if self.peek() == ",":
                self.take()
        self.take(")")
        if name in ("ch", "chs"):
            value = self.context.channel(arguments[0])
            return str(value) if name == "chs" else value
        if name == "if":
            return arguments[1] if arguments[0] else arguments[2]
        if name in ("min", "max"):
            return (min if name == "min" else max)(arguments)
        if name == "haspointattrib":
            return int(self.context.has_point_attribute(arguments[0], arguments[1]))
        if name == "nprims":
            return self.context.primitive_count(arguments[0])
        if name == "npoints":
            return self.context.point_count(arguments[0])
        raise OperationFailed(f"Unknown expression function: {name}")


def evaluate(text: str, context: Context) -> Any:
    reader = _Reader(text, context)
    value = reader.binary(0)
    if reader.tokens:
        raise OperationFailed(f"Syntax error in expression: {text}")
    return value


def expand(text: str, context: Context) -> str:
    """A string parameter: `expressions` in backquotes, then $VARIABLES."""
    text = re.sub(r"`([^`]*)`", lambda found: str(evaluate(found.group(1), context)), text)

    def variable(found: re.Match[str]) -> str:
        if found.group(1) == "F" and found.group(2):
            return str(int(context.variable("F"))).zfill(int(found.group(2)))
        value = context.variable(found.group(1))
        return f"{value:g}" if isinstance(value, float) else str(value)

    return re.sub(r"\$([A-Z]+)(\d?)", variable, text)
