"""Copies between global memory and the Unified Buffer, and the DMA atomics. Addresses are bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.conformance.reference.memory import BITS, NUMPY, Image, index_of


@dataclass(frozen=True)
class Place:
    """A start address in one of the two images."""

    image: Image
    address: int

    def bytes(self, offset: int, size: int) -> np.ndarray:
        start = self.address + offset
        return self.image.data[start : start + size]


def move(dst: Place, dst_offset: int, src: Place, src_offset: int, size: int) -> None:
    """`size` bytes, as they are."""
    if size:
        at = dst.address + dst_offset + np.arange(size)
        dst.image.write("uint8_t", at, src.bytes(src_offset, size).copy(), None)


def contiguous(dst: Place, src: Place, count: int, dtype: str) -> None:
    """Whole blocks only; what remains is dropped."""
    move(dst, 0, src, 0, count * BITS[dtype] // 8 // 32 * 32)


def blocks(dst: Place, src: Place, count: int, length: int, src_gap: int, dst_gap: int) -> None:
    """DataCopyParams: lengths and gaps in blocks of 32 bytes."""
    for i in range(count):
        move(dst, i * (length + dst_gap) * 32, src, i * (length + src_gap) * 32, length * 32)


def rounded(size: int) -> int:
    """Up to a block."""
    return -(-size // 32) * 32


def pad_in(
    dst: Place,
    src: Place,
    dtype: str,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    pad: tuple[bool, int, int, int],
) -> None:
    """DataCopyPad GM -> UB. length, src_gap: bytes; dst_gap: blocks; pad: (isPad, left, right elements, raw value).

    Bytes for which the specification promises nothing are left open.
    """
    is_pad, left, right, value = pad
    size = BITS[dtype] // 8
    element = np.array([value], np.uint64).view(np.uint8)[:size]
    row = rounded(left * size + length + right * size)
    if length == 0:
        return
    for i in range(count):
        start = i * (row + 32 * dst_gap)
        data = src.bytes(i * (length + src_gap), length).copy()
        line = np.zeros(row, np.uint8)
        line[left * size : left * size + length] = data
        filled = slice(left * size + length, row)
        if is_pad and left + right:
            line[: left * size] = np.tile(element, left)
            line[filled] = np.tile(element, (row - left * size - length) // size)
        elif left + right == 0:
            line[filled] = np.tile(data[:size], (row - length) // size)
        else:
            dst.image.ignore(dst.address + start, left * size)
            dst.image.ignore(dst.address + start + left * size + length, row - left * size - length)
        dst.image.write("uint8_t", dst.address + start + np.arange(row), line, None)


def pad_out(dst: Place, src: Place, count: int, length: int, src_gap: int, dst_gap: int) -> None:
    """DataCopyPad UB -> GM. length, dst_gap: bytes; src_gap: blocks after the rounded block."""
    for i in range(count):
        move(dst, i * (length + dst_gap), src, i * (rounded(length) + 32 * src_gap), length)


def nd_to_nz(dst: Place, src: Place, dtype: str, params: Sequence[int]) -> None:
    """Nd2NzParams in field order; missing columns of the last C0 group are zero."""
    number, rows, columns, src_matrix, src_row, c0_stride, n_stride, dst_matrix = params
    if not number or not rows or not columns:
        return
    c0 = 256 // BITS[dtype]
    source, target = index_of(dtype, src.address), index_of(dtype, dst.address)
    for k in range(number):
        for n in range(rows):
            for group in range(-(-columns // c0)):
                width = min(c0, columns - group * c0)
                start = source + k * src_matrix + n * src_row + group * c0
                values = np.zeros(c0, NUMPY[dtype])
                values[:width] = src.image.read(dtype, start + np.arange(width))
                at = target + k * dst_matrix + group * c0_stride * c0 + n * n_stride * c0
                dst.image.write(dtype, at + np.arange(c0), values, None)


def nz_to_nd(dst: Place, src: Place, dtype: str, params: Sequence[int]) -> None:
    """Nz2NdParamsFull in field order; the column group is 16 elements for every type."""
    number, rows, columns, src_matrix, src_group, dst_row, dst_matrix = params
    source, target = index_of(dtype, src.address), index_of(dtype, dst.address)
    d = np.arange(columns)
    for k in range(number):
        for n in range(rows):
            at = source + k * 256 * src_matrix + d // 16 * 16 * src_group + n * 16 + d % 16
            dst.image.write(dtype, target + k * dst_matrix + n * dst_row + d, src.image.read(dtype, at).copy(), None)


@dataclass(frozen=True)
class Slice:
    """SliceInfo; index 0 of a list is the innermost dimension."""

    start: int
    end: int
    stride: int
    burst: int
    shape: int

    def pieces(self, length: int) -> list[int]:
        """First index of each piece of `length` elements."""
        return list(range(self.start, self.end - length + 2, length + self.stride))


def slices(dst: Place, src: Place, dtype: str, to: Sequence[Slice], of: Sequence[Slice]) -> None:
    """The k-th selected source piece goes to the k-th selected destination piece, dimension 0 fastest."""
    length = of[0].burst * 256 // BITS[dtype]
    for target, source in zip(_starts(to, length), _starts(of, length), strict=True):
        size = BITS[dtype] // 8
        move(dst, target * size, src, source * size, length * size)


def _starts(infos: Sequence[Slice], length: int) -> list[int]:
    starts, pitch = [0], 1
    for dimension, info in enumerate(infos):
        indices = info.pieces(length if dimension == 0 else 1)
        starts = [base + index * pitch for index in indices for base in starts]
        pitch *= info.shape
    return starts


def atomic(dst: Place, src: Place, dtype: str, size: int, operation: str) -> None:
    """A write to GM under SetAtomicAdd, SetAtomicMax or SetAtomicMin; integers wrap."""
    count = size * 8 // BITS[dtype]
    at, source = index_of(dtype, dst.address) + np.arange(count), index_of(dtype, src.address) + np.arange(count)
    old, new = dst.image.read(dtype, at), src.image.read(dtype, source)
    combine = {"add": np.add, "max": np.maximum, "min": np.minimum}[operation]
    dst.image.write(dtype, at, combine(old, new).astype(NUMPY[dtype]))
