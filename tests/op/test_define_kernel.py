"""Operators whose plans launch kernels written in Python, from the first line to a compiled model."""

from __future__ import annotations

import pytest
import torch

import ferrata as fe
from ferrata import chips, errors
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)


@ac.kernel
def add_kernel(x: ac.Gm[T], y: ac.Gm[T] | None, z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048):
    """z = x + y, or x where y is absent, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        with xs.put() as a:
            ac.copy(a[:m], x[start + i :])
        with ys.put() as b:
            if y is None:
                ac.duplicate(b, 0, m)
            else:
                ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            ac.add(c, a, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


@fe.op("defined_kernel::add", ge="DefinedKernelAdd")
def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...] | None = None) -> fe.Tensor[T, ...]:
    """x + y, or a copy of x."""


@add.plan
def _(x, y, z):
    tile = 64 if x.numel() < 4096 else 2048
    return add_kernel.launch(x, y, z, x.numel(), cores=fe.at_most(x.numel() // 2048, "vector"), tile=tile)


@fe.op("defined_kernel::add_three", ge="DefinedKernelAddThree")
def add_three(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...], w: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y + w in two launches, through scratch."""


@add_three.plan
def _(x, y, w, z):
    between, n = fe.workspace(x.nbytes), x.numel()
    return [add_kernel.launch(x, y, between, n, cores=1), add_kernel.launch(between, w, z, n, cores=1)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
@pytest.mark.parametrize("n", [1, 15, 64, 2047, 4097, 100003])
def test_any_length_and_type(dtype: torch.dtype, n: int) -> None:
    x, y = (torch.randint(-50, 50, (n,)).to(dtype) for _ in range(2))
    torch.testing.assert_close(add(x.to("npu"), y.to("npu")).cpu(), x + y, rtol=0, atol=0)
    torch.testing.assert_close(add(x.to("npu")).cpu(), x, rtol=0, atol=0)


def test_views_without_alignment() -> None:
    x = torch.randn(1001)
    there = x.to("npu")
    torch.testing.assert_close(add(there[1:], there[:-1]).cpu(), x[1:] + x[:-1], rtol=0, atol=0)


def test_two_launches_through_scratch() -> None:
    x, y, w = (torch.randn(3, 333) for _ in range(3))
    found = add_three(x.to("npu"), y.to("npu"), w.to("npu"))
    torch.testing.assert_close(found.cpu(), x + y + w, rtol=0, atol=0)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("device", ["npu", "cpu"])
def test_compiled(device: str, dynamic: bool) -> None:
    torch._dynamo.reset()

    def model(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = add_three(torch.relu(x), y, add(x)) * 2
        return result

    compiled = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for n in (2048, 77):
        x, y = torch.randn(3, n, device=device), torch.randn(3, n, device=device)
        torch.testing.assert_close(compiled(x, y), (torch.relu(x) + y + x) * 2)


def test_each_plan_has_its_instance_and_cores() -> None:
    prepared = add._registration.executor
    before = len(prepared.prepared)
    chip = chips.current()
    for n in (100, 2048 * 3, 2048 * (chip.vector_cores + 9)):
        x = torch.randn(n, device="npu")
        torch.testing.assert_close(add(x, x), 2 * x)
    assert len(prepared.prepared) == before + 3


@ac.kernel
def in_place_kernel(x: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048):
    """z = x, and x = 2 x."""
    xs = ac.queue(ac.VECIN, T, tile)
    zs = ac.queue(ac.VECOUT, T, tile)
    for i in range(0, n, tile):
        m = min(tile, n - i)
        with xs.put() as a:
            ac.copy(a[:m], x[i:])
        with xs.get() as a, zs.put() as b:
            ac.copy(z[i:], a[:m])
            ac.add(b, a, a, m)
        with zs.get() as b:
            ac.copy(x[i:], b[:m])


def test_a_kernel_that_writes_an_input_is_refused() -> None:
    @fe.op("defined_kernel::undeclared")
    def undeclared(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
        """x; and x is doubled, which the signature does not say."""

    @undeclared.plan
    def _(x, z):
        return in_place_kernel.launch(x, z, x.numel(), cores=1)

    with pytest.raises(
        errors.InputWritten, match=r"gives input x, not declared as written, to in_place_kernel"
    ) as caught:
        undeclared(torch.ones(8, device="npu"))
    assert "Declare it as x: fe.Mut[...]" in str(caught.value)
