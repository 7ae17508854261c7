"""Expressions of sizes of a file: as text, as numbers and as the expressions of sympy that they stand for."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import sympy
from torch.utils._sympy import functions

from ferrata.ge.sizes import Size, python_text, symbols_of, value_of
from ferrata.ge.store.values import Reader, Writer

A, B = sympy.symbols("s0 s1", integer=True, positive=True)
NUMBERS = [{"s0": 3, "s1": 5}, {"s0": 8, "s1": 2}, {"s0": 17, "s1": 17}]
EXPRESSIONS = [
    A, A + 1, 2 * A + 3 * B - 7, A * B * 4, functions.FloorDiv(A + 3, 2), functions.Mod(A + 1, 8),
    functions.PythonMod(A, B), functions.Max(1, A - 4), functions.Min(A, B) + 1, functions.CleanDiv(8 * A, 4),
    A - B * functions.FloorDiv(A, 3),
]  # fmt: skip
CONDITIONS = [A >= 2, A < B + 1, sympy.Eq(A, 8), sympy.Ne(A, B), sympy.And(A > 2, B > 2), sympy.Or(A > 9, B > 9)]


def stored(expression: Any) -> Size:
    return Size(Writer().encode(expression)["e"], Reader([])._sympy)


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *CONDITIONS], ids=str)
def test_text_and_value_are_those_of_the_expression(expression: Any) -> None:
    size = stored(expression)
    assert size.expression() == expression and str(size) == str(expression)
    assert symbols_of(size) == sorted(map(str, expression.free_symbols)) == symbols_of(expression)
    for numbers in NUMBERS:
        expected = expression.xreplace({A: sympy.Integer(numbers["s0"]), B: sympy.Integer(numbers["s1"])})
        renamed = python_text(size, {n: f"{n}_new" for n in size.names})
        assert eval(renamed, {f"{n}_new": v for n, v in numbers.items()}) == expected
        if expression in EXPRESSIONS:
            assert value_of(size, numbers) == expected == value_of(expression, numbers)
    assert value_of(size, {}) is None is value_of(expression, {})


@pytest.mark.parametrize("expression", [A**2, A / 3, sympy.sqrt(A)], ids=str)
def test_what_has_no_text_is_left_to_sympy(expression: Any) -> None:
    with pytest.raises(ValueError, match=r"no text|no expression"):
        stored(expression)


def test_it_stands_for_the_expression() -> None:
    a, other = stored(A), stored(A)
    assert a == other == A and hash(a) == hash(A) and {A: 1}[a] == 1
    assert a not in (1, -1, None) and a != stored(B) and (a is not None)
    assert a.is_Symbol and not stored(A + 1).is_Symbol
    assert a + 1 == A + 1 and 1 + a == A + 1 and 2 * a == 2 * A and a - B == A - B and B * a == A * B and -a == -A
    assert a.free_symbols == {A} and stored(A + B).xreplace({A: B}) == 2 * B
    assert Writer().encode(a) == Writer().encode(A)
    assert pickle.loads(pickle.dumps(a)) == A and copy.deepcopy(a) == A


@pytest.mark.parametrize("name", ["x=1", "a.b", "lambda", ""])
def test_a_symbol_is_a_name(name: str) -> None:
    tree = {"symbol": [name, {}]}
    with pytest.raises(ValueError):
        Size(tree, Reader([])._sympy)
    with pytest.raises(ValueError):
        Reader([]).decode({"e": ["Add", tree, 1]})
