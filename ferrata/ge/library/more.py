"""Activations that are rarer, losses, scans, bits, and what sizes follow from values."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import plain, rule
from ferrata.ge.types import torch_dtype

aten = torch.ops.aten
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

_function: Any
for _type, _function in {"Selu": torch.selu, "ZerosLike": torch.zeros_like, "LogAddExp": torch.logaddexp,
                         "Heaviside": torch.heaviside, "Gcd": torch.gcd}.items():  # fmt: skip
    plain(_function, _type)
for _type, _function in {"Signbit": torch.signbit, "IsPosInf": torch.isposinf, "IsNegInf": torch.isneginf}.items():
    plain(_function, _type, to="bool")
for _type, _function, _sign in (("LeftShift", operator.lshift, "<<"), ("RightShift", operator.rshift, ">>")):
    plain(_function, _type, numbers="y", text="{0} " + _sign + " {1}")


# ---- activations and their gradients ----


@rule("ThresholdV2", host="threshold value")
def threshold(x: Any, threshold: Any, value: Any = 0) -> Any:
    return aten.threshold.default(x, threshold, value)


@rule("CeluV2")
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    return torch.celu(x, alpha)


@rule("Logit")
def logit(x: Any, *, eps: float = -1.0) -> Any:
    return torch.logit(x, None if eps < 0 else eps)


@rule("LogitGrad")
def logit_grad(x: Any, dy: Any, *, eps: float = -1.0) -> Any:
    return aten.logit_backward.default(dy, x, None if eps < 0 else eps)


@rule("HardShrink")
def hard_shrink(x: Any, *, lambd: float = 0.5) -> Any:
    return aten.hardshrink.default(x, lambd)


@rule("HardShrinkGrad")
def hard_shrink_grad(gradients: Any, features: Any, *, lambd: float = 0.5) -> Any:
    return aten.hardshrink_backward.default(gradients, features, lambd)


@rule("SoftShrink")
def soft_shrink(x: Any, *, lambd: float = 0.5) -> Any:
    return aten.softshrink.default(x, lambd)


@rule("SoftShrinkGrad")
def soft_shrink_grad(grad: Any, x: Any, *, lambd: float = 0.5) -> Any:
    return aten.softshrink_backward.default(grad, x, lambd)


@rule("GLUGrad")
def glu_grad(y_grad: Any, x: Any, *, dim: int = -1) -> Any:
    return aten.glu_backward.default(y_grad, x, dim)


@rule("MishGrad")
def mish_grad(grad: Any, x: Any, tanhx: Any = None) -> Any:
    return aten.mish_backward.default(grad, x)


@rule("PReluGrad")
def prelu_grad(grads: Any, features: Any, weights: Any) -> Any:
    """The slope is shaped for the features, as its gradient is."""
    return aten._prelu_kernel_backward.default(grads, features, weights)


# ---- losses ----


@rule("SmoothL1LossV2")
def smooth_l1(predict: Any, label: Any, *, sigma: float = 1.0, reduction: str = "mean") -> Any:
    return aten.smooth_l1_loss.default(predict, label, _REDUCTIONS[reduction], sigma)


@rule("SmoothL1LossGradV2")
def smooth_l1_grad(predict: Any, label: Any, dout: Any, *, sigma: float = 1.0, reduction: str = "mean") -> Any:
    return aten.smooth_l1_loss_backward.default(dout, predict, label, _REDUCTIONS[reduction], sigma)


@rule("BinaryCrossEntropy")
def binary_cross_entropy(x: Any, y: Any, weight: Any = None, *, reduction: str = "mean") -> Any:
    return aten.binary_cross_entropy.default(x, y, weight, _REDUCTIONS[reduction])


@rule("BinaryCrossEntropyGrad")
def binary_cross_entropy_grad(
    x: Any, y: Any, grad_output: Any, weight: Any = None, *, reduction: str = "mean"
) -> Any:  # fmt: skip
    return aten.binary_cross_entropy_backward.default(grad_output, x, y, weight, _REDUCTIONS[reduction])


# ---- scans, steps, what is picked ----


@rule("CumulativeLogsumexp", host="axis")
def cumulative_logsumexp(x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
    if exclusive or reverse:
        raise KeyError("exclusive")
    return torch.logcumsumexp(x, axis)


@rule("Cummax")
def cummax(x: Any, *, dim: int) -> Any:
    return tuple(torch.cummax(x, dim))


@rule("Cummin")
def cummin(x: Any, *, axis: int) -> Any:
    return tuple(torch.cummin(x, axis))


@rule("LinSpace", host="start stop num", creates="start")
def linspace(start: Any, stop: Any, num: Any, *, dtype: torch.dtype, device: Any) -> Any:
    return torch.linspace(start, stop, num, dtype=dtype, device=device)


@rule("Eye", creates="dtype")
def eye(*, num_rows: int, num_columns: int = 0, dtype: Any, device: Any) -> Any:
    return torch.eye(num_rows, num_columns or num_rows, dtype=dtype, device=device)


@rule("BucketizeV2")
def bucketize(x: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    return torch.bucketize(x, boundaries, out_int32=out_int32, right=right)


@rule("IndexFill", host="val")
def index_fill(x: Any, indices: Any, val: Any, *, dim: int) -> Any:
    return torch.index_fill(x, dim, indices.long(), val)


def _selected(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [(inputs[0].dtype, None)]


@rule("MaskedSelect", dynamic=True, infer=_selected)
def masked_select(x: Any, mask: Any) -> Any:
    return torch.masked_select(x, mask)


@rule("Bitcast", view=True)
def bitcast(x: Any, *, type: int, keep_dim: bool = False) -> Any:
    return x.view(torch_dtype(type))


@rule("ViewCopy", host="dst_size dst_stride dst_storage_offset src_size src_stride src_storage_offset")
def view_copy(
    dst: Any, dst_size: Sequence[int], dst_stride: Sequence[int], dst_storage_offset: Any, src: Any,
    src_size: Sequence[int], src_stride: Sequence[int], src_storage_offset: Any,
) -> Any:  # fmt: skip
    """In place: the elements of one strided view become those of another; dst is written and returned."""
    starts = [o if isinstance(o, int) else o[0] for o in (dst_storage_offset, src_storage_offset)]
    views = [
        t.as_strided(size, stride, t.storage_offset() + start)
        for t, size, stride, start in zip((dst, src.contiguous()), (dst_size, src_size), (dst_stride, src_stride), starts,
                                          strict=True)
    ]  # fmt: skip
    views[0].copy_(views[1])
    return dst
