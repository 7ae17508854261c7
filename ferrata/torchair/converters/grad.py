"""Gradients: of activations, softmax, losses, normalisation, pooling, convolutions, slices."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.build import (
    Unsupported,
    axes_of,
    const,
    dtype_of,
    ops,
    promote,
    require,
    shape_list,
    sizes_of,
)
from ferrata.torchair.converters.nn import conv_lists, pair
from ferrata.torchair.converters.place import slice_scatter
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
INT32 = torch.int32
REDUCTIONS = ("none", "mean", "sum")


@converts(aten.sigmoid_backward.default)
def sigmoid_backward(grad: Tensor, y: Tensor) -> Any:
    return ops.SigmoidGrad(*promote(y, grad))


@converts(aten.tanh_backward.default)
def tanh_backward(grad: Tensor, y: Tensor) -> Any:
    return ops.TanhGrad(*promote(y, grad))


@converts(aten.threshold_backward.default)
def threshold_backward(grad: Tensor, x: Tensor, threshold: Any) -> Any:
    require(threshold == 0, "a threshold other than 0")
    return ops.ReluGrad(*promote(grad, x))


@converts(aten.gelu_backward.default)
def gelu_backward(grad: Tensor, x: Tensor, *, approximate: str = "none") -> Any:
    return ops.GeluGradV2(*promote(grad, x), approximate=approximate)


@converts(aten.silu_backward.default)
def silu_backward(grad: Tensor, x: Tensor) -> Any:
    """SwishGrad also wants the result, which the gradient does not depend on."""
    grad, x = promote(grad, x)
    return ops.SwishGrad(grad, x, x)


@converts(aten.hardswish_backward.default)
def hardswish_backward(grad: Tensor, x: Tensor) -> Any:
    return ops.HardSwishGrad(*promote(grad, x))


@converts(aten.hardsigmoid_backward.default)
def hardsigmoid_backward(grad: Tensor, x: Tensor) -> Any:
    return ops.HardSigmoidGrad(*promote(grad, x))


@converts(aten.hardtanh_backward.default)
def hardtanh_backward(grad: Tensor, x: Tensor, low: Any, high: Any) -> Any:
    return ops.HardtanhGrad(x, grad, min_val=float(low), max_val=float(high))


@converts(aten.leaky_relu_backward.default)
def leaky_relu_backward(grad: Tensor, x: Tensor, slope: Any, is_result: bool) -> Any:
    return ops.LeakyReluGrad(*promote(grad, x), negative_slope=float(slope))


@converts(aten.elu_backward.default)
def elu_backward(grad: Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool, x: Tensor) -> Any:
    return ops.EluGradV2(
        grad, x, alpha=float(alpha), scale=float(scale), input_scale=float(input_scale), is_result=is_result
    )


@converts(aten.softplus_backward.default)
def softplus_backward(grad: Tensor, x: Tensor, beta: Any, threshold: Any) -> Any:
    return ops.SoftplusV2Grad(grad, x, beta=float(beta), threshold=float(threshold))


@converts(aten.log_sigmoid_backward.default)
def log_sigmoid_backward(grad: Tensor, x: Tensor, buffer: Tensor) -> Any:
    return ops.LogSigmoidGrad(*promote(grad, x))


@converts(aten._softmax_backward_data.default)
def softmax_backward(grad: Tensor, y: Tensor, dim: int, input_dtype: torch.dtype) -> Any:
    require(input_dtype == dtype_of(grad) == dtype_of(y), "a narrower gradient")
    return ops.SoftmaxGrad(y, grad, axes=[dim])


@converts(aten._log_softmax_backward_data.default)
def log_softmax_backward(grad: Tensor, y: Tensor, dim: int, input_dtype: torch.dtype) -> Any:
    require(input_dtype == dtype_of(grad) == dtype_of(y), "a narrower gradient")
    return ops.LogSoftmaxGrad(grad, y, axis=[dim])


@converts(aten.mse_loss.default)
def mse_loss(x: Tensor, target: Tensor, reduction: int = 1) -> Any:
    require(x.desc.shape == target.desc.shape, "a target of another shape")
    return ops.MseLoss(*promote(x, target), reduction=REDUCTIONS[reduction])


@converts(aten.mse_loss_backward.default)
def mse_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int) -> Any:
    require(x.desc.shape == target.desc.shape, "a target of another shape")
    return ops.MseLossGrad(*promote(x, target, grad), reduction=REDUCTIONS[reduction])


@converts(aten.nll_loss_forward.default)
def nll_loss(x: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int) -> Any:
    return ops.NLLLoss(x, target, weight, reduction=REDUCTIONS[reduction], ignore_index=ignore_index)


@converts(aten.nll_loss_backward.default)
def nll_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int, total_weight: Tensor
) -> Any:
    require(x.rank == 2, "one row without a batch")
    if weight is None:
        weight = ops.Fill([_known(x, 1)], const(1, dtype_of(x)))
    return ops.NLLLossGrad(
        x, grad, target, weight, total_weight, reduction=REDUCTIONS[reduction], ignore_index=ignore_index
    )


@converts(aten.native_layer_norm_backward.default)
def layer_norm_backward(
    grad: Tensor, x: Tensor, shape: Any, mean: Tensor, rstd: Tensor, weight: Any, bias: Any, mask: Any
) -> Any:
    require(weight is not None or not mask[1], "a gradient of no weight")
    if weight is None:
        require(not isinstance(shape, Tensor), "sizes that change from call to call")
        weight = ops.Fill(list(shape), const(1, dtype_of(x)))
    mask = [bool(wanted) for wanted in mask]
    return _masked(ops.LayerNormGradV3(grad, x, rstd, mean, weight, output_mask=mask), mask)


@converts(aten.native_group_norm_backward.default)
def group_norm_backward(
    grad: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, weight: Any, n: Any, c: Any, hw: Any, group: int, mask: Any
) -> Any:
    require(weight is not None, "no weight")
    made = ops.GroupNormGrad(
        grad, mean, rstd, x, weight, num_groups=group, data_format="NCHW", dx_is_require=bool(mask[0]),
        dgamma_is_require=bool(mask[1]), dbeta_is_require=bool(mask[2]),
    )  # fmt: skip
    return _masked(made, mask)


@converts(aten.native_batch_norm_backward.default)
def batch_norm_backward(
    grad: Tensor, x: Tensor, weight: Any, mean: Any, var: Any, save_mean: Any, save_rstd: Any, train: bool, eps: float,
    mask: Any,
) -> Any:  # fmt: skip
    require(None not in (weight, mean, var, save_mean, save_rstd), "no weight or no statistics")
    made = ops.BatchNormGradV3(grad, x, weight, mean, var, save_mean, save_rstd, is_training=train, epsilon=eps)
    return _masked(made, mask)


def _masked(made: Any, mask: Any) -> Any:
    return tuple(value if wanted else None for value, wanted in zip(made, mask, strict=True))


@converts(aten.avg_pool2d_backward.default)
def avg_pool2d_backward(
    grad: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
    divisor_override: Any,
) -> Any:  # fmt: skip
    require(x.rank == 4, "a picture without a batch")
    k, p = pair(kernel_size, 2), pair(padding, 2, [0])
    return ops.AvgPoolV2Grad(
        sizes_of(x, INT32), grad, ksize=[1, 1, *k], strides=[1, 1, *pair(stride, 2, k)], pads=[p[0], p[0], p[1], p[1]],
        data_format="NCHW", ceil_mode=ceil_mode, exclusive=not count_include_pad,
        divisor_override=divisor_override or 0,
    )  # fmt: skip


@converts(aten._adaptive_avg_pool2d_backward.default)
def adaptive_avg_pool2d_backward(grad: Tensor, x: Tensor) -> Any:
    return ops.AdaptiveAvgPool2dGrad(grad, orig_input_shape=shape_list(x))


@converts(aten.max_pool2d_with_indices_backward.default)
def max_pool2d_backward(
    grad: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    indices: Tensor,
) -> Any:  # fmt: skip
    k = pair(kernel_size, 2)
    return ops.MaxPoolGradWithArgmaxV3(
        x, grad, indices, ksize=k, strides=pair(stride, 2, k), pads=pair(padding, 2, [0]),
        dilation=pair(dilation, 2, [1]), ceil_mode=ceil_mode,
    )  # fmt: skip


@converts(aten.convolution_backward.default)
def convolution_backward(
    grad: Tensor, x: Tensor, weight: Tensor, bias_sizes: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, output_padding: Any, groups: int, mask: Any,
) -> Any:  # fmt: skip
    """Each gradient that is asked for by an operator of its own; one dimension is lifted to two."""
    lift = x.rank == 3
    require(x.rank in (3, 4, 5), "no spatial dimension")
    g, rows, filters = (ops.Unsqueeze(v, axes=[2]) if lift else v for v in (grad, x, weight))
    keywords = conv_lists(x.rank - 2, stride, padding, dilation, groups)
    kind = "Conv3D" if x.rank == 5 else "Conv2D"
    made: list[Any] = [None, None, None]
    if mask[0] and transposed:
        made[0] = getattr(ops, kind)(g, filters, **keywords)
    elif mask[0]:
        made[0] = getattr(ops, kind + "BackpropInput")(sizes_of(rows, INT32), filters, g, **keywords)
    if mask[1]:
        images, outputs = (g, rows) if transposed else (rows, g)
        made[1] = getattr(ops, kind + "BackpropFilter")(images, sizes_of(filters, INT32), outputs, **keywords)
    if lift:
        made[:2] = [None if v is None else ops.Squeeze(v, axis=[2]) for v in made[:2]]
    if mask[2]:
        made[2] = ops.ReduceSum(grad, [i for i in axes_of(None, x.rank) if i != 1])
    return tuple(made)


@converts(aten.upsample_nearest2d_backward.default)
def upsample_nearest2d_backward(
    grad: Tensor, output_size: Any, input_size: Any, scales_h: Any = None, scales_w: Any = None
) -> Any:
    require(not isinstance(input_size, Tensor), "sizes that change from call to call")
    size = const(list(input_size[2:]), INT32)
    return ops.ResizeNearestNeighborV2Grad(grad, size, scales=[scales_h or 0.0, scales_w or 0.0])


@converts(aten.slice_backward.default)
def slice_backward(grad: Tensor, input_sizes: Any, dim: int, start: Any, end: Any, step: Any) -> Any:
    """Zeros around: a slice without gaps is padded back, any other is written into zeros."""
    changing = any(isinstance(v, Tensor) for v in (input_sizes, start, end, step))
    if changing or step != 1:
        zeros = ops.Fill(
            input_sizes if isinstance(input_sizes, Tensor) else list(input_sizes), const(0, dtype_of(grad))
        )
        return slice_scatter(zeros, grad, dim, start, end, step)
    size = input_sizes[dim]
    start, end, _ = slice(start, end).indices(size)
    return _pad(grad, dim, start, size - max(end, start))


@converts(aten.select_backward.default)
def select_backward(grad: Tensor, input_sizes: Any, dim: int, index: Any) -> Any:
    require(not isinstance(input_sizes, Tensor) and isinstance(index, int), "sizes that change from call to call")
    size, rank = input_sizes[dim], len(input_sizes)
    return _pad(ops.Unsqueeze(grad, axes=[dim % rank]), dim, index % size, size - index % size - 1)


def _pad(x: Tensor, dim: int, before: int, after: int) -> Any:
    pads = [0] * (2 * x.rank)
    pads[2 * (dim % x.rank) : 2 * (dim % x.rank) + 2] = [before, after]
    return ops.PadV3(x, pads, promote(0, to=dtype_of(x)), mode="constant")


def _known(x: Tensor, dim: int) -> int:
    size = x.desc.shape[dim] if x.desc.shape is not None else -1
    if not isinstance(size, int) or size < 0:
        raise Unsupported("sizes that change from call to call")
    return size
