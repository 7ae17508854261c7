"""q = round(x / scale) in int8 with a scale for each channel, the last dimension; dequantize goes back."""

import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
TILE = 2048
c = "c"


@ac.kernel
def quantize_kernel(x: ac.Gm[T], scale: ac.Gm[ac.f32], q: ac.Gm[ac.i8], rows: int, c: int):
    """Tile of channels by tile of channels, whose scales are read once for all rows of the core."""
    first, count = ac.core_rows(rows)
    xs, qs = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, ac.i8, TILE, buffers=2)
    scales, wide, half = ac.queue(ac.VECIN, ac.f32, TILE), ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f16, TILE)
    for at in range(0, c, TILE):
        m = min(TILE, c - at)
        with scales.put() as s:
            ac.copy(s[:m], scale[at:])
        with scales.get() as s:
            for row in range(first, first + count):
                with xs.put() as a:
                    ac.copy(a[:m], x[row * c + at :])
                with xs.get() as a, qs.put() as b:
                    ac.convert(wide, a, m)
                    ac.barrier(ac.V)
                    ac.div(wide, wide, s, m)
                    ac.barrier(ac.V)
                    ac.cast(wide, wide, ac.RoundMode.CAST_RINT, m)  # here: to half it would round twice
                    ac.barrier(ac.V)
                    ac.cast(half, wide, ac.RoundMode.CAST_NONE, m)
                    ac.barrier(ac.V)
                    ac.maxs(half, half, -128, m)
                    ac.barrier(ac.V)
                    ac.mins(half, half, 127, m)
                    ac.barrier(ac.V)
                    ac.cast(b, half, ac.RoundMode.CAST_NONE, m)
                with qs.get() as b:
                    ac.copy(q[row * c + at :], b[:m])


@fe.op("catalogue::quantize", ge="CatalogueQuantize")
def quantize(x: fe.Tensor[T, ..., c], scale: fe.Tensor[ac.f32, c]) -> fe.Tensor[ac.i8, ..., c]:
    """round(x / scale) in int8, halves to even, saturated to -128 .. 127."""


@quantize.plan
def _(x, scale, q):
    c = x.shape[-1]
    rows = x.numel() // max(c, 1)
    return quantize_kernel.launch(x, scale, q, rows, c, cores=fe.at_most(rows, "vector"))


@quantize.reference
def _(x, scale):
    q = (x.float() / scale.float()).round().clamp(-128, 127)
    return q.nan_to_num(0).to(torch.int8)
