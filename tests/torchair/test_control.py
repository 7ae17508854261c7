"""Control flow in a graph: cond, while_loop, scan and map as If and While with subgraphs, against eager PyTorch."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.invoke_subgraph import mark_compile_region
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from ferrata import errors, ge
from ferrata.ge import Desc, GraphBuilder, Session
from ferrata.ge.attrs import AttrValue
from ferrata.ge.dump.onnx import to_model
from ferrata.ge.dump.proto import to_model as to_proto
from ferrata.ge.dump.proto import to_tensorboard
from ferrata.ge.dump.readable import to_readable
from ferrata.ge.passes import run_passes
from tests.torchair.agree import agree, compiled, watching

pytestmark = pytest.mark.slow


def t(*shape: int, grad: bool = False, shift: float = 0.0) -> torch.Tensor:
    torch.manual_seed(len(shape))
    return (torch.randn(shape) + shift).detach().requires_grad_(grad)


# ---- cond ----


@pytest.mark.parametrize("shift", [3.0, -3.0])
def test_cond_runs_the_branch_that_the_condition_selects(shift: float) -> None:
    def f(x: torch.Tensor, w: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x @ w, lambda x: x.sin(), (x,))

    seen = agree(f, t(3, 4, shift=shift, grad=True), t(4, 4, grad=True), grad=True)
    assert seen.types().count("If") == 2  # forward and backward


def test_cond_on_a_size_is_decided_at_run_time() -> None:
    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.shape[0] > 4, lambda x: x + x.shape[0], lambda x: x.sin(), (x,))

    torch._dynamo.reset()
    with watching() as seen:
        g = compiled(f, dynamic=True)
        for n in (3, 7, 4, 5):
            torch.testing.assert_close(g(t(n, 4)), f(t(n, 4)))
    assert len(seen.graphs) == 1


def test_a_module_in_a_branch_gets_its_weights_as_inputs() -> None:
    model = torch.nn.Linear(4, 4)

    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: model(x), lambda x: x.relu(), (x,))

    seen = agree(f, t(3, 4, shift=2.0, grad=True), grad=True)
    branch = next(n for n in seen.graphs[0].nodes if n.type == "If").graphs["then_branch"]
    assert not any(n.type == "Const" and n.value.numel() > 1 for n in branch.nodes)


@pytest.mark.parametrize("shift", [5.0, -5.0])
def test_control_flow_nests(shift: float) -> None:
    def inner(x: torch.Tensor) -> Any:
        return torch.cond(x.mean() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    def loop(x: torch.Tensor) -> Any:
        return while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, inner(y)), (torch.tensor(0), x.clone()))[1]

    seen = agree(lambda x: torch.cond(x.sum() > 0, inner, loop, (x,)), t(4, shift=shift))
    assert seen.types().count("If") == 1
    assert seen.types(inside=True).count("If") == 3
    assert seen.types(inside=True).count("While") == 1


def test_branches_of_different_sizes() -> None:
    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x[:2] * 1, lambda x: x * 1, (x,)).sum()

    agree(f, t(3, 4, shift=2.0))
    agree(f, t(3, 4, shift=-2.0))


def test_a_branch_may_write_its_operand() -> None:
    def f(x: torch.Tensor, p: torch.Tensor) -> Any:
        def then(x: torch.Tensor) -> Any:
            x.add_(1)
            return x.sum().clone()

        def other(x: torch.Tensor) -> Any:
            x.mul_(2)
            return x.sum().clone()

        with torch.no_grad():
            return torch.cond(p, then, other, (x,)) + x.sum()

    for p in (True, False):
        agree(f, t(3, 4), torch.tensor(p))


def test_a_value_passing_through_is_a_copy() -> None:
    """Otherwise a write to the result would change the operand."""

    def f(x: torch.Tensor) -> Any:
        y = torch.cond(x.sum() > 0, lambda x: x.clone(), lambda x: x.sin(), (x,))
        y.add_(1)
        return y

    agree(f, t(3, shift=4.0))


def test_random_numbers_in_a_branch_are_those_of_eager_mode() -> None:
    def f(x: torch.Tensor) -> Any:
        y = torch.cond(x.sum() > 0, lambda x: torch.nn.functional.dropout(x), lambda x: x * 1, (x,))
        return y, torch.rand(3)

    agree(f, t(8, 8, shift=2.0))
    agree(f, t(8, 8, shift=-2.0))


# ---- while_loop ----


def test_while_loop_until_a_value_is_reached() -> None:
    def f(x: torch.Tensor) -> Any:
        return while_loop(
            lambda i, y: (y.sum() < 100) & (i < 50), lambda i, y: (i + 1, y * 2), (torch.tensor(0), x.abs() + 1)
        )

    assert "While" in agree(f, t(4)).types()


def test_while_loop_over_a_number_and_a_size() -> None:
    def f(x: torch.Tensor) -> Any:
        return while_loop(lambda i, y: i < x.shape[0], lambda i, y: (i + 1, y + i + x.sum()), (0, x.clone()))

    agree(f, t(3, 4), dynamic=True)


def test_while_loop_without_a_step_gives_copies() -> None:
    def f(x: torch.Tensor) -> Any:
        y = while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))[1]
        y.add_(1)
        return y

    agree(f, t(4))


def test_while_loop_exchanges_values() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        return while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b.clone(), a.clone()), (torch.tensor(0), x, y))

    agree(f, t(4), t(4, shift=9.0))


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_while_loop_has_gradients(steps: int) -> None:
    def f(x: torch.Tensor, w: torch.Tensor) -> Any:
        return while_loop(lambda i, y: i < steps, lambda i, y: (i + 1, y @ w), (torch.tensor(0), x))[1]

    seen = agree(f, t(3, 4, grad=True), t(4, 4, grad=True), grad=True)
    assert seen.types().count("While") == 2
    assert not any(n.startswith("higher_order::") for n in seen.types())


# ---- scan, map ----

SCANS: dict[str, tuple[Callable[..., Any], Callable[[], Any]]] = {
    "carry and result": (
        lambda i, x: scan(lambda c, x: (c + x, (c * x).sum()), i, x, dim=0), lambda: (t(4), t(3, 4))
    ),
    "nested structures": (
        lambda x, y: scan(
            lambda c, x: ({"a": c["a"] + x[0], "b": c["b"] * x[1]}, (c["a"] * 2, x[1].sin())),
            {"a": torch.zeros(4), "b": torch.ones(4)}, (x, y), dim=0,
        ),
        lambda: (t(5, 4), t(5, 4)),
    ),
    "backwards along dimension 1": (
        lambda x: scan(lambda c, x: (c + x, c * x), torch.zeros(3), x, dim=1, reverse=True), lambda: (t(3, 5),)
    ),
    "types": (
        lambda x: scan(lambda c, x: (c + x, (c * x, c > x, c.long())), torch.zeros(4, dtype=x.dtype), x, dim=0),
        lambda: (t(3, 4).double(),),
    ),
    "bfloat16": (
        lambda x: scan(lambda c, x: (c + x, c * x), torch.zeros(4, dtype=x.dtype), x, dim=0),
        lambda: (t(3, 4).bfloat16(),),
    ),
    "one step": (lambda i, x: scan(lambda c, x: (c + x, c - x), i, x, dim=0), lambda: (t(4), t(1, 4))),
    "map": (lambda x, y: torch_map(lambda x, y: x.sum() + y, x, y), lambda: (t(3, 4), t(2))),
}  # fmt: skip


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_scan_is_a_counted_loop(name: str, dynamic: bool) -> None:
    f, args = SCANS[name]
    seen = agree(f, *args(), dynamic=dynamic)
    assert "While" in seen.types()
    assert not any(n.startswith("higher_order::") for n in seen.types())


@pytest.mark.parametrize("dynamic", [False, True])
def test_scan_has_gradients_of_what_it_closes_over(dynamic: bool) -> None:
    def f(x: torch.Tensor, w: torch.Tensor) -> Any:
        return scan(lambda c, x: (torch.tanh(c @ w + x), c.sum(-1)), x[0].detach() * 0, x, dim=0)

    seen = agree(f, t(5, 2, 4, grad=True), t(4, 4, grad=True), grad=True, dynamic=dynamic)
    assert seen.types().count("While") == 2


def test_map_has_gradients() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        return torch_map(lambda x, y: x.sum() * y, x, y)

    assert agree(f, t(3, 4, grad=True), t(2, grad=True), grad=True).types().count("While") == 2


def test_associative_scan_is_made_of_plain_operators() -> None:
    def f(x: torch.Tensor) -> Any:
        return associative_scan(
            lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x.sigmoid(), x), 0, combine_mode="generic"
        )

    agree(f, t(4, 3, grad=True), grad=True)


def test_one_loop_serves_every_length() -> None:
    def f(i: torch.Tensor, x: torch.Tensor) -> Any:
        return scan(lambda c, x: (c + x, c * x), i, x, dim=0)

    torch._dynamo.reset()
    with watching() as seen:
        g = compiled(f, dynamic=True)
        for n in (3, 9, 2):
            for a, b in zip(g(t(4), t(n, 4)), f(t(4), t(n, 4)), strict=True):
                torch.testing.assert_close(a, b)
    assert len(seen.graphs) == 1


def test_a_compiled_region_is_a_called_subgraph() -> None:
    @mark_compile_region
    def region(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    seen = agree(lambda x: region(region(x)), t(3, 4, grad=True), grad=True)
    assert seen.types().count("PartitionedCall") == 4


# ---- effects, converters and errors inside ----


def test_effects_inside_a_branch_stay_and_keep_their_order() -> None:
    """Nobody reads the results of the assignments, nor that of the node that holds them."""
    with GraphBuilder("inner") as g:
        x = g.data("x", Desc(0, (4,)))
        for op_type in ("Exp", "Neg"):
            g.add("Assign", {"ref": x, "value": g.add(op_type, {"x": x})[0]})
        writing = g.finish([g.add("Exp", {"x": x})[0]])
    with GraphBuilder("outer") as g:
        x, c = g.data("x", Desc(0, (4,))), g.data("c", Desc(12, ()))
        graphs = {"then_branch": writing, "else_branch": _abs()}
        g.add("If", {"cond": c, "input": [x]}, [("output", 1)], graphs=graphs)
        graph = g.finish([g.add("Identity", {"x": x})[0]])
    run, x = Session().compile(graph), torch.tensor([-1.0, 0.0, 1.0, 2.0])
    expected = -x.exp()
    run(x, torch.tensor(True))
    torch.testing.assert_close(x, expected)
    run(x, torch.tensor(False))
    torch.testing.assert_close(x, expected)


def test_custom_operators_convert_inside_branches(add: Any) -> None:
    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: add(x, x), lambda x: x * 3, (x,))

    seen = agree(f, t(3, shift=2.0))
    assert any(n.startswith("AddCustom") for n in seen.types(inside=True))


def test_missing_converters_in_branches_are_listed_with_the_others(operators: Any) -> None:
    one = operators.torch("one(Tensor x) -> Tensor", lambda x: x.clone(), None)
    torch.library.register_fake(f"{operators.namespace}::one", torch.empty_like, lib=operators.library)

    def f(x: torch.Tensor) -> Any:
        y = torch.cond(x.sum() > 0, lambda x: one(x), lambda x: x * 3, (x,))
        return one(y)

    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"2 node\(s\) of this graph have no way to GE"):
        compiled(f)(t(3))


def _abs(dtype: int = 0, name: str = "Abs") -> ge.Graph:
    with GraphBuilder("inner") as g:
        x = g.data("x", Desc(dtype, (4,)))
        return g.finish([g.add(name, {"x": x})[0]])


def _if(then: ge.Graph, other: ge.Graph, **change: Any) -> ge.Graph:
    with GraphBuilder("outer") as g:
        x, c = g.data("x", Desc(0, (4,))), g.data("c", Desc(12, ()))
        graphs = {"then_branch": then, "else_branch": other, **change}
        graphs = {k: v for k, v in graphs.items() if v is not None}
        return g.finish(g.add("If", {"cond": c, "input": [x]}, [("output", 1)], graphs=graphs))


def test_a_graph_built_by_hand_runs_and_its_passes_reach_inside() -> None:
    with GraphBuilder("inner") as g:
        x = g.data("x", Desc(0, (4,)))
        once, twice = g.add("Exp", {"x": x})[0], g.add("Exp", {"x": x})[0]
        dead = g.finish([g.add("Add", {"x1": once, "x2": twice})[0]])
    graph = _if(dead, _abs())
    optimised = run_passes(graph)
    assert [n.type for n in optimised.node("If").graphs["then_branch"].nodes] == ["Data", "Exp", "Add"]
    run = Session().compile(graph)
    x = torch.tensor([-1.0, 0.0, 1.0, 2.0])
    torch.testing.assert_close(run(x, torch.tensor(True))[0], 2 * x.exp())
    torch.testing.assert_close(run(x, torch.tensor(False))[0], x.abs())


def test_case_selects_by_index() -> None:
    with GraphBuilder("outer") as g:
        x, i = g.data("x", Desc(0, (4,))), g.data("i", Desc(3, ()))
        graphs = {"branches0": _abs(), "branches1": _abs(name="Exp"), "branches2": _abs(name="Neg")}
        graph = g.finish(g.add("Case", {"branch_index": i, "input": [x]}, [("output", 1)], graphs=graphs))
    run, x = Session().compile(graph), torch.tensor([-1.0, 0.0, 1.0, 2.0])
    for i, fn in enumerate((torch.abs, torch.exp, torch.neg)):
        torch.testing.assert_close(run(x, torch.tensor(i, dtype=torch.int32))[0], fn(x))
    with pytest.raises(errors.BranchIndex, match="selects branch 3; there are branches 0 to 2"):
        run(x, torch.tensor(3, dtype=torch.int32))


def test_branches_of_different_types_are_refused() -> None:
    with GraphBuilder("half") as g:
        x = g.data("x", Desc(0, (4,)))
        half = g.finish([g.add("Cast", {"x": x}, attrs={"dst_type": AttrValue("Int", 1)})[0]])
    with pytest.raises(errors.BranchMismatch, match=r"else_branch: result 0: expected DT_FLOAT.*got DT_FLOAT16"):
        _if(_abs(), half)


def test_a_branch_that_takes_another_type_or_number_is_refused() -> None:
    with pytest.raises(errors.BranchMismatch, match="then_branch: input x"):
        _if(_abs(1), _abs())
    with GraphBuilder("none") as g:
        none = g.finish([g.const(torch.zeros(4))])
    with pytest.raises(errors.BranchMismatch, match="else_branch: the inputs: expected 1"):
        _if(_abs(), none)


def test_missing_and_unknown_branches_are_refused() -> None:
    with pytest.raises(errors.MissingAttr, match="else_branch"):
        _if(_abs(), None)  # type: ignore[arg-type]
    with pytest.raises(errors.UnknownAttr, match="elsebranch"):
        _if(_abs(), _abs(), elsebranch=_abs())


def test_a_loop_condition_must_be_one_bool() -> None:
    with GraphBuilder("outer") as g:
        x = g.data("x", Desc(0, (4,)))
        with pytest.raises(errors.BranchMismatch, match="cond: the condition: expected a bool without dimensions"):
            g.add("While", {"input": [x]}, [("output", 1)], graphs={"cond": _abs(), "body": _abs()})


def test_every_dump_shows_subgraphs() -> None:
    graph = _if(_abs(), _abs(name="Exp"))
    paths = ["outer/If/then_branch", "outer/If/else_branch"]
    assert [path for path, _, _, _ in graph.subgraphs()] == paths
    for text in (str(graph), to_readable(graph)):
        assert all(path in text for path in paths)
        assert "Exp" in text
    assert 'name: "If/else_branch/Exp"' in to_tensorboard(graph)
    model = to_proto(graph)
    assert [g.name for g in model.graph] == ["outer", *paths]
    owner = next(op for op in model.graph[0].op if op.name == "If")
    assert list(owner.subgraph_name) == paths
    data = next(op for op in model.graph[1].op if op.type == "Data")
    assert data.attr["_parent_node_index"].i == 1  # behind the condition
    onnx = pytest.importorskip("onnx")
    onnx.checker.check_model(to_model(graph))


@pytest.mark.parametrize("page", ["docs/howto/control_flow.md", "docs/zh/howto/control_flow.md"])
def test_the_page_runs_as_printed(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    torch._dynamo.reset()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {"__name__": "page"})
