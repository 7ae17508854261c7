"""y = x / sqrt(mean(x^2) + eps) * weight over rows of any length, with or without weight; and its gradient."""

import ferrata as fe
from examples.ops.norms import TILE, affine, gradient, row_squares
from examples.ops.rows import load, store, store_number
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
d = "d"


@ac.kernel
def rms_norm_kernel(
    x: ac.Gm[F], weight: ac.Gm[F] | None, y: ac.Gm[F], rstd: ac.Gm[ac.f32], rows: int, d: int, eps: float
):
    """Each core takes whole rows. A row that a tile holds is read once."""
    first, count = ac.core_rows(rows)
    xs, ys = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    numbers, work = ac.queue(ac.VECOUT, ac.f32, 8), ac.tbuf(ac.f32, TILE + 64)
    wide, other = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for row in range(first, first + count):
        scale = 1 / ac.sqrt_of(row_squares(wide, other, work, xs, x, row * d, d, 0.0, False) / d + eps)
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            if d > TILE:
                load(wide, xs, x, row * d + c, n)
            ac.muls(wide, wide, scale, n)
            ac.barrier(ac.V)
            affine(wide, other, xs, weight, None, c, n)
            store(y, ys, wide, row * d + c, n)
        store_number(rstd, numbers, scale, row)


@fe.op("catalogue::rms_norm", ge="CatalogueRmsNorm")
def rms_norm(
    x: fe.Tensor[F, ..., d], weight: fe.Tensor[F, d] | None = None, *, eps: float = 1e-6
) -> tuple[fe.Tensor[F, ..., d], fe.Tensor[ac.f32, ...]]:
    """The normed x, and 1 / sqrt(mean(x^2) + eps) of each row."""


@rms_norm.plan
def _(x, weight, eps, y, rstd):
    rows = rstd.numel()
    return rms_norm_kernel.launch(x, weight, y, rstd, rows, x.shape[-1], eps, cores=fe.at_most(rows, "vector"))


@rms_norm.backward
def _(grad_y, grad_rstd, x, weight, rstd):
    normed, wide = x * rstd[..., None], grad_y.float()
    dx = gradient(wide if weight is None else wide * weight, normed, rstd, grad_rstd)
    return dx, None if weight is None else (wide * normed).sum_to_size(weight.shape)


@rms_norm.reference
def _(x, weight=None, *, eps=1e-6):
    rstd = (x.square().mean(-1) + eps).rsqrt()
    y = x * rstd[..., None]
    return y if weight is None else y * weight, rstd
