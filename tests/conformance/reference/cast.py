"""Conversions, bit-exact for every round mode.

A number is taken apart into sign, integer mantissa and exponent, rounded once to the precision of the target, and put
together again; integers clamp. Out of range half and bfloat16_t results are infinite, or the largest value with the
saturation flag; overflow is decided after rounding without a bound on the exponent, in every mode.
"""

from __future__ import annotations

import numpy as np

from tests.conformance.reference.memory import NUMPY, Array

MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")  # in the order of RoundMode

# target -> (bits of precision, exponent of the smallest subnormal, largest finite value)
FORMATS = {
    "half": (11, -24, 65504.0),
    "bfloat16_t": (8, -133, 3.3895313892515355e38),
    "float": (24, -149, 3.4028234663852886e38),
}
INTEGERS = {"int4b_t": (-8, 7)} | {
    name: (int(np.iinfo(NUMPY[name]).min), int(np.iinfo(NUMPY[name]).max))
    for name in ("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t")
}


def cast(x: Array, source: str, target: str, mode: str, scale: float = 1.0, saturate: bool = False) -> Array:
    """Convert as Cast does. int4b_t travels as int8; int32_t -> half multiplies by `scale` and ignores the mode."""
    if (source, target) == ("int32_t", "half"):
        return to_float(x.astype(np.float64) * scale, "half", "RINT", saturate)
    if source == target == "float":
        return _integral(x.astype(np.float64), mode).astype(np.float32) + np.float32(0)
    if target in FORMATS:
        return to_float(x, target, mode, saturate)
    return to_integer(x, target, mode)


def to_integer(x: Array, target: str, mode: str) -> Array:
    """Round by the mode, clamp to the target; NaN gives 0."""
    low, high = INTEGERS[target]
    store = np.int8 if target == "int4b_t" else NUMPY[target]
    if np.issubdtype(x.dtype, np.integer):
        return np.clip(x.astype(np.int64), low, high).astype(store)
    value = _integral(x.astype(np.float64), mode)
    inside = np.clip(np.nan_to_num(value, nan=0.0, posinf=0.0, neginf=0.0), -(2.0**62), 2.0**62).astype(np.int64)
    fits = np.abs(value) < 2.0**62
    exact = np.where(fits, inside, 0)
    big = ~fits & ~np.isnan(value)
    # beyond 2**62 every double is an integer; up to 2**63 it still fits int64
    exact = np.where(
        big & (np.abs(value) < 2.0**63), np.where(big & (np.abs(value) < 2.0**63), value, 0).astype(np.int64), exact
    )
    exact = np.where(value >= 2.0**63, np.int64(np.iinfo(np.int64).max), exact)
    exact = np.where(value <= -(2.0**63), np.int64(np.iinfo(np.int64).min), exact)
    return np.clip(exact, low, high).astype(store)


def _integral(value: Array, mode: str) -> Array:
    """float64 to an integral float64; float32 and narrower inputs are exact in it."""
    if mode in ("NONE", "RINT"):
        return np.rint(value)
    if mode == "FLOOR":
        return np.floor(value)
    if mode == "CEIL":
        return np.ceil(value)
    if mode == "TRUNC":
        return np.trunc(value)
    if mode == "ROUND":
        whole = np.trunc(value)
        return np.where(np.abs(value - whole) >= 0.5, whole + np.sign(value), whole)
    raise ValueError(f"no {mode} to an integer")


def to_float(x: Array, target: str, mode: str, saturate: bool = False) -> Array:
    """Any number to half, bfloat16_t or float."""
    precision, smallest, largest = FORMATS[target]
    negative, mantissa, exponent, special = _take_apart(x)
    length = _bit_length(mantissa)
    unit = np.maximum(length + exponent - precision, smallest)
    shift = unit - exponent
    right = np.clip(shift, 0, 63).astype(np.uint64)
    kept = mantissa >> right
    lost = mantissa - (kept << right)
    half = np.where(shift > 0, np.uint64(1) << np.maximum(right, np.uint64(1)) - np.uint64(1), np.uint64(0))
    inexact = lost != 0
    if mode in ("NONE", "RINT"):
        up = (lost > half) | ((lost == half) & inexact & (kept & np.uint64(1) == 1))
    elif mode == "ROUND":
        up = inexact & (lost >= half)
    elif mode == "FLOOR":
        up = inexact & negative
    elif mode == "CEIL":
        up = inexact & ~negative
    elif mode == "ODD":
        up = inexact & (kept & np.uint64(1) == 0)
    else:
        up = np.zeros_like(negative)
    size = np.ldexp(
        (kept + up.astype(np.uint64)).astype(np.float64), np.where(shift > 0, unit, exponent).astype(np.int32)
    )
    size = np.where(size > largest, largest if saturate and target != "float" else np.inf, size)
    result = np.where(negative, -size, size)
    if special is not None:
        if saturate and target != "float":
            special = np.clip(np.nan_to_num(special, nan=0.0, posinf=np.inf, neginf=-np.inf), -largest, largest)
            result = np.where(np.isfinite(x.astype(np.float64)), result, special)
        else:
            result = np.where(np.isfinite(special), result, special)
    return result.astype(NUMPY[target])


def _take_apart(x: Array) -> tuple[Array, Array, Array, Array | None]:
    """(negative, mantissa, exponent, the value itself for floats): |x| = mantissa * 2 ** exponent."""
    if np.issubdtype(x.dtype, np.integer):
        wide = x.astype(np.int64)
        size = np.where(wide < 0, (~wide).astype(np.uint64) + np.uint64(1), wide.astype(np.uint64))
        return wide < 0, size, np.zeros(x.shape, np.int64), None
    value = x.astype(np.float64)
    fraction, exponent = np.frexp(np.where(np.isfinite(value), value, 0.0))
    mantissa = np.abs(np.ldexp(fraction, 53)).astype(np.uint64)
    return np.signbit(value), mantissa, exponent.astype(np.int64) - 53, value


def _bit_length(mantissa: Array) -> Array:
    powers = np.array([1 << k for k in range(64)], dtype=np.uint64)
    return np.searchsorted(powers, mantissa, side="right").astype(np.int64)


def fused_cast(value: Array, target: str, saturate: bool = False) -> Array:
    """The last step of AddReluCast, SubReluCast, MulCast: nearest-even, integers clamp."""
    return to_float(value, target, "RINT", saturate) if target in FORMATS else to_integer(value, target, "RINT")


def dequant_scale(bits: int) -> float:
    """A scale as the dequantisation unit reads it: 1-8-10, the lower 13 bits of the float are dropped."""
    return float(np.array(bits & 0xFFFFE000, np.uint32).view(np.float32))


def dequantise(x: Array, scale: Array, offset: Array, target: str) -> Array:
    """round(x * scale) + offset, clamped."""
    low, high = INTEGERS[target]
    rounded = np.rint(x.astype(np.float64) * scale) + offset
    return np.clip(np.nan_to_num(rounded, nan=0.0), low, high).astype(NUMPY[target])
