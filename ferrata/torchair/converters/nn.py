"""Matrix products, convolutions, pooling, normalisation."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.ge.worlds import dim_of
from ferrata.torchair.build import dtype_of, host, ops, out, promote, require, shape_list, size, size_list
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


@converts(aten._grouped_mm.default)
def grouped_mm(x: Tensor, y: Tensor, offs: Any = None, bias: Any = None, out_dtype: Any = None) -> Any:
    require(offs is not None and bias is None and x.rank == 2, "groups of another form")
    return grouped(x, y, offs, 0 if y.rank == 3 else 2)


def grouped(x: Tensor, weight: Tensor, ends: Tensor, group_type: int) -> Any:
    """0: groups of rows; 2: groups of what is summed over."""
    ends = ends if dtype_of(ends) == torch.int64 else ops.Cast(ends, dst_type=INT64)
    return ops.GroupedMatmul([x], [weight], *[[]] * 5, ends, split_item=3, group_type=group_type, outputs=1)[0]


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
    """One dimension is lifted to two. A transposed one in float32 is the gradient of the plain one for its input."""
    require(x.rank in (3, 4, 5), "no spatial dimension")
    require(not isinstance(output_padding, Tensor), "sizes that change from call to call")
    keywords = conv_lists(x.rank - 2, stride, padding, dilation, groups)
    kind = "Conv3D" if x.rank == 5 else "Conv2D"
    lift = x.rank == 3
    rows, filters = (ops.Unsqueeze(v, axes=[2]) if lift else v for v in (x, weight))
    if not transposed:
        y = getattr(ops, kind)(rows, filters, bias, **keywords)
    else:
        beyond = zip(_wide(output_padding, x.rank - 2), _wide(stride, x.rank - 2), strict=True)
        require(all(more < step for more, step in beyond), "an output that the plain one's input cannot have")
        sizes = [*_widened(x, weight, out(), stride, padding, dilation, output_padding, groups)]
        sizes[2:2] = [1] * lift
        target = size_list(sizes, torch.int32)
        if dtype_of(x) == torch.float32:
            y = getattr(ops, kind + "BackpropInput")(target, filters, rows, **keywords)
            if bias is not None:
                y = ops.Add(y, ops.Reshape(bias, [-1] + [1] * (y.rank - 2)))
        else:
            more = [0, 0, *[0] * lift, *_wide(output_padding, x.rank - 2)]
            given = (target, rows, filters, bias)
            y = getattr(ops, kind + "Transpose")(*given, output_padding=more, **keywords)
    return ops.Squeeze(y, axis=[2]) if lift else y


def _widened(
    x: Tensor, weight: Tensor, meta: Any, stride: Any, padding: Any, dilation: Any, output_padding: Any, groups: int
) -> Iterator[Any]:
    """The sizes of a transposed convolution's result: (in - 1) * stride + what is left where the input is one."""
    rank = x.rank - 2
    s, p, d, o = (_wide(v, rank) for v in (stride, padding, dilation, output_padding))
    yield size(x, 0)
    yield shape_list(weight)[1] * groups
    for i in range(rank):
        left = d[i] * (shape_list(weight)[2 + i] - 1) - 2 * p[i] + o[i] + 1 - s[i]
        scaled = host(operator.mul, size(x, 2 + i), s[i])
        yield host(operator.add, scaled, left, value=dim_of(meta.shape[2 + i]))


def conv_lists(rank: int, stride: Any, padding: Any, dilation: Any, groups: int) -> dict[str, Any]:
    """The attributes of GE's convolutions for a number of spatial dimensions; one is lifted to two."""
    lists = (stride, padding, dilation)
    require(not any(isinstance(v, Tensor) for v in lists), "sizes that change from call to call")
    s, p, d = (_wide(v, rank) for v in lists)
    if rank == 1:
        s, p, d = [1, *s], [0, *p], [1, *d]
    return {
        "strides": [1, 1, *s], "pads": [n for n in p for _ in range(2)], "dilations": [1, 1, *d], "groups": groups,
        "data_format": "NCDHW" if rank == 3 else "NCHW",
    }  # fmt: skip


