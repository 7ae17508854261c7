"""The exported C++ of operators of every kind makes the launches of the Python plan, and infers what Python infers."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata.op.export import find
from ferrata.op.plan import native

F, H = torch.float32, torch.float16


@pytest.fixture(scope="module")
def ops() -> Any:
    operators = find(str(Path(__file__).parent / "exports" / "several.py"))
    return sys.modules[operators[0].definition.function.__module__]


def attributes(operator: Any, **given: Any) -> dict[str, Any]:
    return {a.name: given.get(a.name, a.default) for a in operator.definition.attributes}


CASES = [
    ("tail", [(10,)], [F], {"drop": 3}),
    ("tail", [(1,)], [H], {"drop": 3}),
    ("tail", [(0,)], [F], {}),
    ("axpy", [(70, 100), (70, 100)], [H, H], {"alpha": 0.3}),
    ("axpy", [(3,), (3,)], [F, F], {"alpha": 1e-6, "mode": "double"}),
    ("axpy", [(), ()], [F, F], {"alpha": float("inf")}),
    ("axpy", [(0, 3), (0, 3)], [F, F], {}),
    ("axpy", [(100000, 8), (100000, 8)], [F, F], {}),
    ("scale_rows", [(3, 40), (40,)], [F, F], {}),
    ("scale_rows", [(2, 3, 40), None], [F, None], {}),
    ("scale_rows", [(2, 0), (0,)], [F, F], {}),
    ("add_into", [(3, 4), (3, 4)], [H, H], {"alpha": 2.0}),
    ("add_lists", [[(3, 4), (5000,)], [(3, 4), (5000,)]], [[F, F], [F, F]], {"alphas": [0.1]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sizes", "dtypes", "given"), CASES)
def test_launches_shapes_and_types_agree(ops: Any, name: str, sizes: Any, dtypes: Any, given: dict[str, Any]) -> None:
    operator = getattr(ops, name)
    assert native.differences(operator.definition, sizes, dtypes, attributes(operator, **given)) == []


def test_what_a_launch_looks_like(ops: Any) -> None:
    made = native.of(ops.tail.definition)
    found = made.launches([(5000,)], [H], {"drop": 3})
    assert found == [
        native.Launched("axpy_kernel", (("T", "half"),), (("tile", 1024),), 4, ("tensor 0", "tensor 0", "tensor 1", 1.0, 4997))
    ]  # fmt: skip
    assert made.shapes([(5000,)], [H], {"drop": 3}, [1]) == [[4997]]
    assert made.dtypes([H], {"drop": 3}, [1]) == [1]


def test_sizes_that_are_not_known_yet(ops: Any) -> None:
    made = native.of(ops.tail.definition)
    assert made.shapes([(-1,)], [F], {"drop": 3}, [1]) == [[-1]]
    assert made.shapes([(-2,)], [F], {"drop": 3}, [1]) == [[-2]]


def test_a_difference_is_found(ops: Any) -> None:
    """A plan that Python runs otherwise than its text says: one that was replaced after its text was read."""
    definition = ops.tail.definition

    def plan(x: Any, drop: Any, y: Any) -> Any:
        return ops.axpy_kernel.launch(x, x, y, 1.0, y.numel() + EXTRA, cores=2)

    EXTRA = 0
    changed = dataclasses.replace(definition, plan=plan)
    native.of(changed)
    EXTRA = 1
    problems = native.differences(changed, [(10,)], [F], {"drop": 3})
    assert problems == [
        "launch 0 (axpy_kernel): arguments ('tensor 0', 'tensor 0', 'tensor 1', 1.0, 8) in Python, "
        "('tensor 0', 'tensor 0', 'tensor 1', 1.0, 7) in C++"
    ]


@pytest.mark.slow
def test_a_plan_that_refuses_says_why(ops: Any) -> None:
    made = native.of(ops.axpy.definition)
    with pytest.raises(errors.PlanRunFailed, match="mode is triple"):
        made.launches([(3,), (3,)], [F, F], {"alpha": 1.0, "mode": "triple"})


JOINED = [([(3, 4), (3, 7)], True), ([(2, 4)], False), ([(5, 1), (5, 2), (5, 900)], False)]


@pytest.mark.slow
@pytest.mark.parametrize(("shapes", "twice"), JOINED)
def test_lists_attributes_and_cleared_scratch(shapes: Any, twice: bool) -> None:
    (operator,) = find(str(Path(__file__).parent / "exports" / "lists.py"))
    xs = [torch.randn(shape).npu() for shape in shapes]
    joined, nothing = operator(xs, twice)
    assert torch.equal(joined.cpu(), torch.cat([x.cpu() for x in xs], 1) * (2 if twice else 1))
    assert not nothing.any() and nothing.numel() == shapes[0][0]
    given = attributes(operator, twice=twice)
    assert native.differences(operator.definition, [shapes], [[F] * len(shapes)], given) == []
