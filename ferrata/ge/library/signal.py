"""Fourier transforms and resampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import torch_dtype

aten = torch.ops.aten
Ints = Sequence[int]
Scales = Sequence[float]


@rule("RFFT", host="fft_length")
def rfft(x: Any, fft_length: Ints) -> Any:
    """Over the last dimension, without a factor."""
    return torch.fft.rfft(x, n=fft_length[0])


@rule("IRFFT", host="fft_length")
def irfft(x: Any, fft_length: Ints) -> Any:
    """Over the last dimension, divided by its length."""
    return torch.fft.irfft(x, n=fft_length[0])


@rule("FFT")
def fft(x: Any) -> Any:
    return torch.fft.fft(x)


@rule("IFFT")
def ifft(x: Any) -> Any:
    """Divided by the length of the last dimension."""
    return torch.fft.ifft(x)


@rule("ResizeNearestNeighborV2", host="size")
def resize_nearest(
    x: Any, size: Ints, *, align_corners: bool = False, half_pixel_centers: bool = False, scales: Scales = (0.0, 0.0)
) -> Any:
    """Each pixel from floor(index / scale); with half-pixel centres from the nearest centre."""
    if align_corners:
        raise KeyError("align_corners")
    h, w = (s or None for s in scales)
    exact = aten._upsample_nearest_exact2d.default if half_pixel_centers else aten.upsample_nearest2d.default
    return exact(x, list(size), h, w)


@rule("ResizeBilinearV2", host="size")
def resize_bilinear(
    x: Any, size: Ints, *, align_corners: bool = False, half_pixel_centers: bool = False, dtype: int = 0,
    scales: Scales = (0.0, 0.0),
) -> Any:  # fmt: skip
    if align_corners == half_pixel_centers:
        raise KeyError("half_pixel_centers")
    h, w = (s or None for s in scales)
    return aten.upsample_bilinear2d.default(x, list(size), align_corners, h, w).to(torch_dtype(dtype))


@rule("UpsampleNearest1d")
def upsample_nearest1d(x: Any, *, output_size: Ints, scales: Scales = ()) -> Any:
    return aten.upsample_nearest1d.default(x, list(output_size), *[s or None for s in scales])


@rule("UpsampleNearest3d")
def upsample_nearest3d(x: Any, *, output_size: Ints = (), scales: Scales = ()) -> Any:
    return aten.upsample_nearest3d.default(x, list(output_size), *[s or None for s in scales])


@rule("UpsampleTrilinear3d")
def upsample_trilinear3d(x: Any, *, output_size: Ints = (), scales: Scales = (), align_corners: bool = False) -> Any:
    return aten.upsample_trilinear3d.default(x, list(output_size), align_corners, *[s or None for s in scales])
