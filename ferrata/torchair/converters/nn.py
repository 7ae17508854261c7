"""Matrix products, convolutions, pooling, normalisation."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import dtype_of, ops, promote, require
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
INT64 = ge_dtype(torch.int64)


@converts(aten.mm.default)
def mm(x: Tensor, y: Tensor) -> Any:
    return ops.MatMulV2(x, y)


@converts(aten.bmm.default)
def bmm(x: Tensor, y: Tensor) -> Any:
    return ops.BatchMatMulV2(x, y)


@converts(aten.dot.default)
def dot(x: Tensor, y: Tensor) -> Any:
    return ops.Dot(x, y)


@converts(aten.addmm.default)
def addmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A vector is the product's bias; other addends and factors are nodes of their own."""
    if alpha == 1 and beta == 1 and bias.rank == 1:
        return ops.MatMulV2(x, y, bias)
    require(dtype_of(x) == torch.float32, "one rounding for product and sum")
    product = ops.MatMulV2(x, y)
    if alpha != 1:
        product = ops.Mul(product, promote(alpha))
    if beta == 0:
        return product
    return ops.Add(product, bias if beta == 1 else ops.Mul(bias, promote(beta)))


@converts(aten.convolution.default)
def convolution(
    x: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    lists = (stride, padding, dilation, output_padding)
    require(not any(isinstance(v, Tensor) for v in lists), "sizes that change from call to call")
    require(x.rank in (4, 5) and not transposed, "a transposed convolution, or of one dimension")
    rank = x.rank - 2
    wide = [list(v) * (rank if len(v) == 1 else 1) for v in (stride, padding, dilation)]
    return getattr(ops, "Conv2D" if rank == 2 else "Conv3D")(
        x, weight, bias, strides=[1, 1, *wide[0]], pads=[p for p in wide[1] for _ in range(2)],
        dilations=[1, 1, *wide[2]], groups=groups, data_format="NCHW" if rank == 2 else "NCDHW",
    )  # fmt: skip


def _pair(values: Any, rank: int, default: Any = None) -> list[int]:
    """A list per spatial dimension: one number stands for all."""
    given = list(values) if values else list(default)
    return given * rank if len(given) == 1 else given


@converts(aten.avg_pool2d.default)
def avg_pool2d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None,
) -> Any:  # fmt: skip
    require(x.rank == 4, "a picture without a batch")
    k, p = _pair(kernel_size, 2), _pair(padding, 2, [0])
    s = _pair(stride, 2, k)
    return ops.AvgPoolV2(
        x, ksize=[1, 1, *k], strides=[1, 1, *s], pads=[p[0], p[0], p[1], p[1]], data_format="NCHW",
        ceil_mode=ceil_mode, exclusive=not count_include_pad, divisor_override=divisor_override or 0,
    )  # fmt: skip


@converts(aten.avg_pool3d.default)
def avg_pool3d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0, 0), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None,
) -> Any:  # fmt: skip
    require(x.rank == 5, "a volume without a batch")
    k, p = _pair(kernel_size, 3), _pair(padding, 3, [0])
    s = _pair(stride, 3, k)
    return ops.AvgPool3D(
        x, ksize=[1, 1, *k], strides=[1, 1, *s], pads=[v for v in p for _ in range(2)], ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override or 0, data_format="NCDHW",
    )  # fmt: skip


@converts(aten._adaptive_avg_pool2d.default)
def adaptive_avg_pool2d(x: Tensor, output_size: Any) -> Any:
    require(not isinstance(output_size, Tensor), "sizes that change from call to call")
    return ops.AdaptiveAvgPool2d(x, output_size=list(output_size))


@converts(aten.max_pool2d_with_indices.default)
def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = (0, 0),
    dilation: Any = (1, 1),
    ceil_mode: bool = False,
) -> Any:
    k = _pair(kernel_size, 2)
    return ops.MaxPoolWithArgmaxV3(
        x, ksize=k, strides=_pair(stride, 2, k), pads=_pair(padding, 2, [0]), dilation=_pair(dilation, 2, [1]),
        ceil_mode=ceil_mode, dtype=INT64,
    )  # fmt: skip


@converts(aten.max_pool3d_with_indices.default)
def max_pool3d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0, 0), dilation: Any = (1, 1, 1),
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    k = _pair(kernel_size, 3)
    return ops.MaxPool3DWithArgmaxV2(
        x, ksize=k, strides=_pair(stride, 3, k), pads=_pair(padding, 3, [0]), dilation=_pair(dilation, 3, [1]),
        ceil_mode=ceil_mode, data_format="NCDHW", dtype=INT64,
    )  # fmt: skip


@converts(aten.native_layer_norm.default)
def layer_norm(x: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    return ops.LayerNormV4(x, normalized_shape, weight, bias, epsilon=eps)


@converts(aten.native_group_norm.default)
def group_norm(x: Tensor, weight: Any, bias: Any, n: Any, c: Any, hw: Any, group: int, eps: float) -> Any:
    require(weight is not None and bias is not None, "no weight or no bias")
    require(dtype_of(weight) == dtype_of(x), "mixed types")
    return ops.GroupNormV2(x, weight, bias, num_groups=group, data_format="NCHW", eps=eps)


@converts(aten.grid_sampler_2d.default)
def grid_sampler(x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    return ops.GridSampler2D(
        x, grid, interpolation_mode=modes[mode], padding_mode=paddings[padding], align_corners=align_corners
    )


@converts(aten.col2im.default)
def col2im(x: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return ops.Col2im(
        x, output_size, kernel_size=list(kernel_size), dilation=list(dilation), padding=list(padding),
        stride=list(stride),
    )  # fmt: skip


@converts(aten._pdist_forward.default)
def pdist(x: Tensor, p: float = 2.0) -> Any:
    return ops.Pdist(x, p=p)
