"""Cast, every pair of the table in every mode, bit for bit against an independent rounding in exact arithmetic."""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from ferrata.errors import BadArgument
from ferrata.run import Runtime
from tests.core.units import Unit

pytestmark = pytest.mark.slow

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
DIRECTED = [RINT, FLOOR, CEIL, ROUND, TRUNC]
TABLE = {
    "int8_float16": [NONE],
    "uint8_float16": [NONE],
    "int16_float16": [NONE, *DIRECTED],
    "int16_float32": [NONE],
    "float16_int8": [NONE, *DIRECTED],
    "float16_uint8": [NONE, *DIRECTED],
    "float16_int16": DIRECTED,
    "float16_int32": DIRECTED,
    "float16_float32": [NONE],
    "bfloat16_int32": DIRECTED,
    "bfloat16_float32": [NONE],
    "int32_int16": [NONE],
    "int32_float32": [NONE, *DIRECTED],
    "int32_int64": [NONE],
    "float32_int16": DIRECTED,
    "float32_float16": [NONE, *DIRECTED, ODD],
    "float32_bfloat16": DIRECTED,
    "float32_int32": DIRECTED,
    "float32_float32": DIRECTED,
    "float32_int64": DIRECTED,
    "int64_int32": [NONE],
    "int64_float32": DIRECTED,
}
FORMATS = {"float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8)}  # mantissa bits, exponent bits


def dtype_of(name: str) -> np.dtype[np.generic]:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def to_integer(value: Fraction, mode: int) -> int:
    down = math.floor(value)
    rest = value - down
    if mode == FLOOR:
        return down
    if mode == CEIL:
        return math.ceil(value)
    if mode == TRUNC:
        return math.trunc(value)
    if rest != Fraction(1, 2):
        return down + (rest > Fraction(1, 2))
    if mode == ROUND:
        return down + (value > 0)
    return down + down % 2  # RINT and NONE: to even


def to_format(value: Fraction, mantissa: int, exponent_bits: int, mode: int) -> float:
    """The number of the format that `value` rounds to, as a Python float."""
    if value == 0:
        return 0.0
    bias = 2 ** (exponent_bits - 1) - 1
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > magnitude
    quantum = Fraction(2) ** (max(exponent, 1 - bias) - mantissa)
    if mode == ODD:
        steps = math.floor(magnitude / quantum)
        steps |= steps * quantum != magnitude
        rounded = steps * quantum * (1 if value > 0 else -1)
    else:
        rounded = to_integer(value / quantum, mode) * quantum
    largest = (2 - Fraction(1, 2**mantissa)) * Fraction(2) ** bias
    if abs(rounded) > largest:  # the exponent is unbounded while rounding
        return math.copysign(math.inf, value)
    return math.copysign(float(rounded), value)


def expected(value: float | int, to: str, mode: int) -> float | int:
    """What one element becomes."""
    special = isinstance(value, float) and not math.isfinite(value)
    if to.startswith(("int", "uint")):
        info = np.iinfo(to)
        if special:
            return 0 if math.isnan(value) else int(info.max if value > 0 else info.min)
        return int(min(max(to_integer(Fraction(value), mode), info.min), info.max))
    if special:
        return value
    return to_format(Fraction(value), *FORMATS[to], mode)


def sources(name: str) -> npt.NDArray[np.generic]:
    """Everything for 8 and 16 bits (in the interesting ranges), corners and random bits beyond."""
    dtype = dtype_of(name)
    if dtype.itemsize == 1:
        return np.arange(256).astype(np.uint8).view(dtype)
    if dtype.itemsize == 2:
        return np.arange(0, 65536, 7).astype(np.uint16)[:9344].view(dtype)
    rng = np.random.default_rng(3)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        corners = [
            0,
            1,
            -1,
            2**15 - 1,
            2**15,
            -(2**15) - 1,
            2**24 + 1,
            2**24 + 3,
            -(2**24) - 1,
            info.max,
            info.min,
            2049,
            65520,
        ]
        wide = rng.integers(info.min, info.max, 1024, dtype=dtype) >> rng.integers(
            0, dtype.itemsize * 8 - 1, 1024
        ).astype(dtype)
        return np.concatenate([np.array(corners, dtype), wide, np.zeros(35, dtype)])[:1056]
    corners = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.3, -1.3, 0.49999997, 8388607.5, 32767.5, -32768.5,
               2147483520.0, 2147483648.0, -2147483648.0, 1e20, -1e20, 65504.0, 65519.0, 65520.0, 65536.0, 6e-8,
               2.9e-8, 3e-8, 1e-7, 3.4e38, 1.1754942e-38, 1e-45,
               1 + 3 * 2.0**-12, 1 + 2.0**-12, 1 + 2.0**-10 + 2.0**-11, math.inf, -math.inf, math.nan]  # fmt: skip
    scale = np.exp2(rng.uniform(-30, 40, 1024))
    values = np.concatenate(
        [corners, rng.standard_normal(1024) * scale, np.round(rng.uniform(-3000, 3000, 1024) * 2) / 2]
    )
    return values[:2048].astype(dtype)


