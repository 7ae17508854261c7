"""Where a lane of an operand lives, and which lanes a call covers.

A block is 32 bytes. Lane l of repeat r of an operand with elements of s bytes is at
`start + 32 * (r * repeat_stride + (l * s // 32) * block_stride) + l * s % 32`. A repeat has E = 256 / (size of the
widest element) lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.conformance.reference.memory import BITS, Array, Image

BLOCK = 32
REPEAT = 256

Index = npt.NDArray[np.int64]
Active = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Operand:
    """A tensor operand: element type, byte address, strides in blocks."""

    dtype: str
    address: int
    block_stride: int = 1
    repeat_stride: int = 8


@dataclass(frozen=True)
class MaskState:
    """The mask of the vector unit: the mode and the 128-bit register."""

    counter: bool = False
    low: int = (1 << 64) - 1
    high: int = (1 << 64) - 1


def lanes_per_repeat(*dtypes: str) -> int:
    """E: lanes of 256 bytes of the widest element."""
    return REPEAT * 8 // max(BITS[dtype] for dtype in dtypes)


def lanes(operand: Operand, repeats: int, per_repeat: int, destination: bool = False) -> Index:
    """Element index of every lane, shape (repeats, per_repeat). A destination's block stride of 0 acts as 1."""
    bits = BITS[operand.dtype]
    at = np.arange(per_repeat, dtype=np.int64) * bits
    stride = 1 if destination and operand.block_stride == 0 else operand.block_stride
    in_repeat = at // (BLOCK * 8) * stride * BLOCK * 8 + at % (BLOCK * 8)
    starts = operand.address * 8 + np.arange(repeats, dtype=np.int64) * operand.repeat_stride * BLOCK * 8
    return (starts[:, None] + in_repeat[None, :]) // bits


def contiguous(dtype: str, address: int, per_repeat: int) -> Operand:
    """The operand of a count form: repeats follow one another without gaps."""
    return Operand(dtype, address, 1, per_repeat * BITS[dtype] // (BLOCK * 8))


def span(operand: Operand, repeats: int, per_repeat: int) -> int:
    """Bytes from the operand's start to the end of the last block that it touches."""
    if repeats == 0:
        return 0
    last = (per_repeat * BITS[operand.dtype] - 1) // (BLOCK * 8)
    return ((repeats - 1) * operand.repeat_stride + last * max(operand.block_stride, 1) + 1) * BLOCK


def active(state: MaskState, per_repeat: int, repeats: int) -> Active:
    """The enabled lanes, shape (repeats run, per_repeat). In Counter mode the register's count decides the repeats."""
    if state.counter:
        runs = -(-state.low // per_repeat)
        return (np.arange(runs * per_repeat) < state.low).reshape(runs, per_repeat)
    register = state.low | state.high << 64
    row = np.array([register >> lane & 1 for lane in range(per_repeat)], dtype=bool)
    return np.repeat(row[None, :], repeats, axis=0)


def counted(count: int, per_repeat: int) -> Active:
    """The lanes of a count form."""
    return active(MaskState(counter=True, low=count), per_repeat, 0)


def set_by_call(state: MaskState, mask: int | Sequence[int], per_repeat: int) -> MaskState:
    """The state in which a repeat form with isSetMask runs: a contiguous mask or two words of bits."""
    if isinstance(mask, int):
        if state.counter:
            return MaskState(True, mask, 0)
        register = (1 << min(mask, per_repeat)) - 1
        return MaskState(False, register & (1 << 64) - 1, register >> 64)
    return MaskState(state.counter, mask[0], mask[1])


def elementwise(
    image: Image,
    dst: Operand,
    sources: Sequence[Operand],
    enabled: Active,
    compute: Callable[..., Array],
    reads_dst: bool = False,
    ulp: int | None = 0,
) -> None:
    """dst lane = compute(source lanes..., old dst lane if `reads_dst`) on the enabled lanes.

    Repeats run one after another, and within one all sources are read before the destination is written.
    """
    repeats, per_repeat = enabled.shape
    if repeats == 0:
        return
    operands = [*sources, dst] if reads_dst else list(sources)
    out = lanes(dst, repeats, per_repeat, destination=True)
    read = [lanes(o, repeats, per_repeat, destination=o is dst) for o in operands]

    def step(rows: slice) -> None:
        on = enabled[rows]
        values = compute(*(image.read(o.dtype, at[rows][on]) for o, at in zip(operands, read, strict=True)))
        image.write(dst.dtype, out[rows][on], values, ulp)

    # All at once is the same only where no repeat reads what another one writes.
    if _disjoint(dst, operands, enabled):
        step(slice(None))
    else:
        for repeat in range(repeats):
            step(slice(repeat, repeat + 1))


def _disjoint(dst: Operand, operands: Sequence[Operand], enabled: Active) -> bool:
    repeats, per_repeat = enabled.shape
    if repeats == 1:
        return True
    end = dst.address + span(dst, repeats, per_repeat)
    return all(o.address >= end or o.address + span(o, repeats, per_repeat) <= dst.address for o in operands)
