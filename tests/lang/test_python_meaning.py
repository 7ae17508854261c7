"""Statements and numbers mean what Python means: the reference is the same function, run by Python on lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from ferrata import errors
from ferrata import lang as ac

I64 = ac.Gm[ac.i64]
F32 = ac.Gm[ac.f32]
LIMIT = 7
WEIGHTS = (3, -1, 4)


@ac.kernel
def arithmetic(x: I64, z: I64, n: int):
    for i in range(n):
        a = x[2 * i]
        b = x[2 * i + 1]
        z[12 * i] = a + b * 3 - (a - b)
        z[12 * i + 1] = a // b
        z[12 * i + 2] = a % b
        z[12 * i + 3] = -a // LIMIT
        z[12 * i + 4] = a % -LIMIT
        z[12 * i + 5] = (a & 12) | (b ^ 5)
        z[12 * i + 6] = (a << 3) + (b >> 1)
        z[12 * i + 7] = ~a + abs(b)
        z[12 * i + 8] = min(a, b, 2) + max(a, b)
        z[12 * i + 9] = a**2 - b**3
        z[12 * i + 10] = 1 << (a & 31)
        z[12 * i + 11] = (a + b) * (a - b) % 5 - -b


@ac.kernel
def conditions(x: I64, z: I64, n: int):
    for i in range(n):
        a = x[2 * i]
        b = x[2 * i + 1]
        z[8 * i] = 1 if -3 < a <= b else 0
        z[8 * i + 1] = 1 if (a and b) or not a else 0
        z[8 * i + 2] = 1 if a in (1, 2, b) else 2 if a not in (3, 4) else 3
        z[8 * i + 3] = int(a == b) + int(a != b) * 2 + int(a >= b) * 4
        if a > 0 and (b > 0 or a > 5):
            z[8 * i + 4] = 1
        elif a < 0:
            z[8 * i + 4] = 2
        else:
            z[8 * i + 4] = 3
        flag = a > b
        other = not flag
        z[8 * i + 5] = 1 if flag and not other else 0
        z[8 * i + 6] = 10 if bool(a - b) else 20
        k = 0
        if a > 2:
            k = 5
            if b > 2:
                k += 1
        z[8 * i + 7] = k


@ac.kernel
def choices(x: I64, z: I64, n: int):
    for i in range(n):
        a, b = (x[i], i) if n % 2 == 0 else (2 * i, x[i] + 1)
        a, b = (b, a) if x[i] > 2 else (a, b)
        z[i] = 10 * a + b


@ac.kernel
def loops(x: I64, z: I64, n: int):
    total = 0
    for i in range(n, 0, -2):
        if x[i - 1] == 3:
            continue
        total += x[i - 1]
        if total > 100:
            break
    z[0] = total
    steps = 0
    value = n * 7 + 1
    while value != 1:
        if value % 2 == 0:
            value //= 2
        else:
            value = value * 3 + 1
        steps += 1
    z[1] = steps
    count = 0
    stop = 5
    for i in range(stop):
        stop = 1
        for j in range(i):
            if j == 2:
                break
            count += 10 * i + j
        else_ = count
        count = else_ + stop
    z[2] = count
    by = 3
    if n % 2 == 1:
        by = -3
    seen = 0
    for i in range(n, n + 3 * by, by):
        seen = seen * 10 + i
    z[3] = seen
    for w in WEIGHTS:
        z[4] = z[4] + w * len(WEIGHTS)
    while True:
        if n < 0:
            break
        n -= 4
    z[5] = n


@ac.kernel
def variables(x: I64, z: I64, n: int):
    a, b = x[0], x[1]
    a, b = b, a
    z[0] = a * 100 + b
    c = d = a - b
    c += 1
    z[1] = c * 10 + d
    last = 0
    for i in range(n):
        z[2] = z[2] + last  # of the pass before
        last = x[i] + 1
    if n > 3:  # noqa: SIM108
        label = 1
    else:
        label = 2
    z[3] = label
    int_ = 4
    double: int = 5
    z[4] = int_ * double
    (p, q), r = (1, 2), 3
    z[5] = p + q + r
    register = x[0]
    class_ = register
    z[6] = class_
    for i in range(2):
        m = x[i]
        z[7] = z[7] * 10 + m
    for i in range(2):
        m = x[i] + 1
        m += 1
        z[7] = z[7] * 10 + m
    x[0] += 2
    z[8] = x[0]


def collatz(start: int):
    steps = 0
    while start != 1:
        start = start // 2 if start % 2 == 0 else 3 * start + 1
        steps += 1
    return steps


def split(value, by=10):
    """The digits below and above."""
    if value < 0:
        return 0, value
    return value // by, value % by


def fill(out, start, count):
    for i in range(count):
        out[start + i] = start * i


def biggest(x, n):
    best = x[0]
    for i in range(1, n):
        if x[i] > best:
            best = x[i]
            if best > 90:
                return best
    return best


@ac.kernel
def helpers(x: I64, z: I64, n: int):
    z[0] = collatz(n)
    high, low = split(n * 37)
    z[1] = high * 1000 + low
    high, low = split(-n, by=3)
    z[2] = high + low
    fill(z, 3, 3)
    z[6] = biggest(x, n) + collatz(start=3)
    digits = split(n)
    first, second = digits
    z[7] = first - second


def run(kernel: Any, inputs: list[int], outputs: int, n: int, cores: int = 1) -> None:
    """Run a kernel and its function, compare."""
    x = torch.tensor(inputs, dtype=torch.int64, device="npu")
    z = torch.zeros(outputs, dtype=torch.int64, device="npu")
    kernel[cores](x, z, n)
    expected = [0] * outputs
    kernel.function(list(inputs), expected, n)
    assert z.cpu().tolist() == expected


NUMBERS = [7, 3, -7, 3, 7, -3, -7, -3, 6, 3, -6, 3, 1, 9, 0, 5, -1, 1, 100, -41, 2**20 + 5, 77, -(2**20), 13]


def test_integer_arithmetic_rounds_and_signs_as_python_does() -> None:
    pairs = len(NUMBERS) // 2
    run(arithmetic, NUMBERS, 12 * pairs, pairs)


def test_conditions_chains_and_branches() -> None:
    values = [1, 1, 2, 5, -2, -2, -3, 4, 0, 0, 3, 3, 4, 1, 6, -1, 9, 9]
    run(conditions, values, 8 * (len(values) // 2), len(values) // 2)


@pytest.mark.parametrize("n", [4, 5])
def test_a_choice_between_tuples(n: int) -> None:
    run(choices, [1, 2, 3, 4, 5], n, n)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 27])
def test_loops_ranges_breaks(n: int) -> None:
    run(loops, [3, 8, 40, 3, 50, 60, 1, 2] * 4, 6, n)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_variables_live_where_python_has_them(n: int) -> None:
    run(variables, [4, 9, 2, 7, 1, 8], 9, n)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_helpers_results_defaults_and_names(n: int) -> None:
    run(helpers, [5, 20, 91, 95, 3, 99], 8, n)


# --- floats: Python's are wider, so the reference is NumPy's float32 ---------------------------------------------


@ac.kernel
def floats(x: F32, z: F32, n: int, by: float, on: bool):
    for i in range(n):
        a = x[i]
        z[8 * i] = a * by + 1
        z[8 * i + 1] = a / 3
        z[8 * i + 2] = int(a) + (0.5 if on else -0.5)
        z[8 * i + 3] = max(a, 0.25) - min(a, 1)
        z[8 * i + 4] = abs(a)
        z[8 * i + 5] = float(n) / 4 * math.pi
        b = 2.0
        b *= a
        b -= 1
        z[8 * i + 6] = b if a > by else -b
        z[8 * i + 7] = i / n


def test_floats_are_single_precision() -> None:
    values = np.array([0.0, -1.75, 3.999, 1e-3, -1e9, 123456.789], np.float32)
    x = torch.from_numpy(values).to("npu")
    z = torch.zeros(8 * len(values), dtype=torch.float32, device="npu")
    floats[1](x, z, len(values), 0.1, True)
    f = np.float32
    by = f(0.1)
    expected = []
    for i, a in enumerate(values):
        b = f(f(2) * a) - f(1)
        expected += [
            f(f(a * by) + f(1)), f(a / f(3)), f(f(int(a)) + f(0.5)), f(max(a, f(0.25)) - min(a, f(1))), abs(a),
            f(f(f(6) / f(4)) * f(math.pi)), f(b if a > by else -b), f(f(i) / f(6)),
        ]  # fmt: skip
    np.testing.assert_array_equal(z.cpu().numpy(), np.array(expected, np.float32))


@ac.kernel
def special(x: F32, z: F32):
    z[0] = math.inf
    z[1] = -math.inf
    z[2] = float("nan")
    z[3] = 1 if x[0] != x[0] else 0
    z[4] = 1 if x[0] < 1 or x[0] >= 1 else 0
    z[5] = 1e38 * 1e3
    z[6] = 1e-6


def test_special_values_of_floats() -> None:
    x = torch.tensor([math.nan], device="npu")
    z = torch.zeros(7, device="npu")
    special[1](x, z)
    got = z.cpu().numpy()
    assert got[0] == math.inf and got[1] == -math.inf and math.isnan(got[2])
    assert got[3:5].tolist() == [1, 0] and got[5] == math.inf and got[6] == np.float32(1e-6)


# --- elements of narrow types are widened as soon as they are computed with ---------------------------------------


@ac.kernel
def narrow(a: ac.Gm[ac.i8], b: ac.Gm[ac.i32], c: ac.Gm[ac.u16], z: ac.Gm[ac.i64]):
    z[0] = a[0] * a[1]
    z[1] = b[0] * b[1]
    z[2] = b[0] + c[0]
    big = b[0]
    z[3] = big * big
    z[4] = a[0] << 20
    wrapped = ac.i8(b[1])
    z[5] = wrapped
    b[0] = z[0]
    c[1] = -1


def test_narrow_elements_are_widened() -> None:
    a = torch.tensor([127, -128], dtype=torch.int8, device="npu")
    b = torch.tensor([2**31 - 1, 300], dtype=torch.int32, device="npu")
    c = torch.tensor([65535, 0], dtype=torch.uint16, device="npu")
    z = torch.zeros(6, dtype=torch.int64, device="npu")
    narrow[1](a, b, c, z)
    big = 2**31 - 1
    assert z.cpu().tolist() == [127 * -128, big * 300, big + 65535, big * big, 127 << 20, 44]
    assert b.cpu().tolist()[0] == 127 * -128 and c.cpu().tolist()[1] == 65535


I = ac.dtype_var("I", ac.u8, ac.i32, ac.i64)  # noqa: E741
U = ac.dtype_var("U", ac.i32, ac.u64)


@ac.kernel
def compared(x: ac.Gm[I], y: ac.Gm[ac.i32], z: ac.Gm[ac.i64], n: int):
    z[0] = 1 if x[0] < n else 0
    z[1] = 1 if n == x[0] else 0
    z[2] = 1 if x[0] > y[0] else 0


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_integers_of_a_variable_compare_with_any_integer(dtype: torch.dtype) -> None:
    z = torch.zeros(3, dtype=torch.int64, device="npu")
    x, y = torch.tensor([200], dtype=dtype, device="npu"), torch.tensor([-1], dtype=torch.int32, device="npu")
    compared[1](x, y, z, 2**32 + 200)
    assert z.cpu().tolist() == [1, 0, 1]
    compared[1](x, y, z, 200)
    assert z.cpu().tolist() == [0, 1, 1]


@ac.kernel
def unsigned(x: ac.Gm[U], z: ac.Gm[ac.i64], n: int):
    z[0] = 1 if x[0] < n else 0


def test_an_unsigned_variable_does_not_compare_with_int() -> None:
    with pytest.raises(errors.WrongType, match=r"Convert a side: U\(x\)"):
        unsigned.source()
