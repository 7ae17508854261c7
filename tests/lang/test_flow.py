"""Loops, jumps and element types decide what is known behind them: as Python means it, against Python itself."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from ferrata import errors
from ferrata import lang as ac
from tests.lang.test_python_meaning import I64, run

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)
U = ac.dtype_var("U", ac.f16, ac.f32, ac.bf16)
V = ac.dtype_var("V", ac.i32, ac.i64)


@ac.kernel
def loop_names(x: I64, z: I64, n: int):
    for i in range(n):
        z[0] = z[0] + i
    for i in range(2):
        z[1] = z[1] + 10 * i
    i = 100
    z[2] = i
    for i in range(i, i + n):  # noqa: B020
        z[3] = z[3] + i
    i = 7
    while i > 0:
        z[4] = z[4] + i
        for j in range(i):
            z[5] = z[5] + j
        j = i - 2
        i = j
    for n in range(n):  # noqa: B020
        z[6] = z[6] + n
    n = 3
    z[7] = n + 0 * x[0]
    for w in (4, 5):
        z[8] = z[8] + w
    w = 9
    z[8] = z[8] + w
    for a, b in ((1, 2), (3, 4)):
        z[9] = z[9] * 100 + a * 10 + b


@ac.kernel
def loop_else(x: I64, z: I64, n: int):
    for i in range(n):
        if x[i] > 50:
            found = i
            break
    else:
        found = -1
    z[0] = found
    at = 0
    while at < n:
        if x[at] == 8:
            if n > 4:
                break
            at += 10
            continue
        at += 1
    else:
        at = 1000 + at
    z[1] = at
    for i in range(n):
        for j in range(i):
            if x[j] == 40:
                break
        else:
            z[2] = z[2] + 1
            if i > 5:
                break
    else:
        z[2] = z[2] + 100
    for i in range(n):
        z[3] = z[3] + i
    else:
        z[3] = z[3] + 1000
    for i in range(3):
        last = x[i]
        if last == 3:
            continue
        z[4] = z[4] + last
    z[5] = last
    while True:
        n -= 3
        if n < 0:
            rest = n
            break
        if n == 0:
            rest = 17
            break
    z[6] = rest


@ac.kernel
def stepped(x: I64, z: I64, n: int):
    for i in range(x[0], x[1], n):
        z[0] = z[0] * 3 + i
    for i in range(10, -10, n * 2):
        z[1] = z[1] * 3 + i


@pytest.mark.parametrize("n", [1, 4])
def test_a_name_may_be_a_loops_and_a_variables(n: int) -> None:
    run(loop_names, [5, 6, 7, 8, 9], 10, n)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_else_behind_loops(n: int) -> None:
    run(loop_else, [3, 8, 40, 3, 50, 60, 1, 2], 7, n)


@pytest.mark.parametrize("n", [1, 3, -1, -4])
@pytest.mark.parametrize("ends", [(-3, 9), (9, -3), (4, 4)])
def test_a_step_of_either_sign(n: int, ends: tuple[int, int]) -> None:
    run(stepped, list(ends), 2, n)


def test_a_step_of_either_sign_is_readable() -> None:
    text = stepped.source()
    assert "for (int64_t i = x_gm.GetValue(0); InRange(i, i_end, n); i += n) {" in text
    assert 'ascendc_assert(n != 0, "the step of a range is 0\\n");' in text


def test_a_step_of_0_is_a_fault_as_pythons_is_an_error() -> None:
    x, z = torch.tensor([0, 4], device="npu"), torch.zeros(2, dtype=torch.int64, device="npu")
    with pytest.raises(errors.AssertFailed, match="the step of a range is 0") as caught:
        stepped[1](x, z, 0)
    assert "for i in range(x[0], x[1], n):" in str(caught.value)


@ac.kernel
def const_step(z: I64, n: int, *, by: ac.Const[int] = 1):
    for i in range(0, n, by):
        z[0] = z[0] + i


def test_a_const_step_of_0_is_refused_when_the_kernel_is_made() -> None:
    with pytest.raises(errors.BadInstance, match=r"with by = 0 it does not hold that by > 0, the step of a loop"):
        const_step[1](torch.zeros(1, dtype=torch.int64, device="npu"), 3, by=0)


# --- what a jump leaves of an element type ------------------------------------------------------------------------


def halved(z, x, n: int):
    if T is ac.i32:
        ac.shift_right(z, x, 1, n)
        return
    # the rest is for floats
    ac.muls(z, x, 0.5, n)


@ac.kernel
def early(x: ac.Gm[T], z: ac.Gm[T], n: int):
    """Half of x; ints are shifted, the others multiplied."""
    a, b = ac.ub(T, 64), ac.ub(T, 64)
    ac.copy(a[:n], x)
    ac.order(ac.MTE2, ac.V)
    halved(b, a, n)
    ac.order(ac.V, ac.MTE3)
    ac.copy(z, b[:n])
    if T is not ac.f32:
        return

    # of floats the first is negated
    ac.order(ac.MTE3, ac.S)
    first = -z[0]
    for i in range(n):
        if T is ac.f16:
            continue
        z[0] = first
        if i == 2:
            break


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
def test_behind_a_return_the_other_types_are_left(dtype: torch.dtype) -> None:
    x = torch.arange(-8, 30, 2).to(dtype).npu()
    z = torch.zeros_like(x)
    early[1](x, z, x.numel())
    expected = x.cpu() // 2 if dtype == torch.int32 else x.cpu() / 2
    if dtype == torch.float32:
        expected[0] = -expected[0]
    assert torch.equal(z.cpu(), expected)


def test_the_rest_stands_in_the_else_branch_with_its_comments() -> None:
    text = early.source()
    assert "} else {\n        // the rest is for floats\n        Muls(z, x, static_cast<T>(0.5f)" in text
    assert text.index("// of floats the first is negated") > text.index("} else {")


# --- two dtype variables ----------------------------------------------------------------------------------------------


def widened(to, source, n: int):
    """Copy, converted where the types differ."""
    if T is U:
        ac.adds(to, source, 0, n)
    else:
        ac.convert(to, source, n)


@ac.kernel
def pairs(x: ac.Gm[U], y: ac.Gm[T], z: ac.Gm[T], same: ac.Gm[ac.i32], n: int):
    """z = x + y where both have one type, z = y elsewhere."""
    a, b = ac.ub(U, 64), ac.ub(T, 64)
    ac.copy(a[:n], x)
    ac.copy(b[:n], y)
    ac.order(ac.MTE2, ac.V)
    if T is not U:
        same[0] = 0
    else:
        ac.add(b, a, b, n)
        same[0] = 1
    same[1] = 1 if T is U else 2
    ac.order(ac.V, ac.MTE3)
    ac.copy(z, b[:n])


@pytest.mark.parametrize("left", [torch.float16, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("right", [torch.float16, torch.float32, torch.int32])
def test_two_dtype_variables_are_compared(left: torch.dtype, right: torch.dtype) -> None:
    x, y = torch.arange(20).to(left).npu(), torch.arange(20, 40).to(right).npu()
    z, same = torch.zeros_like(y), torch.zeros(2, dtype=torch.int32, device="npu")
    pairs[1](x, y, z, same, 20)
    assert torch.equal(z.cpu(), x.cpu() + y.cpu() if left == right else y.cpu())
    assert same.cpu().tolist() == ([1, 1] if left == right else [0, 2])


@ac.kernel
def apart(x: ac.Gm[U], y: ac.Gm[V], same: ac.Gm[ac.i32]):
    same[0] = 1 if V is U else 2
    same[1] = 3 if U is U else 4
    same[2] = 5 if ac.i64 is V else 6


def test_variables_that_have_no_type_in_common_are_never_one() -> None:
    text = apart.source()
    assert "same_gm.SetValue(0, 2);" in text and "same_gm.SetValue(1, 3);" in text
    assert "IsSameType<V, int64_t>::value ?" in text


@ac.kernel
def misused(x: ac.Gm[U], y: ac.Gm[T]):
    a, b = ac.ub(U, 64), ac.ub(T, 64)
    if T is U:
        ac.add(a, a, b, 64)
    ac.add(a, a, b, 64)


def test_behind_the_branch_they_are_two_again() -> None:
    with pytest.raises(errors.KernelSourceError) as caught:
        misused.source()
    assert caught.value.fields["line"] == misused.line + 5


def test_a_value_on_each_path_is_enough() -> None:
    """No path is missing here: translation refuses nothing."""

    @ac.kernel
    def complete(x: I64, z: I64, n: int):
        if n > 3:
            a = 1
        elif n > 2:
            return
        else:
            a = 2
        for i in range(4):
            if i == n:
                b = i
                break
            b = 5
        while True:
            c = x[0]
            if c > n:
                break
            n += 1
        if n > 10:
            n = 10
        z[0] = a + b + c + n

    run(complete, [4], 1, 1)
    run(complete, [40], 1, 9)


# --- and, or; several targets at once; structures -------------------------------------------------------------------------


@ac.kernel
def one_of(x: I64, z: I64, n: int):
    z[0] = n or 3
    z[1] = x[0] and 5
    z[2] = ((n and x[1]) or 7) + (x[0] or n or 9)
    both = n > 2 and x[0]
    z[3] = 1 if both else 0
    z[4] = 1 if not (n and x[0] > 3) else 2
    if n or x[0]:
        z[5] = 1


@pytest.mark.parametrize("n", [0, 5])
@pytest.mark.parametrize("values", [[0, 2], [4, 0]])
def test_and_or_of_numbers_give_one_of_them(n: int, values: list[int]) -> None:
    run(one_of, values, 6, n)


@ac.kernel
def exchanged(x: I64, z: I64, n: int):
    x[0], x[1] = x[1], x[0]
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]
    for i in range(n):
        z[i] = x[i]
    a, b = 1, 2
    a, b = b, a + b
    x[0], a = a, x[0]
    z[n], z[n + 1], z[n + 2] = a, b, x[0]


@pytest.mark.parametrize("n", [2, 5])
def test_all_is_computed_before_anything_is_stored(n: int) -> None:
    run(exchanged, [1, 2, 3, 4, 5], n + 3, n)


@dataclass
class Counter:
    count: int
    scale: float


def bump(counter: Counter):
    counter.count += 5
    return counter.count


@ac.kernel
def counted(z: I64, start: Counter, n: int):
    c = Counter(n, 2.5)
    c.count = c.count + 1
    c.count *= 2
    c.scale += start.scale
    z[0] = bump(c)
    z[1] = bump(c)
    z[2] = c.count
    z[3] = int(c.scale * 10)
    z[4] = start.count


def test_fields_change_also_in_a_helper() -> None:
    z = torch.zeros(5, dtype=torch.int64, device="npu")
    counted[1](z, Counter(3, 1.0), 4)
    assert z.cpu().tolist() == [15, 20, 20, 35, 3]


@ac.kernel
def two_names(z: I64, n: int):
    c = Counter(n, 2.5)
    d = c
    d.count = 3
    z[0] = c.count


def test_a_second_name_for_what_changes_is_refused() -> None:
    with pytest.raises(errors.UnsupportedStatement, match="a second name for a structure whose fields change"):
        two_names.source()


@ac.kernel
def joined(x: ac.Gm[T], z: ac.Gm[ac.f32], n: int):
    a, w = ac.ub(T, 64), ac.ub(ac.f32, 64)
    ac.copy(a[:n], x)
    ac.duplicate(w, 0.5, 64)
    ac.order(ac.MTE2, ac.V)
    if T is ac.f16 and n > 3:  # Cast has no form from float to float
        ac.cast(w, a, ac.RoundMode.CAST_NONE, n)
    if T is not ac.f16 and T is not ac.i32:
        ac.add(w, w, a, n)
    if ac.max_of(w, n) > 2 and n:
        ac.muls(w, w, 2, n)
    ac.order(ac.V, ac.MTE3)
    ac.copy(z, w[:n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("n", [3, 8])
def test_a_type_and_a_number_in_one_condition(dtype: torch.dtype, n: int) -> None:
    x, z = torch.arange(n).to(dtype).npu(), torch.zeros(n).npu()
    joined[1](x, z, n)
    half = torch.arange(n).float() if n > 3 else torch.full((n,), 0.5)
    expected = half if dtype == torch.float16 else torch.arange(n) + 0.5
    assert torch.equal(z.cpu(), expected * 2 if expected.max() > 2 else expected)
    assert joined.source().count("ReduceMax(") == 1