def _wide(values: Any, rank: int) -> list[int]:
    return list(values) * (rank if len(values) == 1 else 1)


def pair(values: Any, rank: int, default: Any = None) -> list[int]:
    """A list per spatial dimension: one number stands for all."""
    given = list(values) if values else list(default)
    return given * rank if len(given) == 1 else given


@converts(aten.avg_pool2d.default)
def avg_pool2d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None,
) -> Any:  # fmt: skip
    k, p = pair(kernel_size, 2), pair(padding, 2, [0])
    s = pair(stride, 2, k)
    y = ops.AvgPoolV2(
        _in_batch(x, 4), ksize=[1, 1, *k], strides=[1, 1, *s], pads=[p[0], p[0], p[1], p[1]], data_format="NCHW",
        ceil_mode=ceil_mode, exclusive=not count_include_pad, divisor_override=divisor_override or 0,
    )  # fmt: skip
    return y if x.rank == 4 else ops.Squeeze(y, axis=[0])


def _in_batch(x: Tensor, rank: int) -> Tensor:
    """What has no batch, as a batch of one."""
    return x if x.rank == rank else ops.Unsqueeze(x, axes=[0])


@converts(aten.avg_pool3d.default)
def avg_pool3d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0, 0), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None,
) -> Any:  # fmt: skip
    k, p = pair(kernel_size, 3), pair(padding, 3, [0])
    s = pair(stride, 3, k)
    y = ops.AvgPool3D(
        _in_batch(x, 5), ksize=[1, 1, *k], strides=[1, 1, *s], pads=[v for v in p for _ in range(2)], ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override or 0, data_format="NCDHW",
    )  # fmt: skip
    return y if x.rank == 5 else ops.Squeeze(y, axis=[0])


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
    k = pair(kernel_size, 2)
    return ops.MaxPoolWithArgmaxV3(
        x, ksize=k, strides=pair(stride, 2, k), pads=pair(padding, 2, [0]), dilation=pair(dilation, 2, [1]),
        ceil_mode=ceil_mode, dtype=INT64,
    )  # fmt: skip


@converts(aten.max_pool3d_with_indices.default)
def max_pool3d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0, 0, 0), dilation: Any = (1, 1, 1),
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    k = pair(kernel_size, 3)
    return ops.MaxPool3DWithArgmaxV2(
        x, ksize=k, strides=pair(stride, 3, k), pads=pair(padding, 3, [0]), dilation=pair(dilation, 3, [1]),
        ceil_mode=ceil_mode, data_format="NCDHW", dtype=INT64,
    )  # fmt: skip


