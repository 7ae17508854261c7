"""Operators of every kind that export knows: attributes, an optional tensor, outputs, writes, lists, computed sizes."""

from __future__ import annotations

import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
TILE = 1024
d, n, m = "d", "n", "m"


@ac.kernel
def axpy_kernel(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], alpha: float, n: int, *, tile: ac.Const[int] = 1024):
    """z = alpha * x + y."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile), ac.queue(ac.VECIN, T, tile)
    zs = ac.queue(ac.VECOUT, T, tile)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        with xs.put() as a, ys.put() as b:
            ac.copy(a[:m], x[start + i :])
            ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            ac.muls(c, a, T(alpha), m)
            ac.add(c, c, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


@ac.kernel
def scale_rows_kernel(
    x: ac.Gm[ac.f32], weight: ac.Gm[ac.f32] | None, y: ac.Gm[ac.f32], total: ac.Gm[ac.f32], rows: int, d: int
):
    """y = x * weight row by row, and the first value of each row."""
    first, count = ac.core_rows(rows)
    rows_in, out = ac.queue(ac.VECIN, ac.f32, 2048), ac.queue(ac.VECOUT, ac.f32, 2048)
    scale = ac.queue(ac.VECIN, ac.f32, 2048)
    ones = ac.queue(ac.VECOUT, ac.f32, 8)
    for r in range(first, first + count):
        with rows_in.put() as a:
            ac.copy(a[:d], x[r * d :])
        with rows_in.get() as a, out.put() as b:
            ac.muls(b, a, 1.0, d)
            if weight is not None:
                with scale.put() as w:
                    ac.copy(w[:d], weight[0:])
                with scale.get() as w:
                    ac.mul(b, b, w, d)
        with out.get() as b:
            ac.copy(y[r * d :], b[:d])
        with ones.put() as o:
            ac.duplicate(o, 2.5, 8)
        with ones.get() as o:
            ac.copy(total[r:], o[:1])


@fe.op("exported::axpy", ge="ExportedAxpy")
def axpy(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...], alpha: float = 1.0, *, mode: str = "plain") -> fe.Tensor[T, ...]:
    """alpha * x + y; twice that with mode "double"."""


def tiles(n: int, size: int = TILE) -> int:
    """How many tiles of a size cover n elements."""
    return fe.ceil_div(n, size)


@axpy.plan
def _(x, y, alpha, mode, z):
    """One core for each tile of a large input."""
    n = x.numel()
    # "double" scales both inputs; nothing else is known
    if mode not in ("plain", "double"):
        raise ValueError(f"mode is {mode}")
    tile = 512 if n < 4096 else TILE
    cores = fe.at_most(tiles(n, tile), "vector")
    if mode == "double":
        half = fe.workspace(x.shape, x.dtype)
        first = axpy_kernel.launch(x, y, half, alpha, n, cores=cores)
        return [first, axpy_kernel.launch(half, half, z, 1.0, n, cores=cores)]
    return axpy_kernel.launch(x, y, z, alpha, n, cores=cores, tile=tile)


@axpy.reference
def _(x, y, alpha=1.0, mode="plain"):
    return alpha * x + y


@fe.op("exported::scale_rows", ge="ExportedScaleRows")
def scale_rows(
    x: fe.Tensor[ac.f32, ..., d], weight: fe.Tensor[ac.f32, d] | None = None
) -> tuple[fe.Tensor[ac.f32, ..., d], fe.Tensor[ac.f32, ...]]:
    """Rows times a weight, and a number for each row."""


@scale_rows.plan
def _(x, weight, y, total):
    d = x.shape[-1]
    rows = x.numel() // max(d, 1)
    return scale_rows_kernel.launch(x, weight, y, total, rows, d, cores=fe.at_most(rows))


@scale_rows.reference
def _(x, weight=None):
    return (x if weight is None else x * weight), torch.full(x.shape[:-1], 2.5, device=x.device)


@fe.op("exported::add_into", ge="ExportedAddInto")
def add_into(x: fe.Mut[fe.Tensor[T, ...]], y: fe.Tensor[T, ...], *, alpha: float = 1.0) -> None:
    """x += alpha * y, in place."""


@add_into.plan
def _(x, y, alpha):
    n = x.numel()
    return axpy_kernel.launch(y, x, x, alpha, n, cores=fe.at_most(n // TILE))


@fe.op("exported::add_lists", ge="ExportedAddLists")
def add_lists(
    xs: list[fe.Tensor[ac.f32, ...]], ys: list[fe.Tensor[ac.f32, ...]], alphas: list[float]
) -> list[fe.Tensor[ac.f32, ...]]:
    """alpha * x + y for each pair."""


@add_lists.plan
def _(xs, ys, alphas, zs):
    launches = []
    for i, z in enumerate(zs):
        n = z.numel()
        launches.append(axpy_kernel.launch(xs[i], ys[i], z, alphas[0], n, cores=fe.at_most(n // TILE)))
    return launches


@fe.op("exported::tail", ge="ExportedTail")
def tail(x: fe.Tensor[T, n], drop: int = 2) -> fe.Tensor[T, m]:
    """Twice x without its last elements."""


@tail.shape
def _(x, drop):
    """What is left."""
    kept = max(x.shape[0] - drop, 0)
    return (kept,)


@tail.plan
def _(x, drop, y):
    n = y.numel()
    return axpy_kernel.launch(x, x, y, 1.0, n, cores=fe.at_most(n // TILE))
