"""Comparing eager and graph: agreement, the first wrong node with its line, rounding told from mistakes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ferrata import errors, torchair
from ferrata.torchair import compare as comparing_module
from ferrata.torchair.compare import compare, comparing
from ferrata.torchair.difference import measure


class Model(torch.nn.Module):
    """Two layers around the operator `add`."""

    def __init__(self, add: Any) -> None:
        super().__init__()
        self.add, self.first, self.second = add, torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.first(x))
        h = self.add(h, h * 2)
        return self.second(h).softmax(-1)


def test_a_model_agrees(add: Any) -> None:
    report = compare(Model(add), torch.randn(5, 4))
    assert report.same and report.calls == 1 and report.compared >= 4, str(report)
    assert str(report).startswith("Eager and graph agree: 1 call(s) of graphs, ")


def test_a_wrong_converter_is_found_with_its_line(add: Any, operators: Any) -> None:
    operators.converter(
        add,
        lambda x, y, meta_outputs=None: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "y": x}, outputs=["z"]),
    )
    report = compare(Model(add), torch.randn(5, 4))
    first = report.first
    assert first is not None and first.local
    assert first.op.endswith("ascendc_add.default") and first.ge_type == "AddCustomT"
    assert "test_compare.py:" in first.where.line and first.where.code == "h = self.add(h, h * 2)"
    assert first.where.made_by == "converter"
    h = first.measure
    assert 0 < h.count <= h.total == 40 and h.max_abs > 1e-3
    expected, got = h.at_worst
    assert abs(expected - got) == pytest.approx(h.max_abs, rel=1e-5) and expected == pytest.approx(1.5 * got, rel=1e-4)
    text = str(report)
    assert "max abs" in text and "\n  eager  [" in text and "\n  graph  [" in text and "AddCustomT" in text


def test_the_first_of_two_wrong_nodes_is_named(add: Any, operators: Any) -> None:
    operators.converter(
        add,
        lambda x, y, meta_outputs=None: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "y": x}, outputs=["z"]),
    )
    report = compare(lambda x, y: add(add(x + 1, y), y * 3), (torch.randn(3), torch.randn(3)))
    assert report.first is not None and report.first.fx_node == "ascendc_add"


def test_training_compares_both_graphs(add: Any) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    report = compare(model, torch.randn(6, 4), backward=True)
    assert report.same and report.calls == 2, str(report)


def test_in_place_random_and_dynamic_models_agree(add: Any) -> None:
    counts = torch.zeros(4)

    def f(x: torch.Tensor) -> Any:
        counts.add_(x.sum(0))
        y = torch.nn.functional.dropout(x, 0.5) * 2
        return y.view(-1)[: x.shape[0]], torch.empty_like(x).fill_(3)

    report = compare(f, torch.randn(7, 4), dynamic=True)
    assert report.same, str(report)
    assert counts.any()


def test_rounding_that_grows_is_not_blamed_on_a_node() -> None:
    report = compare(lambda x: (x * 3).exp(), torch.randn(50), rtol=0, atol=0)
    assert report.same  # the same kernels: equal to the bit
    a = torch.ones(3)
    assert measure(a, a + 1e-7) is None and measure(a, a + 1e-3) is not None
    assert measure(a, a + 1e-3, rtol=1e-2) is None


def test_measure_says_what_differs() -> None:
    a = torch.tensor([[1.0, 2.0], [3.0, float("nan")]])
    assert measure(a, a.clone()) is None
    assert "shape: eager [2, 2], graph [4]" in str(measure(a, a.view(-1)))
    assert "data type: eager float32, graph float64" in str(measure(a, a.double()))
    b = a.clone()
    b[1, 0] = 7
    found = measure(a, b)
    assert found is not None and found.worst == (1, 0) and found.at_worst == (3.0, 7.0) and found.max_abs == 4
    b[1, 1] = 0
    found = measure(a, b)
    assert found is not None and found.count == 2 and found.max_abs == float("inf") and found.worst == (1, 1)
    big = torch.tensor([2**60])
    assert measure(big, big + 1) is not None
    assert measure(torch.tensor([]), torch.tensor([])) is None
    assert str(measure(3, 4)) == "eager 3, graph 4"


def test_a_graph_that_stops_names_the_node(add: Any, operators: Any) -> None:
    def wrong_size(ctx: Any) -> None:
        ctx.malloc_output("z", [1], torch.float32).zero_()

    operators.ge("StopsT", wrong_size, inputs={"x": torch.float32, "y": torch.float32}, outputs={"z": torch.float32})
    operators.converter(
        add, lambda x, y, meta_outputs=None: torchair.ge.custom_op("StopsT", inputs={"x": x, "y": y}, outputs=["z"])
    )
    with comparing() as report, pytest.raises(errors.OutputMismatch):
        torch.compile(lambda x: add(x * 2, x), backend=torchair.get_npu_backend())(torch.randn(3))
    assert report.first is not None and report.first.ge_type == "StopsT"
    assert "the graph stops here: OutputMismatch" in str(report)


def test_nothing_captured(add: Any) -> None:
    with pytest.raises(errors.NothingCaptured, match="compare: f ran without a graph"):

        def f(x: int) -> int:
            return x

        comparing_module.compare(f, 3)
