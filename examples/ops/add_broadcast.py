"""z = x + y for any two shapes that broadcast, up to four dimensions."""

import ferrata as fe
from examples.ops.shapes import Four, fetch, size, step
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i16, ac.i32)
TILE = 2048


@ac.kernel
def add_broadcast_kernel(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], size: Four, xstep: Four, ystep: Four):
    """Each core takes whole rows of z."""
    first, count = ac.core_rows(size.a * size.b * size.c)
    xs, ys = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECIN, T, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, T, TILE, buffers=2)
    for row in range(first, first + count):
        i, j, k = row // (size.b * size.c), row // size.c % size.b, row % size.c
        for col in range(0, size.d, TILE):
            m = min(TILE, size.d - col)
            with xs.put() as a, ys.put() as b:
                fetch(a, x, i * xstep.a + j * xstep.b + k * xstep.c + col * xstep.d, xstep.d, m)
                fetch(b, y, i * ystep.a + j * ystep.b + k * ystep.c + col * ystep.d, ystep.d, m)
            with xs.get() as a, ys.get() as b, zs.put() as c:
                ac.add(c, a, b, m)
            with zs.get() as c:
                ac.copy(z[row * size.d + col :], c[:m])


@fe.op("catalogue::add_broadcast", ge="CatalogueAddBroadcast")
def add_broadcast(x: fe.Tensor[T, "*a"], y: fe.Tensor[T, "*b"]) -> fe.Tensor[T, "broadcast(*a, *b)"]:
    """x + y."""


@add_broadcast.plan
def _(x, y, z):
    if z.dim() > 4:
        raise ValueError("at most four dimensions")
    sizes = Four(size(z, 4), size(z, 3), size(z, 2), size(z, 1))
    xstep = Four(step(x, 4), step(x, 3), step(x, 2), step(x, 1))
    ystep = Four(step(y, 4), step(y, 3), step(y, 2), step(y, 1))
    rows = sizes.a * sizes.b * sizes.c
    return add_broadcast_kernel.launch(x, y, z, sizes, xstep, ystep, cores=fe.at_most(rows, "vector"))


@add_broadcast.backward
def _(grad, x, y):
    return grad.sum_to_size(x.shape), grad.sum_to_size(y.shape)


@add_broadcast.reference
def _(x, y):
    return x + y
