"""Pictures and volumes: one-dimensional pooling, gradients of pooling, padding, sampling and resampling, patches."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import const, dtype_of, ops, out, require, shape_list, sizes_of
from ferrata.torchair.converters.nn import pair
from ferrata.torchair.converters.shape import _pairs as pairs
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
INT32 = torch.int32
_MODES, _PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


@converts(aten.avg_pool1d.default)
def avg_pool1d(
    x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = (0,), ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """As a picture of one row."""
    k, p = pair(kernel_size, 1), pair(padding, 1, [0])
    s = pair(stride, 1, k)
    extra = [2] if x.rank == 3 else [0, 2]
    y = ops.AvgPoolV2(
        ops.Unsqueeze(x, axes=extra), ksize=[1, 1, 1, *k], strides=[1, 1, 1, *s], pads=[0, 0, p[0], p[0]],
        data_format="NCHW", ceil_mode=ceil_mode, exclusive=not count_include_pad,
    )  # fmt: skip
    return ops.Squeeze(y, axis=extra)


@converts(aten.adaptive_avg_pool1d.default)
def adaptive_avg_pool1d(x: Tensor, output_size: Any) -> Any:
    require(not isinstance(output_size, Tensor), "sizes that change from call to call")
    axis = x.rank - 2
    y = ops.AdaptiveAvgPool2d(ops.Unsqueeze(x, axes=[axis + 1]), output_size=[1, *output_size])
    return ops.Squeeze(y, axis=[axis + 1])


@converts(aten.avg_pool3d_backward.default)
def avg_pool3d_backward(
    grad: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
    divisor_override: Any,
) -> Any:  # fmt: skip
    require(x.rank == 5, "a volume without a batch")
    k, p = pair(kernel_size, 3), pair(padding, 3, [0])
    return ops.AvgPool3DGrad(
        sizes_of(x, INT32), grad, ksize=[1, 1, *k], strides=[1, 1, *pair(stride, 3, k)],
        pads=[v for v in p for _ in range(2)], ceil_mode=ceil_mode, count_include_pad=count_include_pad,
        divisor_override=divisor_override or 0, data_format="NCDHW",
    )  # fmt: skip


@converts(aten.max_pool3d_with_indices_backward.default)
def max_pool3d_backward(
    grad: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    indices: Tensor,
) -> Any:  # fmt: skip
    k = pair(kernel_size, 3)
    return ops.MaxPool3DGradWithArgmax(
        x, grad, indices, ksize=k, strides=pair(stride, 3, k), pads=pair(padding, 3, [0]),
        dilation=pair(dilation, 3, [1]), ceil_mode=ceil_mode, data_format="NCDHW",
    )  # fmt: skip


@converts(aten._adaptive_avg_pool3d_backward.default)
def adaptive_avg_pool3d_backward(grad: Tensor, x: Tensor) -> Any:
    return ops.AdaptiveAvgPool3dGrad(grad, x, data_format="NCDHW")


def _pad_backward(mode: str, *overloads: Any) -> None:
    @converts(*overloads)
    def convert(grad: Tensor, x: Tensor, padding: Any) -> Any:
        require(not isinstance(padding, Tensor), "sizes that change from call to call")
        spatial = len(padding) // 2
        require(grad.rank == spatial + 2 or (grad.rank == 2 and spatial == 1), "no batch")
        return ops.PadV3Grad(grad, pairs(padding, grad.rank), mode=mode)


_pad_backward(
    "reflect", aten.reflection_pad1d_backward.default, aten.reflection_pad2d_backward.default,
    aten.reflection_pad3d_backward.default,
)  # fmt: skip
_pad_backward(
    "edge", aten.replication_pad1d_backward.default, aten.replication_pad2d_backward.default,
    aten.replication_pad3d_backward.default,
)  # fmt: skip


@converts(aten.grid_sampler_3d.default)
def grid_sampler_3d(x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
    return ops.GridSampler3D(
        x, grid, interpolation_mode=_MODES[mode], padding_mode=_PADDINGS[padding], align_corners=align_corners
    )


@converts(aten.grid_sampler_2d_backward.default)
def grid_sampler_2d_backward(
    grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool, mask: Any
) -> Any:
    made = ops.GridSampler2DGrad(
        grad, x, grid, interpolation_mode=_MODES[mode], padding_mode=_PADDINGS[padding], align_corners=align_corners
    )
    return tuple(value if wanted else None for value, wanted in zip(made, mask, strict=True))


@converts(aten.im2col.default)
def im2col(x: Tensor, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return ops.Im2col(
        x, ksizes=list(kernel_size), strides=list(stride), dilations=list(dilation), pads=list(padding)
    )  # fmt: skip


@converts(aten.upsample_bilinear2d_backward.default)
def bilinear2d_backward(
    grad: Tensor, output_size: Any, input_size: Any, align_corners: bool, scales_h: Any = None, scales_w: Any = None
) -> Any:
    """GE takes the picture that was resized for its size alone."""
    image = ops.Fill(_static(input_size), const(0.0, dtype_of(grad)))
    return ops.ResizeBilinearV2Grad(
        grad, image, align_corners=align_corners, half_pixel_centers=not align_corners,
        scales=_factors(scales_h, scales_w),
    )  # fmt: skip


@converts(aten.upsample_nearest3d_backward.default)
def nearest3d_backward(grad: Tensor, output_size: Any, input_size: Any, *scales: Any) -> Any:
    return ops.UpsampleNearest3dGrad(
        grad, input_size=_static(input_size), output_size=_static(output_size), scales=_factors(*scales)
    )


@converts(aten.upsample_trilinear3d_backward.default)
def trilinear3d_backward(grad: Tensor, output_size: Any, input_size: Any, align_corners: bool, *scales: Any) -> Any:
    return ops.UpsampleTrilinear3dGrad(
        grad, input_size=_static(input_size), output_size=_static(output_size), scales=_factors(*scales),
        align_corners=align_corners,
    )  # fmt: skip


@converts(aten.upsample_bicubic2d.default)
def bicubic2d(x: Tensor, size: Any, align_corners: bool, scales_h: Any = None, scales_w: Any = None) -> Any:
    require(scales_h is None and scales_w is None, "a step other than that of the two sizes")
    require(out().dtype == torch.float32, "GE's result is float32")
    return ops.ResizeBicubic(
        x, const(_static(size), INT32), align_corners=align_corners, half_pixel_centers=not align_corners,
        dtype=ge_dtype(out().dtype),
    )  # fmt: skip


@converts(aten.upsample_bicubic2d_backward.default)
def bicubic2d_backward(
    grad: Tensor, output_size: Any, input_size: Any, align_corners: bool, scales_h: Any = None, scales_w: Any = None
) -> Any:
    """GE takes the picture that was resized for its size and its data type."""
    require(scales_h is None and scales_w is None, "a step other than that of the two sizes")
    require(dtype_of(grad) == torch.float32, "GE's gradient is float32")
    image = ops.Fill(_static(input_size), const(0.0, torch.float32))
    return ops.ResizeBicubicGrad(grad, image, align_corners=align_corners, half_pixel_centers=not align_corners)


def _static(size: Any) -> list[int]:
    require(not isinstance(size, Tensor), "sizes that change from call to call")
    return list(size)


def _factors(*factors: Any) -> list[float]:
    require(not any(isinstance(f, Tensor) for f in factors), "a factor that changes from call to call")
    return [float(f or 0.0) for f in factors]


@converts(aten.as_strided_scatter.default)
def as_strided_scatter(x: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """Into a copy of x, which begins where its memory does."""
    require(x.desc.stride is None and src.desc.stride is None, "strides of their own")
    require(
        not any(isinstance(v, Tensor) for v in (size, stride, storage_offset)), "sizes that change from call to call"
    )
    steps = [1] * src.rank
    for i in reversed(range(src.rank - 1)):
        steps[i] = steps[i + 1] * shape_list(src)[i + 1]
    listed = [const(list(v), torch.int64) for v in (size, stride, steps)]
    return ops.ViewCopy(
        ops.TensorMove(x), listed[0], listed[1], const([storage_offset or 0], torch.int64), src, listed[0], listed[2],
        const([0], torch.int64),
    )  # fmt: skip
