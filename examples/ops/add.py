"""z = x + y: the frame of an element-wise kernel, with a tail, for any dtype that the vector unit adds, and bfloat16."""

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32, ac.i16, ac.i32)
TILE = 2048


@ac.kernel
def add_kernel(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = TILE):
    """z = x + y, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    wide, more = ac.tbuf(ac.f32, tile), ac.tbuf(ac.f32, tile)
    for i in range(0, count, tile):
        m = min(tile, count - i)  # the last tile is shorter
        with xs.put() as a, ys.put() as b:
            ac.copy(a[:m], x[start + i :])
            ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            if T is ac.bf16:  # has no arithmetic of its own: in float
                ac.cast(wide, a, ac.RoundMode.CAST_NONE, m)
                ac.cast(more, b, ac.RoundMode.CAST_NONE, m)
                ac.barrier(ac.V)
                ac.add(wide, wide, more, m)
                ac.barrier(ac.V)
                ac.cast(c, wide, ac.RoundMode.CAST_RINT, m)
            else:
                ac.add(c, a, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


@fe.op("catalogue::add", ge="CatalogueAdd")
def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y. Both have one shape and one dtype."""


@add.plan
def _(x, y, z):
    n = x.numel()
    return add_kernel.launch(x, y, z, n, cores=fe.at_most(fe.ceil_div(n, TILE), "vector"))


@add.backward
def _(grad):
    return grad, grad


@add.reference
def _(x, y):
    return x + y


if __name__ == "__main__":
    fe.testing.check(add)