@converts(aten._adaptive_avg_pool3d.default)
def adaptive_avg_pool3d(x: Tensor, output_size: Any) -> Any:
    """Equal bins are a plain pooling. Narrow types: PyTorch adds up in them, and GE's pooling does not."""
    require(dtype_of(x) not in (torch.float16, torch.bfloat16), "a type in which it is rounded otherwise")
    require(x.rank == 5 and not isinstance(output_size, Tensor), "no batch, or sizes that change from call to call")
    inner = shape_list(x)[2:]
    require(all(o > 0 and n > 0 and n % o == 0 for n, o in zip(inner, output_size, strict=True)), "uneven bins")
    k = [n // o for n, o in zip(inner, output_size, strict=True)]
    return ops.AvgPool3D(x, ksize=[1, 1, *k], strides=[1, 1, *k], pads=[0] * 6, data_format="NCDHW")


@converts(aten._native_batch_norm_legit_functional.default)
def batch_norm_functional(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, var: Tensor, training: bool, momentum: float, eps: float
) -> Any:
    require(training, "statistics that stay")
    weight, bias = _affine(x, weight, bias)
    y, mean, var, save_mean, save_rstd = ops.BatchNormV3(
        x, weight, bias, ops.TensorMove(mean), ops.TensorMove(var), epsilon=eps, momentum=momentum, is_training=True
    )
    return y, save_mean, save_rstd, mean, var


@converts(aten._native_batch_norm_legit.default)
def batch_norm(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, var: Tensor, training: bool, momentum: float, eps: float
) -> Any:
    """Training writes the running statistics in place."""
    if not training:
        return batch_norm_inference(x, weight, bias, mean, var, momentum, eps)
    weight, bias = _affine(x, weight, bias)
    y, _, _, save_mean, save_rstd = ops.BatchNormV3(
        x, weight, bias, mean, var, epsilon=eps, momentum=momentum, is_training=True
    )
    return y, save_mean, save_rstd


@converts(aten._native_batch_norm_legit.no_stats)
def batch_norm_no_stats(x: Tensor, weight: Any, bias: Any, training: bool, momentum: float, eps: float) -> Any:
    require(training, "no statistics to use")
    channels = shape_list(x)[1]
    weight, bias = _affine(x, weight, bias)
    mean, var = (ops.Fill([channels], promote(v, to=dtype_of(weight))) for v in (0.0, 1.0))
    y, _, _, save_mean, save_rstd = ops.BatchNormV3(
        x, weight, bias, mean, var, epsilon=eps, momentum=momentum, is_training=True
    )
    return y, save_mean, save_rstd


@converts(aten._native_batch_norm_legit_no_training.default)
def batch_norm_inference(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, var: Tensor, momentum: float, eps: float
) -> Any:
    """The statistics of the batch, which nobody computes, are empty; off the CPU they are those given."""
    weight, bias = _affine(x, weight, bias)
    y = ops.BNInfer(x, weight, bias, mean, var, epsilon=eps)
    if all(out(i).shape == (0,) for i in (1, 2)):
        return y, *(ops.Fill([0], promote(0.0, to=out(i).dtype)) for i in (1, 2))
    wide = promote(var, to=out(2).dtype)
    rstd = ops.Rsqrt(ops.Add(wide, promote(eps, to=out(2).dtype)))
    return y, ops.TensorMove(promote(mean, to=out(1).dtype)), rstd


def _affine(x: Tensor, weight: Any, bias: Any) -> tuple[Any, Any]:
    """Ones and zeros for what is left out."""
    if weight is not None and bias is not None:
        return weight, bias
    shape = [shape_list(x)[1]]
    kind = dtype_of(weight if weight is not None else bias if bias is not None else x)
    made = [ops.Fill(shape, promote(v, to=kind)) if w is None else w for w, v in ((weight, 1.0), (bias, 0.0))]
    return made[0], made[1]


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


@converts(aten._cdist_forward.default)
def cdist(x: Tensor, y: Tensor, p: float, compute_mode: Any) -> Any:
    """Differences one by one, as PyTorch computes them unless it takes a matrix product for many rows."""
    if p == 2 and compute_mode != 2:
        rows = (shape_list(x)[-2], shape_list(y)[-2])
        require(compute_mode in (None, 0) and max(rows) <= 25, "distances by a matrix product")
    return ops.Cdist(x, y, p=float(p))


@converts(aten._embedding_bag.default)
def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False, padding_idx: int = -1,
) -> Any:  # fmt: skip
    return ops.EmbeddingBag(
        weight, indices, offsets, per_sample_weights, mode=("sum", "mean", "max")[mode],
        scale_grad_by_freq=scale_grad_by_freq, sparse=sparse, include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )  # fmt: skip


@converts(aten.baddbmm.default)
def baddbmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    require(dtype_of(x) == torch.float32, "one rounding for product and sum")
    product = ops.BatchMatMulV2(x, y)
    if alpha != 1:
        product = ops.Mul(product, promote(alpha))
    if beta == 0:
        return product
    return ops.Add(product, bias if beta == 1 else ops.Mul(bias, promote(beta)))
