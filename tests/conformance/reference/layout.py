"""Transposes, on bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.conformance.reference.memory import BITS, Image, index_of


def transpose(image: Image, dtype: str, dst: int, src: int) -> None:
    """16 x 16 elements; dst may be src."""
    matrix = image.read(dtype, index_of(dtype, src) + np.arange(256)).reshape(16, 16).copy()
    image.write(dtype, index_of(dtype, dst) + np.arange(256), matrix.T.reshape(-1), None)


def permute(image: Image, dtype: str, dst: int, src: int, shape: Sequence[int], to_channels_last: bool) -> None:
    """NCHW -> NHWC of shape (n, c, h, w), or back."""
    n, c, h, w = shape
    size = n * c * h * w
    source = image.read(dtype, index_of(dtype, src) + np.arange(size)).copy()
    moved = (
        source.reshape(n, c, h * w).transpose(0, 2, 1)
        if to_channels_last
        else source.reshape(n, h * w, c).transpose(0, 2, 1)
    )
    image.write(dtype, index_of(dtype, dst) + np.arange(size), moved.reshape(-1), None)


def trans_data(
    image: Image,
    dtype: str,
    dst: Sequence[int],
    src: Sequence[int],
    repeats: int,
    strides: tuple[int, int],
    halves: tuple[bool, bool],
) -> None:
    """TransDataTo5HD: 16 blocks to 16 blocks per repeat. strides and halves: destination, source."""
    bits = BITS[dtype]
    for repeat in range(repeats):
        step_d, step_s = (repeat * stride * 32 for stride in strides)
        source = [image.read(dtype, index_of(dtype, at + step_s) + np.arange(256 // bits)).copy() for at in src]
        high_d, high_s = (16 * int(h) for h in halves)
        for i in range(16):
            if bits == 16:
                values = np.array([source[j][i] for j in range(16)])
                offset = 0
            elif bits == 32:
                values = np.array([source[8 * (i % 2) + k][i // 2] for k in range(8)])
                offset = 0
            else:
                values = np.array([source[j][high_s + i] for j in range(16)])
                offset = high_d
            at = index_of(dtype, dst[i] + step_d) + offset + np.arange(values.size)
            image.write(dtype, at, values, None)
