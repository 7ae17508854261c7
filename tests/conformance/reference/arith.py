"""Elementwise arithmetic: what one lane computes, by the id of the registry row.

half and float follow IEEE 754, nearest-even, in the element type; integers wrap. With the saturation flag every half
result of an elementary step has NaN -> 0 and infinity -> the largest value. Transcendentals are computed in float64
and rounded once; `ULP` says how far an implementation may be from that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.conformance.reference.memory import NUMPY, Array

# Bound in ulp against the correctly rounded value. Sqrt, Div and Reciprocal are exact in IEEE arithmetic.
ULP = {"Exp": 1, "Ln": 1, "Rsqrt": 1}


@dataclass(frozen=True)
class Context:
    """What a lane's computation needs beside its operands."""

    dtype: str  # of the destination
    scalar: np.generic | None = None
    saturate: bool = False
    round_shift: bool = False


def clamp(values: Array, saturate: bool) -> Array:
    """The half result of one elementary step."""
    if not saturate or values.dtype != np.float16:
        return values
    return np.where(np.isnan(values), np.float16(0), np.clip(values, -65504, 65504)).astype(np.float16)


def relu(x: Array) -> Array:
    """max(0, x): any zero gives +0, NaN stays."""
    return np.where((x > 0) | (x != x), x, np.zeros_like(x))


def maximum(a: Array, b: Array) -> Array:
    """NaN if any operand is NaN; +0 is above -0."""
    if not np.issubdtype(a.dtype, np.floating):
        return np.maximum(a, b)
    picked = np.where(a > b, a, np.where(b > a, b, np.where(np.signbit(a), b, a)))
    return np.where((a != a) | (b != b), a + b, picked)


def minimum(a: Array, b: Array) -> Array:
    """NaN if any operand is NaN; -0 is below +0."""
    if not np.issubdtype(a.dtype, np.floating):
        return np.minimum(a, b)
    picked = np.where(a < b, a, np.where(b < a, b, np.where(np.signbit(a), a, b)))
    return np.where((a != a) | (b != b), a + b, picked)


def wide(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function computed in float64 and rounded once."""
    return lambda x: function(x.astype(np.float64)).astype(x.dtype)


def shift_left(x: Array, n: int) -> Array:
    """Unsigned: plain. Signed: the sign bit stays, the other bits move and the high ones are lost."""
    bits = x.dtype.itemsize * 8
    pattern = x.view(f"u{x.dtype.itemsize}").astype(np.uint64)
    moved = pattern << np.uint64(n)
    if np.issubdtype(x.dtype, np.signedinteger):
        sign = np.uint64(1 << (bits - 1))
        moved = (pattern & sign) | (moved & (sign - np.uint64(1)))
    return moved.astype(f"u{x.dtype.itemsize}").view(x.dtype)


def shift_right(x: Array, n: int, rounding: bool) -> Array:
    """Arithmetic for signed types; rounding adds the last bit that was shifted out."""
    value = x.astype(np.int64)
    moved = value >> n
    if rounding and n:
        moved += value >> (n - 1) & 1
    return moved.astype(x.dtype)


Compute = Callable[..., Array]


def _add(a: Array, b: Array, c: Context) -> Array:
    return clamp(a + b, c.saturate)


def _sub(a: Array, b: Array, c: Context) -> Array:
    return clamp(a - b, c.saturate)


def _mul(a: Array, b: Array, c: Context) -> Array:
    return clamp(a * b, c.saturate)


def _div(a: Array, b: Array, c: Context) -> Array:
    return clamp(a / b, c.saturate)


def _splat(x: Array, c: Context) -> Array:
    assert c.scalar is not None
    return np.full_like(x, c.scalar)


def _leaky(x: Array, c: Context) -> Array:
    return clamp(np.where(np.signbit(x), x * _splat(x, c), x), c.saturate)


def _multiply_add(a: Array, b: Array, addend: Array, c: Context) -> Array:
    """a * b + addend with two roundings in the destination's type; half factors of a float destination are exact."""
    to = NUMPY[c.dtype]
    return clamp(clamp(a.astype(to) * b.astype(to), c.saturate) + addend.astype(to), c.saturate)


def _axpy(x: Array, old: Array, c: Context) -> Array:
    return _multiply_add(x, _splat(x, c), old, c)


# Every function takes the sources, then the old destination where `READS_DST` has the id, then the context.
OPS: dict[str, Compute] = {
    "Abs": lambda x, c: clamp(np.abs(x), c.saturate),
    "Exp": lambda x, c: clamp(wide(np.exp)(x), c.saturate),
    "Ln": lambda x, c: clamp(wide(np.log)(x), c.saturate),
    "Reciprocal": lambda x, c: clamp(wide(lambda v: 1 / v)(x), c.saturate),
    "Sqrt": lambda x, c: clamp(wide(np.sqrt)(x), c.saturate),
    "Rsqrt": lambda x, c: clamp(wide(lambda v: 1 / np.sqrt(v))(x), c.saturate),
    "Relu": lambda x, c: clamp(relu(x), c.saturate),
    "Not": lambda x, c: ~x,
    "Add": _add,
    "Sub": _sub,
    "Mul": _mul,
    "Div": _div,
    "Max": lambda a, b, c: clamp(maximum(a, b), c.saturate),
    "Min": lambda a, b, c: clamp(minimum(a, b), c.saturate),
    "And": lambda a, b, c: a & b,
    "Or": lambda a, b, c: a | b,
    "Adds": lambda x, c: _add(x, _splat(x, c), c),
    "Muls": lambda x, c: _mul(x, _splat(x, c), c),
    "Maxs": lambda x, c: clamp(maximum(x, _splat(x, c)), c.saturate),
    "Mins": lambda x, c: clamp(minimum(x, _splat(x, c)), c.saturate),
    "LeakyRelu": _leaky,
    "ShiftLeft": lambda x, c: shift_left(x, int(c.scalar)),
    "ShiftRight": lambda x, c: shift_right(x, int(c.scalar), c.round_shift),
    "AddRelu": lambda a, b, c: relu(_add(a, b, c)),
    "SubRelu": lambda a, b, c: relu(_sub(a, b, c)),
    "Axpy": _axpy,
    "MulAddDst": _multiply_add,
    "FusedMulAdd": lambda a, b, old, c: _multiply_add(a, old, b, c),
    "MulAddRelu": lambda a, b, old, c: relu(_multiply_add(a, old, b, c)),
}
READS_DST = {"Axpy", "MulAddDst", "FusedMulAdd", "MulAddRelu"}
