"""z[i] = table[index[i]]: rows gathered by index, for any shape of the index; the gradient is scatter_add."""

import torch

import ferrata as fe
from examples.ops.scatter_add import scatter_add
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32, ac.i32)
I = ac.dtype_var("I", ac.i32, ac.i64)  # noqa: E741
rows, d = "rows", "d"


@ac.kernel
def gather_rows(
    table: ac.Gm[T], index: ac.Gm[I], z: ac.Gm[T], count: int, rows: int, d: int, *, tile: ac.Const[int] = 4096
):
    """z[i, :] = table[index[i], :], the positions split over the cores; an index counts from the end if it is negative."""
    first, mine = ac.core_share(count)
    pieces = ac.queue(ac.VECIN, T, tile, buffers=2, to=ac.VECOUT)  # in and out of one block: nothing is computed
    for i in range(first, first + mine):
        row = int(index[i])
        row = row if row >= 0 else row + rows
        for c in range(0, d, tile):
            n = min(tile, d - c)
            with pieces.put() as a:
                ac.copy(a[:n], table[row * d + c :])
            with pieces.get() as a:
                ac.copy(z[i * d + c :], a[:n])


@fe.op("catalogue::embedding", ge="CatalogueEmbedding")
def embedding(table: fe.Tensor[T, rows, d], index: fe.Tensor[I, "*at"]) -> fe.Tensor[T, "*at", d]:
    """The rows of the table at the indices, which are from -rows to rows - 1."""


@embedding.plan
def _(table, index, z):
    count = index.numel()
    return gather_rows.launch(table, index, z, count, table.shape[0], table.shape[1], cores=fe.at_most(count, "vector"))


@embedding.backward
def _(grad, table, index):
    total = torch.zeros_like(table, dtype=torch.float32)  # halves that meet in a row would lose too much
    scatter_add(total, index.flatten(), grad.reshape(-1, table.shape[1]).float())
    return total.to(table.dtype), None


@embedding.reference
def _(table, index):
    return table[index.long()]


if __name__ == "__main__":
    fe.testing.check(embedding, [fe.testing.case(table=(100, 70), index=fe.testing.ints(0, 100, 5, 3))])
