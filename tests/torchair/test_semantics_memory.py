"""Whose memory is whose: writes to inputs, buffers and parameters, views, aliasing results, strides. Against eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.torchair.agree import agree, compiled, copy_of, same

pytestmark = pytest.mark.slow


def t(*shape: int, grad: bool = False) -> torch.Tensor:
    torch.manual_seed(len(shape))
    return torch.randn(shape).requires_grad_(grad)


# ---- writes to inputs ----


def _two_writes(x: torch.Tensor, y: torch.Tensor) -> Any:
    x.add_(1)
    y.copy_(x * 2)
    x.mul_(y)
    return x.sum()


def _through_view(x: torch.Tensor) -> Any:
    x[1].add_(5)
    x[:, 0].zero_()
    x.t()[2].mul_(3)
    return x * 2


def _read_before_and_after(x: torch.Tensor) -> Any:
    before = x * 1
    x.add_(1)
    return before, x * 1


def _index_write(x: torch.Tensor, i: torch.Tensor) -> Any:
    x[i] = 7.0
    x.index_add_(0, i, torch.ones(2, 4))
    return x.masked_fill_(x > 6, 0)


def _written_and_returned(x: torch.Tensor) -> Any:
    return x.relu_()


def _other_dtype(x: torch.Tensor, y: torch.Tensor) -> Any:
    x.copy_(y)
    return x + 1


IN_PLACE: dict[str, tuple[Callable[..., Any], Callable[[], Any]]] = {
    "two inputs": (_two_writes, lambda: (t(3, 4), t(3, 4))),
    "through views": (_through_view, lambda: (t(3, 4),)),
    "read before and after": (_read_before_and_after, lambda: (t(3, 4),)),
    "by index": (_index_write, lambda: (t(3, 4), torch.tensor([0, 2]))),
    "written and returned": (_written_and_returned, lambda: (t(3, 4),)),
    "another type": (_other_dtype, lambda: (t(3, 4), t(3, 4).double())),
    "a slice of another tensor": (lambda x: x.add_(1), lambda: (t(6, 4)[1::2, 1:],)),
    "a transposed one": (lambda x: x.mul_(2), lambda: (t(4, 3).t(),)),
    "channels last": (lambda x: x.add_(1), lambda: (t(2, 3, 4, 5).to(memory_format=torch.channels_last),)),
    "an integer": (lambda x: x.add_(1), lambda: (torch.arange(5),)),
    "empty": (lambda x: x.add_(1), lambda: (t(0, 4),)),
    "without dimensions": (lambda x: x.add_(1), lambda: (torch.tensor(2.0),)),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dynamic", [False, True])
def test_writes_to_inputs(name: str, dynamic: bool) -> None:
    f, args = IN_PLACE[name]
    with torch.no_grad():
        agree(f, *args(), dynamic=dynamic)


def test_one_tensor_given_twice_is_written_once() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        x.add_(1)
        return x * y

    torch._dynamo.reset()
    a, b = t(3), t(3)
    same(compiled(f)(a, a), f(b, b))
    same(a, b)


def test_two_views_of_one_tensor_see_each_other_written() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        x.add_(1)
        y.mul_(2)
        return x + y

    torch._dynamo.reset()
    a, b = t(6), t(6)
    same(compiled(f)(a[:4], a[2:]), f(b[:4], b[2:]))
    same(a, b)


# ---- results that share memory ----

ALIASES: dict[str, Callable[[torch.Tensor], Any]] = {
    "the input": lambda x: x,
    "the input and more": lambda x: (x, x + 1),
    "a view of the input": lambda x: x[1:],
    "a transposed view": lambda x: (x.t(), x.sum()),
    "a view of a written input": lambda x: x.add_(1).view(-1),
    "two views of the input": lambda x: (x[0], x[1:]),
    "one result twice": lambda x: (lambda y: (y, y))(x + 1),
    "a result and its view": lambda x: (lambda y: (y, y[0], y.t()))(x + 1),
    "views of a result": lambda x: (x + 1).split(2, dim=1),
    "expanded": lambda x: (x[:1] + 1).expand(3, 4),
    "detached": lambda x: x.detach(),
    "a constant": lambda x: (torch.arange(3), x + 1),
    "nothing": lambda x: (None, x + 1, 3),
}


def _sharing(results: Any, inputs: tuple[Any, ...]) -> list[tuple[int, int]]:
    """Which pairs among results and inputs lie in one memory."""
    leaves = [v for v in torch.utils._pytree.tree_leaves((results, inputs)) if isinstance(v, torch.Tensor)]
    places = [v.untyped_storage().data_ptr() for v in leaves]
    return [(i, j) for i in range(len(places)) for j in range(i) if places[i] == places[j]]


@pytest.mark.parametrize("name", ALIASES)
@pytest.mark.parametrize("grad", [False, True])
def test_results_share_memory_as_in_eager_mode(name: str, grad: bool) -> None:
    f = ALIASES[name]
    if grad and name == "a view of a written input":
        pytest.skip("a leaf that needs a gradient cannot be written")
    a, b = t(3, 4, grad=grad), t(3, 4, grad=grad)
    torch._dynamo.reset()
    got, expected = compiled(f)(a), f(b)
    same(got, expected)
    assert _sharing(got, (a,)) == _sharing(expected, (b,))


def test_writing_a_result_later_writes_what_it_is_a_view_of() -> None:
    torch._dynamo.reset()
    x = t(3, 4)
    y = compiled(lambda x: (x[1:], x + 1))(x)[0]
    y.zero_()
    assert x[1:].abs().sum() == 0


# ---- strides ----

LAYOUTS: dict[str, Callable[[], torch.Tensor]] = {
    "contiguous": lambda: t(2, 3, 4, 5),
    "channels last": lambda: t(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "transposed": lambda: t(2, 3, 5, 4).transpose(2, 3),
    "sliced": lambda: t(2, 3, 8, 5)[:, :, ::2],
    "expanded": lambda: t(2, 1, 4, 5).expand(2, 3, 4, 5),
    "offset": lambda: t(3, 3, 4, 5)[1:],
}

LAID_OUT: dict[str, Callable[[torch.Tensor], Any]] = {
    "elementwise": lambda x: (x * 2 + 1, x.relu(), x + x.contiguous()),
    "convolution": lambda x: torch.nn.functional.conv2d(x, torch.ones(4, 3, 2, 2)),
    "pooling": lambda x: torch.nn.functional.max_pool2d(x, 2),
    "reduction": lambda x: (x.sum(1), x.mean((0, 2)), x.softmax(1), x.argmax(3)),
    "views": lambda x: (x.permute(3, 1, 0, 2), x.transpose(0, 1) * 2, x.flatten(1), x.unsqueeze(2)),
    "matmul": lambda x: x @ x.transpose(-1, -2),
    "clone": lambda x: (x.clone(), x.contiguous(), torch.empty_like(x).zero_(), torch.zeros_like(x)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", LAID_OUT)
def test_results_have_the_strides_of_eager_mode(name: str, layout: str) -> None:
    agree(LAID_OUT[name], LAYOUTS[layout](), dynamic=False)


def test_gradients_have_the_strides_of_eager_mode() -> None:
    weight = t(4, 3, 2, 2, grad=True)

    def f(x: torch.Tensor, w: torch.Tensor) -> Any:
        return torch.nn.functional.conv2d(x, w).relu().transpose(1, 2)

    agree(f, t(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_(), weight, grad=True)
    agree(f, t(2, 3, 5, 4).transpose(2, 3).detach().requires_grad_(), weight, grad=True)


# ---- modules ----


class Counting(torch.nn.Module):
    """Writes a buffer and, without gradients, a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        self.mean.lerp_(x.detach().mean(0), 0.1)
        with torch.no_grad():
            self.weight.clamp_(max=0.9)
        return x * self.weight + self.mean + self.calls


