"""Dimensions as a signature writes them: `4096`, `"rows"`, `"_"`, `...`, `"*lead"`, and in outputs `"n*2"`.

The signature turns what stands in the brackets into these rows; a call binds the names (match.py), and the shape of an
output follows from what is bound. Sizes are numbers or torch.SymInt throughout: nothing here asks a symbol for its
value.

  4096                 this size
  "rows"               any size; one size for a name in one call
  "_"                  any size
  ...                  any number of batch dimensions, the same wherever `...` stands; in a list, of each tensor its own
  "*lead"              as `...`, under a name and without its promise that each index is computed on its own
  "n*2", "max(a, b)"   outputs: integer arithmetic over names and int attributes (+ - * // % max min ceil_div)
  "broadcast(*a, *b)"  outputs: what these broadcast to
  "found <= n"         outputs: a size that only the kernel knows, at most this
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

UNKNOWN = -1  # a size that GE does not know yet


@dataclass(frozen=True)
class Fixed:
    """One size."""

    size: int

    def __str__(self) -> str:
        return str(self.size)


@dataclass(frozen=True)
class Named:
    """A size with a name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class AnySize:
    """`"_"`: any size."""

    def __str__(self) -> str:
        return "_"


@dataclass(frozen=True)
class Rest:
    """Any number of dimensions. name: "" for `...`."""

    name: str = ""

    def __str__(self) -> str:
        return f"*{self.name}" if self.name else "..."


@dataclass(frozen=True)
class Computed:
    """An output's size as arithmetic over names."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Broadcast:
    """An output's dimensions: what these groups broadcast to. Names of Rest; "" for `...`."""

    rests: tuple[str, ...]

    def __str__(self) -> str:
        return f"broadcast({', '.join(str(Rest(name)) for name in self.rests)})"


@dataclass(frozen=True)
class Unknown:
    """An output's size that the kernel counts. limit: an expression for the most that it can be."""

    name: str
    limit: str

    def __str__(self) -> str:
        return f"{self.name} <= {self.limit}"


Dim = Fixed | Named | AnySize | Rest | Computed | Broadcast | Unknown


def parse(text: str) -> Dim:
    """The dimension that a text says. Raises ValueError with what is wrong with it."""
    text = text.strip()
    if text == "_":
        return AnySize()
    if text.isidentifier():
        return Named(text)
    if text.isdigit():
        return Fixed(int(text))
    if text == "...":
        return Rest()
    if text.startswith("*") and text[1:].isidentifier():
        return Rest(text[1:])
    broadcast = re.fullmatch(r"broadcast\((.*)\)", text)
    if broadcast:
        rests = [part.strip() for part in broadcast[1].split(",")]
        if all(part == "..." or (part.startswith("*") and part[1:].isidentifier()) for part in rests):
            return Broadcast(tuple("" if part == "..." else part[1:] for part in rests))
        raise ValueError('broadcast takes groups of dimensions, such as "broadcast(*a, *b)"')
    unknown = re.fullmatch(r"(\w+)\s*<=\s*(.+)", text)
    if unknown and unknown[1].isidentifier():
        names(unknown[2])
        return Unknown(unknown[1], unknown[2].strip())
    names(text)
    return Computed(text)


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
FUNCTIONS = ("max", "min", "ceil_div")


@cache
def _tree(text: str) -> ast.expr:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is no expression") from None
    _check(tree, text)
    return tree


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Name() | ast.Constant(value=int()):
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            _check(left, text)
            _check(right, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand, text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS and len(args) > 1:
            for arg in args:
                _check(arg, text)
        case ast.BinOp(op=ast.Div()):
            raise ValueError(f"{text!r} divides with /; sizes are integers: write // or ceil_div(a, b)")
        case _:
            part = ast.unparse(node)
            raise ValueError(
                f"{part!r} is not part of a size; a size has names, integers, + - * // %, {', '.join(FUNCTIONS)}"
            )


@cache
def names(text: str) -> tuple[str, ...]:
    """The names in an expression. Raises ValueError when it is none."""
    found = [node for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)]
    return tuple(dict.fromkeys(node.id for node in found if node.id not in FUNCTIONS))


def evaluate(text: str, sizes: Mapping[str, Any]) -> Any:
    """The value of an expression; UNKNOWN where it depends on a size that is UNKNOWN. Adds no guard."""
    if any(isinstance(sizes[name], int) and sizes[name] == UNKNOWN for name in names(text)):
        return UNKNOWN
    return _value(_tree(text), sizes)


def _value(node: ast.expr, sizes: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return sizes[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, sizes), _value(right, sizes))
        case ast.UnaryOp(operand=operand):
            return -_value(operand, sizes)
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [_value(arg, sizes) for arg in args]
            return ceil_div(*values) if name == "ceil_div" else extreme(name, values)
    raise AssertionError(ast.dump(node))


def extreme(name: str, values: list[Any]) -> Any:
    """max or min of sizes; for symbols the expression, without asking which is larger."""
    if all(isinstance(value, int) for value in values):
        return max(values) if name == "max" else min(values)
    import torch

    pick: Callable[[Any, Any], Any] = torch.sym_max if name == "max" else torch.sym_min
    result = values[0]
    for value in values[1:]:
        result = pick(result, value)
    return result


def ceil_div(a: Any, b: Any) -> Any:
    """a / b, rounded up; for sizes and symbols of sizes."""
    return (a + b - 1) // b
