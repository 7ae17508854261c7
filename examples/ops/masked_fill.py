"""z = x with a value where the mask is set: bytes of a bool tensor become bits, and the bits select."""

import ferrata as fe
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
TILE = 2048


@ac.kernel
def masked_fill_kernel(x: ac.Gm[F], mask: ac.Gm[ac.u8], z: ac.Gm[F], n: int, value: float):
    """z[i] = value if mask[i] else x[i], split over the launched cores."""
    start, count = ac.core_share(n, align=32)  # whole blocks of the mask
    xs, masks = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECIN, ac.u8, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, F, TILE, buffers=2)
    wide, flags, keep = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f16, TILE), ac.tbuf(ac.u8, TILE // 8)
    for i in range(start, start + count, TILE):
        m = min(TILE, start + count - i)
        with xs.put() as a, masks.put() as b:
            ac.copy(a[:m], x[i:])
            ac.copy(b[:m], mask[i:])
        with xs.get() as a, masks.get() as b, zs.put() as c:
            ac.convert(wide, a, m)
            ac.convert(flags, b, m)
            ac.barrier(ac.V)
            ac.compare_scalar(keep, flags, 0.0, ac.CMPMODE.EQ, ac.round_up(m, 128))  # whole 256 bytes
            ac.barrier(ac.V)
            ac.select(wide, keep, wide, value, ac.SELMODE.VSEL_TENSOR_SCALAR_MODE, m)
            ac.barrier(ac.V)
            ac.convert(c, wide, m)
        with zs.get() as c:
            ac.copy(z[i:], c[:m])


@fe.op("catalogue::masked_fill", ge="CatalogueMaskedFill")
def masked_fill(x: fe.Tensor[F, ...], mask: fe.Tensor[ac.boolean, ...], value: float) -> fe.Tensor[F, ...]:
    """x.masked_fill(mask, value), for a mask of the shape of x."""


@masked_fill.plan
def _(x, mask, value, z):
    n = x.numel()
    return masked_fill_kernel.launch(x, mask, z, n, value, cores=fe.at_most(fe.ceil_div(n, TILE), "vector"))


@masked_fill.backward
def _(grad, mask):
    return grad.masked_fill(mask, 0), None


@masked_fill.reference
def _(x, mask, value):
    return x.masked_fill(mask, value)
