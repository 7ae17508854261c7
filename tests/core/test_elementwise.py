"""Element-wise arithmetic against NumPy: values, special values, and every way to say which lanes run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ferrata.run import Runtime
from tests.core.units import Unit

Array = npt.NDArray[np.generic]
N = 512
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0, 6e-8, -6e-8, 1e-4, 3.25, -2.5, 1024.5, 0.1]


def inputs(dtype: str) -> tuple[Array, Array]:
    """Random lanes, and every pair of special values."""
    rng = np.random.default_rng(7)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        x, y = (rng.integers(info.min, info.max, N, dtype=kind, endpoint=True) for _ in range(2))
        x[:4], y[:4] = [info.min, info.max, 0, 1], [info.max, info.max, 0, info.min]
        return x, y
    x, y = (rng.standard_normal(N).astype(kind) * 8 for _ in range(2))
    k = len(SPECIAL)
    x[: k * k] = np.repeat(SPECIAL, k)
    y[: k * k] = np.tile(SPECIAL, k)
    return x.astype(kind), y.astype(kind)


def run(unit: Unit, rt: Runtime, name: str, x: Array, y: Array, z: Array, scalar: float = 0.0) -> Array:
    import ctypes

    gx, gy, gz = rt.array(x), rt.array(y), rt.array(z)
    function = getattr(unit("elementwise"), name)
    with rt.faults_raise():
        function(*(ctypes.c_void_p(g.ctypes.data) for g in (gz, gx, gy)), ctypes.c_int(len(x)), ctypes.c_float(scalar))
    return np.array(gz)


def same(got: Array, want: Array) -> None:
    """Equal bits, but any NaN equals any NaN."""
    assert got.dtype == want.dtype
    if got.dtype.kind == "f":
        bits = np.dtype(f"u{got.dtype.itemsize}")
        nan = np.isnan(want)
        np.testing.assert_array_equal(np.isnan(got), nan)
        np.testing.assert_array_equal(got.view(bits)[~nan], want.view(bits)[~nan])
    else:
        np.testing.assert_array_equal(got, want)


def maximum(x: Array, y: Array) -> Array:
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x) & np.signbit(y), x, np.abs(x)), np.maximum(x, y))


def minimum(x: Array, y: Array) -> Array:
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), x, y), np.minimum(x, y))


EXACT = {
    "Abs": lambda x, y: np.abs(x),
    "Sqrt": lambda x, y: np.sqrt(x),
    "Relu": lambda x, y: np.where(np.isnan(x), x, np.where(x > 0, x, x.dtype.type(0))),
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Max": maximum,
    "Min": minimum,
    "Reciprocal": lambda x, y: x.dtype.type(1) / x,
}
CLOSE = {"Exp": np.exp, "Ln": np.log, "Rsqrt": lambda x: 1 / np.sqrt(x)}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", EXACT)
def test_float_results_have_the_bits_of_ieee(unit: Unit, rt: Runtime, name: str, dtype: str) -> None:
    x, y = inputs(dtype)
    with np.errstate(all="ignore"):
        want = EXACT[name](x, y).astype(dtype)
    same(run(unit, rt, f"{name}_{dtype}", x, y, np.zeros_like(x)), want)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", CLOSE)
def test_transcendental_results_are_within_one_ulp(unit: Unit, rt: Runtime, name: str, dtype: str) -> None:
    x, y = inputs(dtype)
    with np.errstate(all="ignore"):
        want = CLOSE[name](x.astype(np.float64)).astype(dtype)
    got = run(unit, rt, f"{name}_{dtype}", x, y, np.zeros_like(x))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite & ~np.isnan(want)], want[~finite & ~np.isnan(want)])
    with np.errstate(all="ignore"):
        assert (np.abs(got[finite].astype(np.float64) - want[finite]) <= np.spacing(np.abs(want[finite]))).all()


@pytest.mark.parametrize("dtype", ["int16", "int32"])
@pytest.mark.parametrize("name", ["Add", "Sub", "Mul", "Max", "Min"])
def test_integers_wrap(unit: Unit, rt: Runtime, name: str, dtype: str) -> None:
    x, y = inputs(dtype)
    function = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}[name]
    with np.errstate(all="ignore"):
        want = function(x, y)
    same(run(unit, rt, f"{name}_{dtype}", x, y, np.zeros_like(x)), want)


def test_relu_of_integers(unit: Unit, rt: Runtime) -> None:
    x, y = inputs("int32")
    same(run(unit, rt, "Relu_int32", x, y, np.zeros_like(x)), np.maximum(x, 0))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_multiply_add_rounds_twice(unit: Unit, rt: Runtime, dtype: str) -> None:
    x, y = inputs(dtype)
    z = inputs(dtype)[0][::-1].copy()
    with np.errstate(all="ignore"):
        want = (x * z) + y
    same(run(unit, rt, f"FusedMulAdd_{dtype}", x, y, z), want)


def test_known_multiply_add_of_half_is_not_fused(unit: Unit, rt: Runtime) -> None:
    x = np.full(16, 1.2001953125, np.float16)
    assert (run(unit, rt, "FusedMulAdd_float16", x, np.full(16, -1.4404296875, np.float16), x) == 0).all()


def test_scalars(unit: Unit, rt: Runtime) -> None:
    for dtype in ("float32", "float16"):
        x, y = inputs(dtype)
        with np.errstate(all="ignore"):
            same(run(unit, rt, f"Adds_{dtype}", x, y, x, 1.5), x + x.dtype.type(1.5))
    x, y = inputs("int32")
    same(run(unit, rt, "Muls_int32", x, y, x, 3), x * np.int32(3))


def test_left_shift_keeps_the_sign_bit(unit: Unit, rt: Runtime) -> None:
    x = np.array([0x4001, 0x9003 - 65536, 1, -1] * 4, np.int16)
    one = run(unit, rt, "ShiftLeft_int16", x, x, x, 1).view(np.uint16)
    two = run(unit, rt, "ShiftLeft_int16", x, x, x, 2).view(np.uint16)
    assert (one[0], two[1], one[2], one[3]) == (2, 0xC00C, 2, 0xFFFE)
    assert run(unit, rt, "ShiftLeft_int16", x, x, x, 16).view(np.uint16).tolist()[:4] == [0, 0x8000, 0, 0x8000]


def test_logic(unit: Unit, rt: Runtime) -> None:
    x, y = inputs("uint16")
    same(run(unit, rt, "ShiftRight_uint16", x, y, x, 3), x >> np.uint16(3))
    same(run(unit, rt, "Not_uint16", x, y, x), ~x)
    x, y = inputs("int32")
    same(run(unit, rt, "And_int32", x, y, x), x & y)  # counted in 16-bit units


def test_operators_work_on_whole_tensors(unit: Unit, rt: Runtime) -> None:
    x, y = inputs("float32")
    with np.errstate(all="ignore"):
        want = (x + y) * y
    same(run(unit, rt, "Operator_float32", x, y, x), want)


def test_half_times_half_into_float_is_exact(unit: Unit, rt: Runtime) -> None:
    x = np.arange(64, dtype=np.float16) / 3
    got = run(unit, rt, "Axpy_half_float", x, x, np.zeros(64, np.float32), 0.1)
    want = np.float32(1) + x.astype(np.float32) * np.float32(np.float16(0.1))
    same(got, want)


# --- which lanes ---


def lanes(pattern: np.ndarray[tuple[int], np.dtype[np.bool_]], x: Array, y: Array, z: Array) -> Array:
    want = z.copy()
    want[: len(pattern)][pattern] = (x + y)[: len(pattern)][pattern]
    return want


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("Masked_float32", [i % 64 < 17 for i in range(192)]),
        ("Bits_float32", [i % 64 in (0, 2, 63) for i in range(192)]),
        ("Counter_float32", [i < 75 for i in range(192)]),
        ("Nothing_float32", [False] * 192),
    ],
)
def test_masks(unit: Unit, rt: Runtime, name: str, pattern: list[bool]) -> None:
    x, y = (np.arange(N, dtype=np.float32) * k for k in (1, 100))
    z = np.full(N, -1, np.float32)
    same(run(unit, rt, name, x, y, z), lanes(np.array(pattern), x, y, z))


def test_strides_count_blocks(unit: Unit, rt: Runtime) -> None:
    x, y = (np.arange(N, dtype=np.float32) * k for k in (1, 1000))
    want = np.full(N, -1, np.float32)
    for r in range(2):
        for lane in range(64):
            b, e = divmod(lane, 8)
            # dst: block stride 2, repeat 16; src0: 1 and 4; src1: 0 (block 0 again) and 1
            want[8 * (16 * r + 2 * b) + e] = x[8 * (4 * r + b) + e] + y[8 * r + e]
    same(run(unit, rt, "Strided_float32", x, y, np.full(N, -1, np.float32)), want)


def test_repeat_stride_zero_accumulates_in_order(unit: Unit, rt: Runtime) -> None:
    x = np.random.default_rng(1).standard_normal(N).astype(np.float32)
    z = np.zeros(N, np.float32)
    want = z.copy()
    for r in range(4):
        want[:64] += x[64 * r : 64 * r + 64]
    same(run(unit, rt, "Accumulated_float32", x, x, z), want)


def test_an_external_mask_enables_its_lanes_in_each_repeat(unit: Unit, rt: Runtime) -> None:
    x = np.arange(N, dtype=np.float32)
    z = np.full(N, -1, np.float32)
    want = z.copy()
    for i in range(128):
        if 8 <= i % 64 < 16:
            want[i] = x[i] + 2.5
    same(run(unit, rt, "External_float32", x, x, z, 2.5), want)


def test_a_repeat_form_leaves_its_mask_behind(unit: Unit, rt: Runtime) -> None:
    x = np.arange(N, dtype=np.float32)
    z = np.full(N, -1, np.float32)
    want = z.copy()
    want[:5] = x[:5] + x[:5]
    want[64:69] = x[64:69] + 1
    same(run(unit, rt, "MaskLeft_float32", x, x, z, 1.0), want)


@pytest.mark.parametrize("n", [16, 32, 48, 496, 8192])
def test_lengths(unit: Unit, rt: Runtime, n: int) -> None:
    x, y = (np.random.default_rng(n + k).standard_normal(n).astype(np.float16) for k in (0, 1))
    same(run(unit, rt, "Add_float16", x, y, np.zeros_like(x)), x + y)
