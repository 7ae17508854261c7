"""Gradients: of activations, softmax, normalisation, pooling, convolutions, losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import plain, rule

aten = torch.ops.aten
Ints = Sequence[int]


def _kernel_order(function: Any) -> Any:
    """PyTorch's gradients take (gradient, result); GE's operators list the result first."""
    return lambda y, dy: function(dy, y)


plain(_kernel_order(aten.sigmoid_backward.default), "SigmoidGrad")
plain(_kernel_order(aten.tanh_backward.default), "TanhGrad")
plain(aten.hardswish_backward.default, "HardSwishGrad")


@rule("ReluGrad")
def relu_grad(gradients: Any, features: Any) -> Any:
    return aten.threshold_backward.default(gradients, features, 0)


@rule("GeluGradV2")
def gelu_grad(dy: Any, x: Any, *, approximate: str = "none") -> Any:
    return aten.gelu_backward.default(dy, x, approximate=approximate)


@rule("SwishGrad")
def swish_grad(grad: Any, x: Any, y: Any) -> Any:
    return aten.silu_backward.default(grad, x)


@rule("HardSigmoidGrad")
def hard_sigmoid_grad(grads: Any, x: Any) -> Any:
    return aten.hardsigmoid_backward.default(grads, x)


@rule("HardtanhGrad")
def hardtanh_grad(result: Any, grad: Any, *, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    return aten.hardtanh_backward.default(grad, result, min_val, max_val)


@rule("LeakyReluGrad")
def leaky_relu_grad(gradients: Any, features: Any, *, negative_slope: float = 0.0) -> Any:
    return aten.leaky_relu_backward.default(gradients, features, negative_slope, False)


@rule("EluGradV2")
def elu_grad(
    grads: Any, activations: Any, *, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0,
    is_result: bool = False,
) -> Any:  # fmt: skip
    return aten.elu_backward.default(grads, alpha, scale, input_scale, is_result, activations)


@rule("SoftplusV2Grad")
def softplus_grad(gradients: Any, features: Any, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return aten.softplus_backward.default(gradients, features, beta, threshold)


@rule("LogSigmoidGrad")
def log_sigmoid_grad(grads: Any, features: Any) -> Any:
    return grads * torch.sigmoid(-features)


@rule("SoftmaxGrad")
def softmax_grad(softmax: Any, grad_softmax: Any, *, axes: Ints = (-1,)) -> Any:
    return aten._softmax_backward_data.default(grad_softmax, softmax, axes[0], softmax.dtype)


@rule("LogSoftmaxGrad")
def log_softmax_grad(grad: Any, x: Any, *, axis: Ints = (-1,)) -> Any:
    """x is the result of the log-softmax."""
    return aten._log_softmax_backward_data.default(grad, x, axis[0], x.dtype)


@rule("MseLossGrad")
def mse_loss_grad(predict: Any, label: Any, dout: Any, *, reduction: str = "mean") -> Any:
    return aten.mse_loss_backward.default(dout, predict, label, REDUCTIONS.index(reduction))


@rule("MseLoss")
def mse_loss(predict: Any, label: Any, *, reduction: str = "mean") -> Any:
    return aten.mse_loss.default(predict, label, REDUCTIONS.index(reduction))


REDUCTIONS = ("none", "mean", "sum")


@rule("NLLLoss")
def nll_loss(x: Any, target: Any, weight: Any = None, *, reduction: str = "mean", ignore_index: int = -100) -> Any:
    return aten.nll_loss_forward.default(x, target.long(), weight, REDUCTIONS.index(reduction), ignore_index)


@rule("NLLLossGrad")
def nll_loss_grad(
    x: Any, y_grad: Any, target: Any, weight: Any, total_weight: Any, *, reduction: str = "mean",
    ignore_index: int = -100,
) -> Any:  # fmt: skip
    kind = REDUCTIONS.index(reduction)
    return aten.nll_loss_backward.default(y_grad, x, target.long(), weight, kind, ignore_index, total_weight)


@rule("LayerNormGradV3")
def layer_norm_grad(
    dy: Any, x: Any, rstd: Any, mean: Any, gamma: Any, *, output_mask: Sequence[bool] = (True, True, True)
) -> Any:
    shape = list(gamma.shape)
    return aten.native_layer_norm_backward.default(dy, x, shape, mean, rstd, gamma, gamma, list(output_mask))


@rule("GroupNormGrad")
def group_norm_grad(
    dy: Any, mean: Any, rstd: Any, x: Any, gamma: Any, *, num_groups: int, data_format: str = "NCHW",
    dx_is_require: bool = True, dgamma_is_require: bool = True, dbeta_is_require: bool = True,
) -> Any:  # fmt: skip
    n, c = x.size(0), x.size(1)
    mask = [dx_is_require, dgamma_is_require, dbeta_is_require]
    return aten.native_group_norm_backward.default(
        dy, x, mean, rstd, gamma, n, c, math.prod(x.shape[2:]), num_groups, mask
    )


@rule("BatchNormGradV3")
def batch_norm_grad(
    dy: Any, x: Any, weight: Any, running_mean: Any, running_var: Any, save_mean: Any, save_rstd: Any, *,
    is_training: bool = True, epsilon: float = 1e-5,
) -> Any:  # fmt: skip
    return aten.native_batch_norm_backward.default(
        dy, x, weight, running_mean, running_var, save_mean, save_rstd, is_training, epsilon, [True, True, True]
    )


@rule("AvgPoolV2Grad", host="orig_input_shape")
def avg_pool_grad(
    orig_input_shape: Ints, input_grad: Any, *, ksize: Ints, strides: Ints, padding_mode: str = "CALCULATED",
    pads: Ints = (0, 0, 0, 0), data_format: str = "NCHW", ceil_mode: bool = False, exclusive: bool = True,
    divisor_override: int = 0,
) -> Any:  # fmt: skip
    return aten.avg_pool2d_backward.default(
        input_grad, input_grad.new_empty(orig_input_shape), ksize[2:], strides[2:], pads[::2], ceil_mode,
        not exclusive, divisor_override or None,
    )  # fmt: skip


@rule("AdaptiveAvgPool2dGrad")
def adaptive_avg_pool_grad(input_grad: Any, *, orig_input_shape: Ints) -> Any:
    return aten._adaptive_avg_pool2d_backward.default(input_grad, input_grad.new_empty(list(orig_input_shape)))


@rule("MaxPoolGradWithArgmaxV3")
def max_pool_grad(
    x: Any, grad: Any, argmax: Any, *, ksize: Ints, strides: Ints, pads: Ints, dtype: int = 3, dilation: Ints = (1, 1),
    ceil_mode: bool = False, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    return aten.max_pool2d_with_indices_backward.default(
        grad, x, ksize, strides, pads, dilation, ceil_mode, argmax.long()
    )


@rule("Conv2DBackpropInput", "Conv3DBackpropInput", host="input_size")
def conv_grad_input(
    input_size: Ints, filter: Any, out_backprop: Any, *, strides: Ints, pads: Ints, dilations: Ints = (),
    groups: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """The convolution's gradient for its input, of that size."""
    x = out_backprop.new_empty(input_size)
    return _conv_grad(out_backprop, x, filter, strides, pads, dilations, groups, [True, False, False])[0]


