"""The k largest of each row, descending, with their positions; of equal ones the earlier first. Rows of any length.

A tile is sorted as records of two floats (score, position); a longer row merges each tile with the best so far.
"""

import math

import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
TILE = 2048  # and the largest k
n, k = "n", "k"


@ac.kernel
def top_k_kernel(x: ac.Gm[T], values: ac.Gm[T], indices: ac.Gm[ac.i32], rows: int, n: int, k: int):
    """Rows split over the cores; sorted in float, whatever T is."""
    first, count = ac.core_rows(rows)
    xs, values_out = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE)
    indices_out = ac.queue(ac.VECOUT, ac.u32, TILE)
    scores, places = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.i32, TILE)
    records, best = ac.tbuf(ac.f32, 2 * TILE), ac.tbuf(ac.f32, 2 * TILE)
    merged = ac.tbuf(ac.f32, 4 * TILE)
    for row in range(first, first + count):
        for c in range(0, n, TILE):
            m = min(TILE, n - c)
            ac.duplicate(scores, -math.inf, TILE)  # what is missing in a tile comes last
            ac.create_vec_index(places, c, TILE)
            ac.barrier(ac.V)
            with xs.put() as a:
                ac.copy(a[:m], x[row * n + c :])
            with xs.get() as a:
                ac.convert(scores, a, m)
            ac.barrier(ac.V)
            ac.sort(True, records, scores, places.reinterpret_cast(ac.u32), merged, TILE // 32)
            ac.barrier(ac.V)
            if c == 0:
                ac.copy(best, records, 2 * TILE)
            else:
                both = ac.MrgSortSrcList(ac.f32, best, records, records, records)
                ac.mrg_sort(merged, both, ac.MrgSort4Info([min(c, k), min(m, k), 0, 0], False, 3, 1))
                ac.barrier(ac.V)
                ac.copy(best, merged, 8 * ac.ceil_div(min(c + m, k), 4))
            ac.barrier(ac.V)
        with values_out.put() as v, indices_out.put() as i:
            ac.extract(scores, i, best, ac.ceil_div(k, 32))
            ac.barrier(ac.V)
            ac.convert(v, scores, k)
        with values_out.get() as v, indices_out.get(ac.i32) as i:
            ac.copy(values[row * k :], v[:k])
            ac.copy(indices[row * k :], i[:k])


@fe.op("catalogue::top_k", ge="CatalogueTopK")
def top_k(x: fe.Tensor[T, ..., n], k: int) -> tuple[fe.Tensor[T, ..., k], fe.Tensor[ac.i32, ..., k]]:
    """The k largest of the last dimension, and where they are; k is at most 2048."""


@top_k.plan
def _(x, k, values, indices):
    if k > min(x.shape[-1], TILE):
        raise ValueError(f"k is {k}; it is at most the row's length and {TILE}")
    rows = values.numel() // max(k, 1)
    return top_k_kernel.launch(x, values, indices, rows, x.shape[-1], k, cores=fe.at_most(rows, "vector"))


@top_k.backward
def _(grad_values, x, indices):
    return torch.zeros_like(x).scatter(-1, indices.long(), grad_values)


@top_k.reference
def _(x, k):
    values, indices = x.sort(dim=-1, descending=True, stable=True)
    return values[..., :k], indices[..., :k].int()
