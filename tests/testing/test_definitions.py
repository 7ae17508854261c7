"""Operators made with `@fe.op`, with kernels that are right and broken: each fault is found by the check that is meant to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ferrata as fe
from ferrata import errors
from ferrata import lang as ac
from ferrata import testing as ft

T = ac.dtype_var("T", ac.f16, ac.f32)
_numbers = itertools.count()
CASES = [ft.case(x=(4, 100)), ft.case(x=(3, 7)), ft.case(x=(1,))]


@ac.kernel
def double(x: ac.Gm[T], y: ac.Gm[T], n: int, *, tile: ac.Const[int] = 1024):
    """y = 2 x."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    a = ac.ub(T, tile)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        ac.copy(a[:m], x[start + i :])
        ac.order(ac.MTE2, ac.V)
        ac.muls(a, a, 2.0, m)
        ac.order(ac.V, ac.MTE3)
        ac.copy(y[start + i :], a[:m])
        ac.order(ac.MTE3, ac.MTE2)


@ac.kernel
def no_tail(x: ac.Gm[T], y: ac.Gm[T], n: int, *, tile: ac.Const[int] = 64):
    """y = 2 x, but for what is left after whole tiles."""
    a = ac.ub(T, tile)
    for i in range(n // tile):
        ac.copy(a[:tile], x[i * tile :])
        ac.order(ac.MTE2, ac.V)
        ac.muls(a, a, 2.0, tile)
        ac.order(ac.V, ac.MTE3)
        ac.copy(y[i * tile :], a[:tile])
        ac.order(ac.MTE3, ac.MTE2)


@pytest.fixture
def define() -> Iterator[Callable[..., Any]]:
    """Defines `y = 2 x` with a plan, and what else is given."""
    made: list[Any] = []

    def go(plan: Callable[..., Any], **others: Callable[..., Any]) -> Any:
        number = next(_numbers)

        @fe.op(f"doubles{number}::double", ge=f"DoubleChecked{number}")
        def double_op(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
            """2 x."""

        double_op.plan(plan)
        for name, function in others.items():
            getattr(double_op, name)(function)
        made.append(double_op)
        return double_op

    yield go
    for op in made:
        op.close()


def right(x: Any, y: Any) -> Any:
    return double.launch(x, y, x.numel(), cores=fe.at_most(x.numel() // 256))


def reference(x: Any) -> Any:
    return 2 * x


def failing(op: Any, **options: Any) -> errors.CheckFailed:
    with pytest.raises(errors.CheckFailed) as caught:
        ft.check(op, CASES, show=False, **options)
    return caught.value


def test_a_right_operator_passes_every_check(define: Any) -> None:
    op = define(right, reference=reference, backward=lambda grad: 2 * grad)
    report = ft.check(op, CASES, show=False)
    status = {row.check: row.status for row in report.rows}
    skipped = {name for name, state in status.items() if state == "skipped"}
    assert set(status.values()) <= {"ok", "not installed", "skipped"} and skipped <= {"C++ plan"}, report
    assert report["launches"].note == "1 a call: double on 1 core"
    assert report["gradients"].runs == 2 * (len(CASES) + 3)  # (0, 100), (0,) and () too
    assert report["compiled, dynamic"].runs == 3  # (1,), (0,) and () have no size that could be a symbol


def test_cases_are_drawn_from_the_signature(define: Any) -> None:
    report = ft.check(define(right, reference=reference), examples=5, only=["values"], show=False)
    assert report.note.strip() == "5 cases drawn from the signature"
    assert report["values"].runs > 20


def test_a_kernel_without_its_tail(define: Any) -> None:
    op = define(lambda x, y: no_tail.launch(x, y, x.numel(), cores=1), reference=reference)
    failure = failing(op, only=["values"])
    assert failure.check == "values"
    assert "first at [3, 84]" in str(failure)  # 400 elements, 384 in whole tiles
    assert "fe.testing.case(x=(4, 100))" in str(failure)
    assert "test_definitions.py" in str(failure)
    assert "fe.testing.check(double_op, " in str(failure)


def test_a_plan_that_launches_nothing(define: Any) -> None:
    op = define(lambda x, y: double.launch(x, y, x.numel(), cores=0), reference=reference)
    failure = failing(op, only=["launches"])
    assert failure.check == "runs" and isinstance(failure.__cause__, errors.PlanLaunchesNothing)


def test_a_kernel_that_writes_its_input(define: Any) -> None:
    # the plan hands the input over as what the kernel writes
    op = define(lambda x, y: [right(x, y), double.launch(x, y, x.numel(), cores=1)], reference=reference)
    assert ft.check(op, CASES, only=["memory"], show=False).ok
    op = define(lambda x, y: [right(x, y), double.launch(y, x, x.numel(), cores=1)], reference=reference)
    with pytest.raises(errors.FerrataError) as caught:
        ft.check(op, CASES, only=["memory"], show=False)
    assert "x" in str(caught.value)


def test_a_fault_of_a_kernel_is_named_by_its_line(define: Any) -> None:
    op = define(lambda x, y: double.launch(x, y, 2 * x.numel(), cores=1), reference=reference)
    failure = failing(op, only=["values"])
    assert failure.check == "runs"
    assert "test_definitions.py" in str(failure)
    assert isinstance(failure.__cause__, errors.KernelFault)
    assert "ac.copy(" in str(failure)


def test_a_wrong_backward(define: Any) -> None:
    op = define(right, reference=reference, backward=lambda grad: 3 * grad)
    failure = failing(op, only=["gradients"])
    assert "the gradient of x differs from the reference's" in str(failure)


def test_a_shape_function_that_specialises(define: Any) -> None:
    def shape(x: Any) -> Any:
        return tuple(int(n) for n in x.shape)

    op = define(right, reference=reference, shape=shape)
    failure = failing(op, only=["symbolic shapes"])
    assert failure.check == "symbolic shapes"


def test_every_layout_and_dtype_is_run(define: Any) -> None:
    report = ft.check(define(right, reference=reference), CASES, only=["values"], show=False)
    two_dimensions, one_element, empty_or_scalar = 5, 3, 1
    assert report["runs"].runs >= 2 * (2 * two_dimensions + one_element + empty_or_scalar)


def test_a_reference_given_to_check_wins(define: Any) -> None:
    op = define(right, reference=lambda x: 3 * x)
    assert ft.check(op, CASES, reference=reference, only=["values"], show=False).ok


def test_a_checker_of_kernels_has_its_row(define: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ferrata.testing.checks import hazards

    op = define(right, reference=reference)
    assert ft.check(op, CASES, only=["values"], show=False)["hazards"].status == "not installed"
    monkeypatch.setattr(hazards, "_checkers", {})
    seen: list[Any] = []
    ft.register_checker("hazards", lambda given, values: seen.append((given, values)) or [])
    assert ft.check(op, CASES, only=["hazards"], show=False)["hazards"].status == "ok"
    assert seen[0][0] is op and seen[0][1]["x"].device.type == "npu"
    ft.register_checker("hazards", lambda given, values: ["a race between MTE2 and V"])
    assert "a race between MTE2 and V" in str(failing(op, only=["hazards"]))
