"""z = cumsum(x) over all cores: each scans its stretch, all meet in SyncAll, each adds the sums of those before it."""

import ferrata as fe
from examples.ops.cores import MOST, SLOT, exchange, scan
from examples.ops.rows import add_number
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f32, ac.i32)
TILE = 2048


@ac.kernel
def cumsum_kernel(x: ac.Gm[T], z: ac.Gm[T], sums: ac.Gm[T], n: int):
    """The scan of the core's stretch with its sum; then what the cores before have is added in place. sums: a block a core."""
    start, count = ac.core_share(n, align=8)
    xs, zs = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE, buffers=2)
    padded, shifted, own = ac.tbuf(T, 2 * TILE), ac.tbuf(T, TILE), ac.tbuf(T, SLOT * MOST)
    offsets = ac.tbuf(ac.i32, TILE)
    ac.create_vec_index(offsets, 0, TILE)
    ac.duplicate(padded, 0, TILE)
    ac.barrier(ac.V)
    ac.muls(offsets, offsets, 4, TILE)  # in bytes
    total = T(0)
    for i in range(0, count, TILE):
        m = min(TILE, count - i)
        with xs.put() as a:
            ac.copy(a[:m], x[start + i :])
        with xs.get() as a, zs.put() as c:
            ac.adds(padded[TILE:], a, 0, m)
            ac.barrier(ac.V)
            scan(padded, shifted, offsets.reinterpret_cast(ac.u32), TILE, m)
            ac.adds(c, padded[TILE:], total, m)
            ac.order(ac.V, ac.S)
            total += padded[TILE + m - 1]
            ac.order(ac.S, ac.V)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])
    before, _ = exchange(sums, own, total)
    add_number(z, zs, before, start, count, TILE)


@fe.op("catalogue::cumsum", ge="CatalogueCumsum")
def cumsum(x: fe.Tensor[T, "n"]) -> fe.Tensor[T, "n"]:
    """The sums of the first 1, 2, ... n elements."""


@cumsum.plan
def _(x, z):
    cores = fe.at_most(fe.ceil_div(x.numel(), TILE), "vector")
    return cumsum_kernel.launch(x, z, fe.workspace((cores, SLOT), x.dtype), x.numel(), cores=cores)


@cumsum.backward
def _(grad):
    return cumsum(grad.flip(0)).flip(0)


@cumsum.reference
def _(x):
    return x.cumsum(0, dtype=x.dtype)
