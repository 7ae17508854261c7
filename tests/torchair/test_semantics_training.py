"""Training through the graph: whole steps with the optimizer inside, accumulation, checkpointing, hooks, autocast."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import ferrata.npu  # noqa: F401  registers the device
import ferrata.torchair as torchair
from ferrata.ge.ir import Graph
from tests.torchair.agree import agree, compiled, same, watching

pytestmark = pytest.mark.slow


def t(*shape: int, grad: bool = False) -> torch.Tensor:
    torch.manual_seed(len(shape))
    return torch.randn(shape).requires_grad_(grad)


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 3))


def equal_parameters(a: torch.nn.Module, b: torch.nn.Module, *, grads: bool = False) -> None:
    for (name, p), q in zip(a.named_parameters(), b.parameters(), strict=True):
        torch.testing.assert_close(p, q, msg=lambda m, name=name: f"{name}: {m}")
        if grads:
            torch.testing.assert_close(p.grad, q.grad, msg=lambda m, name=name: f"gradient of {name}: {m}")


# ---- optimizers ----


def written(graph: Graph) -> set[str]:
    """The inputs that a graph writes."""
    return {
        p.ref.node for n in graph.nodes if n.effect for p in n.inputs if p.ref and graph.node(p.ref.node) in graph.feeds
    }


def broken(f: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled, graph breaks allowed: PyTorch itself puts one around an optimizer's step."""
    made: Callable[..., Any] = torch.compile(f, backend=torchair.get_npu_backend())
    return made


OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "SGD": lambda p, **k: torch.optim.SGD(p, lr=0.1, **k),
    "SGD momentum": lambda p, **k: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01, **k),
    "Adam": lambda p, **k: torch.optim.Adam(p, lr=0.01, **k),
    "Adam amsgrad": lambda p, **k: torch.optim.Adam(p, lr=0.01, amsgrad=True, weight_decay=0.1, **k),
    "AdamW": lambda p, **k: torch.optim.AdamW(p, lr=0.01, **k),
    "RMSprop": lambda p, **k: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, **k),
    "Adagrad": lambda p, **k: torch.optim.Adagrad(p, lr=0.01, **k),
}


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "AdamW" else pytest.mark.slow) for n in OPTIMIZERS])
def test_the_optimizer_in_a_graph_makes_the_same_steps(name: str, foreach: bool) -> None:
    """As PyTorch's own trace of it, which keeps the count of steps in float32, unlike eager mode."""
    ours, theirs = model().double(), model().double()
    torch._dynamo.reset()
    a, b = OPTIMIZERS[name](ours.parameters(), foreach=foreach), OPTIMIZERS[name](theirs.parameters(), foreach=foreach)
    with watching() as seen:
        step, other = broken(a.step), torch.compile(b.step, backend="aot_eager")
        for i in range(3):
            x = t(4, 6).double() + i
            for m in (ours, theirs):
                m.zero_grad()
                m(x).square().mean().backward()
            step()
            other()
    equal_parameters(ours, theirs)
    assert seen.graphs
    assert max(len(written(g)) for g in seen.graphs) >= 6  # all parameters in one graph
    for p, q in zip(a.state.values(), b.state.values(), strict=True):
        same(p, q, strides=False)


@pytest.mark.slow
def test_a_learning_rate_in_a_tensor_may_change() -> None:
    ours, theirs = model().double(), model().double()
    torch._dynamo.reset()
    rates = [torch.tensor(0.1, dtype=torch.float64) for _ in range(2)]
    a, b = (torch.optim.Adam(m.parameters(), lr=r) for m, r in zip((ours, theirs), rates, strict=True))
    with watching() as seen:
        step, other = broken(a.step), torch.compile(b.step, backend="aot_eager")
        for i in range(3):
            for m in (ours, theirs):
                m.zero_grad()
                m(t(4, 6).double()).square().mean().backward()
            step()
            other()
            if i == 0:
                count = len(seen.graphs)
            for r in rates:
                r.mul_(0.5)
    equal_parameters(ours, theirs)
    assert len(seen.graphs) <= count + 1  # the first step makes the state


@pytest.mark.slow
def test_a_whole_step_forward_backward_and_optimizer() -> None:
    """One function: Dynamo compiles forward with backward, then the optimizer."""
    ours, theirs = model().double(), model().double()
    a, b = (torch.optim.AdamW(m.parameters(), lr=0.01) for m in (ours, theirs))

    def step(m: torch.nn.Module, o: torch.optim.Optimizer, x: torch.Tensor) -> torch.Tensor:
        o.zero_grad()
        loss = m(x).square().mean()
        loss.backward()
        o.step()
        return loss.detach()

    torch._dynamo.reset()
    g, h = broken(step), torch.compile(step, backend="aot_eager")
    for i in range(4):
        torch.testing.assert_close(g(ours, a, t(4, 6).double() + i), h(theirs, b, t(4, 6).double() + i))
    equal_parameters(ours, theirs)


# ---- accumulation, several uses ----


def test_gradients_accumulate_over_calls() -> None:
    ours, theirs = model(), model()
    torch._dynamo.reset()
    g = compiled(ours)
    for i in range(3):
        for f in (g, theirs):
            (f(t(4, 6) + i).square().mean() / 3).backward()
    equal_parameters(ours, theirs, grads=True)


