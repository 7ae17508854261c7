"""Coverage: what happens to each node, with everything that is missing at once; nothing is compiled."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import ferrata.npu  # noqa: F401  registers the device
from ferrata import errors, torchair
from ferrata.ge.session import Session
from ferrata.torchair.coverage import Coverage, coverage


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a survey compiled something")

    monkeypatch.setattr(Session, "compile", refuse)


def like(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def by_op(report: Coverage) -> dict[str, str]:
    return {row.op.split(".", 1)[1].removesuffix(".default"): row.status for row in report.rows}


def test_all_that_is_missing_is_listed_at_once_with_lines(add: Any, operators: Any) -> None:
    first = operators.torch("first_gap(Tensor x) -> Tensor", lambda x: x + 1, like)
    second = operators.torch("second_gap(Tensor x) -> Tensor", lambda x: x + 1, like)
    broken = operators.torch("broken(Tensor x) -> Tensor", lambda x: x + 1, like)
    operators.converter(broken, lambda x, meta_outputs=None: 1 / 0)
    nobody = operators.torch("nobody(Tensor x) -> Tensor", lambda x: x + 1, like)
    operators.ge("NobodyT", None, inputs={"x": torch.float32}, outputs={"y": torch.float32})
    operators.converter(
        nobody, lambda x, meta_outputs=None: torchair.ge.custom_op("NobodyT", inputs={"x": x}, outputs=["y"])
    )

    def f(x: torch.Tensor) -> torch.Tensor:
        x = first(x * 2)
        x = add(x, second(x))
        x = broken(x) + first(x)
        return torch.special.airy_ai(nobody(x))

    report = coverage(f, torch.randn(3))
    found = by_op(report)
    assert found["first_gap"] == found["second_gap"] == "missing" and found["broken"] == "failed"
    assert found["nobody"] == "not executable" and found["ascendc_add"] == "converted"
    assert found["special_airy_ai"] == "aten" and found["mul.Tensor"] == "converted"
    assert [row.op.split(".")[1] for row in report.missing] == [
        "first_gap", "second_gap", "broken", "first_gap", "nobody",
    ]  # fmt: skip
    gap = report.missing[0]
    assert "test_coverage.py:" in gap.line and gap.code == "x = first(x * 2)"
    assert "no GE prototype FirstGap" in gap.reason and "register_fx_node_ge_converter" in gap.suggestion
    assert "ZeroDivisionError" in report.missing[2].reason
    assert "register_op_impl('NobodyT')" in report.missing[4].suggestion
    grouped = {(row.op.split(".")[1], count, len(lines)) for row, count, lines in report.grouped()}
    assert ("first_gap", 2, 2) in grouped
    made = json.loads(json.dumps(report.as_json()))
    assert made["complete"] is False and made["counts"]["missing"] == 3 and made["rows"][0]["status"] == "converted"
    text = str(report)
    assert text.startswith("1 graph(s): 3 missing, 1 failed, 1 not executable, 1 aten, ") and "first_gap" in text


def test_attention_that_is_kept_whole_says_why_and_the_ways_it_names_convert() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    x = torch.randn(2, 4, 8, 16, requires_grad=True)
    forward, backward = (r for r in coverage(f, (x,), backward=True).rows if "attention" in r.op)
    for row in (forward, backward):
        assert row.status == "aten" and "kept whole" in row.reason and "sdpa_kernel(SDPBackend.MATH)" in row.suggestion
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert "aten" not in coverage(f, (x,), backward=True).counts()
    on_device = x.detach().to("npu").requires_grad_()
    assert "aten" not in coverage(f, (on_device,), backward=True).counts()


def test_a_model_that_is_complete(add: Any) -> None:
    report = coverage(lambda x: add(x, x).relu().view(-1, x.shape[0]), torch.randn(4, 6), dynamic=True)
    assert not report.missing and report.graphs == 1
    assert {"converted"} <= set(report.counts()) <= {"converted", "aten", "size"}


def test_derived_converters_are_told(operators: Any) -> None:
    target = operators.torch("derived_t(Tensor x) -> Tensor", lambda x: x + 1, like)
    operators.ge("DerivedT", lambda ctx: None, inputs={"x": torch.float32}, outputs={"y": torch.float32})
    report = coverage(lambda x: target(x), torch.randn(3))
    assert by_op(report) == {"derived_t": "derived"} and report.rows[0].ge == ("DerivedT",)


def test_why_a_node_stays_aten(add: Any) -> None:
    report = coverage(lambda x: torch.special.airy_ai(x), torch.randn(3))
    (row,) = report.rows
    assert row.status == "aten" and row.reason == "no converter for this overload"


def test_graph_breaks_have_their_line(add: Any) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        x = x * 2
        print("here")
        return x + 1

    report = coverage(f, torch.randn(3))
    assert report.graphs == 2
    (row,) = (r for r in report.rows if r.status == "graph break")
    assert "test_coverage.py:" in row.line and row.code == 'print("here")' and "print" in row.reason + row.op


def test_the_backward_graph_counts(add: Any) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())
    report = coverage(model, torch.randn(2, 3), backward=True)
    assert report.graphs == 2 and any(row.op == "aten.tanh_backward.default" for row in report.rows)


def test_nothing_captured(add: Any) -> None:
    with pytest.raises(errors.NothingCaptured, match="coverage: "):
        coverage(lambda x: x, 3)
