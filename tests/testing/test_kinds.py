"""Every kind of signature goes through the checks: lists, optional and mutated tensors, several outputs, counted sizes,
attributes, broadcasting. Kernels are torch functions here."""

# ruff: noqa: F722, F821, UP037  (strings in annotations name dimensions)
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata import testing as ft
from ferrata.lang.elements import DtypeVar, f16, f32, i32, i64
from tests.op.pretend import kernel

pytestmark = pytest.mark.slow

T = DtypeVar("T", (f16, f32))
_numbers = itertools.count()
# pretend kernels are no launches of the runtime and have no C++
SKIP = ["launches", "C++ plan"]
case = ft.case


@pytest.fixture
def define() -> Iterator[Callable[..., Any]]:
    """`define(function, plan, ...)`: an operator under a name of its own."""
    made: list[Any] = []

    def go(function: Callable[..., Any], plan: Callable[..., Any], **others: Callable[..., Any]) -> Any:
        number = next(_numbers)
        op = fe.op(f"kinds{number}::{function.__name__}", ge=f"Kind{number}")(function)
        op.plan(plan)
        for name, one in others.items():
            getattr(op, name)(one)
        made.append(op)
        return op

    yield go
    for op in made:
        op.close()


def passed(op: Any, cases: Any, **options: Any) -> ft.Report:
    report = ft.check(op, cases, skip=SKIP, show=False, **options)
    assert report.ok
    return report


def test_a_list_of_tensors(define: Any) -> None:
    scale = kernel("x: T, y: T!, s: float", T)(lambda x, y, s: y.copy_(x * s))

    def scale_all(xs: list[fe.Tensor[T, ...]], s: float = 2.0) -> list[fe.Tensor[T, ...]]:
        """Each times s."""

    op = define(
        scale_all,
        lambda xs, s, ys: [scale.launch(x, y, s, cores=1) for x, y in zip(xs, ys, strict=True)],
        reference=lambda xs, s: [x * s for x in xs],
        backward=lambda grad, s: [scale_all_of(g, s) for g in grad],
    )

    def scale_all_of(g: Any, s: float) -> Any:
        return op([g], s)[0]

    passed(op, [case(xs=[(3, 5), (7,)]), case(xs=[(2, 2), (4,)], s=0.5), case(xs=[(0, 3)])])
    assert passed(op, None, examples=3)["values"].runs > 3


def test_an_optional_tensor(define: Any) -> None:
    add = kernel("x: T, y: T!", T)(lambda x, y: y.copy_(x))
    add2 = kernel("x: T, b: T, y: T!", T)(lambda x, b, y: y.copy_(x + b))

    def biased(x: fe.Tensor[T, ..., "n"], b: fe.Tensor[T, "n"] | None) -> fe.Tensor[T, ..., "n"]:
        """x + b."""

    op = define(
        biased,
        lambda x, b, y: add.launch(x, y, cores=1) if b is None else add2.launch(x, b, y, cores=1),
        reference=lambda x, b=None: x if b is None else x + b,
    )
    passed(op, [case(x=(3, 5), b=(5,)), case(x=(3, 5)), case(x=(2, 4, 6), b=(6,))])


def test_a_mutated_tensor(define: Any) -> None:
    step = kernel("x: T!, g: T, lr: float", T)(lambda x, g, lr: x.sub_(g * lr))

    def sgd(x: fe.Mut[fe.Tensor[T, ...]], g: fe.Tensor[T, ...], lr: float = 0.5) -> None:
        """x -= lr * g."""

    right = define(sgd, lambda x, g, lr: step.launch(x, g, lr, cores=1), reference=lambda x, g, lr: x.sub_(g, alpha=lr))
    report = passed(right, [case(x=(3, 5), g=(3, 5)), case(x=(7,), g=(7,), lr=0.25)])
    assert report["values"].runs > 4
    wrong = define(
        sgd, lambda x, g, lr: step.launch(x, g, 2 * lr, cores=1), reference=lambda x, g, lr: x.sub_(g, alpha=lr)
    )
    with pytest.raises(errors.CheckFailed, match="the mutated x differs from the reference"):
        ft.check(wrong, [case(x=(3, 5), g=(3, 5))], skip=SKIP, show=False)