def both(module: torch.nn.Module) -> tuple[torch.nn.Module, torch.nn.Module]:
    """The module compiled, and a copy of it."""
    import copy

    torch._dynamo.reset()
    other = copy.deepcopy(module)
    return torch.compile(module, backend=torchair_backend(), fullgraph=True), other


def torchair_backend() -> Any:
    import ferrata.torchair as torchair

    return torchair.get_npu_backend()


def equal_states(a: torch.nn.Module, b: torch.nn.Module) -> None:
    for (name, p), (_, q) in zip(a.state_dict().items(), b.state_dict().items(), strict=True):
        torch.testing.assert_close(p, q, msg=lambda m, name=name: f"{name}: {m}")


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_keeps_its_running_statistics(training: bool) -> None:
    torch.manual_seed(0)
    ours, theirs = both(
        torch.nn.Sequential(torch.nn.Conv2d(3, 4, 2), torch.nn.BatchNorm2d(4), torch.nn.ReLU()).train(training)
    )
    for step in range(3):
        x = t(2, 3, 5, 5) + step
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        y, z = ours(a), theirs(b)
        same(y, z)
        y.square().sum().backward()
        z.square().sum().backward()
        torch.testing.assert_close(a.grad, b.grad)
    equal_states(ours, theirs)


def test_buffers_and_parameters_are_written_on_every_call() -> None:
    ours, theirs = both(Counting())
    for step in range(3):
        same(ours(t(3, 4) + step), theirs(t(3, 4) + step))
    equal_states(ours, theirs)
    assert theirs.calls == 3


def test_tied_weights_get_one_gradient() -> None:
    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(7, 4)
            self.head = torch.nn.Linear(4, 7, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, i: torch.Tensor) -> torch.Tensor:
            return self.head(self.embed(i).tanh())

    torch.manual_seed(0)
    ours, theirs = both(Tied())
    i = torch.tensor([[1, 2, 3], [6, 2, 0]])
    y, z = ours(i), theirs(i)
    same(y, z)
    y.square().sum().backward()
    z.square().sum().backward()
    torch.testing.assert_close(ours.embed.weight.grad, theirs.embed.weight.grad)
    assert ours.embed.weight is ours.head.weight


def test_a_weight_exchanged_after_compilation_counts() -> None:
    torch._dynamo.reset()
    layer = torch.nn.Linear(4, 4)
    g = compiled(layer)
    x = t(3, 4)
    same(g(x), layer(x))
    with torch.no_grad():
        layer.weight.mul_(2)
    same(g(x), layer(x))
    layer.weight = torch.nn.Parameter(torch.ones(4, 4))
    same(g(x), layer(x))


def test_inputs_are_left_alone_otherwise() -> None:
    torch._dynamo.reset()
    x = t(3, 4)
    kept = copy_of(x)
    y = compiled(lambda x: (x.relu(), x * 2))(x)
    y[0].zero_()
    y[1].zero_()
    same(x, kept)
