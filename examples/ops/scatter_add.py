"""out[index[i]] += src[i], in place: any number of cores may meet in one row, so the copies out add atomically."""

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.bf16, ac.f32, ac.i32)
I = ac.dtype_var("I", ac.i32, ac.i64)  # noqa: E741
rows, n, d = "rows", "n", "d"


@ac.kernel
def scatter_rows(
    out: ac.Gm[T], index: ac.Gm[I], src: ac.Gm[T], count: int, rows: int, d: int, *, tile: ac.Const[int] = 4096
):
    """out[index[i], :] += src[i, :], the rows of src split over the cores."""
    first, mine = ac.core_share(count)
    pieces = ac.queue(ac.VECIN, T, tile, buffers=2, to=ac.VECOUT)
    ac.set_atomic_add(T)
    for i in range(first, first + mine):
        row = int(index[i])
        row = row if row >= 0 else row + rows
        for c in range(0, d, tile):
            m = min(tile, d - c)
            with pieces.put() as a:
                ac.copy(a[:m], src[i * d + c :])
            with pieces.get() as a:
                ac.copy(out[row * d + c :], a[:m])
    ac.disable_dma_atomic()  # or the next kernel on this core would add too


@fe.op("catalogue::scatter_add", ge="CatalogueScatterAdd")
def scatter_add(out: fe.Mut[fe.Tensor[T, rows, d]], index: fe.Tensor[I, n], src: fe.Tensor[T, n, d]) -> None:
    """out[index] += src, in place. Floats that meet in one place are added in no fixed order."""


@scatter_add.plan
def _(out, index, src):
    count = index.numel()
    return scatter_rows.launch(out, index, src, count, out.shape[0], out.shape[1], cores=fe.at_most(count, "vector"))


@scatter_add.reference
def _(out, index, src):
    out.index_put_((index.long(),), src, accumulate=True)


if __name__ == "__main__":
    fe.testing.check(scatter_add, [fe.testing.case(out=(9, 70), index=fe.testing.ints(0, 9, 20), src=(20, 70))])
