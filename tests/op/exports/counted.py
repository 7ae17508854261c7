"""Operators whose kernel counts a size: of two outputs, of a row's end, and twice in one call."""

# ruff: noqa: UP037  (dimensions stand in annotations as text)
from __future__ import annotations

import ferrata as fe
from ferrata import lang as ac

n, d, found = "n", "d", "found"


@ac.kernel
def positive_kernel(x: ac.Gm[ac.f32], values: ac.Gm[ac.f32], places: ac.Gm[ac.i32], found: ac.Gm[ac.i32], n: int):
    """One by one, on one core."""
    count = 0
    for i in range(n):
        if x[i] > 0.0:
            values[count] = x[i]
            places[count] = i
            count += 1
    found[0] = count


@fe.op("exported::positive", ge="ExportedPositive")
def positive(x: fe.Tensor[ac.f32, n]) -> tuple[fe.Tensor[ac.f32, "found <= n"], fe.Tensor[ac.i32, "found <= n"]]:
    """What is above zero, and where it stands."""


@positive.plan
def _(x, values, places, found):
    return positive_kernel.launch(x, values, places, found, x.numel(), cores=1)


@positive.reference
def _(x):
    places = (x > 0).nonzero().flatten()
    return x[places], places.int()


@ac.kernel
def rows_kernel(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], found: ac.Gm[ac.i32], rows: int, d: int):
    """Whole rows whose first value is above zero, each twice."""
    count = 0
    for r in range(rows):
        if x[r * d] > 0.0:
            for _ in range(2):
                for i in range(d):
                    y[count * d + i] = x[r * d + i]
                count += 1
    found[0] = count


@fe.op("exported::twice", ge="ExportedTwice")
def twice(x: fe.Tensor[ac.f32, n, d]) -> fe.Tensor[ac.f32, "found <= 2 * n", d]:
    """Rows that begin above zero, each twice."""


@twice.plan
def _(x, y, found):
    return rows_kernel.launch(x, y, found, x.shape[0], x.shape[1], cores=1)


@twice.reference
def _(x):
    return x[x[:, 0] > 0].repeat_interleave(2, 0)


@ac.kernel
def columns_kernel(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], found: ac.Gm[ac.i32], rows: int, d: int):
    """The columns up to the first zero of the first row."""
    count = 0
    while count < d and x[count] != 0.0:
        count += 1
    for r in range(rows):
        for i in range(count):
            y[r * d + i] = x[r * d + i]
    found[0] = count


@fe.op("exported::until_zero", ge="ExportedUntilZero")
def until_zero(x: fe.Tensor[ac.f32, n, d]) -> fe.Tensor[ac.f32, n, "found <= d"]:
    """The columns before a zero in the first row."""


@until_zero.plan
def _(x, y, found):
    return columns_kernel.launch(x, y, found, x.shape[0], x.shape[1], cores=1)


@until_zero.reference
def _(x):
    return x[:, : int((x[0] != 0).int().cumprod(0).sum())]