def cast(unit: Unit, rt: Runtime, pair: str, x: npt.NDArray[np.generic], mode: int) -> npt.NDArray[np.generic]:
    to = dtype_of(pair.split("_")[1])
    carrier = np.dtype(np.uint16) if to == dtype_of("bfloat16") else to
    gx = rt.array(x.view(np.uint16) if x.dtype == dtype_of("bfloat16") else x)
    gz = rt.array(np.zeros(len(x), carrier))
    with rt.faults_raise():
        getattr(unit("elementwise"), f"cast_{pair}")(
            ctypes.c_void_p(gz.ctypes.data), ctypes.c_void_p(gx.ctypes.data), ctypes.c_int(len(x)), ctypes.c_int(mode)
        )
    return np.array(gz).view(to)


@pytest.mark.filterwarnings("ignore:invalid value encountered")  # NaN in a cast of the reference
@pytest.mark.parametrize("pair", TABLE)
def test_cast_is_exact_in_every_mode(unit: Unit, rt: Runtime, pair: str) -> None:
    source, target = pair.split("_")
    x = sources(source)
    for mode in TABLE[pair]:
        got = cast(unit, rt, pair, x, mode)
        want = np.array(
            [expected(v, target, mode) for v in x.astype(np.float64 if x.dtype.kind not in "iu" else x.dtype).tolist()]
        )
        if source == target:  # to an integral value; a zero has no sign
            with np.errstate(all="ignore"):
                want = np.array(
                    [
                        v if not math.isfinite(v) else float(to_integer(Fraction(v), mode))
                        for v in x.astype(float).tolist()
                    ]
                )
        want = want.astype(got.dtype)
        both_nan = np.isnan(got.astype(float)) & np.isnan(want.astype(float))
        bits = f"u{got.dtype.itemsize}"
        different = (got.view(bits) != want.view(bits)) & ~both_nan
        if source in FORMATS and target in FORMATS and source != target:  # zeros keep their sign
            different &= ~(
                (x == 0)
                & (got.view(bits) == np.where(np.signbit(x.astype(float)), 1 << (got.dtype.itemsize * 8 - 1), 0))
            )
        assert not different.any(), (mode, x[different][:5], got[different][:5], want[different][:5])


def test_int32_to_half_multiplies_by_the_scale(unit: Unit, rt: Runtime) -> None:
    x = np.array([7, -7, 0, 2**31 - 1, 65519 * 2, 65521 * 2, 3, 5] * 8, np.int32)
    with np.errstate(over="ignore"):
        want = (x * 0.5).astype(np.float16)
    np.testing.assert_array_equal(cast(unit, rt, "int32_float16", x, NONE), want)


def test_a_mode_that_the_pair_lacks_is_an_error(unit: Unit, rt: Runtime) -> None:
    with pytest.raises(BadArgument, match="RoundMode 6"):
        cast(unit, rt, "float32_int32", np.zeros(16, np.float32), ODD)
