"""Matrix products, convolutions, pooling, normalisation, resampling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import UNDEFINED, torch_dtype

aten = torch.ops.aten
Ints = Sequence[int]


def _matmul_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    if attrs.get("transpose_x2") and not attrs.get("transpose_x1"):  # the same product, and one call less
        return f"torch._C._nn.linear({', '.join(parts)})"
    x, y = (p + (".t()" if attrs.get(f"transpose_x{i}") else "") for i, p in enumerate(parts[:2], 1))
    return f"torch.mm({x}, {y})" if len(parts) == 2 else f"torch.addmm({parts[2]}, {x}, {y})"


def _batch_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    x, y = (p + (".mT" if attrs.get(f"adj_x{i}") else "") for i, p in enumerate(parts[:2], 1))
    return f"torch.matmul({x}, {y})" if len(parts) == 2 else None


@rule("MatMul", "MatMulV2", text=_matmul_text)
def matmul(x1: Any, x2: Any, bias: Any = None, *, transpose_x1: bool = False, transpose_x2: bool = False) -> Any:
    x1 = x1.t() if transpose_x1 else x1
    x2 = x2.t() if transpose_x2 else x2
    return torch.mm(x1, x2) if bias is None else torch.addmm(bias, x1, x2)


@rule("BatchMatMul", "BatchMatMulV2", text=_batch_text)
def batch_matmul(x1: Any, x2: Any, bias: Any = None, *, adj_x1: bool = False, adj_x2: bool = False) -> Any:
    x1 = x1.mT if adj_x1 else x1
    x2 = x2.mT if adj_x2 else x2
    y = torch.bmm(x1, x2) if x1.dim() == 3 and x2.dim() == 3 and x1.size(0) == x2.size(0) else torch.matmul(x1, x2)
    return y if bias is None else y + bias


def _grouped_shape(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    (x,), (weight,) = inputs[0], inputs[1]
    if attrs.get("group_type", -1) == 2:
        return [(x.dtype, [inputs[7].shape[0], x.shape[0], weight.shape[1]])]
    return [(x.dtype, [x.shape[0], weight.shape[2]])]


@rule("GroupedMatmul", host="", infer=_grouped_shape)
def grouped_matmul(
    x: list[Any], weight: list[Any], bias: list[Any], scale: list[Any], offset: list[Any], antiquant_scale: list[Any],
    antiquant_offset: list[Any], group_list: Any = None, *, split_item: int = 0, group_type: int = -1,
) -> list[Any]:  # fmt: skip
    """One x and one weight, cut where group_list says that groups end: along the rows of x (group_type 0: [m, k] and
    [groups, k, n] give [m, n]) or along what is summed over (2: [m, k] and [k, n] give [groups, m, n])."""
    if split_item != 3 or group_type not in (0, 2) or group_list is None:
        raise KeyError("group_type")
    if len(x) != 1 or len(weight) != 1 or bias or scale or offset or antiquant_scale or antiquant_offset:
        raise KeyError("scale")
    ends, start = group_list.tolist(), 0
    (rows,), (factors,) = x, weight
    shape = (rows.shape[0], factors.shape[2]) if group_type == 0 else (len(ends), rows.shape[0], factors.shape[1])
    y = rows.new_zeros(shape)
    for i, end in enumerate(ends):
        if end <= start:
            continue
        if group_type == 0:
            torch.mm(rows[start:end], factors[i], out=y[start:end])
        else:
            torch.mm(rows[:, start:end], factors[start:end], out=y[i])
        start = end
    return [y]


@rule("Dot")
def dot(x: Any, y: Any) -> Any:
    return torch.dot(x, y)


def _conv_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    if attrs.get("data_format") not in (None, "NCHW", "NCDHW"):
        return None
    strides = list(attrs["strides"][2:])
    rank = len(strides)
    dilations = list(attrs.get("dilations") or [1] * (rank + 2))[2:]
    operands = [*parts, "None"][:3]
    rest = (strides, list(attrs["pads"][::2]), dilations, False, [0] * rank, attrs.get("groups", 1))
    return f"torch.convolution({', '.join(operands)}, {', '.join(map(repr, rest))})"


@rule("Conv2D", "Conv3D", text=_conv_text)
def conv(
    x: Any, filter: Any, bias: Any = None, *, strides: Ints, pads: Ints, dilations: Ints = (), groups: int = 1,
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Channels first. pads: before and after for each spatial dimension, which are equal."""
    _channels_first(data_format)
    rank = x.dim() - 2
    return aten.convolution.default(
        x, filter, bias, strides[2:], pads[::2], (dilations or [1] * (rank + 2))[2:], False, [0] * rank, groups
    )


