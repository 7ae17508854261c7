"""A session in use: reentrancy, threads, several graphs; exceptions and exhausted memory leave it usable."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

import ferrata.npu  # noqa: F401  registers the device
from ferrata import torchair
from tests.torchair.agree import compiled, same, watching

pytestmark = pytest.mark.slow


def t(*shape: int, grad: bool = False) -> torch.Tensor:
    torch.manual_seed(len(shape))
    return torch.randn(shape).requires_grad_(grad)


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def test_a_compiled_function_calls_a_compiled_function() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    g = compiled(inner)
    with watching() as seen:
        same(compiled(lambda x: g(x) * g(x + 1))(t(3)), inner(t(3)) * inner(t(3) + 1))
    assert len(seen.graphs) == 1  # traced through


def test_an_operator_that_calls_a_compiled_function(operators: Any) -> None:
    """At run time, in the middle of another graph."""
    g = compiled(lambda x: x.cos() * 2)
    op = operators.torch("again(Tensor x) -> Tensor", lambda x: g(x), torch.empty_like)
    operators.converter(op, lambda x: _python(operators, x, g))
    same(compiled(lambda x: op(x + 1) - 1)(t(3)), (t(3) + 1).cos() * 2 - 1)
    same(compiled(lambda x: op(op(x)))(t(4)), ((t(4).cos() * 2).cos() * 2))


def _python(operators: Any, x: Any, g: Any) -> Any:
    def run(ctx: Any) -> None:
        ctx.malloc_output("y", ctx.input("x").shape, torch.float32).copy_(g(ctx.input("x")))

    if "CallsAgain" not in operators.ge_types:
        operators.ge("CallsAgain", run, inputs={"x": torch.float32}, outputs={"y": torch.float32})
    return torchair.ge.custom_op("CallsAgain", inputs={"x": x}, outputs=["y"])


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_four_threads_run_one_compiled_model(device: str) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.Linear(8, 3)).to(device)
    g = compiled(model)
    g(t(4, 6).to(device))
    wrong: list[str] = []

    def work(number: int) -> None:
        try:
            for i in range(20):
                x = (t(4, 6) + number * 100 + i).to(device).requires_grad_()
                y = x.detach().clone().requires_grad_()
                a, b = g(x), model(y)
                torch.testing.assert_close(a, b)
                (da,), (db,) = torch.autograd.grad(a.sum(), x), torch.autograd.grad(b.sum(), y)
                torch.testing.assert_close(da, db)
        except Exception as error:  # noqa: BLE001  a thread's exception would be lost
            wrong.append(f"thread {number}: {error}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_threads_compile_functions_of_their_own() -> None:
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        results[number] = compiled(lambda x: (x + number).sin())(t(5))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(3):
        same(results[number], (t(5) + number).sin())


def test_an_exception_of_a_kernel_leaves_the_session_usable(operators: Any) -> None:
    broken = [True]

    def run(ctx: Any) -> None:
        if broken[0]:
            raise ValueError("the table is empty")
        ctx.malloc_output("y", ctx.input("x").shape, torch.float32).copy_(ctx.input("x") * 3)

    op = operators.torch("three(Tensor x) -> Tensor", lambda x: x * 3, torch.empty_like)
    operators.ge("ThreeTimes", run, inputs={"x": torch.float32}, outputs={"y": torch.float32})
    operators.converter(op, lambda x: torchair.ge.custom_op("ThreeTimes", inputs={"x": x}, outputs=["y"]))
    g, x = compiled(lambda x: op(x.add_(1)) + 1), t(3)
    kept = x.clone()
    with pytest.raises(Exception, match="the table is empty"):
        g(x)
    x.copy_(kept)
    broken[0] = False
    same(g(x), (kept + 1) * 3 + 1)
    same(compiled(lambda x: x * 2)(t(4)), t(4) * 2)


def test_an_exception_while_compiling_leaves_the_session_usable(operators: Any) -> None:
    op = operators.torch("bad(Tensor x) -> Tensor", lambda x: x, torch.empty_like)

    def converter(x: Any) -> Any:
        raise KeyError("not yet")

    operators.converter(op, converter)
    g = compiled(lambda x: op(x) + 1)
    for _ in range(2):
        with pytest.raises(Exception, match="not yet"):
            g(t(3))
    operators.converter(op, lambda x: x)
    torch._dynamo.reset()
    same(g(t(3)), t(3) + 1)


def test_an_index_out_of_range_is_an_error_and_no_more() -> None:
    g = compiled(lambda x, i: x[i] + 1)
    with pytest.raises((IndexError, RuntimeError)):
        g(t(3), torch.tensor([5]))
    same(g(t(3), torch.tensor([2])), t(3)[torch.tensor([2])] + 1)


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_exhausted_memory_leaves_the_session_usable(device: str) -> None:
    """2**42 elements: more than any machine has, and than the device allows."""

    def f(x: torch.Tensor, n: int) -> torch.Tensor:
        return x.expand(n, 2**21).contiguous().sum() + x.sum()

    g, x = compiled(f, dynamic=True), t(1, 1).to(device)
    small = g(x, 3)
    same(small, f(x, 3))
    with pytest.raises(RuntimeError, match=r"(?i)memory|allocate"):
        g(x, 2**21)
    same(g(x, 5), f(x, 5))
    same(compiled(lambda x: x * 2)(t(4).to(device)), t(4).to(device) * 2)


def test_two_models_with_shared_weights_compile_apart() -> None:
    layer = torch.nn.Linear(4, 4)
    first, second = compiled(torch.nn.Sequential(layer, torch.nn.ReLU())), compiled(torch.nn.Sequential(layer))
    same(first(t(3, 4)), layer(t(3, 4)).relu())
    same(second(t(3, 4)), layer(t(3, 4)))


def test_a_graph_is_freed_with_its_function() -> None:
    import gc
    import weakref

    def use() -> weakref.ref[Any]:
        weight = torch.nn.Parameter(torch.ones(4))
        g = compiled(lambda x: x * weight)
        same(g(t(4)), t(4) * weight)
        return weakref.ref(weight)

    weight = use()
    torch._dynamo.reset()
    gc.collect()
    assert weight() is None
