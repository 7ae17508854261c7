"""What a fault of a kernel from Python says: the call as it is written there, the line, what to do; and the session goes on."""

from __future__ import annotations

import inspect
import pickle
import platform
from typing import Any

import pytest
import torch

from ferrata import errors, faults
from ferrata import lang as ac

x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="this processor divides by zero without a signal")


def quotient(a: int, b: int) -> int:
    return a // b


@ac.kernel
def faulty(x: ac.Gm[ac.f32], counts: ac.Gm[ac.i32], how: int, n: int):
    q = ac.queue(ac.VECIN, ac.f32, 64)
    a = ac.tbuf(ac.f32, 64)
    h = ac.tbuf(ac.f16, 64)
    if how == 0:
        x[0] = quotient(7, n)
    if how == 1:
        counts[0] = 7 % n
    if how == 2:
        ac.add(
            a, a, a, n,
        )  # fmt: skip
    if how == 3:
        ac.copy(a[:n], x)
    if how == 4:
        ac.convert(a, h, n)
    if how == 5:
        x[n] = 1.0
    if how == 6:
        x[0] = a[n]
    if how == 7:
        for _ in range(n):
            q.alloc()
    if how == 8:
        with q.get() as b:
            ac.abs(b, b, 8)
    if how == 9:
        x[0] = ac.sum_of(a, n)
    if how == 10:
        assert n < 9, "at most eight"
    if how == 11:
        ac.sync_all()
        if ac.block_idx() == 1:
            counts[0] = 1 // n
        ac.sync_all()  # nobody waits for ever
    if how == 12:
        counts[0] = (-(2**63) + counts[0]) // n
    x[1] = 5.0


def line_of(text: str) -> int:
    lines, first = inspect.getsourcelines(faulty.function)
    return next(first + at for at, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("how", "n", "kind", "head", "line"),
    [
        pytest.param(0, 0, errors.DivisionByZero, "DivisionByZero: an integer is divided by zero", "", marks=x86),
        pytest.param(1, 0, errors.DivisionByZero, "DivisionByZero: an integer is divided by zero", "7 % n", marks=x86),
        (2, 100, errors.OutOfBounds, "OutOfBounds: ac.add (Add): dst has 256 bytes and 400", "ac.add("),
        (3, 65, errors.OutOfBounds, "OutOfBounds: ac.copy (DataCopyPad): dst has 256 bytes", "ac.copy("),
        (4, 500, errors.OutOfBounds, "OutOfBounds: ac.convert (Cast): dst has 256 bytes", "ac.convert("),
        (5, 8, errors.OutOfBounds, "OutOfBounds: storing an element (GlobalTensor::SetValue): element", "x[n] = 1.0"),
        (6, 64, errors.OutOfBounds, "OutOfBounds: reading an element (LocalTensor::GetValue): element 64", "x[0] = a[n]"),
        (7, 2, errors.QueueMisuse, "QueueMisuse: q.alloc (AllocTensor): no free block", "q.alloc()"),
        (8, 0, errors.QueueMisuse, "QueueMisuse: q.get (DeQue): the queue is empty", "with q.get()"),
        (9, 65, errors.OutOfBounds, "OutOfBounds: ac.sum_of (", "ac.sum_of("),
        (10, 9, errors.AssertFailed, "AssertFailed: assert: Assertion `n < 9' failed. at most eight", "assert n < 9"),
        pytest.param(11, 0, errors.DivisionByZero, "DivisionByZero: an integer is divided", "1 // n", marks=x86),
        pytest.param(12, -1, errors.DivisionByZero, "DivisionByZero: an integer is divided", "-(2**63)", marks=x86),
    ],
)  # fmt: skip
def test_a_fault_speaks_python_and_the_session_goes_on(how: int, n: int, kind: Any, head: str, line: str) -> None:
    x, counts = torch.zeros(8).npu(), torch.zeros(8, dtype=torch.int32).npu()
    with pytest.raises(kind) as caught:
        faulty[4](x, counts, how, n)
    fault, said = caught.value, str(caught.value)
    number = line_of(line) if line else inspect.getsourcelines(quotient)[1] + 1
    source = inspect.getsource(inspect.getmodule(quotient)).splitlines()[number - 1].strip()  # type: ignore[arg-type]
    assert said.startswith(head), said
    assert f"in kernel faulty, block {1 if how == 11 else 0} of 4 (AIV)\n  at {__file__}:{number}\n    {source}" in said
    assert (fault.file, fault.line, fault.source, fault.core) == (__file__, number, source, "AIV")
    assert "DataCopyPad takes" not in said and "AllocTensor, EnQue" not in said
    assert isinstance(fault, ZeroDivisionError) == (kind is errors.DivisionByZero)
    assert str(pickle.loads(pickle.dumps(fault))) == said
    faulty[1](x, counts, -1, 0)
    assert x.cpu()[1] == 5


