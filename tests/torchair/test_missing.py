"""What has no way to GE is listed at once, wherever it hides: branches, loops, the backward graph, another namespace."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed, Unsupported
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.checkpoint import checkpoint

import ferrata.npu  # noqa: F401  registers the device
from ferrata import errors, torchair
from ferrata.ge.session import Session
from ferrata.torchair.coverage import coverage

pytestmark = pytest.mark.slow

loop: Any = while_loop


def gap(operators: Any, name: str) -> Any:
    return operators.torch(f"{name}(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)


def trained(operators: Any, name: str) -> Any:
    """An operator whose gradient is another one."""
    op, backward = gap(operators, name), gap(operators, f"{name}_backward")
    full = f"{operators.namespace}::{name}"
    torch.library.register_autograd(full, lambda ctx, grad: backward(grad), lib=operators.library)
    return op


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("something was compiled")

    monkeypatch.setattr(Session, "compile", refuse)


def listed(function: Callable[..., Any], *inputs: Any, dynamic: bool | None = None) -> list[tuple[str, int, str]]:
    """Operator, line and reason of each row of the error, and the same of the coverage report."""
    torch._dynamo.reset()
    with pytest.raises(BackendCompilerFailed) as caught:
        torch.compile(function, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)(*inputs)
    error = caught.value.inner_exception
    assert isinstance(error, errors.NoConverter)
    rows = re.findall(r"^  \w+\.(\w+)\.default  at \S*test_missing\.py:(\d+)  .*?  \((.*)\)$", str(error), re.M)
    assert len(rows) == error.count and str(error).startswith(f"{len(rows)} node(s)")
    torch._dynamo.reset()
    backward = any(i.requires_grad for i in inputs)
    found = [(r.op.split(".")[1], r.line.split(":")[1]) for r in coverage(function, inputs, backward=backward).missing]
    assert sorted(found) == sorted((op, line) for op, line, _ in rows)
    return [(op, int(line) - function.__code__.co_firstlineno, reason) for op, line, reason in rows]


@pytest.mark.usefixtures("nothing_compiled")
@pytest.mark.parametrize("dynamic", [False, True])
def test_branches_of_branches(operators: Any, dynamic: bool) -> None:
    one, two, three, after = (gap(operators, n) for n in ("then_gap", "inner_then_gap", "inner_else_gap", "after_gap"))

    def f(x: torch.Tensor) -> Any:
        def inner(v: torch.Tensor) -> Any:
            return torch.cond(
                v.sum() < 0,
                lambda u: two(u),
                lambda u: three(u) + 1,
                (v,),
            )

        y = torch.cond(x.sum() > 0, lambda v: one(v) * 2, inner, (x,))
        return after(y)

    found = [row[:2] for row in listed(f, torch.ones(3), dynamic=dynamic)]
    assert found == [("then_gap", 9), ("inner_then_gap", 4), ("inner_else_gap", 5), ("after_gap", 10)]


@pytest.mark.usefixtures("nothing_compiled")
def test_loops(operators: Any) -> None:
    test, body, branch, step = (gap(operators, n) for n in ("test_gap", "body_gap", "branch_gap", "step_gap"))

    def f(x: torch.Tensor) -> Any:
        def go_on(i: torch.Tensor, v: torch.Tensor) -> Any:
            return (i < 3) & (test(v).sum() < 100)

        def once(i: torch.Tensor, v: torch.Tensor) -> Any:
            v = body(v)
            return i + 1, torch.cond(v.sum() > 0, lambda u: branch(u), lambda u: u * 2, (v,))

        _, y = loop(go_on, once, (torch.tensor(0), x))
        _, rows = scan(lambda carry, v: (step(carry + v), v * 1), torch.zeros(3), y)
        return rows

    found = sorted(row[:2] for row in listed(f, torch.ones(4, 3)))
    assert found == [("body_gap", 5), ("branch_gap", 6), ("step_gap", 9), ("test_gap", 2)]


@pytest.mark.usefixtures("nothing_compiled")
def test_forward_and_backward_together(operators: Any) -> None:
    op, after = trained(operators, "op_gap"), gap(operators, "after_gap")

    def f(x: torch.Tensor) -> Any:
        y = op(x.sin())
        return y * after(x).detach()

    found = listed(f, torch.ones(3, requires_grad=True))
    assert [row[:2] for row in found] == [("op_gap", 1), ("after_gap", 2), ("op_gap_backward", 1)]
    assert ["in the backward graph" in row[2] for row in found] == [False, False, True]


@pytest.mark.usefixtures("nothing_compiled")
def test_the_backward_alone_is_told_before_the_forward_is_compiled(operators: Any) -> None:
    op = trained(operators, "op_gap")
    operators.converter(op, lambda x: torchair.ge.Clone(x))

    def f(x: torch.Tensor) -> Any:
        return op(x.sin())

    ((name, line, reason),) = listed(f, torch.ones(3, requires_grad=True))
    assert (name, line) == ("op_gap_backward", 1) and reason.endswith("in the backward graph")


@pytest.mark.usefixtures("nothing_compiled")
def test_a_backward_that_writes_in_place(operators: Any) -> None:
    full = f"{operators.namespace}::op_gap"
    op = gap(operators, "op_gap")
    scale = operators.torch("scale_(Tensor(a!) x) -> ()", lambda x: None, lambda x: None)

    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        grad = grad.clone()
        scale(grad)
        return grad

    torch.library.register_autograd(full, backward, lib=operators.library)

    def f(x: torch.Tensor) -> Any:
        return op(x.sin())

    found = listed(f, torch.ones(3, requires_grad=True))
    assert [row[:2] for row in found] == [("op_gap", 1), ("scale_", 1)]


@pytest.mark.usefixtures("nothing_compiled")
def test_gradients_of_branches_and_what_is_computed_again(operators: Any) -> None:
    op, again = trained(operators, "op_gap"), trained(operators, "again_gap")

    def f(x: torch.Tensor) -> Any:
        y = torch.cond(x.sum() > 0, lambda v: op(v) + 1, lambda v: v.sin(), (x,))
        return checkpoint(lambda v: again(v).sin(), y, use_reentrant=False)

    found = listed(f, torch.ones(3, requires_grad=True))
    backward = sorted(row[0] for row in found if "in the backward graph" in row[2])
    assert backward == ["again_gap", "again_gap_backward", "op_gap_backward"]
    assert sorted(row[0] for row in found if "in the backward graph" not in row[2]) == ["again_gap", "op_gap"]


def test_a_backward_that_a_pattern_replaces_lacks_nothing(operators: Any) -> None:
    from ferrata.torchair import patterns

    op = trained(operators, "op_gap")
    operators.converter(op, lambda x: torchair.ge.Clone(x))
    backward = getattr(torch.ops, operators.namespace).op_gap_backward.default
    torchair.register_replacement(lambda x: backward(x), lambda x: x * 3, [torch.empty(2)])
    try:
        x = torch.ones(3, requires_grad=True)
        torch.compile(lambda x: op(x), backend=torchair.get_npu_backend(), fullgraph=True)(x).sum().backward()
    finally:
        patterns.forget()
    assert x.grad is not None and x.grad.tolist() == [3, 3, 3]


def test_captured_mode_needs_no_converter_for_the_backward(operators: Any) -> None:
    op = trained(operators, "op_gap")
    x = torch.ones(3, requires_grad=True)
    torch.compile(lambda x: op(x), backend="npugraph_ex", fullgraph=True)(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1, 1, 1]


def test_a_converter_for_nearly_that_operator_is_named(operators: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several, that of the namespace most like the one written, whoever registered first."""
    from ferrata.torchair import registry
    from tests.torchair.conftest import Operators

    made: Any = torch.library.Library
    far_away = made("aa_far_away", "FRAGMENT")
    far_away.define("scale_rows(Tensor x) -> Tensor")
    far: Any = torch.ops.aa_far_away.scale_rows.default
    monkeypatch.setattr(registry, "_table", {far: lambda x: x, **registry._table})
    other = Operators()
    try:
        meant, twin = gap(operators, "scale_rows"), gap(other, "scale_rows")
        misspelt, unlike = gap(operators, "scale_row"), gap(operators, "gather")
        operators.converter(meant, lambda x: torchair.ge.Clone(x))

        def f(x: torch.Tensor) -> Any:
            return twin(x) + misspelt(x) + unlike(x)

        reasons = [row[2] for row in listed(f, torch.ones(3))]
        note = f"a converter is registered for torch.ops.{meant}"
        assert [note in reason for reason in reasons] == [True, True, False]
    finally:
        other.close()
        far_away._destroy()


