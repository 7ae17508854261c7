"""Operators whose plans and shape functions compute over lists; a Const that follows from an attribute; cleared scratch."""

# ruff: noqa: UP037  (a dimension in a string)

from __future__ import annotations

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
rows, n = "rows", "n"


@ac.kernel
def columns_kernel(x: ac.Gm[T], z: ac.Gm[T], rows: int, width: int, total: int, at: int, *, twice: ac.Const[bool]):
    """A block of columns of z: x, or 2 * x."""
    first, count = ac.core_rows(rows)
    xs, zs = ac.queue(ac.VECIN, T, 1024), ac.queue(ac.VECOUT, T, 1024)
    for r in range(first, first + count):
        with xs.put() as a:
            ac.copy(a[:width], x[r * width :])
        with xs.get() as a, zs.put() as c:
            if twice:
                ac.add(c, a, a, width)
            else:
                ac.adds(c, a, 0, width)
        with zs.get() as c:
            ac.copy(z[r * total + at :], c[:width])


@fe.op("exported::join", ge="ExportedJoin")
def join(xs: list[fe.Tensor[T, rows, "_"]], twice: bool = False) -> tuple[fe.Tensor[T, rows, "_"], fe.Tensor[T, "_"]]:
    """cat(xs, 1), perhaps doubled; and nothing, as long as the rows."""


@join.shape
def _(xs, twice):
    count = 0
    for x in xs:
        count += x.shape[0]
    return (xs[0].shape[0], sum(x.shape[1] for x in xs)), (count // len(xs),)


@join.plan
def _(xs, twice, z, nothing):
    rows, total = z.shape[:2]
    widest = max([x.shape[1] for x in xs if x.dim() == 2])
    if widest > 1024:
        raise ValueError("too wide")
    scratch = fe.workspace((rows, 8), ac.f32, zero=True)
    launches = []
    at = 0
    for x in xs:
        width = x.shape[1]
        launches.append(columns_kernel.launch(x, z, rows, width, total, at, cores=fe.at_most(rows), twice=twice))
        at += width
    launches.append(fill_kernel.launch(nothing, scratch, rows, cores=1))
    return launches


@ac.kernel
def fill_kernel(x: ac.Gm[T], zeros: ac.Gm[ac.f32], n: int):
    """What scratch memory holds."""
    for i in range(n):
        x[i] = T(zeros[i])
