"""y = x / sqrt(mean(x^2) + eps) * weight over rows of any length, with or without weight; and its gradient."""

import ferrata as fe
from examples.ops.rows import load, store, store_number
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
TILE = 4096
d = "d"


@ac.kernel
def rms_norm_kernel(
    x: ac.Gm[F], weight: ac.Gm[F] | None, y: ac.Gm[F], rstd: ac.Gm[ac.f32], rows: int, d: int, eps: float
):
    """Each core takes whole rows. A row that a tile holds is read once."""
    first, count = ac.core_rows(rows)
    xs, ys = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    numbers = ac.queue(ac.VECOUT, ac.f32, 8)
    wide, other = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for row in range(first, first + count):
        total = 0.0
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            load(wide, xs, x, row * d + c, n)
            ac.mul(other, wide, wide, n)
            ac.barrier(ac.V)
            total += ac.sum_of(other, n)
        scale = 1 / ac.sqrt_of(total / d + eps)
        for c in range(0, d, TILE):
            n = min(TILE, d - c)
            if d > TILE:
                load(wide, xs, x, row * d + c, n)
            ac.muls(wide, wide, scale, n)
            ac.barrier(ac.V)
            if weight is not None:
                load(other, xs, weight, c, n)
                ac.mul(wide, wide, other, n)
                ac.barrier(ac.V)
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
    r = rstd[..., None]
    normed, wide = x * r, grad_y.float()
    scaled = wide if weight is None else wide * weight
    dr = (scaled * x).sum(-1, keepdim=True) + grad_rstd[..., None]
    dw = None if weight is None else (wide * normed).sum_to_size(weight.shape)
    return scaled * r - normed * dr * r * r / x.shape[-1], dw


@rms_norm.reference
def _(x, weight=None, *, eps=1e-6):
    rstd = (x.square().mean(-1) + eps).rsqrt()
    y = x * rstd[..., None]
    return y if weight is None else y * weight, rstd