def test_several_outputs_and_a_computed_size(define: Any) -> None:
    def run(x: Any, s: Any, d: Any) -> None:
        s.copy_(x.float().sum(-1))
        d.copy_(torch.cat([x, x], -1))

    both = kernel("x: T, s: F!, d: T!", T, F=f32)(run)

    def sums(x: fe.Tensor[T, "rows", "n"]) -> tuple[fe.Tensor[f32, "rows"], fe.Tensor[T, "rows", "2*n"]]:
        """The sum of each row, and each row twice."""

    op = define(
        sums,
        lambda x, s, d: both.launch(x, s, d, cores=1),
        reference=lambda x: (x.sum(-1), torch.cat([x, x], -1)),
        backward=lambda grad_s, grad_d, x: (
            grad_s[:, None].to(x.dtype) + grad_d[:, : x.shape[1]] + grad_d[:, x.shape[1] :]
        ),
    )
    passed(op, [case(x=(3, 5)), case(x=(2, 8)), case(x=(1, 1))], atol={torch.float16: 2e-2})


def test_a_size_that_the_kernel_counts(define: Any) -> None:
    def run(x: Any, out: Any, count: Any) -> None:
        found = torch.nonzero(x.cpu())[:, 0].to(torch.int32)
        out[: len(found)] = found.npu()
        count[0] = len(found)

    find = kernel("x: T, out: I!, count: I!", T, I=i32)(run)

    def nonzero(x: fe.Tensor[T, "n"]) -> fe.Tensor[i32, "found <= n"]:
        """Where x is not 0."""

    op = define(
        nonzero,
        lambda x, out, found: find.launch(x, out, found, cores=1),
        reference=lambda x: torch.nonzero(x)[:, 0].int(),
    )
    sparse = torch.tensor([0, 1.0, 0, 2.0, 0])
    passed(op, [case(x=(9,)), case(x=sparse), case(x=torch.zeros(4))])


def test_broadcasting_groups(define: Any) -> None:
    add = kernel("x: T, y: T, z: T!", T)(lambda x, y, z: z.copy_(x + y))

    def add_any(x: fe.Tensor[T, "*a"], y: fe.Tensor[T, "*b"]) -> fe.Tensor[T, "broadcast(*a, *b)"]:
        """x + y."""

    op = define(add_any, lambda x, y, z: add.launch(x, y, z, cores=1), reference=torch.add)
    passed(op, [case(x=(4, 5), y=(5,)), case(x=(4, 1), y=(1, 6)), case(x=(), y=(3,)), case(x=(2, 3), y=(2, 3))])
    assert passed(op, None, examples=6)["values"].runs > 6


def test_indices(define: Any) -> None:
    take = kernel("table: T, index: I, out: T!", T, I=i64)(lambda t, i, o: o.copy_(t[i]))

    def gather(table: fe.Tensor[T, "rows", "n"], index: fe.Tensor[i64, ...]) -> fe.Tensor[T, ..., "n"]:
        """Rows of the table."""

    op = define(gather, lambda table, index, out: take.launch(table, index, out, cores=1), reference=lambda t, i: t[i])
    passed(op, [case(table=(9, 4), index=(3, 2)), case(table=(100, 8), index=ft.ints(0, 100, 7))])


def test_sizes_that_the_signature_fixes(define: Any) -> None:
    """An input of `2*n` and one of 4 are conditions that the signature states, not guards of the fake."""
    work = kernel("x: T, w: T, y: T!", T)(lambda x, w, y: y.copy_(x.reshape(len(x), 2, -1).sum(1) * w))

    def fold(x: fe.Tensor[T, 4, "2*n"], w: fe.Tensor[T, "n"]) -> fe.Tensor[T, 4, "n"]:
        """The halves of each row, added, times w."""

    op = define(
        fold, lambda x, w, y: work.launch(x, w, y, cores=1),
        reference=lambda x, w: x.reshape(len(x), 2, -1).sum(1) * w,
    )  # fmt: skip
    passed(op, [case(x=(4, 6), w=(3,)), case(x=(4, 10), w=(5,))])
