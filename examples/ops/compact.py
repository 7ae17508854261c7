"""The elements of x above a threshold, packed in order, and where they stand: a size that only the kernel knows."""

import ferrata as fe
from examples.ops.cores import MOST, SLOT, exchange, pack
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
TILE = 4096
X, P = ac.Gm[T], ac.Gm[ac.i32]


@ac.kernel
def compact_kernel(x: X, values: X, places: P, found: P, counts: P, n: int, threshold: float):
    """Where a core's part begins depends on the cores before it: all count, meet, then pack. counts: a block a core."""
    start, count = ac.core_share(n, align=128)
    xs, vs, ps = ac.queue(ac.VECIN, T, TILE), ac.queue(ac.VECOUT, T, TILE), ac.queue(ac.VECOUT, ac.i32, TILE)
    positions, bits, own = ac.tbuf(ac.i32, TILE), ac.tbuf(ac.u8, TILE // 8), ac.tbuf(ac.i32, SLOT * MOST)
    scratch = ac.tbuf(T, TILE)
    mine = 0
    for i in range(start, start + count, TILE):
        mine += pack(xs, scratch, bits, x, i, min(TILE, start + count - i), threshold)
    at, total = exchange(counts, own, mine)
    for i in range(start, start + count, TILE):
        m = min(TILE, start + count - i)
        with vs.put() as v, ps.put() as p:
            kept = pack(xs, v, bits, x, i, m, threshold)
            ac.create_vec_index(positions, i, m)
            ac.barrier(ac.V)
            ac.gather_mask(p, positions, bits.reinterpret_cast(ac.u32), True, m, [1, 1, 8, 8])
        with vs.get() as v, ps.get() as p:
            ac.copy(values[at:], v[:kept])
            ac.copy(places[at:], p[:kept])
        at += kept
    if ac.block_idx() == 0:
        found[0] = total


@fe.op("catalogue::compact", ge="CatalogueCompact")
def compact(
    x: fe.Tensor[T, "n"], threshold: float = 0.0
) -> tuple[fe.Tensor[T, "found <= n"], fe.Tensor[ac.i32, "found <= n"]]:
    """The elements above the threshold in order, and their positions."""


@compact.plan
def _(x, threshold, values, places, found):
    cores = fe.at_most(fe.ceil_div(x.numel(), TILE), "vector")
    counts = fe.workspace((cores, SLOT), ac.i32)
    return compact_kernel.launch(x, values, places, found, counts, x.numel(), threshold, cores=cores)


@compact.backward
def _(grad_values, x, places):
    return x.new_zeros(x.shape).index_add(0, places, grad_values)


@compact.reference
def _(x, threshold=0.0):
    places = (x > threshold).nonzero().flatten()
    return x[places], places.int()
