"""z = silu(gate) * up, the activation of Llama's feed-forward layers: computed in float, with its gradient."""

import ferrata as fe
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
TILE = 2048


@ac.kernel
def swiglu_kernel(gate: ac.Gm[F], up: ac.Gm[F], z: ac.Gm[F], n: int):
    """z = gate / (1 + exp(-gate)) * up, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(F))
    gates, ups = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECIN, F, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, F, TILE, buffers=2)
    g, u, e = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for i in range(start, start + count, TILE):
        m = min(TILE, start + count - i)
        with gates.put() as a, ups.put() as b:
            ac.copy(a[:m], gate[i:])
            ac.copy(b[:m], up[i:])
        with gates.get() as a, ups.get() as b, zs.put() as c:
            ac.convert(g, a, m)
            ac.convert(u, b, m)
            ac.barrier(ac.V)
            ac.muls(e, g, -1, m)
            ac.barrier(ac.V)
            ac.exp(e, e, m)
            ac.barrier(ac.V)
            ac.adds(e, e, 1, m)
            ac.barrier(ac.V)
            ac.div(g, g, e, m)  # first: gate * up may overflow
            ac.barrier(ac.V)
            ac.mul(g, g, u, m)
            ac.barrier(ac.V)
            ac.convert(c, g, m)
        with zs.get() as c:
            ac.copy(z[i:], c[:m])


@fe.op("catalogue::swiglu", ge="CatalogueSwiglu")
def swiglu(gate: fe.Tensor[F, ...], up: fe.Tensor[F, ...]) -> fe.Tensor[F, ...]:
    """silu(gate) * up."""


@swiglu.plan
def _(gate, up, z):
    n = gate.numel()
    return swiglu_kernel.launch(gate, up, z, n, cores=fe.at_most(fe.ceil_div(n, TILE), "vector"))


@swiglu.backward
def _(grad, gate, up):
    s = gate.float().sigmoid()
    return grad * up * s * (1 + gate * (1 - s)), grad * gate * s


@swiglu.reference
def _(gate, up):
    return gate * gate.sigmoid() * up
