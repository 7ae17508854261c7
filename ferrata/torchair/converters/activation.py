"""Rarer activations, losses, and the gradients of both."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.build import axes_of, const, dtype_of, ops, out, promote, require
from ferrata.torchair.converters.grad import REDUCTIONS
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


@converts(aten.threshold.default)
def threshold(x: Tensor, threshold: Any, value: Any) -> Any:
    return ops.ThresholdV2(x, *promote(threshold, value, to=dtype_of(x)))


@converts(aten.hardshrink.default)
def hardshrink(x: Tensor, lambd: Any = 0.5) -> Any:
    return ops.HardShrink(x, lambd=float(lambd))


@converts(aten.hardshrink_backward.default)
def hardshrink_backward(grad: Tensor, x: Tensor, lambd: Any) -> Any:
    return ops.HardShrinkGrad(*promote(grad, x), lambd=float(lambd))


@converts(aten.softshrink.default)
def softshrink(x: Tensor, lambd: Any = 0.5) -> Any:
    return ops.SoftShrink(x, lambd=float(lambd))


@converts(aten.softshrink_backward.default)
def softshrink_backward(grad: Tensor, x: Tensor, lambd: Any) -> Any:
    return ops.SoftShrinkGrad(*promote(grad, x), lambd=float(lambd))


@converts(aten.logit.default)
def logit(x: Tensor, eps: float | None = None) -> Any:
    return ops.Logit(x, eps=-1.0 if eps is None else eps)


@converts(aten.logit_backward.default)
def logit_backward(grad: Tensor, x: Tensor, eps: float | None = None) -> Any:
    return ops.LogitGrad(*promote(x, grad), eps=-1.0 if eps is None else eps)


@converts(aten.glu_backward.default)
def glu_backward(grad: Tensor, x: Tensor, dim: int) -> Any:
    return ops.GLUGrad(*promote(grad, x), dim=dim)


@converts(aten.mish_backward.default)
def mish_backward(grad: Tensor, x: Tensor) -> Any:
    return ops.MishGrad(*promote(grad, x))


@converts(aten._prelu_kernel_backward.default)
def prelu_backward(grad: Tensor, x: Tensor, weight: Tensor) -> Any:
    return ops.PReluGrad(grad, x, weight)


@converts(aten.smooth_l1_loss.default)
def smooth_l1_loss(x: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0) -> Any:
    require(x.desc.shape == target.desc.shape, "a target of another shape")
    return ops.SmoothL1LossV2(*promote(x, target), sigma=float(beta), reduction=REDUCTIONS[reduction])


@converts(aten.smooth_l1_loss_backward.default)
def smooth_l1_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int, beta: float) -> Any:
    require(x.desc.shape == target.desc.shape, "a target of another shape")
    return ops.SmoothL1LossGradV2(*promote(x, target, grad), sigma=float(beta), reduction=REDUCTIONS[reduction])


@converts(aten.binary_cross_entropy.default)
def binary_cross_entropy(x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1) -> Any:
    return ops.BinaryCrossEntropy(*promote(x, target, weight), reduction=REDUCTIONS[reduction])


@converts(aten.binary_cross_entropy_backward.default)
def binary_cross_entropy_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1
) -> Any:
    return ops.BinaryCrossEntropyGrad(*promote(x, target, grad, weight), reduction=REDUCTIONS[reduction])


@converts(aten.matmul.default)
def matmul(x: Tensor, y: Tensor) -> Any:
    """Vectors are rows or columns that go again."""
    require(x.rank > 0 and y.rank > 0, "no dimensions")
    if x.rank == 1 and y.rank == 1:
        return ops.Dot(x, y)
    a = ops.Unsqueeze(x, axes=[0]) if x.rank == 1 else x
    b = ops.Unsqueeze(y, axes=[1]) if y.rank == 1 else y
    made = ops.MatMulV2(a, b) if a.rank == b.rank == 2 else ops.BatchMatMulV2(a, b)
    if x.rank == 1:
        return ops.Squeeze(made, axis=[made.rank - 2])
    return ops.Squeeze(made, axis=[made.rank - 1]) if y.rank == 1 else made


@converts(aten.mv.default)
def mv(x: Tensor, y: Tensor) -> Any:
    return ops.Squeeze(ops.MatMulV2(x, ops.Unsqueeze(y, axes=[1])), axis=[1])


@converts(aten.nansum.default)
def nansum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    x = promote(x)
    require(dtype_of(x).is_floating_point and x.rank > 0, "integers are never NaN")
    there = ops.SelectV2(ops.IsNan(x), const(0.0, out().dtype), x)
    return ops.ReduceSum(there, axes_of(dim, x.rank), keep_dims=keepdim)
