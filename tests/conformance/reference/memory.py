"""A byte image of a memory, with typed element access, and a note of every element that was written.

The comparison of two images needs the notes: a NaN that an instruction computed may have any sign and payload, and a
transcendental may be off by its bound; every other byte must be equal, written or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

NUMPY: dict[str, Any] = {
    "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16, "uint16_t": np.uint16, "int32_t": np.int32,
    "uint32_t": np.uint32, "int64_t": np.int64, "uint64_t": np.uint64, "half": np.float16,
    "bfloat16_t": ml_dtypes.bfloat16, "float": np.float32, "double": np.float64,
}  # fmt: skip
BITS: dict[str, int] = {name: np.dtype(dtype).itemsize * 8 for name, dtype in NUMPY.items()} | {"int4b_t": 4}
FLOATS = ("half", "bfloat16_t", "float", "double")


def raw(dtype: str) -> Any:
    """The unsigned integer type of the same size."""
    return {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[BITS[dtype]]


@dataclass
class Write:
    """Elements that an instruction wrote. ulp: how far off they may be; None: every bit counts, NaN's too."""

    dtype: str
    index: Array
    ulp: int | None


@dataclass
class Image:
    """Bytes of one memory. Elements are addressed by their index from byte 0: byte address * 8 / bits of the type."""

    data: npt.NDArray[np.uint8]
    writes: list[Write] = field(default_factory=list)
    open: list[tuple[int, int]] = field(default_factory=list)

    def ignore(self, address: int, size: int) -> None:
        """The specification leaves these bytes open: scratch, or an index that it does not define."""
        self.open.append((address, size))

    def read(self, dtype: str, index: Array) -> Array:
        """The elements at `index`; int4b_t comes as int8 values -8 to 7."""
        if dtype == "int4b_t":
            nibbles = (self.data[index // 2] >> (4 * (index % 2)).astype(np.uint8)) & 15
            return ((nibbles ^ 8).astype(np.int8) - 8).astype(np.int8)
        return self.data.view(NUMPY[dtype])[index]

    def write(self, dtype: str, index: Array, values: Array, ulp: int | None = 0) -> None:
        """Store values; where an index repeats, the last one stays."""
        self.writes.append(Write(dtype, np.asarray(index), ulp))
        if dtype == "int4b_t":
            for parity in (0, 1):
                chosen = index % 2 == parity
                at, nibble = index[chosen] // 2, values[chosen].astype(np.uint8) & 15
                self.data[at] = (self.data[at] & (0xF0 if parity == 0 else 0x0F)) | (nibble << (4 * parity))
            return
        self.data.view(NUMPY[dtype])[index] = values


def index_of(dtype: str, byte: int | Array) -> Any:
    """Element index of a byte address."""
    return byte * 8 // BITS[dtype]


def differences(expected: Image, actual: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Byte addresses at which `actual` is wrong."""
    wrong = expected.data != actual
    if not wrong.any():
        return np.empty(0, np.intp)
    for write in expected.writes:
        if write.ulp is None or write.dtype not in FLOATS:
            continue
        dtype, size = NUMPY[write.dtype], BITS[write.dtype] // 8
        index = np.unique(write.index)
        want, got = expected.data.view(dtype)[index], actual.view(dtype)[index]
        fine = np.isnan(want) & np.isnan(got)
        if write.ulp:
            fine |= ulps(want, got, write.dtype) <= write.ulp
        good = index[fine]
        for byte in range(size):
            wrong[good * size + byte] = False
    for address, size in expected.open:
        wrong[address : address + size] = False
    return np.flatnonzero(wrong)


def ulps(want: Array, got: Array, dtype: str) -> Array:
    """Distance in representable values; NaN against a number is far."""
    signed = {16: np.int16, 32: np.int32, 64: np.int64}[BITS[dtype]]
    a, b = (np.ascontiguousarray(x).view(signed).astype(np.int64) for x in (want, got))
    low = np.int64(np.iinfo(signed).min)
    a, b = (np.where(x < 0, low - x, x) for x in (a, b))
    far = np.isnan(want) != np.isnan(got)
    return np.where(far, np.int64(1) << 40, np.abs(a - b))
