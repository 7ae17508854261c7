"""Sizes of a list's tensors, queues from copy to copy, and helpers that return several numbers of a dtype variable."""

from __future__ import annotations

import pytest
import torch

from ferrata import errors
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)


@ac.kernel
def moved(xs: list[ac.Gm[T]], zs: list[ac.Gm[T]]):
    pieces = ac.queue(ac.VECIN, T, 64, buffers=2, to=ac.VECOUT)
    for i in range(len(xs)):
        x, z = xs[i], zs[i]
        for at in range(0, len(xs[i]), 64):
            n = min(64, len(xs[i]) - at)
            with pieces.put() as a:
                ac.copy(a[:n], x[at:])
            with pieces.get() as a:
                ac.copy(z[at:], a[:n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.int32])
def test_a_list_tells_the_sizes_of_its_tensors(dtype: torch.dtype) -> None:
    xs = [
        torch.arange(n).to(dtype).reshape(shape) for n, shape in ((1, ()), (0, (0, 3)), (150, (3, 5, 10)), (64, (64,)))
    ]
    zs = [torch.full_like(x, 7).npu() for x in xs]
    moved[1]([x.npu() for x in xs], zs)
    for x, z in zip(xs, zs, strict=True):
        assert torch.equal(z.cpu(), x)
    assert "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> pieces;" in moved.source()


def test_a_queue_leads_from_vecin_to_vecout_only() -> None:
    @ac.kernel
    def backwards(x: ac.Gm[ac.f32]):
        q = ac.queue(ac.VECOUT, ac.f32, 64, to=ac.VECIN)
        with q.put() as a:
            ac.copy(a, x)

    with pytest.raises(errors.WrongArguments, match="from VECIN to VECOUT, not from VECOUT to VECIN"):
        backwards.source()


def extremes(x, n: int):
    low, high = x.dtype(0), x.dtype(0)
    for i in range(n):
        if x[i] < low:
            low = x[i]
        if x[i] > high:
            high = x[i]
    return low, high


@ac.kernel
def between(x: ac.Gm[T], z: ac.Gm[T], n: int):
    low, high = extremes(x, n)
    z[0] = low
    z[1] = high


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
def test_a_helper_returns_numbers_of_a_dtype_variable(dtype: torch.dtype) -> None:
    x = torch.tensor([3, -5, 12, 0]).to(dtype).npu()
    z = torch.zeros(2, dtype=dtype).npu()
    between[1](x, z, 4)
    assert z.tolist() == [-5, 12]


@ac.kernel
def as_bytes(x: ac.Gm[ac.u32], z: ac.Gm[ac.i32], n: int):
    q = ac.queue(ac.VECIN, ac.u32, 64)
    with q.put() as a:
        ac.copy(a[:n], x)
    with q.get(ac.i32) as a:
        z[0] = a[0]


def test_a_block_is_taken_as_another_type() -> None:
    z = torch.zeros(1, dtype=torch.int32).npu()
    as_bytes[1](torch.tensor([0xFFFFFFFE], dtype=torch.uint32).npu(), z, 1)
    assert z.item() == -2


@ac.kernel
def tidy(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], at: ac.Gm[ac.u32]):
    records, both = ac.ub(ac.f32, 512), ac.ub(ac.f32, 512)
    bits = ac.ub(ac.u32, 8)
    lists = ac.MrgSortSrcList(ac.f32, records, records, records, records)
    ac.mrg_sort(both, lists, ac.MrgSort4Info([32, 32, 32, 32], False, 15, 1))
    ac.gather_mask(both, records, bits, True, 64, [1, 1, 8, 8])
    kept = ac.gather_mask(both, records, bits, True, 64, [1, 1, 8, 8])
    at[0] = kept


def test_what_a_call_gives_is_written_once_and_only_where_it_is_used() -> None:
    text = tidy.source()
    assert "MrgSortSrcList<float> lists{records, records, records, records};" in text
    assert "static_cast<void>" not in text and text.count("GatherMask(") == 2
