"""An expression as its place wants it: a value of C++, a condition."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.elements import Dtype
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.objects import describe
from ferrata.lang.translate.types import PYTHON, DtypeTest
from ferrata.lang.values import Value


def plain(f: Function, node: ast.expr) -> Value:
    """An expression that is a value of C++: no module, function or element type."""
    value = f.value(node)
    if value.type == PYTHON:
        f.fail(
            errors.WrongType, node, what="this place", expected="a value of the kernel", got=describe(value.const),
            help=_value_advice(value.const),
        )  # fmt: skip
    return value


def asked(f: Function, node: ast.expr) -> Value:
    """An expression of which only matters whether it holds."""
    if isinstance(node, ast.BoolOp):
        f.conditions.add(id(node))
    return f.value(node)


def condition(f: Function, node: ast.expr) -> Value:
    """An expression as a condition."""
    return holds(f, asked(f, node), node)


def holds(f: Function, value: Value, node: ast.expr) -> Value:
    """The value of an expression as a condition."""
    if isinstance(value.const, DtypeTest):
        return replace(value, const=None)
    if value.type == PYTHON:
        if value.const is None or isinstance(value.const, bool):
            return arithmetic.literal(bool(value.const))
        plain(f, node)
    return arithmetic.to_bool(f, value, node)


def _value_advice(obj: Any) -> str:
    if callable(obj) and not isinstance(obj, Dtype):
        return "Call it."
    if obj is None:
        return "Tensors are optional with `ac.Gm[T] | None`; ask with `x is not None`."
    return ""
