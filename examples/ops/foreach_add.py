"""zs[i] = xs[i] + alpha * ys[i] for lists of tensors of any shapes, in one launch: as optimizers step over parameters."""

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
TILE = 4096


@ac.kernel
def foreach_kernel(xs: list[ac.Gm[T]], ys: list[ac.Gm[T]], zs: list[ac.Gm[T]], alpha: float):
    """Every tensor is split over all cores, so that one large one keeps no core waiting."""
    left, right = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECIN, T, TILE, buffers=2)
    sums = ac.queue(ac.VECOUT, T, TILE, buffers=2)
    for item in range(len(xs)):
        x, y, z = xs[item], ys[item], zs[item]
        start, count = ac.core_share(len(xs[item]), align=ac.block_elems(T))
        for i in range(start, start + count, TILE):
            m = min(TILE, start + count - i)
            with left.put() as a, right.put() as b:
                ac.copy(a[:m], x[i:])
                ac.copy(b[:m], y[i:])
            with left.get() as a, right.get() as b, sums.put() as c:
                ac.muls(c, b, alpha, m)
                ac.barrier(ac.V)
                ac.add(c, a, c, m)
            with sums.get() as c:
                ac.copy(z[i:], c[:m])


@fe.op("catalogue::foreach_add", ge="CatalogueForeachAdd")
def foreach_add(
    xs: list[fe.Tensor[T, ...]], ys: list[fe.Tensor[T, ...]], alpha: float = 1.0
) -> list[fe.Tensor[T, ...]]:
    """xs[i] + alpha * ys[i]; the lists have one length, each pair one shape."""


@foreach_add.plan
def _(xs, ys, alpha, zs):
    largest = 0
    for x in xs:
        largest = max(largest, x.numel())
    return foreach_kernel.launch(xs, ys, zs, alpha, cores=fe.at_most(fe.ceil_div(largest, TILE), "vector"))


@foreach_add.backward
def _(grad, alpha):
    return grad, [g * alpha for g in grad]


@foreach_add.reference
def _(xs, ys, alpha=1.0):
    return [x + alpha * y for x, y in zip(xs, ys, strict=True)]
