"""y = (x - mean) / sqrt(var + eps) * weight + bias over rows of any length: three outputs, and the gradient.

Mean and variance are two passes: the difference of two large sums would lose what the variance is made of.
"""

import ferrata as fe
from examples.ops.rows import load, store, store_number
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
N, Row, R = ac.Gm[ac.f32], fe.Tensor[F, "d"], fe.Tensor[ac.f32, ...]
TILE = 4096


@ac.kernel
def layer_norm_kernel(
    x: ac.Gm[F], weight: ac.Gm[F], bias: ac.Gm[F], y: ac.Gm[F], mean: N, rstd: N, rows: int, d: int, eps: float
):
    """Each core takes whole rows. A row that a tile holds is read once."""
    first, count = ac.core_rows(rows)
    xs, ys = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    numbers = ac.queue(ac.VECOUT, ac.f32, 8)
    wide, other = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for row in range(first, first + count):
        total, squares = 0.0, 0.0
        for c in range(0, d, TILE):
            load(wide, xs, x, row * d + c, min(TILE, d - c))
            total += ac.sum_of(wide, min(TILE, d - c))
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            if d > TILE:
                load(wide, xs, x, row * d + c, n)
            ac.adds(wide, wide, -total / d, n)
            ac.barrier(ac.V)
            ac.mul(other, wide, wide, n)
            ac.barrier(ac.V)
            squares += ac.sum_of(other, n)
        scale = 1 / ac.sqrt_of(squares / d + eps)
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            if d > TILE:
                load(wide, xs, x, row * d + c, n)
                ac.adds(wide, wide, -total / d, n)
                ac.barrier(ac.V)
            ac.muls(wide, wide, scale, n)
            load(other, xs, weight, c, n)
            ac.mul(wide, wide, other, n)
            load(other, xs, bias, c, n)
            ac.add(wide, wide, other, n)
            ac.barrier(ac.V)
            store(y, ys, wide, row * d + c, n)
        store_number(mean, numbers, total / d, row)
        store_number(rstd, numbers, scale, row)


@fe.op("catalogue::layer_norm", ge="CatalogueLayerNorm")
def layer_norm(
    x: fe.Tensor[F, ..., "d"], weight: Row, bias: Row, eps: float = 1e-5
) -> tuple[fe.Tensor[F, ..., "d"], R, R]:
    """The normed x, and mean and 1 / sqrt(var + eps) of each row."""


@layer_norm.plan
def _(x, weight, bias, eps, y, mean, rstd):
    rows, d = mean.numel(), x.shape[-1]
    return layer_norm_kernel.launch(x, weight, bias, y, mean, rstd, rows, d, eps, cores=fe.at_most(rows, "vector"))


@layer_norm.backward
def _(grad_y, grad_mean, grad_rstd, x, weight, mean, rstd):
    g, r = grad_y.float(), rstd[..., None]
    normed, scaled = (x - mean[..., None]) * r, g * weight
    dm = scaled.mean(-1, keepdim=True) * r - grad_mean[..., None] / x.shape[-1]
    dr = (scaled * normed).mean(-1, keepdim=True) * r + grad_rstd[..., None] * r * r / x.shape[-1]
    return scaled * r - dm - normed * dr, (g * normed).sum_to_size(weight.shape), g.sum_to_size(weight.shape)


@layer_norm.reference
def _(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    rstd = ((x - mean).square().mean(-1, keepdim=True) + eps).rsqrt()
    return (x - mean) * rstd * weight + bias, mean[..., 0], rstd[..., 0]
