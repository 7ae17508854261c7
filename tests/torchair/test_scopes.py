"""torchair.scope and torchair.ops in captured graphs: attributes, pairs, printing, order."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from ferrata import errors, torchair
from ferrata.torchair import ops, scope
from tests.torchair.agree import watching

pytestmark = pytest.mark.slow


def compiled(f: Any, mode: str = "max-autotune", dynamic: Any = None) -> tuple[Any, list[Any]]:
    """The compiled function, and the list that takes its graphs."""
    torch._dynamo.reset()
    config = torchair.CompilerConfig()
    config.mode = mode
    graphs: list[Any] = []

    from torch._dynamo.backends.common import aot_autograd

    def compiler(gm: Any, inputs: Any) -> Any:
        made = torchair.get_compiler(config)(gm, inputs)
        graphs.append(made.graph.graph)
        return made

    backend = aot_autograd(fw_compiler=compiler, inference_compiler=compiler)
    return torch.compile(f, backend=backend, fullgraph=True, dynamic=dynamic), graphs


def attrs(graph: Any, op_type: str) -> dict[str, str]:
    (node,) = [n for n in graph.nodes if n.type == op_type]
    return {k: v.value for k, v in node.attrs.items() if isinstance(v.value, str)}


@pytest.mark.parametrize("mode", ["max-autotune", "npugraph_ex"])
def test_nodes_inside_carry_the_attributes_and_the_innermost_wins(mode: str) -> None:
    def f(x: Any) -> Any:
        a = torch.sin(x)
        with scope.npu_stream_switch("side", 2):
            b = torch.cos(a)
            with scope.limit_core_num(3, 6), scope.npu_stream_switch("inner"):
                c = torch.tan(b)
            with scope.super_kernel("k", "fast"):
                d = torch.exp(c)
                with scope.super_kernel(None):
                    e = torch.tanh(d)
        return torch.erf(e)

    g, graphs = compiled(f, mode)
    x = torch.randn(3)
    torch.testing.assert_close(g(x), f(x))
    found = {n.type.split("::")[-1].split(".")[0].lower(): n.attrs for n in graphs[0].nodes if n.type != "Data"}

    def label(name: str, key: str) -> Any:
        value = found[name].get(key)
        return value and value.value

    assert label("sin", "_user_stream_label") is None and label("erf", "_user_stream_label") is None
    assert [label("cos", f"_{k}") for k in ("user_stream_label", "user_stream_priority", "enable_inner_parallel")] == [
        "side", "2", "true",
    ]  # fmt: skip
    assert [label("tan", f"_{k}") for k in ("user_stream_label", "op_aicore_num", "op_vectorcore_num")] == [
        "inner",
        "3",
        "6",
    ]
    assert (label("exp", "_super_kernel_scope"), label("exp", "_super_kernel_options")) == ("k", "fast")
    assert label("tanh", "_super_kernel_scope") is None and label("tanh", "_user_stream_label") == "side"
    assert "@(_user_stream_label=side, _user_stream_priority=2, _enable_inner_parallel=true)" in str(graphs[0])


@pytest.mark.parametrize("dynamic", [False, True])
def test_training_graphs_carry_them_forward_and_backward(dynamic: bool) -> None:
    """So do the layers that a checkpoint computes again."""

    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        with scope.npu_stream_switch("side"):
            y = torch.tanh(x @ w)
            with scope.super_kernel("k"):
                y = checkpoint(lambda y: torch.erf(y) * 2, y, use_reentrant=False)
        return torch.sigmoid(y)

    x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
    torch._dynamo.reset()
    with watching() as seen:
        g = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
        got = g(x, w)
        got.sum().backward()
    (grad,) = torch.autograd.grad(f(x, w).sum(), w)
    torch.testing.assert_close(got, f(x, w))
    torch.testing.assert_close(w.grad, grad)
    labels = [
        {
            n.type: [n.attrs[k].value for k in ("_user_stream_label", "_super_kernel_scope") if k in n.attrs]
            for n in g.nodes
        }
        for g in seen.graphs
    ]
    forward, backward = labels
    assert (forward["Tanh"], forward["Erf"], forward["Sigmoid"]) == (["side"], ["side", "k"], [])
    assert (backward["TanhGrad"], backward["Exp"], backward["SigmoidGrad"]) == (["side"], ["side", "k"], [])
    assert backward["MatMulV2"] == ["side"]


def test_the_other_scopes() -> None:
    def f(x: Any) -> Any:
        with scope.op_never_timeout(True), scope.data_dump(), scope.deterministic(2):
            return torch.sin(x)

    g, graphs = compiled(f)
    g(torch.randn(3))
    assert attrs(graphs[0], "Sin") == {
        "_op_exec_never_timeout": "true", "_torchair_enable_data_dump": "1", "_deterministic": "true",
        "_deterministic_level": "2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: scope.op_never_timeout(1), TypeError),
        (lambda: scope.deterministic(4), ValueError),
        (lambda: scope.deterministic(True), ValueError),
        (lambda: scope.npu_stream_switch(3), TypeError),
        (lambda: scope.npu_stream_switch("a", "b"), TypeError),
        (lambda: scope.limit_core_num(0, 1), ValueError),
        (lambda: scope.super_kernel(3), TypeError),
        (lambda: scope.npu_wait_tensor(torch.ones(1), torch.ones(1)), NotImplementedError),
        (lambda: ops.npu_print("x"), ValueError),
        (lambda: ops.npu_print(torch.ones(1), summarize_size=0), ValueError),
        (lambda: ops.npu_print(torch.ones(1), summarize_size=1.5), TypeError),
        (lambda: ops.npu_print(torch.ones(1), tensor_detail=1), TypeError),
        (lambda: ops.npu_print(torch.ones(1), [2]), TypeError),
        (lambda: ops.wait([]), ValueError),
        (lambda: ops.wait([3]), ValueError),
        (lambda: ops.npu_create_tagged_event(3), TypeError),
        (lambda: ops.npu_tagged_event_record("a"), TypeError),
        (lambda: ops.npu_record_tagged_stream(3, "a"), TypeError),
        (lambda: ops.npu_fused_infer_attention_score(1), NotImplementedError),
        (lambda: torchair.llm_datadist.create_npu_tensors([1], torch.int8, [0]), NotImplementedError),
        (lambda: torchair.tools.gegraph_check.align_trace.align_trace_json("a", "b"), NotImplementedError),
    ],
)
def test_wrong_arguments_and_what_cannot_be(make: Any, kind: Any) -> None:
    with pytest.raises(kind, match="torchair"):
        make()


def test_a_wrong_argument_is_told_while_compiling() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        ops.npu_print("no tensor")
        return x + 1

    with pytest.raises(Exception, match="npu_print: the items must be with at least one tensor, got none"):
        torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(2))


def test_an_unpaired_scope_is_an_error_with_its_line() -> None:
    def entered(x: Any) -> Any:
        torch.ops.air.scope_enter(["a"], ["b"])
        return x + 1

    def left(x: Any) -> Any:
        torch.ops.air.scope_exit()
        return x + 1

    for f, message in ((entered, "never left"), (left, "without being entered")):
        with pytest.raises(RuntimeError, match=rf"test_scopes\.py:\d+ was .*{message}"):
            compiled(f)[0](torch.ones(1))


@pytest.mark.parametrize("mode", ["max-autotune", "npugraph_ex"])
@torch.no_grad()
def test_printing_happens_at_each_run_and_in_order(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        ops.npu_print("first", x, x.shape[0], 1.5, True)
        y = x * 2
        ops.npu_print(y.sum(), tensor_detail=True)
        return y

    expected = []
    g, _ = compiled(f, mode, dynamic=True)
    for n in (2, 2, 3):
        f(torch.ones(n))
        expected.append(capsys.readouterr().out)
        g(torch.ones(n))
        assert capsys.readouterr().out == expected[-1]
    assert expected[0] == "first tensor([1., 1.]) 2 1.5 True\ntensor(4.) (shape [], torch.float32, cpu)\n"


def test_long_tensors_are_summarised(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.arange(100)
    ops.npu_print(x)
    ops.npu_print(x, summarize_size=1)
    ops.npu_print(x[:12], summarize_size=-1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["tensor([ 0,  1,  2,  ..., 97, 98, 99])", "tensor([ 0,  ..., 99])"]
    assert "..." not in lines[2]


@pytest.mark.parametrize("mode", ["max-autotune", "npugraph_ex"])
@torch.no_grad()
def test_waits_order_nodes(mode: str) -> None:
    event = ops.npu_create_tagged_event(f"event of {mode}")

    def f(x: Any, y: Any) -> Any:
        point = ops.record()
        with scope.npu_stream_switch("side"):
            ops.wait([point, x])
            a = torch.sin(x)
            ops.npu_tagged_event_record(event)
        ops.npu_tagged_event_wait(event)
        return scope.npu_wait_tensor(torch.cos(y), a)

    g, graphs = compiled(f, mode)
    x, y = torch.randn(3), torch.randn(3)
    torch.testing.assert_close(g(x, y), torch.cos(y))
    torch.testing.assert_close(g(y, x), torch.cos(x))
    names = [n.type.split(".")[0] for n in graphs[0].nodes if n.type.startswith("air::")]
    order = ["air::record", "air::wait", "air::tagged_event_record", "air::tagged_event_wait", "air::wait_tensor"]
    assert names == order
    waits = graphs[0].node(next(n.name for n in graphs[0].nodes if n.type.startswith("air::tagged_event_wait")))
    assert waits.effect and waits.controls


def test_a_wait_for_an_event_that_nothing_records_is_an_error() -> None:
    event = ops.npu_create_tagged_event("never recorded")
    with pytest.raises(errors.EventNeverRecorded, match="wait for ever"):
        ops.npu_tagged_event_wait(event)
    with pytest.raises(ValueError, match="not in use"):
        ops.npu_create_tagged_event("never recorded")


def test_tagged_streams_belong_to_captured_graphs() -> None:
    def f(x: Any) -> Any:
        ops.npu_record_tagged_stream(x, "side")
        return x + 1

    with torch.no_grad():
        assert compiled(f, "npugraph_ex")[0](torch.ones(1)).tolist() == [2]
        with pytest.raises(Exception, match=r"test_scopes\.py:\d+ has no meaning in a GE graph"):
            compiled(f)[0](torch.ones(1))


def test_scopes_and_prints_leave_training_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        with scope.npu_stream_switch("side"):
            y = torch.sin(x) * x
        return y.sum()

    x = torch.randn(3, requires_grad=True)
    compiled(f)[0](x).backward()
    torch.testing.assert_close(x.grad, (torch.cos(x) * x + torch.sin(x)).detach())
