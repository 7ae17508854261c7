"""z = alpha * x + y: an operator with a scalar attribute. Half is computed in float, rounded once."""

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
TILE = 2048


@ac.kernel
def axpy_kernel(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int, alpha: float):
    """z = alpha * x + y, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECIN, T, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, T, TILE, buffers=2)
    wide = ac.tbuf(ac.f32, TILE)
    for i in range(start, start + count, TILE):
        m = min(TILE, start + count - i)
        with xs.put() as a, ys.put() as b:
            ac.copy(a[:m], x[i:])
            ac.copy(b[:m], y[i:])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            if T is ac.f16:
                ac.cast(wide, b, ac.RoundMode.CAST_NONE, m)
                ac.barrier(ac.V)
                ac.axpy(wide, a, alpha, m)  # float += half * alpha
                ac.barrier(ac.V)
                ac.cast(c, wide, ac.RoundMode.CAST_RINT, m)
            else:
                ac.muls(c, a, alpha, m)
                ac.barrier(ac.V)
                ac.add(c, c, b, m)
        with zs.get() as c:
            ac.copy(z[i:], c[:m])


@fe.op("catalogue::axpy", ge="CatalogueAxpy")
def axpy(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...], alpha: float = 1.0) -> fe.Tensor[T, ...]:
    """alpha * x + y."""


@axpy.plan
def _(x, y, alpha, z):
    n = x.numel()
    return axpy_kernel.launch(x, y, z, n, alpha, cores=fe.at_most(fe.ceil_div(n, TILE), "vector"))


@axpy.backward
def _(grad, alpha):
    return grad * alpha, grad


@axpy.reference
def _(x, y, alpha=1.0):
    return alpha * x + y
