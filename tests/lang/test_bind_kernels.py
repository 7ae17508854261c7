"""Interfaces of each category in Python kernels that run: what lands in device memory, against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
B = ac.dtype_var("B", ac.f16, ac.bf16, ac.f32, ac.i32)
TILE = 256
NUMPY = {torch.float16: np.float16, torch.float32: np.float32}


def drawn(
    shape: int, dtype: torch.dtype = torch.float32, seed: int = 0, low: float = -4, high: float = 4
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator) * (high - low) + low).to(dtype)


def run(kernel: Any, inputs: list[torch.Tensor], out: torch.Tensor, *rest: Any, cores: int = 1) -> np.ndarray:
    """Launch with the inputs, the output and numbers; the output afterwards."""
    result = out.npu()
    kernel[cores](*(x.npu() for x in inputs), result, *rest)
    return np.asarray(result.cpu().numpy() if out.dtype != torch.bfloat16 else result.cpu().float().numpy())


# --- arithmetic ---------------------------------------------------------------------------------------------------


@ac.kernel
def arithmetic(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int) -> None:
    xs, ys, zs = ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECOUT, T, TILE)
    t = ac.tbuf(T, TILE)
    with xs.put() as a, ys.put() as b:
        ac.data_copy(a, x, TILE)
        ac.data_copy(b, y, ac.DataCopyParams(block_count=1, block_len=TILE * ac.sizeof(T) // 32))
    with xs.get() as a, ys.get() as b, zs.put() as c:
        ac.mul(t, a, b, TILE)
        ac.muls(t, 0.5, t, TILE)
        ac.sub(t, t, b)
        ac.abs(c, t, TILE)
        ac.axpy(c, a, 2.0, TILE)
        ac.max(c, c, b, [0xFF, 0], 1, (1, 1, 1, 8, 8, 8))
        ac.leaky_relu(c, c, 0.25, TILE)
    with zs.get() as c:
        ac.data_copy_pad(z, c, ac.DataCopyExtParams(block_len=n * ac.sizeof(T)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_arithmetic_with_scalars_masks_and_the_whole_form(dtype: torch.dtype) -> None:
    x, y = drawn(TILE, dtype), drawn(TILE, dtype, 1)
    kind = NUMPY[dtype]
    a, b = x.numpy(), y.numpy()
    c = np.abs((a * b * kind(0.5)) - b)
    wide = c.astype(np.float32) + a.astype(np.float32) * 2  # a fused multiply and add rounds once
    c = wide.astype(kind)
    c[:8] = np.maximum(c, b)[:8]
    c = np.where(np.signbit(c), c * kind(0.25), c)
    got = run(arithmetic, [x, y], torch.full((TILE,), 7, dtype=dtype), 100)
    np.testing.assert_allclose(got[:100], c[:100], rtol=2e-3 if dtype == torch.float16 else 1e-6)
    assert (got[100:] == 7).all()


@ac.kernel
def integers(x: ac.Gm[ac.i32], z: ac.Gm[ac.i32], bits: int) -> None:
    q, p = ac.queue(ac.VECIN, ac.i32, TILE), ac.queue(ac.VECOUT, ac.i32, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c:
        ac.shift_left(c, a, ac.i32(bits), TILE)
        ac.shift_right(c, c, 1, 64, 4, (1, 1, 8, 8))
        ac.maxs(c, c, -100, TILE)
        ac.mins(c, c, 1000, TILE)
        ac.relu(c, c, TILE)
        half = c.reinterpret_cast(ac.i16)
        ac.not_(half, half, 2 * TILE)
    with p.get() as c:
        ac.data_copy(z, c, TILE)


def test_integers_shift_clamp_and_views_of_another_type() -> None:
    x = torch.arange(-128, 128, dtype=torch.int32) * 37
    expected = ~np.maximum(np.clip((x.numpy() << 3) >> 1, -100, 1000), 0)
    np.testing.assert_array_equal(run(integers, [x], torch.zeros(TILE, dtype=torch.int32), 3), expected)


# --- comparison, selection, filling --------------------------------------------------------------------------------


@ac.kernel
def clamp_where(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T]) -> None:
    xs, ys, zs = ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECOUT, T, TILE)
    mask, other = ac.tbuf(ac.u8, TILE), ac.tbuf(T, TILE)
    with xs.put() as a, ys.put() as b:
        ac.data_copy(a, x, TILE)
        ac.data_copy(b, y, TILE)
    with xs.get() as a, ys.get() as b, zs.put() as c:
        ac.compare(mask, a, b, ac.CMPMODE.LT, TILE)
        ac.select(c, mask, a, b, ac.SELMODE.VSEL_TENSOR_TENSOR_MODE, TILE)
        ac.compares(mask, c, 0.0, ac.CMPMODE.GE, TILE)
        ac.duplicate(other, -1.0, TILE)
        ac.select(c, mask, c, -2.0, ac.SELMODE.VSEL_TENSOR_SCALAR_MODE, TILE)
        ac.add(c, c, other, TILE)
    with zs.get() as c:
        ac.data_copy(z, c, TILE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_compare_and_select(dtype: torch.dtype) -> None:
    x, y = drawn(TILE, dtype), drawn(TILE, dtype, 1)
    least = np.minimum(x.numpy(), y.numpy())
    expected = (np.where(least >= 0, least, NUMPY[dtype](-2)) - NUMPY[dtype](1)).astype(NUMPY[dtype])
    np.testing.assert_array_equal(run(clamp_where, [x, y], torch.zeros(TILE, dtype=dtype)), expected)


@ac.kernel
def filled(z: ac.Gm[B], value: float) -> None:
    zs = ac.queue(ac.VECOUT, B, 64)
    with zs.put() as c:
        ac.duplicate(c, value, 32)
        ac.duplicate(c[32:], 1, 32) if B is ac.i32 else ac.duplicate(c[32:], 1.5, 32)
    with zs.get() as c:
        ac.data_copy(z, c, 64)


# --- conversion -----------------------------------------------------------------------------------------------------


@ac.kernel
def rounded(x: ac.Gm[ac.f32], z: ac.Gm[ac.i32], w: ac.Gm[ac.f16]) -> None:
    q, p, r = ac.queue(ac.VECIN, ac.f32, TILE), ac.queue(ac.VECOUT, ac.i32, TILE), ac.queue(ac.VECOUT, ac.f16, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c, r.put() as h:
        ac.cast(c, a, ac.RoundMode.CAST_FLOOR, TILE)
        ac.cast(h, a, ac.RoundMode.CAST_RINT, 64, 4, (1, 1, 4, 8))
    with p.get() as c, r.get() as h:
        ac.data_copy(z, c, TILE)
        ac.data_copy(w, h, TILE)


def test_casts_by_count_and_by_repeats() -> None:
    x = drawn(TILE, low=-1000, high=1000)
    z, w = torch.zeros(TILE, dtype=torch.int32).npu(), torch.zeros(TILE, dtype=torch.float16).npu()
    rounded[1](x.npu(), z, w)
    np.testing.assert_array_equal(z.cpu().numpy(), np.floor(x.numpy()).astype(np.int32))
    np.testing.assert_array_equal(w.cpu().numpy(), x.numpy().astype(np.float16))


@ac.kernel
def scalars(x: ac.Gm[ac.f32], z: ac.Gm[ac.i32]) -> None:
    for i in range(8):
        z[i] = ac.scalar_cast(x[i], ac.i32, ac.RoundMode.CAST_RINT)
    z[8] = ac.get_bit_count(255, count_value=1)
    z[9] = ac.count_leading_zero(1)
    z[10] = ac.ceil_division(100, 32)
    z[11] = ac.get_data_block_size_in_bytes()
    ac.data_cache_clean_and_invalid(z, ac.CacheLine.ENTIRE_DATA_CACHE, ac.DcciDst.CACHELINE_OUT)


def test_scalar_interfaces() -> None:
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 3.49, -7.51, 100.0])
    got = run(scalars, [x], torch.zeros(16, dtype=torch.int32))
    np.testing.assert_array_equal(got[:8], np.rint(x.numpy()))
    assert list(got[8:12]) == [8, 63, 4, 32]


# --- reductions -----------------------------------------------------------------------------------------------------


@ac.kernel
def reduced(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32]) -> None:
    q, p = ac.queue(ac.VECIN, ac.f32, TILE), ac.queue(ac.VECOUT, ac.f32, TILE)
    work = ac.tbuf(ac.f32, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c:
        ac.duplicate(c, 0.0, TILE)
        ac.whole_reduce_sum(c, a, 64, 4, 1, 1, 8)
        ac.block_reduce_max(c[8:], a, 4, 64, 1, 1, 8)
        ac.reduce_repeat(c[40:], a, 64, 4, 1, 1, 8, ac.ReduceOrder.ORDER_ONLY_VALUE, reduce_type=ac.ReduceType.MIN)
        ac.pair_reduce_sum(c[48:], a, 1, 64, 1, 1, 8)
        ac.reduce_max(c[80:], a, work, TILE, True)
        ac.reduce_sum(c[88:], a, work, TILE)
        ac.whole_reduce_max(work, a, 64, 4, 1, 1, 8)
        ac.order(ac.V, ac.S)
        value, index = ac.get_reduce_repeat_max_min_spr(ac.f32)
        c[96] = value
        c[97] = index
        ac.order(ac.S, ac.MTE3)
    with p.get() as c:
        ac.data_copy(z, c, TILE)


def test_reductions_in_old_and_new_names() -> None:
    x = drawn(TILE)
    got, a = run(reduced, [x], torch.zeros(TILE)), x.numpy()
    np.testing.assert_allclose(got[:4], a.reshape(4, 64).sum(1), rtol=1e-5)
    np.testing.assert_array_equal(got[8:40], a.reshape(32, 8).max(1))
    np.testing.assert_array_equal(got[40:44], a.reshape(4, 64).min(1))
    np.testing.assert_array_equal(got[48:80], a[:64:2] + a[1:64:2])
    assert got[80] == a.max()
    assert got[81:82].view(np.uint32)[0] == a.argmax()
    np.testing.assert_allclose(got[88], a.sum(), rtol=1e-5)
    assert (got[96], got[97]) == (a.max(), a.argmax())


# --- gathering, sorting, layout -------------------------------------------------------------------------------------


@ac.kernel
def gathered(x: ac.Gm[T], z: ac.Gm[T], counts: ac.Gm[ac.i32]) -> None:
    q, p = ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECOUT, T, TILE)
    index = ac.tbuf(ac.i32, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c:
        ac.create_vec_index(index, 0, 64)
        ac.muls(index, index, -ac.sizeof(T), 64)
        ac.adds(index, index, 63 * ac.sizeof(T), 64)
        ac.gather(c, a, index.reinterpret_cast(ac.u32), 0, 64)
        kept = ac.gather_mask(c[64:], a, 2, True, 64, ac.GatherMaskParams(1, 1, 8, 8))
        counts[0] = kept
        ac.brcb(c[128:], a, 1, ac.BrcbRepeatParams(1, 8))
    with p.get() as c:
        ac.data_copy(z, c, TILE)
    ac.data_cache_clean_and_invalid(counts, ac.CacheLine.ENTIRE_DATA_CACHE, ac.DcciDst.CACHELINE_OUT)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_gathers_and_a_result_by_reference(dtype: torch.dtype) -> None:
    x = drawn(TILE, dtype)
    z, counts = torch.zeros(TILE, dtype=dtype).npu(), torch.zeros(16, dtype=torch.int32).npu()
    gathered[1](x.npu(), z, counts)
    got, a = z.cpu().numpy(), x.numpy()
    np.testing.assert_array_equal(got[:64], a[63::-1][:64])
    np.testing.assert_array_equal(got[64:96], a[1:64:2])
    assert counts.cpu()[0] == 32
    per = 32 // dtype.itemsize
    np.testing.assert_array_equal(got[128 : 128 + 8 * per], np.repeat(a[:8], per))


@ac.kernel
def sorted_(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], places: ac.Gm[ac.u32]) -> None:
    q, p, r = ac.queue(ac.VECIN, ac.f32, 64), ac.queue(ac.VECOUT, ac.f32, 64), ac.queue(ac.VECOUT, ac.u32, 64)
    index, records, merged = ac.tbuf(ac.i32, 64), ac.tbuf(ac.f32, 128), ac.tbuf(ac.f32, 128)
    with q.put() as a:
        ac.data_copy(a, x, 64)
    with q.get() as a, p.put() as c, r.put() as d:
        ac.arange(index, 0, 1, 64)
        ac.sort32(records, a, index.reinterpret_cast(ac.u32), 2)
        half = ac.get_sort_len(32, dtype=ac.f32)
        lists = ac.MrgSortSrcList(records, records[half:], records, records)
        ac.mrg_sort(merged, lists, ac.MrgSort4Info([32, 32, 0, 0], False, 3, 1))
        ac.extract(c, d, merged, 2)
    with p.get() as c, r.get() as d:
        ac.data_copy(z, c, 64)
        ac.data_copy(places, d, 64)


def test_sorting_with_lists_and_structures() -> None:
    x = drawn(64)
    z, places = torch.zeros(64).npu(), torch.zeros(64, dtype=torch.int32).npu().view(torch.uint32)
    sorted_[1](x.npu(), z, places)
    order = np.argsort(-x.numpy(), kind="stable")
    np.testing.assert_array_equal(z.cpu().numpy(), x.numpy()[order])
    np.testing.assert_array_equal(places.view(torch.int32).cpu().numpy(), order)


@ac.kernel
def transposed(x: ac.Gm[ac.f16], z: ac.Gm[ac.f16]) -> None:
    q, p = ac.queue(ac.VECIN, ac.f16, TILE), ac.queue(ac.VECOUT, ac.f16, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c:
        ac.transpose(c, a)
    with p.get() as c:
        ac.data_copy(z, c, TILE)


def test_transposing() -> None:
    x = drawn(TILE, torch.float16)
    got = run(transposed, [x], torch.zeros(TILE, dtype=torch.float16))
    np.testing.assert_array_equal(got, x.numpy().reshape(16, 16).T.ravel())


# --- masks, atomics, cores ------------------------------------------------------------------------------------------


@ac.kernel
def masked(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int) -> None:
    q, p = ac.queue(ac.VECIN, ac.f32, TILE), ac.queue(ac.VECOUT, ac.f32, TILE)
    with q.put() as a:
        ac.data_copy(a, x, TILE)
    with q.get() as a, p.put() as c:
        ac.duplicate(c, 0.0, TILE)
        ac.set_mask_count()
        ac.set_vector_mask(n, T=ac.f32, mode=ac.MaskMode.COUNTER)
        ac.exp(c, a, ac.MASK_PLACEHOLDER, 1, ac.UnaryRepeatParams(), is_set_mask=False)
        ac.set_mask_norm()
        ac.reset_mask()
        ac.copy(c[128:], a, 64, 1, ac.CopyRepeatParams(1, 1, 8, 8))
        ac.pipe_barrier(ac.V)
    with p.get() as c:
        ac.data_copy(z, c, TILE)


def test_a_mask_that_is_set_outside_the_call() -> None:
    x = drawn(TILE)
    got, a = run(masked, [x], torch.zeros(TILE), 100), x.numpy()
    np.testing.assert_allclose(got[:100], np.exp(a[:100]), rtol=2e-7)
    assert (got[100:128] == 0).all()
    np.testing.assert_array_equal(got[128:192], a[:64])


@ac.kernel
def summed(x: ac.Gm[B], z: ac.Gm[B], n: int) -> None:
    q, p = ac.queue(ac.VECIN, B, TILE), ac.queue(ac.VECOUT, B, TILE)
    with q.put() as a:
        ac.data_copy(a, x[ac.get_block_idx() * n :], TILE)
    with q.get() as a, p.put() as c:
        ac.data_copy(c, a, TILE)
    with p.get() as c:
        ac.set_atomic_add(B)
        ac.data_copy(z, c, TILE)
        ac.disable_dma_atomic()
    ac.sync_all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32])
def test_atomics_over_cores(dtype: torch.dtype) -> None:
    x = drawn(4 * TILE, low=0, high=30).to(torch.int32).to(dtype)  # whole numbers: the order does not matter
    got = run(summed, [x], torch.zeros(TILE, dtype=dtype), TILE, cores=4)
    np.testing.assert_array_equal(got, x.float().numpy().reshape(4, TILE).sum(0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32])
def test_numbers_become_each_member_of_a_variable(dtype: torch.dtype) -> None:
    got = run(filled, [], torch.zeros(64, dtype=dtype), 3.14159)
    kind = ml_dtypes.bfloat16 if dtype == torch.bfloat16 else np.dtype(str(dtype).removeprefix("torch."))
    np.testing.assert_array_equal(got[:32], np.full(32, np.float32(3.14159)).astype(kind).astype(np.float32))
    assert (got[32:] == (1 if dtype == torch.int32 else 1.5)).all()


@ac.kernel
def by_hand(x: ac.Gm[T], z: ac.Gm[T], n: int) -> None:
    q, p = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE)
    t = q.alloc_tensor()
    ac.data_copy(t, x, TILE)
    q.en_que(t)
    a, c = q.de_que(), p.alloc_tensor()
    ac.exp(c, a, n)
    p.en_que(c)
    q.free_tensor(a)
    done = p.de_que()
    ac.data_copy_pad(z, done, (1, n * ac.sizeof(T), 0, 0, 0))
    p.free_tensor(done)
    if not (q.has_idle_buffer() and p.has_idle_buffer()) or q.get_tensor_count_in_que() > 0:
        ac.trap()


def test_queues_by_their_own_members() -> None:
    x = drawn(TILE)
    got = run(by_hand, [x], torch.zeros(TILE), 77)
    np.testing.assert_allclose(got[:77], np.exp(x.numpy()[:77]), rtol=2e-7)
    assert (got[77:] == 0).all()


def test_at_least_25_interfaces_of_the_registry_ran() -> None:
    from ferrata.lang.binding import names

    kernels = (
        arithmetic,
        integers,
        clamp_where,
        filled,
        rounded,
        scalars,
        reduced,
        gathered,
        sorted_,
        transposed,
        masked,
        summed,
    )
    text = "\n".join(kernel.source() for kernel in kernels)
    used = {entry.cpp for entry in names.functions().values() if f"{entry.cpp}(" in text or f"{entry.cpp}<" in text}
    categories = {
        row.category for entry in names.functions().values() if entry.cpp in used for row in entry.present[:1]
    }
    assert len(used) >= 45
    assert len(categories) >= 15
