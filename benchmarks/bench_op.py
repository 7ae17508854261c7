"""A call of an operator defined with `@fe.op` against the same kernel behind torch.library define and impl."""

from __future__ import annotations

from typing import Any

import torch

import ferrata as fe
from benchmarks.measure import Result, overhead
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)


@ac.kernel
def add_kernel(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048) -> None:
    """z = x + y, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        with xs.put() as a, ys.put() as b:
            ac.copy(a[:m], x[start + i :])
            ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            ac.add(c, a, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


@fe.op("ferrata_bench_op::add", ge="FerrataBenchOpAdd")
def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y."""


@add.plan
def _(x, y, z):  # type: ignore[no-untyped-def]
    return add_kernel.launch(x, y, z, x.numel(), cores=fe.at_most(x.numel() // 2048))


@fe.op("ferrata_bench_op::add_grad", ge="FerrataBenchOpAddGrad")
def add_grad(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y, with a backward."""


@add_grad.plan
def _(x, y, z):  # type: ignore[no-untyped-def]
    return add_kernel.launch(x, y, z, x.numel(), cores=fe.at_most(x.numel() // 2048))


@add_grad.backward
def _(grad):  # type: ignore[no-untyped-def]
    return grad, grad


def _by_hand() -> Any:
    """What a careful person writes without ferrata's definition: one type, one number of cores, no checks."""
    library: Any = torch.library.Library("ferrata_bench_by_hand", "DEF")  # type: ignore[no-untyped-call]
    library.define("add(Tensor x, Tensor y) -> Tensor")
    library.define("add_grad(Tensor x, Tensor y) -> Tensor")
    run = add_kernel.instance({"T": ac.f32}, {}).run

    def implementation(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        z = torch.empty_like(x)
        run(1, x, y, z, x.numel())
        return z

    library.impl("add", implementation, "PrivateUse1")
    library.impl("add_grad", implementation, "PrivateUse1")
    torch.library.register_autograd("ferrata_bench_by_hand::add_grad", lambda ctx, grad: (grad, grad), lib=library)
    return library


def run() -> list[Result]:
    library = _by_hand()
    by_hand = torch.ops.ferrata_bench_by_hand.add.default
    with_grad = torch.ops.ferrata_bench_by_hand.add_grad.default
    x, y = torch.rand(32, device="npu"), torch.rand(32, device="npu")
    torch.testing.assert_close(add(x, y), by_hand(x, y), rtol=0, atol=0)
    rows = []
    for name, ours, theirs in (
        ("add(x, y) beyond define/impl", lambda: add(x, y), lambda: by_hand(x, y)),
        ("add_grad(x, y) beyond register_autograd", lambda: add_grad(x, y), lambda: with_grad(x, y)),
    ):
        rows.append(overhead(f"op: call of {name}", ours, theirs, limit=2e-6))
    library._destroy()
    return rows
