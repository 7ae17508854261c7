"""y = (x - mean) / sqrt(var + eps) * weight + bias over rows of any length: three outputs, and the gradient."""

import ferrata as fe
from examples.ops.norms import TILE, affine, gradient, row_squares, row_sum
from examples.ops.rows import load, store, store_number
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
X, N = ac.Gm[F], ac.Gm[ac.f32]
Rows, Row, R = fe.Tensor[F, ..., "d"], fe.Tensor[F, "d"], fe.Tensor[ac.f32, ...]


@ac.kernel
def layer_norm_kernel(x: X, weight: X, bias: X, y: X, mean: N, rstd: N, rows: int, d: int, eps: float):
    """Two passes, since the difference of two large sums would lose the variance. A row that a tile holds is read once."""
    first, count = ac.core_rows(rows)
    xs, ys = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    numbers, work = ac.queue(ac.VECOUT, ac.f32, 8), ac.tbuf(ac.f32, TILE + 64)
    wide, other = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for row in range(first, first + count):
        middle = row_sum(wide, work, xs, x, row * d, d) / d
        scale = 1 / ac.sqrt_of(row_squares(wide, other, work, xs, x, row * d, d, middle, d <= TILE) / d + eps)
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            if d > TILE:
                load(wide, xs, x, row * d + c, n)
            ac.adds(wide, wide, -middle, n)
            ac.barrier(ac.V)
            ac.muls(wide, wide, scale, n)
            ac.barrier(ac.V)
            affine(wide, other, xs, weight, bias, c, n)
            store(y, ys, wide, row * d + c, n)
        store_number(mean, numbers, middle, row)
        store_number(rstd, numbers, scale, row)


@fe.op("catalogue::layer_norm", ge="CatalogueLayerNorm")
def layer_norm(x: Rows, weight: Row, bias: Row, eps: float = 1e-5) -> tuple[Rows, R, R]:
    """The normed x, and mean and 1 / sqrt(var + eps) of each row."""


@layer_norm.plan
def _(x, weight, bias, eps, y, mean, rstd):
    rows, d = mean.numel(), x.shape[-1]
    return layer_norm_kernel.launch(x, weight, bias, y, mean, rstd, rows, d, eps, cores=fe.at_most(rows, "vector"))


@layer_norm.backward
def _(grad_y, grad_mean, grad_rstd, x, weight, mean, rstd):
    wide, normed = grad_y.float(), (x - mean[..., None]) * rstd[..., None]
    dx = gradient(wide * weight, normed, rstd, grad_rstd)
    dx = dx - dx.mean(-1, keepdim=True) + grad_mean[..., None] / x.shape[-1]
    return dx, (wide * normed).sum_to_size(weight.shape), wide.sum_to_size(weight.shape)


@layer_norm.reference
def _(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    rstd = ((x - mean).square().mean(-1, keepdim=True) + eps).rsqrt()
    return (x - mean) * rstd * weight + bias, mean[..., 0], rstd[..., 0]
