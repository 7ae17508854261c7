"""In-place custom operators: functionalised by AOTAutograd, restored, and equal to eager in values and in memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ferrata import torchair


@pytest.fixture
def axpy(operators: Any) -> Any:
    """`axpy_(x!, y, alpha)`, GE `AxpyT` with the ref port x."""

    def run(ctx: Any) -> None:
        ctx.make_output_ref_input("x", "x").add_(ctx.input("y"), alpha=ctx.attr("alpha"))

    op = operators.torch(
        "axpy_(Tensor(a!) x, Tensor y, float alpha) -> ()",
        lambda x, y, alpha: x.add_(y, alpha=alpha) is None or None,
        lambda *a: None,
    )
    operators.ge("AxpyT", run, inputs=["x", "y"], outputs=["x"], attrs={"alpha": "Float"})
    operators.converter(
        op,
        lambda x, y, alpha: torchair.ge.custom_op(
            "AxpyT", inputs={"x": x, "y": y}, outputs=["x"], attrs={"alpha": torchair.ge.attr.Float(alpha)}
        ),
    )
    return op


def check(f: Any, *inputs: torch.Tensor, dynamic: bool = False) -> None:
    """Compiled equals eager, in results and in what became of the inputs."""
    twins = [i.clone() for i in inputs]
    compiled = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for _ in range(2):
        got, expected = compiled(*inputs), f(*twins)
        torch.testing.assert_close(got, expected)
        torch.testing.assert_close(list(inputs), twins)


@pytest.mark.parametrize("dynamic", [False, True])
def test_intermediate_input_view_and_transpose(axpy: Any, dynamic: bool) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        a = x * 2
        axpy(a, y, 2.0)
        axpy(x, y, 3.0)
        b = a.t()
        axpy(b, y.t(), 1.0)
        axpy(a[1], y[0], 1.0)
        return a + x, b

    check(f, torch.randn(4, 6), torch.randn(4, 6), dynamic=dynamic)


def test_old_value_is_kept_where_it_is_read_later(axpy: Any) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        old = x.clone()
        axpy(x, y, 1.0)
        axpy(old, x, 1.0)
        return old * x

    check(f, torch.randn(5), torch.randn(5))


def test_input_is_written_without_a_copy(axpy: Any, operators: Any) -> None:
    addresses = []
    x, y = torch.zeros(4), torch.ones(4)

    def f(x: torch.Tensor, y: torch.Tensor) -> None:
        axpy(x, y, 1.0)

    compiled = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)
    addresses.append(x.data_ptr())
    compiled(x, y)
    assert x.tolist() == [1, 1, 1, 1] and x.data_ptr() == addresses[0]


def test_same_tensor_as_both_arguments(axpy: Any) -> None:
    def f(x: torch.Tensor) -> Any:
        a = x + 1
        axpy(a, a, 1.0)
        return a

    check(f, torch.randn(3))


def test_module_buffer(axpy: Any) -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x: torch.Tensor) -> Any:
            axpy(self.total, x, 1.0)
            return self.total * 2

    module, eager = Counter(), Counter()
    compiled = torch.compile(module, backend=torchair.get_npu_backend(), fullgraph=True)
    for i in range(3):
        x = torch.full((3,), float(i))
        torch.testing.assert_close(compiled(x), eager(x))
    torch.testing.assert_close(module.total, eager.total)


def test_reuse_can_be_switched_off(axpy: Any) -> None:
    config = torchair.CompilerConfig()
    config.debug.aclgraph.disable_reinplace_inplaceable_ops_pass = True
    f = torch.compile(
        lambda x, y: axpy(x, y, 1.0), backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True
    )
    x = torch.zeros(2)
    f(x, torch.ones(2))
    assert x.tolist() == [1, 1]


def test_optional_and_list_arguments_and_a_return(operators: Any) -> None:
    def run_torch(xs: list[torch.Tensor], y: torch.Tensor | None, k: torch.Tensor) -> torch.Tensor:
        for x in xs:
            x += k
        if y is not None:
            y += k
        return k * 2

    op = operators.torch(
        "many_(Tensor(a!)[] xs, Tensor(b!)? y, Tensor k) -> Tensor", run_torch, lambda xs, y, k: torch.empty_like(k)
    )

    def run(ctx: Any) -> None:
        k = ctx.input("k")
        for i in range(2):
            ctx.make_output_ref_input(f"xs{i}", f"xs{i}").add_(k)
        if ctx.input("y") is not None:
            ctx.make_output_ref_input("y", "y").add_(k)
        ctx.malloc_output("r", k.shape, k.dtype).copy_(k * 2)

    operators.ge("ManyT", run, inputs=["xs[]", "y?", "k"], outputs=["xs[]", "r"])
    operators.ge("ManyYT", run, inputs=["xs[]", "y?", "k"], outputs=["xs[]", "y", "r"])

    def convert(xs: Any, y: Any, k: Any) -> Any:
        names = [("xs", 2), "r"] if y is None else [("xs", 2), "y", "r"]
        return torchair.ge.custom_op(
            "ManyT" if y is None else "ManyYT", inputs={"xs": xs, "y": y, "k": k}, outputs=names
        )[-1]

    operators.converter(op, convert)

    def f(a: torch.Tensor, b: torch.Tensor, y: torch.Tensor, k: torch.Tensor) -> Any:
        return op([a, b], None, k), op([a, b * 1], y, k), a + b + y

    check(f, torch.randn(3), torch.randn(3), torch.randn(3), torch.randn(3))


def test_a_writer_without_a_ref_output_keeps_its_place(operators: Any) -> None:
    """The prototype does not say that x is written; order and liveness hold all the same."""
    op = operators.torch("fill_(Tensor(a!) x, float v) -> ()", lambda x, v: x.fill_(v) is None or None, lambda *a: None)

    def run(ctx: Any) -> None:
        ctx.input("x").fill_(ctx.attr("v"))
        ctx.malloc_output("done", (1,), torch.float32).zero_()

    operators.ge("FillT", run, inputs=["x"], outputs=["done"], attrs={"v": "Float"})

    def convert(x: Any, v: float) -> None:
        torchair.ge.custom_op("FillT", inputs={"x": x}, outputs=["done"], attrs={"v": torchair.ge.attr.Float(v)})

    operators.converter(op, convert)

    def f(x: torch.Tensor) -> Any:
        a = x + 1
        before = a * 1
        op(a, 7.0)
        return before, a * 2

    check(f, torch.randn(3))


def test_training_through_a_module_that_writes_in_place(axpy: Any) -> None:
    def f(w: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        y = w * 2
        with torch.no_grad():
            axpy(state, y, 0.5)
        return (y * state).sum()

    w, state = torch.randn(4, requires_grad=True), torch.zeros(4)
    w2, state2 = w.detach().clone().requires_grad_(), torch.zeros(4)
    compiled = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)
    compiled(w, state).backward()
    f(w2, state2).backward()
    torch.testing.assert_close(w.grad, w2.grad)
    torch.testing.assert_close(state, state2)