def test_advice_fits_what_accessed() -> None:
    x, counts = torch.zeros(8).npu(), torch.zeros(8, dtype=torch.int32).npu()
    with pytest.raises(errors.OutOfBounds, match="An index counts elements from 0"):
        faulty[1](x, counts, 5, 8)
    with pytest.raises(errors.OutOfBounds, match=r"m = min\(tile, n - i\); ac.copy\(a\[:m\], x\[i:\]\)"):
        faulty[1](x, counts, 3, 65)
    with pytest.raises(errors.QueueMisuse, match=r"filled in `with q.put\(\)`"):
        faulty[1](x, counts, 7, 2)


def test_more_cores_than_can_wait_for_each_other() -> None:
    x, counts = torch.zeros(8).npu(), torch.zeros(8, dtype=torch.int32).npu()
    with pytest.raises(errors.BadLaunch) as caught:
        faulty[200](x, counts, -1, 0)
    said = str(caught.value)
    assert "the launch: 200 cores are asked for, and Ascend910B3 has 48" in said
    assert 'fe.at_most(n, "vector")' in said and "__mix__" not in said and "numBlocks" not in said
    assert said.endswith("def faulty(x: ac.Gm[ac.f32], counts: ac.Gm[ac.i32], how: int, n: int):")


@x86
def test_a_division_by_zero_on_a_thread_is_raised_on_it() -> None:
    from concurrent.futures import ThreadPoolExecutor

    x, counts = torch.zeros(8).npu(), torch.zeros(8, dtype=torch.int32).npu()
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(faulty[2], x, counts, 1, divisor) for divisor in (0, 1, 0, 2, 0, 1) * 5]
    kinds = [type(one.exception()) for one in waiting]
    assert kinds == [errors.DivisionByZero, type(None)] * 15


@pytest.mark.parametrize(
    ("api", "statement", "said"),
    [("Add", "ac.add(a, b, c)", "ac.add"), ("Add", "lang.add(a, b, c)", "lang.add"), ("Add", "add(a, b, c)", "add"),
     ("Add", "helper(a)", "ac.add"), ("And", "ac.and_(a, b, c)", "ac.and_"), ("DataCopy", "ac.copy(a, b)", "ac.copy"),
     ("DataCopy", "ac.data_copy(a, b)", "ac.data_copy"), ("DataCopyPad", "f(a)", "ac.copy"),
     ("AllocTensor", "with q.put() as a:", "q.put"), ("DeQue", "f(a)", "queue.deque"),
     ("LocalTensor::GetValue", "x[0] = a[1]", "reading an element"), ("ReduceMax", "m = ac.max_of(a)", "ac.max_of"),
     ("a formula", "f(a)", ""), ("WaitFlag", "ac.order(ac.V, ac.S)", "ac.order")],
)  # fmt: skip
def test_a_call_is_named_as_the_line_has_it(api: str, statement: str, said: str) -> None:
    assert faults.spoken(api, statement) == said
