"""z = softmax(x) over the last dimension, of any length: also rows that the Unified Buffer cannot hold.

A row longer than a tile is read twice: for its peak and sum, kept up to date from tile to tile, and to write the result.
"""

import ferrata as fe
from examples.ops.rows import exponentials, load, store
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
TILE, LOWEST = 4096, -3.4e38


@ac.kernel
def softmax_kernel(x: ac.Gm[F], z: ac.Gm[F], rows: int, columns: int):
    """Each core takes whole rows."""
    first, count = ac.core_rows(rows)
    xs, zs = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    wide = ac.tbuf(ac.f32, TILE)
    for row in range(first, first + count):
        peak, total = LOWEST, 0.0
        for c in range(0, columns, TILE):
            n = min(TILE, columns - c)
            load(wide, xs, x, row * columns + c, n)
            before = peak
            peak = max(before, ac.max_of(wide, n))
            exponentials(wide, peak, n)
            if c > 0:  # the sum so far was taken with the peak before
                total *= ac.exp_of(before - peak)
            total += ac.sum_of(wide, n)
        for c in range(0, columns, TILE):
            n = min(TILE, columns - c)
            if columns > TILE:  # else exp(x - peak) is still there
                load(wide, xs, x, row * columns + c, n)
                exponentials(wide, peak, n)
            ac.muls(wide, wide, 1 / total, n)
            ac.barrier(ac.V)
            store(z, zs, wide, row * columns + c, n)


@fe.op("catalogue::softmax", ge="CatalogueSoftmax")
def softmax(x: fe.Tensor[F, ..., "n"]) -> fe.Tensor[F, ..., "n"]:
    """softmax(x, -1)."""


@softmax.plan
def _(x, z):
    rows = x.numel() // x.shape[-1]
    return softmax_kernel.launch(x, z, rows, x.shape[-1], cores=fe.at_most(rows, "vector"))


@softmax.backward
def _(grad, z):
    return z * (grad - (grad * z).sum(-1, keepdim=True))


@softmax.reference
def _(x):
    return x.softmax(-1)
