"""An operator in place whose sizes must fit together, for the tests of export: half is half of d."""

from __future__ import annotations

import ferrata as fe
from ferrata import lang as ac

rows, heads, d, half = "rows", "heads", "d", "half"


@ac.kernel
def shift_kernel(x: ac.Gm[ac.f32], by: ac.Gm[ac.f32], n: int, half: int):
    """The first half of each row of d gets `by` added."""
    first, count = ac.core_rows(n)
    for row in range(first, first + count):
        for i in range(half):
            x[2 * half * row + i] += by[i]


@fe.op("exported::shift_", ge="ExportedShift")
def shift_(x: fe.Mut[fe.Tensor[ac.f32, ..., rows, heads, d]], by: fe.Tensor[ac.f32, half]) -> None:
    """x[..., :half] += by."""


@shift_.plan
def _(x, by):
    if x.shape[-1] != 2 * by.shape[0]:
        raise ValueError("d is twice half")
    n = x.numel() // x.shape[-1]
    return shift_kernel.launch(x, by, n, by.shape[0], cores=fe.at_most(n))
