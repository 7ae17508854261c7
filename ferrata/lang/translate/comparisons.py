"""Numbers side by side: comparisons, min and max, two values as one type."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.elements import DtypeVar, bf16, boolean, f16, i64, u64
from ferrata.lang.translate.arithmetic import (
    EQUAL,
    LESS,
    cast,
    element_of,
    floating,
    folds,
    formula_of,
    literal,
    natural,
    number,
    to_float,
    to_int,
    wrap,
)
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.types import spelled
from ferrata.lang.values import BOOL, ScalarType, Value

# how C++ spells it, its precedence, what Python computes
COMPARE: Mapping[type[ast.cmpop], tuple[str, int, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", LESS, operator.lt), ast.LtE: ("<=", LESS, operator.le), ast.Gt: (">", LESS, operator.gt),
    ast.GtE: (">=", LESS, operator.ge), ast.Eq: ("==", EQUAL, operator.eq), ast.NotEq: ("!=", EQUAL, operator.ne),
}  # fmt: skip


def compare(f: Function, op: ast.cmpop, a: Value, b: Value, node: ast.AST) -> Value:
    """`a < b` and its kin, of numbers."""
    text, level, compute = COMPARE[type(op)]
    number(f, a, node, f"`{text}`")
    number(f, b, node, f"`{text}`")
    one, other = element_of(a), element_of(b)
    if isinstance(one, DtypeVar) or isinstance(other, DtypeVar):
        a, b = _comparable(f, a, b, node)
    elif floating(a) or floating(b):
        a, b = to_float(f, a), to_float(f, b)
    elif u64 in (one, other) and one != other and not (natural(a) and natural(b)):
        a, b = (
            s if element_of(s) == i64 else replace(s, cpp=f"static_cast<int64_t>({s.cpp})", precedence=0)
            for s in (a, b)
        )
    const = compute(a.const, b.const) if isinstance(a.const, int | float) and isinstance(b.const, int | float) else None
    if const is not None and folds(a) and folds(b):
        return literal(const)
    formula = formula_of(compute, a, b)
    return Value(
        f"{wrap(a, level, True)} {text} {wrap(b, level, True)}", BOOL, const=const, precedence=level, formula=formula
    )


def _comparable(f: Function, a: Value, b: Value, node: ast.AST) -> tuple[Value, Value]:
    """Numbers of T as what compares exactly: itself against itself, else float or int."""
    variable = next(e for e in (element_of(a), element_of(b)) if isinstance(e, DtypeVar))
    choices = f.possible(variable)
    if all(d.floating for d in choices):
        return to_float(f, a), to_float(f, b)
    if all(_compares_as_int(f, side) for side in (a, b)):
        return a, b
    for side in (a, b):
        if element_of(side) != variable and side.const is None:
            f.fail(
                errors.WrongType, node, what=f"a comparison with {variable}", expected=f"{variable} or a literal",
                got=spelled(side.type), help=f"Convert a side: {variable}(x), float(x) or int(x).",
            )  # fmt: skip
    if any(d == bf16 for d in choices):
        return to_float(f, a), to_float(f, b)
    return (
        a if element_of(a) == variable else cast(f, a, variable, node),
        b if element_of(b) == variable else cast(f, b, variable, node),
    )


def _compares_as_int(f: Function, side: Value) -> bool:
    """Whether C++ compares it exactly with any other such: a signed or short integer, whatever its variable is."""
    kind = element_of(side)
    if side.const is not None or kind is None:
        return False
    return all(
        not d.floating and d not in (u64, boolean)
        for d in (f.possible(kind) if isinstance(kind, DtypeVar) else (kind,))
    )


def unify(f: Function, a: Value, b: Value, node: ast.AST, what: str) -> tuple[Value, Value]:
    """Two values as one type: for `a if c else b`, min and max."""
    if a.type == b.type:
        return a, b
    if isinstance(a.type, ScalarType) and isinstance(b.type, ScalarType):
        one, other = element_of(a), element_of(b)
        if isinstance(one, DtypeVar) and b.const is not None:
            return a, cast(f, b, one, node)
        if isinstance(other, DtypeVar) and a.const is not None:
            return cast(f, a, other, node), b
        if not isinstance(one, DtypeVar) and not isinstance(other, DtypeVar):
            if floating(a) or floating(b):
                return to_float(f, a, cast=True), to_float(f, b, cast=True)
            return to_int(f, a), to_int(f, b)
    f.fail(
        errors.WrongType, node, what=what, expected=f"{spelled(a.type)} on both sides", got=spelled(b.type),
        help="Convert one side: float(x), int(x).",
    )  # fmt: skip


def extreme(f: Function, name: str, values: list[Value], node: ast.AST) -> Value:
    """`min(...)` or `max(...)` of numbers."""
    pick = min if name == "min" else max
    result = number(f, values[0], node, name)
    for other in values[1:]:
        a, b = unify(f, result, number(f, other, node, name), node, name)
        if a.const is not None and b.const is not None and folds(a) and folds(b):
            result = literal(pick(a.const, b.const))
            continue
        a, b = (to_float(f, s) if element_of(s) in (f16, bf16) else s for s in (a, b))
        helper = f.unit.helper(name.title())
        texts = [
            f"static_cast<int64_t>({s.cpp})" if element_of(s) == i64 and s.const is not None and folds(s) else s.cpp
            for s in (a, b)
        ]
        lows = [s.minimum for s in (a, b)]
        some = [low for low in lows if low is not None]
        minimum = (max(some) if name == "max" else min(some) if len(some) == 2 else None) if some else None
        const = (
            pick(a.const, b.const) if isinstance(a.const, int | float) and isinstance(b.const, int | float) else None
        )
        result = Value(
            f"{helper}({', '.join(texts)})", a.type, minimum=minimum, const=const,
            multiple=math.gcd(a.multiple, b.multiple), formula=formula_of(pick, a, b),
        )  # fmt: skip
    return result