@rule("Conv2DTranspose", "Conv3DTranspose", host="input_size")
def conv_transpose(
    input_size: Ints, x: Any, filter: Any, bias: Any = None, *, strides: Ints, pads: Ints, dilations: Ints = (),
    groups: int = 1, data_format: str = "NCHW", output_padding: Ints = (),
) -> Any:  # fmt: skip
    _channels_first(data_format)
    rank = x.dim() - 2
    return aten.convolution.default(
        x, filter, bias, strides[2:], pads[::2], (dilations or [1] * (rank + 2))[2:], True,
        (output_padding or [0] * (rank + 2))[2:], groups,
    )  # fmt: skip


@rule("AvgPoolV2")
def avg_pool2d(
    x: Any, *, ksize: Ints, strides: Ints, pads: Ints = (0, 0, 0, 0), padding_mode: str = "CALCULATED",
    data_format: str = "NCHW", ceil_mode: bool = False, exclusive: bool = True, divisor_override: int = 0,
) -> Any:  # fmt: skip
    _channels_first(data_format)
    return aten.avg_pool2d.default(
        x, ksize[2:], strides[2:], pads[::2], ceil_mode, not exclusive, divisor_override or None
    )


@rule("AvgPool3D")
def avg_pool3d(
    x: Any, *, ksize: Ints, strides: Ints, pads: Ints, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: int = 0, data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    _channels_first(data_format)
    narrow = x.dtype in (torch.float16, torch.bfloat16)  # which ATen does not pool in three dimensions on the CPU
    y = aten.avg_pool3d.default(
        x.float() if narrow else x, ksize[2:], strides[2:], pads[::2], ceil_mode, count_include_pad,
        divisor_override or None,
    )  # fmt: skip
    return y.to(x.dtype) if narrow else y


@rule("AdaptiveAvgPool2d")
def adaptive_avg_pool2d(x: Any, *, output_size: Ints) -> Any:
    return aten._adaptive_avg_pool2d.default(x, output_size)


def _max_pool_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    if torch_dtype(attrs.get("dtype", 3)) != torch.int64:
        return None
    places = [attrs["ksize"], attrs["strides"], attrs["pads"], attrs.get("dilation", (1, 1))]
    shown = ", ".join(repr(list(p)) for p in places)
    return f"torch._C._nn.max_pool2d_with_indices({parts[0]}, {shown}, {attrs.get('ceil_mode', False)!r})"


@rule("MaxPoolWithArgmaxV3", text=_max_pool_text)
def max_pool2d(
    x: Any, *, ksize: Ints, strides: Ints, pads: Ints, dtype: int = 3, dilation: Ints = (1, 1),
    ceil_mode: bool = False, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    values, indices = aten.max_pool2d_with_indices.default(x, ksize, strides, pads, dilation, ceil_mode)
    return values, indices.to(torch_dtype(dtype))


@rule("MaxPool3DWithArgmaxV2")
def max_pool3d(
    x: Any, *, ksize: Ints, strides: Ints, pads: Ints, dilation: Ints = (1, 1, 1), ceil_mode: bool = False,
    data_format: str = "NCDHW", dtype: int = 3,
) -> Any:  # fmt: skip
    values, indices = aten.max_pool3d_with_indices.default(x, ksize, strides, pads, dilation, ceil_mode)
    return values, indices.to(torch_dtype(dtype))


def _layer_norm_shapes(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """PyTorch gives the statistics a type that differs from device to device."""
    x, normalized = inputs[0], inputs[1]
    statistics = [*x.shape[: x.dim() - len(normalized)], *[1] * len(normalized)]
    return [(x.dtype, list(x.shape)), (UNDEFINED, statistics), (UNDEFINED, statistics)]


def _layer_norm_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    operands = [*parts, "None", "None"][:4]
    return f"torch.native_layer_norm({', '.join(operands)}, {attrs.get('epsilon', 1e-5)!r})"


@rule("LayerNormV4", host="normalized_shape", infer=_layer_norm_shapes, text=_layer_norm_text)
def layer_norm(x: Any, normalized_shape: Ints, gamma: Any = None, beta: Any = None, *, epsilon: float = 1e-5) -> Any:
    return aten.native_layer_norm.default(x, normalized_shape, gamma, beta, epsilon)


def _group_norm_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str:
    x = parts[0]
    sizes = f"{x}.size(0), {x}.size(1), {x}.shape[2:].numel()"
    return f"torch.native_group_norm({', '.join(parts)}, {sizes}, {attrs['num_groups']!r}, {attrs.get('eps', 1e-5)!r})"


@rule("GroupNormV2", text=_group_norm_text)
def group_norm(
    x: Any, gamma: Any, beta: Any, *, num_groups: int, data_format: str = "NCHW", eps: float = 1e-5,
    is_training: bool = True,
) -> Any:  # fmt: skip
    n, c = x.size(0), x.size(1)
    return aten.native_group_norm.default(x, gamma, beta, n, c, math.prod(x.shape[2:]), num_groups, eps)


def _batch_norm_shapes(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """PyTorch gives the statistics a type that differs from device to device."""
    x, mean, var = inputs[0], inputs[3], inputs[4]
    statistics = (UNDEFINED, list(mean.shape) if attrs.get("is_training", True) else [0])
    return [(x.dtype, list(x.shape)), *((v.dtype, list(v.shape)) for v in (mean, var)), statistics, statistics]


@rule("BatchNormV3", infer=_batch_norm_shapes)
def batch_norm(
    x: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, *, epsilon: float = 1e-5,
    momentum: float = 0.1, is_training: bool = True,
) -> Any:  # fmt: skip
    """The running statistics are written in place and returned."""
    y, mean, rstd = aten._native_batch_norm_legit.default(
        x, weight, bias, running_mean, running_var, is_training, momentum, epsilon
    )
    return y, running_mean, running_var, mean, rstd


def _batch_norm_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str:
    return f"torch._native_batch_norm_legit_no_training({', '.join(parts)}, 0.0, {attrs['epsilon']!r})[0]"


@rule("BNInfer", text=_batch_norm_text)
def batch_norm_inference(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, *, epsilon: float) -> Any:
    return aten._native_batch_norm_legit_no_training.default(x, scale, offset, mean, variance, 0.0, epsilon)[0]


@rule("GridSampler2D")
def grid_sampler(
    x: Any, grid: Any, *, interpolation_mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
) -> Any:
    modes = ("bilinear", "nearest", "bicubic")
    paddings = ("zeros", "border", "reflection")
    return aten.grid_sampler_2d.default(
        x, grid, modes.index(interpolation_mode), paddings.index(padding_mode), align_corners
    )


@rule("Col2im", host="output_size")
def col2im(x: Any, output_size: Ints, *, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Any:
    return aten.col2im.default(x, output_size, kernel_size, dilation, padding, stride)


@rule("Pdist")
def pdist(x: Any, *, p: float = 2.0) -> Any:
    return aten._pdist_forward.default(x, p)


@rule("Cdist")
def cdist(x1: Any, x2: Any, *, p: float = 2.0) -> Any:
    return torch.cdist(x1, x2, p, compute_mode="donot_use_mm_for_euclid_dist")


def _bag_shapes(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """What PyTorch keeps for its gradient differs from device to device."""
    weight, offsets = inputs[0], inputs[2] if len(inputs) > 2 else None
    known = None if offsets is None else [offsets.shape[0] - bool(attrs.get("include_last_offset")), weight.shape[1]]
    return [(weight.dtype, known), *[(UNDEFINED, None)] * 3]


@rule("EmbeddingBag", infer=_bag_shapes)
def embedding_bag(
    weight: Any, indices: Any, offsets: Any = None, per_sample_weights: Any = None, *, mode: str = "mean",
    scale_grad_by_freq: bool = False, sparse: bool = False, include_last_offset: bool = False, padding_idx: int = -1,
) -> Any:  # fmt: skip
    number = ("sum", "mean", "max").index(mode)
    return aten._embedding_bag.default(
        weight, indices, offsets, scale_grad_by_freq, number, sparse, per_sample_weights, include_last_offset,
        padding_idx,
    )  # fmt: skip


def _channels_first(data_format: str) -> None:
    if data_format not in ("NCHW", "NCDHW"):
        raise KeyError("data_format")
