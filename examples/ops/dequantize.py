"""x = q * scale: int8 with a scale for each channel, the last dimension, to the dtype of the scales; quantize goes back."""

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
TILE = 2048
c = "c"


@ac.kernel
def dequantize_kernel(q: ac.Gm[ac.i8], scale: ac.Gm[T], x: ac.Gm[T], rows: int, c: int):
    """Tile of channels by tile of channels, whose scales are read once for all rows of the core."""
    first, count = ac.core_rows(rows)
    qs, xs = ac.queue(ac.VECIN, ac.i8, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE, buffers=2)
    scales, half = ac.queue(ac.VECIN, T, TILE), ac.tbuf(ac.f16, TILE)
    factors, wide = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for at in range(0, c, TILE):
        m = min(TILE, c - at)
        with scales.put() as s:
            ac.copy(s[:m], scale[at:])
        with scales.get() as s:
            ac.convert(factors, s, m)
        for row in range(first, first + count):
            with qs.put() as a:
                ac.copy(a[:m], q[row * c + at :])
            with qs.get() as a, xs.put() as b:
                ac.convert(half, a, m)  # int8 is exact in half, and there is no way from it to float
                ac.barrier(ac.V)
                ac.convert(wide, half, m)
                ac.barrier(ac.V)
                ac.mul(wide, wide, factors, m)
                ac.barrier(ac.V)
                ac.convert(b, wide, m)
            with xs.get() as b:
                ac.copy(x[row * c + at :], b[:m])


@fe.op("catalogue::dequantize", ge="CatalogueDequantize")
def dequantize(q: fe.Tensor[ac.i8, ..., c], scale: fe.Tensor[T, c]) -> fe.Tensor[T, ..., c]:
    """q * scale."""


@dequantize.plan
def _(q, scale, x):
    c = q.shape[-1]
    rows = q.numel() // max(c, 1)
    return dequantize_kernel.launch(q, scale, x, rows, c, cores=fe.at_most(rows, "vector"))


@dequantize.backward
def _(grad, q):
    return None, (grad.float() * q).flatten(0, -2).sum(0)


@dequantize.reference
def _(q, scale):
    return q * scale