def test_a_model_used_twice_before_its_backward() -> None:
    ours, theirs = model(), model()
    torch._dynamo.reset()
    g = compiled(ours)
    for f in (g, theirs):
        (f(t(4, 6)) * f(t(4, 6) + 1)).sum().backward()
    equal_parameters(ours, theirs, grads=True)


def test_backward_twice_with_the_graph_retained() -> None:
    a, b = t(3, 4, grad=True), t(3, 4, grad=True)
    torch._dynamo.reset()
    for f, x in ((compiled(lambda x: x.sin() * x), a), (lambda x: x.sin() * x, b)):
        y = f(x).sum()
        y.backward(retain_graph=True)
        y.backward()
    torch.testing.assert_close(a.grad, b.grad)


def test_only_what_needs_a_gradient_gets_one() -> None:
    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (x @ w).tanh()

    agree(f, t(3, 4), t(4, 4, grad=True), grad=True)
    agree(f, t(3, 4, grad=True), t(4, 4), grad=True)


# ---- checkpointing ----


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_checkpointed_layers_have_the_gradients_of_eager_mode(dropout: float) -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(6, 6) for _ in range(3))

        def layer(self, i: int, x: torch.Tensor) -> torch.Tensor:
            return F.dropout(F.gelu(self.layers[i](x)), dropout)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for i in range(3):
                x = checkpoint(self.layer, i, x, use_reentrant=False)
            return x

    torch.manual_seed(0)
    ours = Net()
    theirs = copy.deepcopy(ours)
    torch._dynamo.reset()
    with watching() as seen:
        for f in (compiled(ours), theirs):
            torch.manual_seed(5)
            f(t(4, 6)).square().sum().backward()
    equal_parameters(ours, theirs, grads=True)
    products = [n for n in seen.types() if "MatMul" in n]
    assert len(products) > 3 + 5  # those of the layers and of their gradients: layers are computed again


# ---- modes ----


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_autocast_around_and_inside(device: str) -> None:
    m = model().to(device)

    def inside(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16):
            y = m(x)
            with torch.autocast(device, enabled=False):
                return y.float() @ torch.ones(3, 2, device=x.device)

    x = t(4, 6).to(device)
    seen = agree(inside, x)
    assert "Cast" in seen.types()
    torch._dynamo.reset()
    g = compiled(m)
    with torch.autocast(device, torch.bfloat16):
        same(g(x), m(x))
    same(g(x), m(x))  # guarded: without autocast it is another graph


def test_autocast_has_gradients() -> None:
    ours, theirs = model(), model()
    torch._dynamo.reset()
    for f in (compiled(ours), theirs):
        with torch.autocast("cpu", torch.bfloat16):
            loss = f(t(4, 6)).float().square().mean()
        loss.backward()
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=1.6e-2, atol=1e-3)  # bfloat16


def test_no_grad_and_inference_mode() -> None:
    m = model()
    torch._dynamo.reset()
    g = compiled(m)
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with mode():
            got, expected = g(t(4, 6)), m(t(4, 6))
        torch.testing.assert_close(got, expected)
        assert got.requires_grad == expected.requires_grad
        assert got.is_inference() == expected.is_inference()


def test_no_grad_inside() -> None:
    def f(x: torch.Tensor) -> Any:
        with torch.no_grad():
            y = x * 2
        with torch.enable_grad():
            z = x * 3
        return y, z + y, x.detach() * z

    agree(f, t(3, grad=True), grad=True)


# ---- hooks ----


def test_forward_hooks_run_in_the_graph() -> None:
    m = model()
    m[0].register_forward_pre_hook(lambda mod, args: (args[0] * 2,))
    m[0].register_forward_hook(lambda mod, args, out: out + 1)
    torch._dynamo.reset()
    same(compiled(m)(t(4, 6)), m(t(4, 6)))


def test_tensor_hooks_change_gradients() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.register_hook(lambda grad: grad * 10)
        return y.sin()

    torch._dynamo.reset()
    a, b = t(3, grad=True), t(3, grad=True)
    x_hook: list[int] = []
    for x in (a, b):
        x.register_hook(lambda grad: x_hook.append(1))  # on an input: outside of the graph
    broken(f)(a).sum().backward()
    f(b).sum().backward()
    torch.testing.assert_close(a.grad, b.grad)
    assert len(x_hook) == 2


def test_hooks_on_parameters_and_results() -> None:
    ours, theirs = model(), model()
    torch._dynamo.reset()
    for m, f in ((ours, compiled(ours)), (theirs, theirs)):
        m[0].weight.register_hook(lambda grad: grad.clamp(-0.01, 0.01))
        y = f(t(4, 6))
        y.register_hook(lambda grad: grad * 2)
        y.square().sum().backward()
    equal_parameters(ours, theirs, grads=True)


def test_a_custom_function_has_its_own_gradient() -> None:
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, limit: float) -> torch.Tensor:
            ctx.save_for_backward(x)
            ctx.limit = limit
            return x.clamp(-limit, limit)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            (x,) = ctx.saved_tensors
            return grad * (x.abs() < 2 * ctx.limit), None

    agree(lambda x: Clip.apply(x * 1.5, 0.5) * x, t(3, 4, grad=True), grad=True)