def test_an_operator_that_no_library_defined_is_named_with_the_nearest() -> None:
    compiled: Any = torch.compile
    made: Any = torch.library.Library
    library, far_away = made("fe_missing_names", "DEF"), made("aa_far_away_too", "DEF")
    for somewhere in (library, far_away):
        somewhere.define("scale_rows(Tensor x) -> Tensor")

    def namespace(x: torch.Tensor) -> Any:
        return torch.ops.fe_mising_names.scale_rows(x)

    def name(x: torch.Tensor) -> Any:
        return torch.ops.fe_missing_names.scale_row(x)

    def overload(x: torch.Tensor) -> Any:
        return torch.ops.fe_missing_names.scale_rows.defualt(x)

    def nothing(x: torch.Tensor) -> Any:
        return torch.ops.fe_nothing_at_all.qqqq(x)

    def else_where(x: Any) -> Any:
        return x.no_such_method()

    meant = " Did you mean torch.ops.fe_missing_names.scale_rows?"
    rows: list[tuple[Any, str, str]] = [
        (namespace, "fe_mising_names.scale_rows", meant),
        (name, "fe_missing_names.scale_row", meant),
        (overload, "fe_missing_names.scale_rows.defualt", " It has the overloads default."),
        (nothing, "fe_nothing_at_all.qqqq", " Nothing is defined in torch.ops.fe_nothing_at_all."),
    ]
    try:
        for function, op, note in rows:
            torch._dynamo.reset()
            with pytest.raises(errors.NoSuchOperator) as caught:
                compiled(function, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(3))
            assert isinstance(caught.value, Unsupported) and isinstance(caught.value, AttributeError)
            line = f"test_missing.py:{function.__code__.co_firstlineno + 1}"
            text = str(caught.value)
            assert text.startswith(f"torch.ops.{op} at ") and "torch.ops.load_library" in text
            assert f"{line} does not exist in this process.{note}" in text
            torch._dynamo.reset()
            with pytest.raises(AttributeError, match="has no ") as plain:  # a graph break, then as Python says
                compiled(function, backend=torchair.get_npu_backend())(torch.ones(3))
            assert not isinstance(plain.value, errors.FerrataError)
            torch._dynamo.reset()
            with pytest.raises(Unsupported) as foreign:
                compiled(function, backend="eager", fullgraph=True)(torch.ones(3))
            assert not isinstance(foreign.value, errors.FerrataError)
        with pytest.raises(Unsupported) as unknown:
            compiled(else_where, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(3))
        assert not isinstance(unknown.value, errors.FerrataError)
    finally:
        library._destroy()
        far_away._destroy()


