"""What clusters check of their inputs, and constants that count in the graph that Inductor gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ferrata import errors, ge
from ferrata.ge.cluster.counted import steps, written_out
from ferrata.ge.cluster.fed import unsure
from ferrata.ge.ir import CLUSTER, Call, Desc, Graph, Node, Output, Port, Ref
from tests.clusters import one_process

pytestmark = pytest.mark.slow

FLOAT = Desc(0, (4, 6))
count = torch.arange


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def around(function: Callable[[torch.Tensor], torch.Tensor]) -> Graph:
    """The function as a node of which the graph knows no better than that it gives what it is given."""
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        call = Call(function, "mine", (x,))
        y = g.aten("mylib::mine", call, [("y", FLOAT)], ports=[("x", x)], name="mine")[0]
        for _ in range(4):
            y = g.add("Tanh", {"x": y})[0]
        return g.finish([y])


def tanh4(x: torch.Tensor) -> torch.Tensor:
    return x.tanh().tanh().tanh().tanh()


@pytest.mark.slow
def test_a_custom_result_of_another_layout_is_copied_into_the_described_one() -> None:
    compiled = ge.Session(clusters=True, guarded=True).compile(around(lambda x: (x * 2).t().contiguous().t()))
    x = torch.randn(4, 6)
    torch.testing.assert_close(compiled(x)[0], tanh4(x * 2))


@pytest.mark.slow
@pytest.mark.parametrize("other", [lambda x: x[:2].clone(), lambda x: x.double(), lambda x: x[0].clone()])
def test_a_custom_result_of_another_size_or_type_is_an_error_that_names_the_node(other: Any) -> None:
    compiled = ge.Session(clusters=True, guarded=True).compile(around(other))
    with pytest.raises(errors.OutputMismatch, match=r"mylib::mine \(node mine\)"):
        compiled(torch.randn(4, 6))


@pytest.mark.slow
def test_a_session_without_guards_takes_inputs_of_any_layout_and_refuses_other_sizes() -> None:
    with ge.GraphBuilder("g") as g:
        y = g.data("x", FLOAT)
        for _ in range(4):
            y = g.add("Tanh", {"x": y})[0]
        graph = g.finish([y])
    compiled = ge.Session(clusters=True).compile(graph)
    x = torch.randn(6, 4).t()
    torch.testing.assert_close(compiled(x)[0], tanh4(x))
    with pytest.raises(errors.OutputMismatch, match="node x"):
        compiled(torch.randn(2, 6))


COUNTED = [
    (count(7), (0, (1,))),
    (count(7, dtype=torch.float32), (0, (1,))),
    (count(6, 0, -1, dtype=torch.int32), (6, (-1,))),
    (count(12).view(3, 1, 4) * 3 + 5, (5, (12, 0, 3))),
    (count(3)[:, None].expand(3, 5).contiguous(), (0, (1, 0))),
    (count(5) - count(3)[:, None], (0, (-1, 1))),
    (torch.full((2, 3), float("-inf")), (float("-inf"), (0, 0))),
    (torch.full((4,), True), (True, (0,))),
    (torch.tensor([-0.0, -0.0]), (-0.0, (0,))),
]
OTHERS = [
    torch.tensor([1, 2, 4]),
    torch.tensor([-0.0, 0.0]),
    torch.tensor([0.5, 1.5]),
    torch.tensor([float("nan")] * 2),
    torch.tensor([0.0, 2.0**30]),
    torch.tensor([True, False]),
    torch.empty(0, dtype=torch.int64),
]


@pytest.mark.parametrize(("value", "expected"), COUNTED, ids=[str(i) for i in range(len(COUNTED))])
def test_a_constant_that_counts_is_written_as_a_counter_of_the_same_values(value: torch.Tensor, expected: Any) -> None:
    assert steps(value) == expected
    traced = _holding(value)
    with FakeTensorMode() as mode:
        pass
    written_out(traced, mode)
    assert all(n.op != "get_attr" for n in traced.graph.nodes)
    made = traced()
    torch.testing.assert_close(made, value, rtol=0, atol=0, check_stride=True)
    assert torch.equal(torch.signbit(made), torch.signbit(value))


@pytest.mark.parametrize("value", OTHERS, ids=[str(i) for i in range(len(OTHERS))])
def test_other_constants_stay_memory(value: torch.Tensor) -> None:
    assert steps(value) is None


def _holding(value: torch.Tensor) -> torch.fx.GraphModule:
    graph, root = torch.fx.Graph(), torch.nn.Module()
    root.register_buffer("c", value)
    graph.output(graph.get_attr("c"))
    return torch.fx.GraphModule(root, graph)


@pytest.mark.slow
def test_views_that_a_forward_graph_kept_may_lie_otherwise_than_described() -> None:
    with ge.GraphBuilder("g") as g:
        y = g.data("x", Desc(0, (4, 6), stride=(1, 4)))
        for _ in range(4):
            y = g.add("Tanh", {"x": y})[0]
        graph = g.finish([y])
    compiled = ge.Session(clusters=True, guarded=True).compile(graph, kind="backward")
    x = torch.randn(4, 6)
    for given in (x, x.t().contiguous().t(), torch.randn(4, 12)[:, ::2]):
        torch.testing.assert_close(compiled(given)[0], tanh4(given))


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("stride", [None, (1, 6)])
@pytest.mark.parametrize("maker", ["Data", "Transpose", CLUSTER])
def test_views_are_checked_whoever_made_them(maker: str, stride: Any, backward: bool) -> None:
    made = Node("made", maker, (), (Output("y", Desc(0, (6, 4), stride=stride)),), {})
    cluster = Node("cluster", CLUSTER, (Port("args0", Ref("made", 0)),), (Output("output0", FLOAT),), {})
    graph = Graph("g", (made, cluster), (Ref("cluster", 0),), {})
    trusted = stride is None or (maker == "Data" and not backward)  # Dynamo's guards see to a forward graph's inputs
    assert (unsure(graph, cluster, True, backward) == {}) == trusted
