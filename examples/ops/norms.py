"""What norms over rows share: sums over rows of any length, weight and bias, and the gradient."""

from examples.ops.rows import load
from ferrata import lang as ac

TILE = 4096  # of a row; what works in a tile has TILE elements, `work` 64 more


def row_sum(wide, work, queue, x, at: int, d: int) -> float:
    """The sum of d elements of x. A row that a tile holds is then in `wide`."""
    total = 0.0
    for c in range(0, d, TILE):
        n = min(TILE, d - c)
        load(wide, queue, x, at + c, n)
        total += ac.sum_of(wide, n, work=work)
    return total


def row_squares(wide, other, work, queue, x, at: int, d: int, middle: float, there: bool) -> float:
    """The sum of (x - middle)^2 over d elements of x. there: they are in `wide`, where a row that a tile holds is then."""
    total = 0.0
    for c in range(0, d, TILE):
        n = min(TILE, d - c)
        if not there:
            load(wide, queue, x, at + c, n)
        ac.adds(other, wide, -middle, n)
        ac.barrier(ac.V)
        ac.mul(other, other, other, n)
        ac.barrier(ac.V)
        total += ac.sum_of(other, n, work=work)
    return total


def affine(wide, other, queue, weight, bias, at: int, n: int):
    """wide * weight + bias; either may be missing."""
    if weight is not None:
        load(other, queue, weight, at, n)
        ac.mul(wide, wide, other, n)
        ac.barrier(ac.V)
    if bias is not None:
        load(other, queue, bias, at, n)
        ac.add(wide, wide, other, n)
        ac.barrier(ac.V)


def gradient(scaled, normed, rstd, grad_rstd):
    """What reaches x by normed = x * rstd and by rstd = 1 / sqrt(mean(x^2) + eps). scaled: what reaches normed."""
    r = rstd[..., None]
    along = (scaled * normed).mean(-1, keepdim=True) + grad_rstd[..., None] * r / normed.shape[-1]
    return r * (scaled - normed * along)