def test_the_summary_lists_what_branches_lack(operators: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    op = gap(operators, "branch_gap")
    config = torchair.CompilerConfig()
    config.debug.fx_summary.type = "csv"

    def f(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda v: op(v) + op(v.sin()), lambda v: v.cos(), (x,))

    torch.compile(f, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True)(torch.ones(3))
    (file,) = tmp_path.glob("summary_*.csv")
    rows = {row["target"]: row for row in csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines())}
    row = rows[str(op)]
    assert (row["kind"], row["status"], row["calls"]) == (operators.namespace, "missing", "2")
    assert row["lines"].endswith(f"test_missing.py:{f.__code__.co_firstlineno + 1}") and "BranchGap" in row["reason"]
    assert rows["cond"]["status"] == "converted"


class Absent(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.ops.fe_nothing_at_all.qqqq(x)


def test_export_and_cache_name_an_operator_that_does_not_exist(tmp_path: Path) -> None:
    model, x = Absent(), torch.ones(3)
    line = f"test_missing.py:{Absent.forward.__code__.co_firstlineno + 1}"
    cached = torchair.inference.cache_compile(model.forward, cache_dir=tmp_path)
    for call in (lambda: torchair.dynamo_export(x, model=model, export_path=str(tmp_path)), lambda: cached(x)):
        with pytest.raises(
            errors.NoSuchOperator, match=rf"torch\.ops\.fe_nothing_at_all\.qqqq at .*{line} does not exist"
        ):
            call()


@torch.no_grad()
def test_a_cached_function_lists_them_too_and_works_when_they_are_there(operators: Any, tmp_path: Path) -> None:
    one, two = gap(operators, "one_gap"), gap(operators, "two_gap")

    class Model(torch.nn.Module):
        def decode(self, x: torch.Tensor) -> Any:
            return torch.cond(x.sum() > 0, lambda v: one(v), lambda v: v + 1, (x,)) + two(x)

    decode = torchair.inference.cache_compile(Model().decode, cache_dir=tmp_path)
    with pytest.raises(errors.NoConverter, match="2 node") as caught:
        decode(torch.ones(3))
    assert str(caught.value).count("test_missing.py:") == 2
    for op in (one, two):
        operators.converter(op, lambda x: torchair.ge.Clone(x))
    assert decode(torch.ones(3)).tolist() == [2, 2, 2] and decode.hits == 0
