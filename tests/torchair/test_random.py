"""Random operators: the stream of a graph is that of eager mode on the same device, and passes keep its order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import ferrata.npu  # noqa: F401  registers the device
from ferrata.ge import Desc, GraphBuilder, Session
from ferrata.ge.attrs import AttrValue
from ferrata.ge.library import rules
from ferrata.ge.passes import run_passes
from tests.torchair.agree import agree, compiled, copy_of, same, watching

pytestmark = pytest.mark.slow

DEVICES = ("cpu", "npu")


def x(device: str, *shape: int, dtype: torch.dtype = torch.float32, grad: bool = False) -> torch.Tensor:
    torch.manual_seed(3)
    return torch.randn(shape or (5, 4)).to(dtype).to(device).requires_grad_(grad)


CASES: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "rand": (lambda x: torch.rand(3, 4, device=x.device), ("RandomUniform",)),
    "rand_like": (lambda x: torch.rand_like(x), ("RandomUniform",)),
    "randn": (lambda x: torch.randn(x.shape[0], 2, device=x.device), ("RandomStandardNormal",)),
    "randn_like": (lambda x: torch.randn_like(x), ("RandomStandardNormal",)),
    "randint": (lambda x: torch.randint(5, (3, 4), device=x.device), ("RandomUniformInt",)),
    "randint_like": (lambda x: torch.randint_like(x, -3, 9), ("RandomUniformInt", "Cast")),
    "randperm": (lambda x: torch.randperm(x.shape[0], device=x.device), ("StatelessRandperm",)),
    "bernoulli": (lambda x: torch.bernoulli(x.sigmoid()), ("StatelessBernoulliV2",)),
    "bernoulli p": (lambda x: torch.bernoulli(x, 0.3), ("StatelessBernoulli",)),
    "dropout": (lambda x: F.dropout(x, 0.3), ("StatelessBernoulli", "Cast", "Mul", "Mul")),
    "feature dropout": (lambda x: F.dropout1d(x, 0.3), ("StatelessBernoulli",)),
    "normal": (
        lambda x: (torch.normal(x, x.abs()), torch.normal(x, 2.0), torch.normal(0.5, x.abs())), ("Normal",) * 3
    ),
    "normal_": (lambda x: x.clone().normal_(2.0, 3.0), ("StatelessNormal",)),
    "uniform_": (lambda x: x.clone().uniform_(-1, 3), ("Uniform",)),
    "exponential_": (lambda x: x.clone().exponential_(), ("aten::exponential.default",)),
    "multinomial": (lambda x: torch.multinomial(x.abs(), 2), ("MultinomialWithReplacement",)),
    "multinomial again": (lambda x: torch.multinomial(x.abs(), 9, True), ("MultinomialWithReplacement",)),
    "poisson": (lambda x: torch.poisson(x.abs()), ("RandomPoisson",)),
    "gamma": (lambda x: torch._standard_gamma(x.abs() + 1), ("RandomGamma",)),
    "rrelu": (lambda x: F.rrelu(x, training=True), ()),
    "gumbel": (lambda x: F.gumbel_softmax(x, hard=True), ()),
}  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_the_stream_is_that_of_eager_mode(name: str, device: str) -> None:
    f, types = CASES[name]
    seen = agree(f, x(device), dynamic=False).types()
    assert [t for t in seen if t in types] == list(types)


@pytest.mark.parametrize("dynamic", [False, True])
def test_several_draws_keep_their_order(dynamic: bool) -> None:
    def f(x: torch.Tensor) -> Any:
        a, b = torch.rand_like(x), torch.rand_like(x)  # equal nodes, but not one value
        c = torch.randn(x.shape[0])
        return F.dropout(x) + a - b, c, torch.randint(9, (4,))

    agree(f, x("cpu"), dynamic=dynamic)


def test_a_seed_set_between_calls_counts() -> None:
    torch._dynamo.reset()
    g = compiled(lambda x: F.dropout(x) + torch.rand_like(x))
    value = x("cpu", 64)
    torch.manual_seed(1)
    first, second = g(value), g(value)
    torch.manual_seed(1)
    again = g(value)
    torch.manual_seed(2)
    other = g(value)
    torch.testing.assert_close(first, again)
    assert not torch.equal(first, second)
    assert not torch.equal(first, other)


def test_each_device_draws_from_its_own_generator() -> None:
    def f(x: torch.Tensor) -> Any:
        return torch.rand_like(x)

    torch._dynamo.reset()
    g, value = compiled(f), x("npu")
    torch.npu.manual_seed(5)
    expected = f(value)
    torch.npu.manual_seed(5)
    before = torch.get_rng_state()
    torch.testing.assert_close(g(value), expected)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("device", DEVICES)
def test_dropout_has_gradients(device: str) -> None:
    seen = agree(lambda x: F.dropout(x, 0.1) * 2, x(device, 30, 4, grad=True), grad=True)
    assert not any(t.startswith("aten::") for t in seen.types())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_dropout_rounds_as_eager_mode_on_the_device_and_as_what_pytorch_traces(dtype: torch.dtype, device: str) -> None:
    """That is `native_dropout`; F.dropout in eager mode on the CPU is another composition, with its own gradient."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.1) * 2

    def run(how: Callable[..., Any]) -> list[torch.Tensor]:
        torch._dynamo.reset()
        value = x(device, 30, 40, dtype=dtype, grad=True)
        torch.manual_seed(1)
        y = how(value)
        y.float().sum().backward()
        return [y.detach(), value.grad]

    got = run(compiled(f))
    references = [run(torch.compile(f, backend="aot_eager"))] + ([run(f)] if device == "npu" else [])
    for a, b in [pair for expected in references for pair in zip(got, expected, strict=True)]:
        assert torch.equal(a, b)


