"""Pictures and volumes: gradients of pooling, padding and sampling; patches; cubic resampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import torch_dtype

aten = torch.ops.aten
Ints = Sequence[int]
Scales = Sequence[float]
_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@rule("AvgPool3DGrad", host="orig_input_shape")
def avg_pool3d_grad(
    orig_input_shape: Ints, grads: Any, *, ksize: Ints, strides: Ints, pads: Ints, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int = 0, data_format: str = "NDHWC",
) -> Any:  # fmt: skip
    if data_format != "NCDHW":
        raise KeyError("data_format")
    like = grads.new_empty(orig_input_shape)
    return aten.avg_pool3d_backward.default(
        grads, like, list(ksize[2:]), list(strides[2:]), list(pads[::2]), ceil_mode, count_include_pad,
        divisor_override or None,
    )  # fmt: skip


@rule("MaxPool3DGradWithArgmax")
def max_pool3d_grad(
    x: Any, grad: Any, argmax: Any, *, ksize: Ints, strides: Ints, pads: Ints, dilation: Ints = (1, 1, 1),
    ceil_mode: bool = False, data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    if data_format != "NCDHW":
        raise KeyError("data_format")
    return aten.max_pool3d_with_indices_backward.default(
        grad, x, list(ksize), list(strides), list(pads), list(dilation), ceil_mode, argmax
    )


@rule("AdaptiveAvgPool3d")
def adaptive_avg_pool3d(x: Any, *, output_size: Ints, data_format: str = "NDHWC") -> Any:
    if data_format != "NCDHW":
        raise KeyError("data_format")
    return aten._adaptive_avg_pool3d.default(x, list(output_size))


@rule("AdaptiveAvgPool3dGrad")
def adaptive_avg_pool3d_grad(y_grad: Any, x: Any, *, data_format: str = "NDHWC") -> Any:
    if data_format != "NCDHW":
        raise KeyError("data_format")
    return aten._adaptive_avg_pool3d_backward.default(y_grad, x)


@rule("PadV3Grad", host="paddings")
def pad_grad(x: Any, paddings: Ints, *, mode: str = "reflect", paddings_contiguous: bool = True) -> Any:
    """paddings: before and after for each dimension of the result, of which the last one to three are padded."""
    pairs = [tuple(paddings[i : i + 2]) for i in range(0, len(paddings), 2)]
    shape = [n - sum(p) for n, p in zip(x.shape, pairs, strict=True)]
    spatial = max(1, x.dim() - 2) if x.dim() > 2 else 1
    flat = [n for pair in reversed(pairs[-spatial:]) for n in pair]
    name = {"reflect": "reflection", "edge": "replication"}[mode]
    return getattr(aten, f"{name}_pad{spatial}d_backward").default(x, x.new_empty(shape), flat)


@rule("GridSampler3D")
def grid_sampler3d(
    x: Any, grid: Any, *, interpolation_mode: str = "bilinear", padding_mode: str = "zeros",
    data_format: str = "NCDHW", align_corners: bool = False,
) -> Any:  # fmt: skip
    return aten.grid_sampler_3d.default(x, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners)


@rule("GridSampler2DGrad")
def grid_sampler2d_grad(
    grad: Any, x: Any, grid: Any, *, interpolation_mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Any:  # fmt: skip
    return aten.grid_sampler_2d_backward.default(
        grad, x, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners, [True, True]
    )


@rule("Im2col")
def im2col(
    x: Any, *, ksizes: Ints, strides: Ints = (1,), dilations: Ints = (1,), padding_mode: str = "CALCULATED",
    pads: Ints = (0,),
) -> Any:  # fmt: skip
    """Channels first; pads: before and after are equal, for each of the two dimensions."""
    return aten.im2col.default(x, list(ksizes), list(dilations), list(pads), list(strides))


@rule("ResizeBilinearV2Grad")
def resize_bilinear_grad(
    grads: Any, original_image: Any, *, align_corners: bool = False, half_pixel_centers: bool = False,
    scales: Scales = (0.0, 0.0),
) -> Any:  # fmt: skip
    if align_corners == half_pixel_centers:
        raise KeyError("half_pixel_centers")
    h, w = (s or None for s in scales)
    size = list(grads.shape[2:])
    return aten.upsample_bilinear2d_backward.default(grads, size, list(original_image.shape), align_corners, h, w)


@rule("UpsampleNearest3dGrad")
def nearest3d_grad(grad: Any, *, input_size: Ints, output_size: Ints = (), scales: Scales = ()) -> Any:
    return aten.upsample_nearest3d_backward.default(
        grad, list(output_size), list(input_size), *[s or None for s in scales]
    )


@rule("UpsampleTrilinear3dGrad")
def trilinear3d_grad(
    grad: Any, *, input_size: Ints, output_size: Ints = (), scales: Scales = (), align_corners: bool = False
) -> Any:
    return aten.upsample_trilinear3d_backward.default(
        grad, list(output_size), list(input_size), align_corners, *[s or None for s in scales]
    )


@rule("ResizeBicubic", host="size")
def resize_bicubic(
    images: Any, size: Ints, *, align_corners: bool = False, half_pixel_centers: bool = False, dtype: int = 0
) -> Any:
    if align_corners == half_pixel_centers:
        raise KeyError("half_pixel_centers")
    return aten.upsample_bicubic2d.default(images, list(size), align_corners).to(torch_dtype(dtype))


@rule("ResizeBicubicGrad")
def resize_bicubic_grad(
    grads: Any, original_image: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    if align_corners == half_pixel_centers:
        raise KeyError("half_pixel_centers")
    size = list(grads.shape[2:])
    made = aten.upsample_bicubic2d_backward.default(grads, size, list(original_image.shape), align_corners)
    return made.to(original_image.dtype)
