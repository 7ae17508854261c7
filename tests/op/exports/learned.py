"""Operators with gradients of every kind: of another operator of the module, with helpers, lists, needs, keywords."""

from __future__ import annotations

import math

import torch

import ferrata as fe
from examples.ops.add import add as elsewhere
from ferrata import lang as ac

HALF = 0.5
d = "d"


@ac.kernel
def axpy_kernel(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], z: ac.Gm[ac.f32], alpha: float, n: int):
    """z = alpha * x + y, one by one."""
    for i in range(n):
        z[i] = x[i] * alpha + y[i]


@fe.op("exported::blend", ge="ExportedBlend")
def blend(x: fe.Tensor[ac.f32, ...], y: fe.Tensor[ac.f32, ...], alpha: float = 1.0) -> fe.Tensor[ac.f32, ...]:
    """alpha * x + y."""


@blend.plan
def _(x, y, alpha, z):
    return axpy_kernel.launch(x, y, z, alpha, x.numel(), cores=1)


def weighted(grad, alpha):
    """grad times alpha, by the operator itself."""
    return blend(grad, torch.zeros_like(grad), alpha) * math.floor(1.5)


@blend.backward
def _(grad, alpha):
    return weighted(grad, alpha), grad


@blend.reference
def _(x, y, alpha=1.0):
    return alpha * x + y


@fe.op("exported::squares", ge="ExportedSquares")
def squares(
    xs: list[fe.Tensor[ac.f32, ...]],
    w: fe.Tensor[ac.f32, d] | None = None,
    *,
    by: float = 1.0,
) -> list[fe.Tensor[ac.f32, ...]]:
    """by * x + x of each; w counts for nothing."""


@squares.plan
def _(xs, w, by, ys):
    return [axpy_kernel.launch(x, x, y, by, x.numel(), cores=1) for x, y in zip(xs, ys, strict=True)]


@squares.backward
def _(grad, xs, by, needs):
    return {"xs": [g * (by + HALF + HALF) for g, x in zip(grad, xs, strict=True)]} if "xs" in needs else {}


@squares.reference
def _(xs, w=None, *, by=1.0):
    return [by * x + x for x in xs]


@fe.op("exported::outside", ge="ExportedOutside")
def outside(x: fe.Tensor[ac.f32, ...]) -> fe.Tensor[ac.f32, ...]:
    """2 * x; its gradient calls an operator of another module."""


@outside.plan
def _(x, z):
    return axpy_kernel.launch(x, x, z, 1.0, x.numel(), cores=1)


@outside.backward
def _(grad):
    return elsewhere(grad, grad)
