"""Cases drawn from a signature: they fit it, favour edges, and are the same each time."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings

from ferrata import errors
from ferrata import testing as ft
from ferrata.testing import dims
from ferrata.testing.strategies import drawn
from ferrata.testing.subject import AttrParam, Subject, TensorParam

F32 = (torch.float32,)


def operator(*params: Any, **fields: Any) -> Subject:
    return Subject("lib::op", None, params, ("out",), "here.py:1", **fields)


NORM = operator(
    TensorParam("x", dtypes=F32, dims=("...", "n")),
    TensorParam("weight", "optional", F32, dims=("n",)),
    TensorParam("table", dtypes=F32, dims=("_", 4, "2*n")),
    TensorParam("xs", "list", F32, dims=("...",)),
    AttrParam("eps", "float", 1e-5),
    AttrParam("steps", "int", 3),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(ft.shapes(NORM))
def test_shapes_fit_the_signature(case: ft.Case) -> None:
    x, table = case.values["x"], case.values["table"]
    assert case.values.get("weight", x[-1:]) == x[-1:]
    assert table[1:] == (4, 2 * x[-1])
    assert 1 <= len(case.values["xs"]) <= 3
    assert "steps" not in case.values  # an int with a default keeps it
    elements = 1
    for n in x:
        elements *= n
    assert elements <= 1 << 22


@settings(max_examples=60, deadline=None)
@given(ft.shapes(operator(TensorParam("x", dims=("*a",)), TensorParam("y", dims=("*b",)), broadcast=("*a", "*b"))))
def test_groups_that_must_broadcast_do(case: ft.Case) -> None:
    torch.broadcast_shapes(case.values["x"], case.values["y"])


def test_a_draw_is_the_same_each_time_and_has_no_case_twice() -> None:
    first, second = drawn(NORM, 8), drawn(NORM, 8)
    assert list(map(repr, first)) == list(map(repr, second))
    assert len(set(map(repr, first))) == 8


def test_a_draw_holds_tails_and_something_large() -> None:
    sizes = [n for case in drawn(NORM, 12) for n in case.values["x"]]
    assert any(n % 8 for n in sizes) and any(n > 1000 for n in sizes)


def test_an_attribute_without_default_needs_cases() -> None:
    op = operator(TensorParam("x", dims=("n",)), AttrParam("dim", "int"))
    with pytest.raises(errors.CasesNeeded, match="the attribute dim"):
        ft.shapes(op)


def test_a_plain_torch_operator_needs_cases(library: Any) -> None:
    name = library.define("id(Tensor x) -> Tensor", lambda x: x.clone(), lambda x: x.new_empty(x.shape))
    with pytest.raises(errors.CasesNeeded, match="nothing is known of the dimensions of x"):
        ft.check(name, show=False)


def test_every_name_has_a_size() -> None:
    assert dims.dim_names(NORM) == ["...", "n"]
