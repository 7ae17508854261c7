"""Operators that are broken in one way, each found by the check that is meant to, with the place and the values."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata import testing as ft

pytestmark = pytest.mark.slow

CASES = [ft.case(x=(8, 40), y=(8, 40)), ft.case(x=(3, 7), y=(3, 7))]
SCHEMA = "add(Tensor x, Tensor y) -> Tensor"
CHEAP = ["launches", "memory", "values", "special values", "deterministic", "fake", "symbolic shapes"]
CPU = {"device": "cpu", "only": CHEAP, "show": False}


def plain(x: Any, y: Any) -> Any:
    """As many operators give it: contiguous, whatever the inputs are."""
    return (x + y).contiguous()


def plain_fake(x: Any, y: Any) -> Any:
    return x.new_empty(x.shape)


def failing(op: Any, cases: Any = None, **options: Any) -> errors.CheckFailed:
    with pytest.raises(errors.CheckFailed) as caught:
        ft.check(op, cases or CASES, **{"reference": torch.add, **CPU, **options})
    return caught.value


def test_a_right_operator_passes(library: Any) -> None:
    report = ft.check(library.define(SCHEMA, plain, plain_fake), CASES, reference=torch.add, **CPU)
    assert report.ok
    assert {row.check: row.status for row in report.rows}["values"] == "ok"
    assert report["runs"].runs > len(CASES) * len(ft.LAYOUTS) - len(ft.LAYOUTS)


def test_a_tail_that_is_not_computed(library: Any) -> None:
    def tail(x: Any, y: Any) -> Any:
        out = plain(x, y)
        out.view(-1)[out.numel() // 32 * 32 :] = 0
        return out

    failure = failing(library.define(SCHEMA, tail, plain_fake))
    assert failure.check == "values"
    text = str(failure)
    assert "out differs from the reference in 21 of 21 values, first at [0, 0]" in text
    assert "fe.testing.case(x=(3, 7), y=(3, 7))" in text
    assert "expected" in text and "actual     0.0" in text


def test_elements_that_are_never_written(library: Any) -> None:
    def partly(x: Any, y: Any) -> Any:
        out = torch.empty(x.shape, dtype=x.dtype)
        out.view(-1)[:-1] = plain(x, y).view(-1)[:-1]
        return out

    assert failing(library.define(SCHEMA, partly, plain_fake)).check == "values"


def test_a_wrong_value_in_half_precision_only(library: Any) -> None:
    def summed(x: Any, y: Any) -> Any:
        out = torch.zeros(x.shape[:1], dtype=x.dtype)
        for i in range(x.shape[1]):
            out += x[:, i] * y[:, i]
        return out

    name = library.define("dot(Tensor x, Tensor y) -> Tensor", summed, lambda x, y: x.new_empty(x.shape[:1]))

    def reference(x: Any, y: Any) -> Any:
        return (x * y).sum(1)

    wide = [ft.case(x=(4, 3000), y=(4, 3000))]
    options = {
        **CPU,
        "special": False,
        "layouts": ["contiguous"],
        "rtol": {torch.float32: 1e-4},
        "atol": {torch.float32: 1e-3},
    }
    ft.check(name, wide, reference=reference, dtypes=torch.float32, **options)
    failure = failing(name, wide, reference=reference, dtypes=[torch.float32, torch.float16], **options)
    assert "T = float16" in str(failure)


def test_a_kernel_that_ignores_strides(library: Any) -> None:
    def flat(x: Any, y: Any) -> Any:
        def memory(t: Any) -> Any:
            return torch.as_strided(t, (t.numel(),), (1,), t.storage_offset())

        if x.untyped_storage().nbytes() < x.numel() * 4:
            return plain(x, y)
        return (memory(x) + memory(y)).view(x.shape)

    failure = failing(library.define(SCHEMA, flat, plain_fake))
    assert failure.check == "values"
    assert 'layouts=["strided"]' in str(failure)


def test_a_kernel_that_ignores_the_storage_offset(library: Any) -> None:
    def from_start(x: Any, y: Any) -> Any:
        if not x.is_contiguous():
            return plain(x, y)
        return torch.as_strided(x, x.shape, x.stride(), 0) + y

    failure = failing(library.define(SCHEMA, from_start, plain_fake))
    assert failure.check == "values"
    assert 'layouts=["offset"]' in str(failure)


def test_nan_that_is_swallowed(library: Any) -> None:
    name = library.define(SCHEMA, lambda x, y: torch.nan_to_num(plain(x, y), nan=0.0), plain_fake)
    failure = failing(name)
    assert failure.check == "special values"
    assert "expected   nan" in str(failure)
    assert ft.check(name, CASES, reference=torch.add, special=False, **CPU).ok


def test_what_overflows_on_the_way_in_float_may_overflow(library: Any) -> None:
    def length(x: Any, y: Any) -> Any:
        return ((x * x + y * y).sqrt()).to(x.dtype)

    name = library.define(SCHEMA, lambda x, y: length(x.float(), y.float()).to(x.dtype).contiguous(), plain_fake)
    assert ft.check(name, CASES, reference=length, **CPU).ok


def test_an_undeclared_write_to_an_input(library: Any) -> None:
    def inside(x: Any, y: Any) -> Any:
        out = plain(x, y)
        x.zero_()
        return out

    failure = failing(library.define(SCHEMA, inside, plain_fake))
    assert failure.check == "memory"
    assert "the input x was written, and the signature does not say so" in str(failure)


def test_a_write_around_a_view(library: Any) -> None:
    def beyond(x: Any, y: Any) -> Any:
        if x.storage_offset():
            torch.as_strided(x, (1,), (1,), x.storage_offset() - 1).fill_(0)
        return plain(x, y)

    failure = failing(library.define(SCHEMA, beyond, plain_fake))
    assert failure.check == "memory"
    assert "memory around the input x was written: 2 bytes beside the tensor" in str(failure)


def test_an_output_that_is_an_input(library: Any) -> None:
    failure = failing(library.define("same(Tensor x, Tensor y) -> Tensor", lambda x, y: x, plain_fake))
    assert failure.check == "memory"
    assert "out shares the memory of the input x" in str(failure)


def test_a_declared_mutation_is_compared_with_the_reference(library: Any) -> None:
    schema = "add_(Tensor(a!) x, Tensor y) -> ()"
    right = library.define(schema, lambda x, y: (x.add_(y), None)[1], lambda x, y: None)
    assert ft.check(right, CASES, reference=lambda x, y: x.add_(y), **CPU).ok
    wrong = library.define(
        schema.replace("add_", "addx_"), lambda x, y: (x.add_(y, alpha=2), None)[1], lambda x, y: None
    )
    failure = failing(wrong, reference=lambda x, y: x.add_(y))
    assert "the mutated x differs from the reference" in str(failure)


def test_two_calls_that_differ(library: Any) -> None:
    calls = itertools.count()
    name = library.define(SCHEMA, lambda x, y: plain(x, y) + 1e-9 * (next(calls) % 2) * x.abs().max(), plain_fake)
    small = [ft.case(x=lambda: torch.full((4,), 1e-3), y=lambda: torch.full((4,), -1e-3))]
    failure = failing(name, small, layouts=["contiguous"], special=False)
    assert failure.check == "deterministic"
    assert "two calls with equal inputs must agree" in str(failure)


def test_an_operator_that_raises_for_empty_tensors(library: Any) -> None:
    def refuses(x: Any, y: Any) -> Any:
        if not x.numel():
            raise ValueError("nothing to add")
        return plain(x, y)

    failure = failing(library.define(SCHEMA, refuses, plain_fake), [*CASES, ft.case(x=(0, 3), y=(0, 3))])
    assert failure.check == "runs"
    assert "ValueError: nothing to add" in str(failure)
    assert "test_broken.py" in str(failure) and 'raise ValueError("nothing to add")' in str(failure)
    assert isinstance(failure.__cause__, ValueError)


@pytest.mark.parametrize(
    ("fake", "message"),
    [
        (lambda x, y: x.new_empty(x.shape[:1]), "out: the fake says shape (8,), the operator gives (8, 40)"),
        (
            lambda x, y: x.new_empty(x.shape, dtype=torch.float64),
            "the fake says dtype torch.float64, the operator gives torch.float32",
        ),
        (lambda x, y: x.new_empty(x.shape[::-1]).t(), "the fake says stride (1, 8), the operator gives (40, 1)"),
        (lambda x, y: x.tolist(), "the fake raised"),
    ],
)
def test_a_wrong_fake(library: Any, fake: Any, message: str) -> None:
    failure = failing(library.define(SCHEMA, plain, fake))
    assert failure.check == "fake"
    assert message in str(failure)


def test_a_fake_that_asks_for_a_size(library: Any) -> None:
    def asks(x: Any, y: Any) -> Any:
        if x.shape[0] > 2:
            return x.new_empty(x.shape)
        return y.new_empty(y.shape)

    failure = failing(library.define(SCHEMA, plain, asks))
    assert failure.check == "symbolic shapes"
    assert "it asks whether x.shape[0] > 2" in str(failure)
    assert "test_broken.py" in str(failure) and "if x.shape[0] > 2:" in str(failure)


def test_a_fake_that_makes_a_size_a_constant(library: Any) -> None:
    failure = failing(library.define(SCHEMA, plain, lambda x, y: x.new_empty((int(x.shape[0]), x.shape[1]))))
    assert failure.check == "symbolic shapes"
    assert "x.shape[0]" in str(failure)


def test_a_fake_that_is_right_for_the_first_case_only(library: Any) -> None:
    def pads(x: Any) -> Any:
        return torch.nn.functional.pad(x, (0, -x.shape[0] % 8))

    name = library.define("pad(Tensor x) -> Tensor", pads, lambda x: x.new_empty(x.shape))
    failure = failing(name, [ft.case(x=(8,)), ft.case(x=(9,))], reference=pads)
    assert failure.check == "fake"  # the second case's own sizes show it first
    assert "fe.testing.case(x=(9,))" in str(failure)


def test_the_failure_can_be_run_again_from_its_text(library: Any) -> None:
    name = library.define(SCHEMA, lambda x, y: plain(x, y) + (0 if x.is_contiguous() else 1), plain_fake)
    failure = failing(name)
    again = next(line for line in str(failure).splitlines() if line.strip().startswith("again")).split("again")[1]
    import ferrata as fe

    del fe
    expression = again.strip()[:-1].replace("fe.testing", "ft") + ", reference=torch.add, device='cpu', show=False)"
    with pytest.raises(errors.CheckFailed, match="strided"):
        eval(expression)
