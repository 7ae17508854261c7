"""Fourier transforms and resampling."""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import const, dtype_of, ops, out, promote, require, shape_list, sizes_of
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
INT32 = torch.int32


@converts(aten._fft_c2c.default)
def fft_c2c(x: Tensor, dims: Any, normalization: int, forward: bool) -> Any:
    n = _count(shape_list(x), dims) if normalization or not forward else 1
    for dim in dims:
        x = _along(x, dim, lambda v: ops.FFT(v) if forward else ops.IFFT(v))
    return _scaled(x, _factor(n, normalization) * (1 if forward else n))


@converts(aten._fft_r2c.default)
def fft_r2c(x: Tensor, dims: Any, normalization: int, onesided: bool) -> Any:
    """The last listed dimension first, of real numbers; both sides come from complex ones with no imaginary part."""
    *others, last = dims
    if onesided:
        length = const([shape_list(x)[last]], INT32)
        y = _along(x, last, lambda v: ops.RFFT(v, length))
    else:
        kind = torch.complex128 if dtype_of(x) == torch.float64 else torch.complex64
        nothing = ops.Fill(sizes_of(x, torch.int64), promote(0.0, to=dtype_of(x)))
        y = _along(ops.Complex(x, nothing, Tout=ge_dtype(kind)), last, ops.FFT)
    for dim in others:
        y = _along(y, dim, ops.FFT)
    return _scaled(y, _factor(_count(shape_list(x), dims), normalization)) if normalization else y


@converts(aten._fft_c2r.default)
def fft_c2r(x: Tensor, dims: Any, normalization: int, last_dim_size: Any) -> Any:
    """Inverse transforms, which divide; what they divided by is multiplied back where it is not wanted."""
    require(isinstance(last_dim_size, int), "sizes that change from call to call")
    shape = shape_list(x)
    *others, last = dims
    n = _count(shape, others) * last_dim_size
    for dim in others:
        x = _along(x, dim, ops.IFFT)
    y = _along(x, last, lambda v: ops.IRFFT(v, const([last_dim_size], INT32)))
    return _scaled(y, _factor(n, normalization) * n)


@converts(aten.view_as_real.default)
def view_as_real(x: Tensor) -> Any:
    """A copy: nothing in a graph writes to it."""
    kind = ge_dtype(out().dtype)
    return ops.Pack([ops.Real(x, Tout=kind), ops.Imag(x, Tout=kind)], axis=-1, N=2)


def _along(x: Tensor, dim: int, run: Any) -> Any:
    """`run` works on the last dimension."""
    rank = x.rank
    require(rank > 0, "no dimensions")
    dim %= rank
    if dim == rank - 1:
        return run(x)
    order = list(range(rank))
    order[dim], order[-1] = order[-1], order[dim]
    return ops.Transpose(run(ops.Transpose(x, order)), order)


def _count(shape: list[int], dims: Any) -> int:
    return math.prod(shape[d] for d in dims)


def _factor(n: int, normalization: int) -> float:
    return (1.0, 1.0 / math.sqrt(max(n, 1)), 1.0 / max(n, 1))[normalization]


def _scaled(x: Tensor, factor: float) -> Any:
    return x if factor == 1 else ops.Mul(x, promote(factor, to=out().dtype))


@converts(aten.upsample_nearest2d.default)
def nearest2d(x: Tensor, size: Any, scales_h: Any = None, scales_w: Any = None) -> Any:
    return ops.ResizeNearestNeighborV2(x, _size(size), scales=_scales(scales_h, scales_w))


@converts(aten.upsample_nearest2d.vec)
def nearest2d_vec(x: Tensor, size: Any, scale_factors: Any) -> Any:
    return nearest2d(x, _target(x, size, scale_factors), *(scale_factors or ()))


@converts(aten._upsample_nearest_exact2d.default)
def nearest_exact2d(x: Tensor, size: Any, scales_h: Any = None, scales_w: Any = None) -> Any:
    return ops.ResizeNearestNeighborV2(x, _size(size), half_pixel_centers=True, scales=_scales(scales_h, scales_w))


@converts(aten.upsample_bilinear2d.default)
def bilinear2d(x: Tensor, size: Any, align_corners: bool, scales_h: Any = None, scales_w: Any = None) -> Any:
    return ops.ResizeBilinearV2(
        x, _size(size), align_corners=align_corners, half_pixel_centers=not align_corners,
        dtype=ge_dtype(out().dtype), scales=_scales(scales_h, scales_w),
    )  # fmt: skip


@converts(aten.upsample_bilinear2d.vec)
def bilinear2d_vec(x: Tensor, size: Any, align_corners: bool, scale_factors: Any) -> Any:
    return bilinear2d(x, _target(x, size, scale_factors), align_corners, *(scale_factors or ()))


@converts(aten.upsample_nearest1d.default)
def nearest1d(x: Tensor, size: Any, scales: Any = None) -> Any:
    return ops.UpsampleNearest1d(x, output_size=_static(size), scales=_scales(scales))


@converts(aten.upsample_nearest3d.default)
def nearest3d(x: Tensor, size: Any, d: Any = None, h: Any = None, w: Any = None) -> Any:
    return ops.UpsampleNearest3d(x, output_size=_static(size), scales=_scales(d, h, w))


@converts(aten.upsample_trilinear3d.default)
def trilinear3d(x: Tensor, size: Any, align_corners: bool, d: Any = None, h: Any = None, w: Any = None) -> Any:
    return ops.UpsampleTrilinear3d(x, output_size=_static(size), scales=_scales(d, h, w), align_corners=align_corners)


def _target(x: Tensor, size: Any, factors: Any) -> Any:
    """The size, or that which the factors give."""
    return size if size is not None else [int(n * f) for n, f in zip(shape_list(x)[2:], factors, strict=True)]


def _scales(*factors: Any) -> list[float]:
    """0 where the step is that of the two sizes."""
    require(not any(isinstance(f, Tensor) for f in factors), "a factor that changes from call to call")
    return [float(f or 0.0) for f in factors]


def _static(size: Any) -> list[int]:
    require(not isinstance(size, Tensor), "sizes that change from call to call")
    return list(size)


def _size(size: Any) -> Any:
    return const(_static(size), INT32)
