"""Comparisons to bits and selection by bits. Bit i sits in byte i // 8, bit i % 8, least significant first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.conformance.reference.addressing import Active, Operand, lanes, lanes_per_repeat
from tests.conformance.reference.memory import Array, Image, index_of

MODES = ("LT", "GT", "EQ", "LE", "GE", "NE")


def compare(a: Array, b: Array, mode: str) -> Array:
    """Booleans; a NaN operand is false in every mode, NE too."""
    ordered = (a == a) & (b == b)
    table = {"LT": a < b, "GT": a > b, "EQ": a == b, "LE": a <= b, "GE": a >= b, "NE": a != b}
    return table[mode] & ordered


def pack(bits: Array) -> Array:
    """Booleans to bytes, least significant first."""
    return np.packbits(bits.reshape(-1), bitorder="little")


def unpack(image: Image, address: int, count: int) -> Array:
    """`count` booleans from bytes at an address."""
    return np.unpackbits(image.data[address : address + -(-count // 8)], bitorder="little")[:count].astype(bool)


def compare_to_memory(
    image: Image, address: int, sources: Sequence[Operand], repeats: int, mode: str, scalar: np.generic | None = None
) -> None:
    """Repeat r writes E / 8 bytes, one repeat after another; no mask. The second operand is a tensor or the scalar."""
    per_repeat = lanes_per_repeat(*(s.dtype for s in sources))
    values = [image.read(s.dtype, lanes(s, repeats, per_repeat)) for s in sources]
    other = values[1] if len(values) > 1 else np.full_like(values[0], scalar)
    packed = pack(compare(values[0], other, mode))
    image.write("uint8_t", address + np.arange(packed.size), packed)


def compare_to_register(image: Image, sources: Sequence[Operand], enabled: Active, mode: str) -> Array:
    """The 16 bytes of CMPMASK after one repeat; masked-off lanes give 0."""
    row = np.zeros(128, bool)
    per_repeat = enabled.shape[1]
    a, b = (image.read(s.dtype, lanes(s, 1, per_repeat)) for s in sources)
    row[:per_repeat] = (compare(a, b, mode) & enabled[:1])[0]
    return pack(row)


def select(
    image: Image,
    dst: Operand,
    bits: Array,
    sources: Sequence[Operand],
    enabled: Active,
    scalar: np.generic | None = None,
) -> None:
    """dst lane = first source where its bit is 1, else the second source or the scalar. bits: shape of `enabled`."""
    repeats, per_repeat = enabled.shape
    first = image.read(sources[0].dtype, lanes(sources[0], repeats, per_repeat))
    second = (
        image.read(sources[1].dtype, lanes(sources[1], repeats, per_repeat))
        if len(sources) > 1
        else np.full_like(first, scalar)
    )
    out = lanes(dst, repeats, per_repeat, destination=True)
    image.write(dst.dtype, out[enabled], np.where(bits, first, second)[enabled], None)


def gather_mask(
    image: Image,
    dst: Operand,
    src: Operand,
    pattern: int | Operand,
    repeats: int,
    per_repeat: int,
) -> int:
    """Pack the elements whose pattern bit is 1 densely to dst; returns how many.

    pattern: 1 to 7 for the fixed ones, or the operand with the bits; its repeat stride counts blocks. The element
    number restarts in every repeat.
    """
    number = np.arange(per_repeat)
    fixed = {1: number % 2 == 0, 2: number % 2 == 1, 7: number >= 0} | {k: number % 4 == k - 3 for k in (3, 4, 5, 6)}
    taken = []
    index = lanes(src, repeats, per_repeat)
    for repeat in range(repeats):
        if isinstance(pattern, int):
            chosen = fixed[pattern]
        else:
            chosen = unpack(image, pattern.address + 32 * repeat * pattern.repeat_stride, per_repeat)
        taken.append(index[repeat][chosen])
    every = np.concatenate(taken) if taken else np.empty(0, np.int64)
    start = index_of(dst.dtype, dst.address)
    image.write(dst.dtype, start + np.arange(every.size), image.read(src.dtype, every).copy(), None)
    return int(every.size)
