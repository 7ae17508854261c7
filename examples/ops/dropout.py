"""Dropout whose mask is a function of a seed and the position: the backward makes it again instead of keeping it."""

import torch

import ferrata as fe
from examples.ops import random_bits
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
TILE = 2048


@ac.kernel
def dropout_kernel(x: ac.Gm[T], z: ac.Gm[T], n: int, seed: int, keep: float):
    """z = x / keep where the random number of the position is below keep, else 0."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, zs = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE, buffers=2)
    h, t, wide, bits = ac.tbuf(ac.i32, TILE), ac.tbuf(ac.i32, TILE), ac.tbuf(ac.f32, TILE), ac.tbuf(ac.u8, TILE // 8)
    for i in range(start, start + count, TILE):
        m = min(TILE, start + count - i)
        random_bits.fill(h, t, i, seed, TILE)
        ac.cast(wide, h, ac.RoundMode.CAST_NONE, TILE)  # 24 bits are exact in float
        ac.barrier(ac.V)
        ac.compare_scalar(bits, wide, (keep - 0.5) * 2**24, ac.CMPMODE.LT, TILE)
        with xs.put() as a:
            ac.copy(a[:m], x[i:])
        with xs.get() as a, zs.put() as c:
            ac.convert(wide, a, m)
            ac.barrier(ac.V)
            ac.muls(wide, wide, 1.0 / keep, m)
            ac.barrier(ac.V)
            ac.select(wide, bits, wide, 0.0, ac.SELMODE.VSEL_TENSOR_SCALAR_MODE, m)
            ac.barrier(ac.V)
            ac.convert(c, wide, m)
        with zs.get() as c:
            ac.copy(z[i:], c[:m])


@fe.op("catalogue::dropout", ge="CatalogueDropout")
def dropout(x: fe.Tensor[T, ...], p: float, seed: int) -> fe.Tensor[T, ...]:
    """x / (1 - p) with probability 1 - p, else 0; the same seed gives the same mask."""


@dropout.plan
def _(x, p, seed, z):
    n = x.numel()
    return dropout_kernel.launch(x, z, n, seed, 1.0 - p, cores=fe.at_most(fe.ceil_div(n, TILE), "vector"))


@dropout.backward
def _(grad, p, seed):
    return dropout(grad, p, seed)


@dropout.reference
def _(x, p, seed):
    kept = random_bits.reference(x.numel(), seed, x.device) < (0.5 - p) * 2**24
    return torch.where(kept.reshape(x.shape), x * (1 / (1 - p)), 0)