@rule("Conv2DBackpropFilter", "Conv3DBackpropFilter", host="filter_size")
def conv_grad_filter(
    x: Any, filter_size: Ints, out_backprop: Any, *, strides: Ints, pads: Ints, dilations: Ints = (),
    groups: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    weight = x.new_empty(filter_size)
    return _conv_grad(out_backprop, x, weight, strides, pads, dilations, groups, [False, True, False])[1]


def _conv_grad(
    dy: Any, x: Any, weight: Any, strides: Ints, pads: Ints, dilations: Ints, groups: int, mask: list[bool]
) -> Any:
    rank = x.dim() - 2
    return aten.convolution_backward.default(
        dy,
        x,
        weight,
        None,
        strides[2:],
        pads[::2],
        (dilations or [1] * (rank + 2))[2:],
        False,
        [0] * rank,
        groups,
        mask,
    )


@rule("ResizeNearestNeighborV2Grad", host="size")
def resize_nearest_grad(
    grads: Any, size: Ints, *, align_corners: bool = False, half_pixel_centers: bool = False,
    scales: Sequence[float] = (0.0, 0.0),
) -> Any:  # fmt: skip
    h, w = (s or None for s in scales)
    target = [*grads.shape[:2], *size]
    return aten.upsample_nearest2d_backward.default(grads, list(grads.shape[2:]), target, h, w)
