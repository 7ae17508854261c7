"""z[s] = x[offsets[s]] + ... + x[offsets[s + 1] - 1]: a sum for each stretch of rows, in float and in a fixed order."""

import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
n, d, bounds = "n", "d", "bounds"


@ac.kernel
def sum_rows(x: ac.Gm[T], offsets: ac.Gm[ac.i32], z: ac.Gm[T], segments: int, d: int, *, tile: ac.Const[int] = 2048):
    """A segment belongs to one core: no atomics, and the same bits in every run."""
    first, count = ac.core_rows(segments)
    xs, zs = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECOUT, T, tile, buffers=2)
    total, wide = ac.tbuf(ac.f32, tile), ac.tbuf(ac.f32, tile)
    for s in range(first, first + count):
        start, stop = offsets[s], offsets[s + 1]
        for c in range(0, d, tile):
            m = min(tile, d - c)
            ac.duplicate(total, 0.0, m)
            ac.barrier(ac.V)
            for row in range(start, stop):
                with xs.put() as a:
                    ac.copy(a[:m], x[row * d + c :])
                with xs.get() as a:
                    ac.convert(wide, a, m)
                    ac.barrier(ac.V)
                    ac.add(total, total, wide, m)
                ac.barrier(ac.V)
            with zs.put() as b:
                ac.convert(b, total, m)
            with zs.get() as b:
                ac.copy(z[s * d + c :], b[:m])


@fe.op("catalogue::segment_sum", ge="CatalogueSegmentSum")
def segment_sum(x: fe.Tensor[T, n, d], offsets: fe.Tensor[ac.i32, bounds]) -> fe.Tensor[T, "bounds - 1", d]:
    """The sums of the rows between neighbouring offsets, which do not decrease; an empty stretch has zeros."""


@segment_sum.plan
def _(x, offsets, z):
    return sum_rows.launch(x, offsets, z, z.shape[0], z.shape[1], cores=fe.at_most(z.shape[0], "vector"))


@segment_sum.reference
def _(x, offsets):
    return torch.segment_reduce(x, "sum", offsets=offsets.long(), axis=0)
