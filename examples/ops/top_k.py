"""The k largest of each row, descending, with their positions; of equal ones the earlier first. Rows of any length."""

import ferrata as fe
from examples.ops.rows import load, store
from examples.ops.sorting import merge
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32)
TILE, INFINITY = 2048, float("inf")  # of a row, and the largest k


@ac.kernel
def top_k_kernel(x: ac.Gm[T], values: ac.Gm[T], indices: ac.Gm[ac.i32], rows: int, n: int, k: int):
    """A tile is sorted as records (score, position) of floats; a longer row merges each tile with the best so far."""
    first, count = ac.core_rows(rows)
    xs, vs, ps = ac.queue(ac.VECIN, T, TILE, buffers=2), ac.queue(ac.VECOUT, T, TILE), ac.queue(ac.VECOUT, ac.u32, TILE)
    scores, places = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.i32, TILE)
    records, best, merged = ac.tbuf(ac.f32, 2 * TILE), ac.tbuf(ac.f32, 2 * TILE), ac.tbuf(ac.f32, 4 * TILE)
    for row in range(first, first + count):
        for c in range(0, n, TILE):
            ac.duplicate(scores, -INFINITY, TILE)  # what is missing in a tile comes last
            ac.create_vec_index(places, c, TILE)
            ac.barrier(ac.V)
            load(scores, xs, x, row * n + c, min(TILE, n - c))
            ac.sort(True, records, scores, places.reinterpret_cast(ac.u32), merged, TILE // 32)
            ac.barrier(ac.V)
            merge(best, records, merged, min(c, k), min(n - c, k), k)
        with ps.put() as p:
            ac.extract(scores, p, best, ac.ceil_div(k, 32))
            ac.barrier(ac.V)
        store(values, vs, scores, row * k, k)
        with ps.get(ac.i32) as p:
            ac.copy(indices[row * k :], p[:k])


@fe.op("catalogue::top_k", ge="CatalogueTopK")
def top_k(x: fe.Tensor[T, ..., "n"], k: int) -> tuple[fe.Tensor[T, ..., "k"], fe.Tensor[ac.i32, ..., "k"]]:
    """The k largest of the last dimension, and where they are; k is at most 2048."""


@top_k.plan
def _(x, k, values, indices):
    if k > min(x.shape[-1], TILE):
        raise ValueError(f"k is {k}; it is at most the row's length and {TILE}")
    rows = values.numel() // max(k, 1)
    return top_k_kernel.launch(x, values, indices, rows, x.shape[-1], k, cores=fe.at_most(rows, "vector"))


@top_k.backward
def _(grad_values, x, indices):
    return x.new_zeros(x.shape).scatter(-1, indices.long(), grad_values)


@top_k.reference
def _(x, k):
    values, indices = x.sort(dim=-1, descending=True, stable=True)
    return values[..., :k], indices[..., :k].int()
