"""Filling, gathering and masked copying inside the Unified Buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.conformance.reference.addressing import Active, MaskState, Operand, lanes
from tests.conformance.reference.memory import BITS, NUMPY, Array, Image, index_of


def duplicate(image: Image, dst: Operand, value: np.generic, enabled: Active) -> None:
    """The scalar's bits on the enabled lanes."""
    at = lanes(dst, *enabled.shape, destination=True)[enabled]
    image.write(dst.dtype, at, np.full(at.shape, value, NUMPY[dst.dtype]), None)


def vector_index(image: Image, dst: Operand, first: np.generic, enabled: Active) -> None:
    """Lane l of repeat r gets first + r * E + l, in the element type."""
    number = np.arange(enabled.size).reshape(enabled.shape).astype(NUMPY[dst.dtype])
    at = lanes(dst, *enabled.shape, destination=True)[enabled]
    image.write(dst.dtype, at, (number + NUMPY[dst.dtype](first))[enabled])


def arange(image: Image, dst: Operand, first: np.generic, step: np.generic, count: int) -> None:
    """first + i * step; the cases stay where every order of additions is exact."""
    values = float(first) + np.arange(count) * float(step)
    at = index_of(dst.dtype, dst.address) + np.arange(count)
    image.write(dst.dtype, at, values.astype(NUMPY[dst.dtype]))


def broadcast_blocks(image: Image, dst: Operand, src: Operand, repeats: int) -> None:
    """Brcb: element 8 r + j fills block j of repeat r."""
    per_block = 256 // BITS[dst.dtype]
    element = image.read(src.dtype, index_of(src.dtype, src.address) + np.arange(8 * repeats)).copy()
    at = lanes(dst, repeats, 8 * per_block, destination=True)
    image.write(dst.dtype, at, np.repeat(element, per_block).reshape(at.shape), None)


def gather(image: Image, dst: Operand, src: int, base: int, offsets: int, enabled: Active) -> None:
    """Byte offsets, one 32-bit word per lane, consumed by masked-off lanes too. src, offsets: byte addresses."""
    repeats, per_repeat = enabled.shape
    slots = np.arange(repeats * per_repeat).reshape(enabled.shape)[enabled]
    words = image.read("uint32_t", offsets // 4 + slots).astype(np.int64)
    values = image.read(dst.dtype, index_of(dst.dtype, src + base + words))
    image.write(dst.dtype, lanes(dst, repeats, per_repeat, destination=True)[enabled], values, None)


def gather_blocks(image: Image, dst: Operand, src: int, offsets: int, repeats: int) -> None:
    """Gatherb: 32 bytes from each of 8 byte offsets per repeat."""
    words = image.read("uint32_t", offsets // 4 + np.arange(8 * repeats)).astype(np.int64)
    per_block = 256 // BITS[dst.dtype]
    source = index_of(dst.dtype, src + words)[:, None] + np.arange(per_block)
    at = lanes(dst, repeats, 8 * per_block, destination=True)
    image.write(dst.dtype, at, image.read(dst.dtype, source).reshape(at.shape), None)


def masked_copy(image: Image, dst: Operand, src: Operand, state: MaskState, repeats: int, per_repeat: int) -> None:
    """Copy. Counter mode is special here: the count is elements per repeat, and the number of repeats stays."""
    if state.counter:
        enabled = np.ones((repeats, state.low), bool)
    else:
        register = state.low | state.high << 64
        row = np.array([register >> lane & 1 for lane in range(per_repeat)], dtype=bool)
        enabled = np.repeat(row[None, :], repeats, axis=0)
    source, target = lanes(src, *enabled.shape), lanes(dst, *enabled.shape, destination=True)
    for repeat in range(repeats):
        on = enabled[repeat]
        image.write(dst.dtype, target[repeat][on], image.read(src.dtype, source[repeat][on]).copy(), None)


def interpolate(
    image: Image,
    dst: int,
    src0: int,
    offsets: int,
    weights: int,
    shape: tuple[int, int],
    strides: tuple[int, int],
    per_block_weight: bool,
    lanes_on: Sequence[bool],
) -> None:
    """BilinearInterpolation on half. shape: vertical, horizontal repeats; strides: vROffset (elements), dst blocks."""
    vertical, horizontal = shape
    on = np.asarray(lanes_on).reshape(8, 16)
    for v in range(vertical):
        total: Array | None = None
        for h in range(horizontal):
            i = v * horizontal + h
            words = image.read("uint32_t", offsets // 4 + 8 * i + np.arange(8)).astype(np.int64)
            group = image.read("half", ((src0 + words) // 2)[:, None] + np.arange(16))
            at = weights // 2 + (8 * i + np.arange(8) if per_block_weight else np.full(8, i))
            product = group * image.read("half", at)[:, None]
            total = product if total is None else total + product
        target = dst // 2 + v * strides[0] + np.arange(8)[:, None] * strides[1] * 16 + np.arange(16)
        assert total is not None
        image.write("half", target[on], total[on])
