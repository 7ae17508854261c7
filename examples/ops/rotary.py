"""Rotary position embedding in place: each head's halves (a, b) become (a cos - b sin, b cos + a sin)."""

import torch

import ferrata as fe
from examples.ops.rows import load, store, turn
from ferrata import lang as ac

F = ac.dtype_var("F", ac.f16, ac.bf16, ac.f32)
Angles = fe.Tensor[ac.f32, "seq", "half"]
TILE = 1024


@ac.kernel
def rotary_kernel(x: ac.Gm[F], cos: ac.Gm[ac.f32], sin: ac.Gm[ac.f32], tokens: int, seq: int, heads: int, half: int):
    """Each core takes whole tokens: the angles of a position serve all heads."""
    first, count = ac.core_rows(tokens)
    angles = ac.queue(ac.VECIN, ac.f32, TILE, buffers=2)
    xs, zs = ac.queue(ac.VECIN, F, TILE, buffers=2), ac.queue(ac.VECOUT, F, TILE, buffers=2)
    c, s = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    a, b, a_sin, b_sin = ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE), ac.tbuf(ac.f32, TILE)
    for token in range(first, first + count):
        load(c, angles, cos, token % seq * half, half)
        load(s, angles, sin, token % seq * half, half)
        for head in range(heads):
            at = (token * heads + head) * 2 * half
            load(a, xs, x, at, half)
            load(b, xs, x, at + half, half)
            turn(a, b, a_sin, b_sin, c, s, half)
            store(x, zs, a, at, half)
            store(x, zs, b, at + half, half)


@fe.op("catalogue::rotary_", ge="CatalogueRotary")
def rotary_(x: fe.Mut[fe.Tensor[F, ..., "seq", "heads", "d"]], cos: Angles, sin: Angles) -> None:
    """Rotate the heads of x by the angles of their positions; d is 2 * half."""


@rotary_.plan
def _(x, cos, sin):
    seq, heads, half = x.shape[-3], x.shape[-2], cos.shape[1]
    if x.shape[-1] != 2 * half or half > TILE:
        raise ValueError("the last dimension of x is twice that of cos, and at most 2048")
    tokens = x.numel() // (2 * half * heads)
    return rotary_kernel.launch(x, cos, sin, tokens, seq, heads, half, cores=fe.at_most(tokens, "vector"))


@rotary_.backward
def _(grad, cos, sin):
    back = grad.clone()
    rotary_(back, cos, -sin)  # turning back; x itself is not needed
    return back, None, None


@rotary_.reference
def _(x, cos, sin):
    a, b = x.chunk(2, -1)
    cos, sin = cos[:, None].detach(), sin[:, None].detach()  # angles are not learnt
    x.copy_(torch.cat([a * cos - b * sin, b * cos + a * sin], -1))
