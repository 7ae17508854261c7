"""What is written otherwise in the graph that Inductor gets: by the graph, by its values, and by the memory it saves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from benchmarks.bench_memory import peak
from ferrata.ge.cluster.scattered import put_in_place
from ferrata.ge.cluster.transposed import as_convolutions
from tests.clusters import clustered, one_process

pytestmark = pytest.mark.slow

aten = torch.ops.aten


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def traced(function: Callable[..., Any], *inputs: torch.Tensor, rewrite: Callable[..., None]) -> list[Any]:
    """The operators of the rewritten graph, which must compute what the function does."""
    mode = FakeTensorMode()
    graph = make_fx(function, tracing_mode="real")(*inputs)
    fakes = iter([mode.from_tensor(i) for i in inputs])
    with mode:
        for node in graph.graph.nodes:
            read = [torch.fx.node.map_arg(a, lambda n: n.meta["val"]) for a in (node.args, node.kwargs)]
            if node.op == "placeholder":
                node.meta["val"] = next(fakes)
            elif node.op == "call_function":
                node.meta["val"] = node.target(*read[0], **read[1])
    rewrite(graph, mode)
    graph.graph.lint()
    torch.testing.assert_close(graph(*inputs), function(*inputs))
    return [n.target for n in graph.graph.nodes if n.op == "call_function"]


def assigned(graph: Any, mode: Any) -> None:
    put_in_place(graph)


X, ROW = torch.randn(3, 7, 5), torch.randn(3, 2, 5)


@pytest.mark.parametrize("function", [
    lambda x, y: torch.cat([x[:, :3], y, x[:, 5:]], 1),
    lambda x, y: torch.cat([x[:, :-4], y, x[:, -2:]], -2),
    lambda x, y: torch.cat([y, x[:, 2:]], 1),
    lambda x, y: torch.cat([x[:, :5], y], 1),
    lambda x, y: torch.cat([aten.clone(x[:, :3]), y, x[:, 5:]], 1),
])  # fmt: skip
def test_a_part_put_in_place_of_another(function: Any) -> None:
    assert traced(function, X, ROW, rewrite=assigned) == [aten.slice_scatter.default]


@pytest.mark.parametrize("function", [
    lambda x, y: torch.cat([x[:, 1:3], y, x[:, 5:]], 1),  # begins elsewhere
    lambda x, y: torch.cat([x[:, :3], y, x[:, 4:]], 1),  # longer than before
    lambda x, y: torch.cat([x[:, :3], y, x[:, 5:7], x[:, 6:]], 1),
    lambda x, y: torch.cat([x[:, 5:], y, x[:, :3]], 1),  # the other way round
    lambda x, y: torch.cat([x[:, :3], y, x.neg()[:, 5:]], 1),  # of two tensors
    lambda x, y: torch.cat([x[:2], y], 1) if y.shape[0] == 2 else torch.cat([x[:, :6:2], y, x[:, 5:]], 1),  # in steps
    lambda x, y: torch.cat([x, y], 1),
    lambda x, y: torch.cat([x[:, :5].double(), y], 1),  # another type
    lambda x, y: torch.cat([x[:, 2:], y], 1),  # moved along, as a cache does
])  # fmt: skip
def test_what_is_not_quite_that_stays(function: Any) -> None:
    assert aten.cat.default in traced(function, X, ROW, rewrite=assigned)


CONVOLUTIONS = [  # sizes of what comes in, of the filter, and stride, padding, dilation, groups
    ((2, 4, 5), (4, 3, 3), [2], [1], [1], 1),
    ((2, 4, 5, 3), (4, 3, 2, 2), [2, 2], [0, 0], [1, 1], 1),
    ((1, 4, 3, 3), (4, 2, 3, 1), [3, 1], [1, 0], [2, 1], 2),
    ((1, 2, 2, 3, 2), (2, 2, 2, 2, 2), [1, 2, 1], [0, 1, 0], [1, 1, 2], 1),
]


def backward(more: int, mask: list[bool], stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    def function(g: torch.Tensor, w: torch.Tensor) -> Any:
        count = len(stride)
        last = [more if d == stride.index(max(stride)) else 0 for d in range(count)]
        size = aten.convolution(g, w, None, stride, padding, dilation, True, last, groups).shape
        made = aten.convolution_backward(
            g, g.new_ones(size), w, None, stride, padding, dilation, False, [0] * count, groups, mask
        )
        return made[0] if not mask[1] else (made[0], made[1])

    return function


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(("given", "window", "stride", "padding", "dilation", "groups"), CONVOLUTIONS)
def test_a_gradient_for_the_input_alone_is_a_transposed_convolution(
    more: int, given: Any, window: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> None:
    function = backward(more, [True, False, False], stride, padding, dilation, groups)
    inputs = torch.randn(given), torch.randn(window)
    found = traced(function, *inputs, rewrite=as_convolutions)
    assert aten.convolution_backward.default not in found
    assert found.count(aten.convolution.default) == 2  # the other one, of which the function took the size, is not read


def test_a_gradient_for_more_than_the_input_stays() -> None:
    function = backward(0, [True, True, False], [2], [0], [1], 1)
    found = traced(function, torch.randn(2, 4, 5), torch.randn(4, 3, 3), rewrite=as_convolutions)
    assert aten.convolution_backward.default in found


class Recurrence(torch.nn.Module):
    """Writes one step of the sequence after the other."""

    def forward(self, x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        states, last = torch.zeros_like(x), torch.zeros_like(x[:, 0])
        for step in range(x.shape[1]):
            last = gate[:, step].sigmoid() * last + x[:, step].tanh()
            states[:, step] = last
        return states


@pytest.mark.slow
def test_models_whose_graphs_are_rewritten_compute_what_they_did() -> None:
    torch.manual_seed(0)
    up = torch.nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1)
    steps = torch.randn(2, 6, 40), torch.randn(2, 6, 40)
    picture = torch.randn(2, 3, 5, 7)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        torch.testing.assert_close(clustered(Recurrence(), dynamic=False)(*steps), Recurrence()(*steps))
        model = torch.nn.Sequential(up, torch.nn.SiLU(), torch.nn.Tanh(), torch.nn.SiLU())
        torch.testing.assert_close(clustered(model, dynamic=False)(picture), model(picture))


class Attention(torch.nn.Module):
    """Layers of attention, each of which also makes a sum that nobody reads."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(4):
            x = torch.nn.functional.scaled_dot_product_attention(x, x, x).tanh().sin().cos()
        return x


@pytest.mark.slow
@pytest.mark.parametrize("module", [Attention(), Recurrence()], ids=["attention", "recurrence"])
def test_a_call_needs_no_more_memory_than_inductors(module: Any) -> None:
    inputs = (torch.randn(2, 2, 64, 8),) if isinstance(module, Attention) else (torch.randn(2, 9, 64),) * 2
    with torch.no_grad():
        theirs = torch.compile(module, dynamic=False)
        ours = clustered(module, dynamic=False)
        assert 0 < peak(lambda: ours(*inputs)) <= peak(lambda: theirs(*inputs))