def test_memory_of_another_order_gets_the_numbers_of_eager_mode() -> None:
    image = x("cpu", 2, 3, 4, 5).to(memory_format=torch.channels_last)
    agree(lambda x: (torch.rand_like(x), F.dropout(x), torch.bernoulli(x.sigmoid())), image)


class Block(torch.nn.Module):
    def __init__(self, saving: bool) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(2))
        self.saving = saving

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            step = lambda x, layer=layer: F.dropout(layer(x).gelu() if False else F.gelu(layer(x)), 0.4)  # noqa: E731
            x = checkpoint(step, x, use_reentrant=False) if self.saving else step(x)
        return x


@pytest.mark.parametrize("device", DEVICES)
def test_checkpointing_draws_the_same_numbers_twice(device: str) -> None:
    """The recomputed dropout in the backward graph has the mask of the forward graph."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    eager = Block(False).to(device)
    model = Block(True).to(device)
    model.load_state_dict(eager.state_dict())
    value = x(device, 6, 8, grad=True)
    other = copy_of(value)
    torch.manual_seed(11)
    expected = eager(value)
    torch.manual_seed(11)
    with watching() as seen:
        got = compiled(model)(other)
        same(got, expected)
        expected.square().sum().backward()
        got.square().sum().backward()
    same(other.grad, value.grad)
    for a, b in zip(model.parameters(), eager.parameters(), strict=True):
        same(a.grad, b.grad)
    assert any("rng_state" in t for t in seen.types())


def test_passes_leave_draws_alone() -> None:
    assert all(rules.every()[t].effect for t in ("RandomUniform", "StatelessBernoulli", "Normal"))
    with GraphBuilder() as g:
        shape = g.const(torch.tensor([3]))
        attrs = {"dtype": AttrValue("Int", 0)}
        a = g.add("RandomUniform", {"shape": shape}, attrs=attrs)[0]
        g.add("RandomUniform", {"shape": shape}, attrs=attrs)  # nobody reads it
        b = g.add("RandomUniform", {"shape": shape}, attrs=attrs)[0]
        graph = g.finish([a, b])
    draws = [n.name for n in run_passes(graph).nodes if n.type == "RandomUniform"]
    assert draws == ["RandomUniform", "RandomUniform_1", "RandomUniform_2"]
    assert graph.node("RandomUniform_2").controls == ("RandomUniform_1",)
    assert graph.node("RandomUniform").outputs[0].desc == Desc(0, (3,))
    torch.manual_seed(4)
    expected = [torch.rand(3) for _ in range(3)]
    torch.manual_seed(4)
    got = Session().compile(graph)()
    same(got, (expected[0], expected[2]))
