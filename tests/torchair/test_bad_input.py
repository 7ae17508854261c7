"""What is missing is told at once and first; an exception in a user's converter or pass names it and its line."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

from ferrata import errors, torchair
from ferrata.ge import passes
from ferrata.ge.ir import Graph
from ferrata.ge.session import Session


def failure_of(function: Any, *inputs: torch.Tensor, config: Any = None) -> BaseException:
    with pytest.raises((BackendCompilerFailed, errors.GraphError)) as caught:
        torch.compile(function, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True)(*inputs)
    return getattr(caught.value, "inner_exception", caught.value)


def simple(operators: Any, name: str) -> Any:
    return operators.torch(f"{name}(Tensor x) -> Tensor", lambda x: x * 2, torch.empty_like)


def test_all_that_is_missing_is_listed_before_anything_is_compiled(
    operators: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []
    monkeypatch.setattr(Session, "compile", lambda *a, **k: compiled.append(a))
    many = [simple(operators, f"missing_{i}") for i in range(5)]

    def f(x: torch.Tensor) -> torch.Tensor:
        for op in many:
            x = torch.relu(op(x))
        return x

    error = failure_of(f, torch.ones(3))
    assert isinstance(error, errors.NoConverter) and not compiled
    text = str(error)
    assert text.startswith("5 node(s)") and text.count("test_bad_input.py:") == 5
    assert all(f"missing_{i}.default" in text for i in range(5))


def test_a_prototype_of_nearly_that_name_is_suggested(operators: Any) -> None:
    operators.ge("ScaleRowsT", None, inputs={"x": torch.float32}, outputs={"y": torch.float32})
    op = simple(operators, "scale_row_t")
    error = failure_of(lambda x: op(x), torch.ones(3))
    assert isinstance(error, errors.NoConverter) and "Did you mean 'ScaleRowsT'?" in str(error)


def test_what_is_missing_in_branches_is_listed_too(operators: Any) -> None:
    one, two = simple(operators, "in_branch"), simple(operators, "outside")

    def f(x: torch.Tensor) -> torch.Tensor:
        return two(torch.cond(x.sum() > 0, lambda v: one(v), lambda v: v + 1, (x,)))

    text = str(failure_of(f, torch.ones(3)))
    assert text.startswith("2 node(s)") and "in_branch.default" in text and "outside.default" in text


def _broken(gm: torch.fx.GraphModule, inputs: Any, config: Any) -> None:
    raise KeyError("no such node")


def _dangling(gm: torch.fx.GraphModule, inputs: Any, config: Any) -> None:
    node = next(n for n in gm.graph.nodes if n.op == "call_function")
    node.args = (torch.fx.Graph().placeholder("elsewhere"),)


@pytest.mark.parametrize("option", ["post_grad_custom_pre_pass", "post_grad_custom_post_pass"])
@pytest.mark.parametrize(("broken", "kind"), [(_broken, "KeyError"), (_dangling, "RuntimeError")])
def test_a_pass_of_the_user_that_fails_is_named(option: str, broken: Any, kind: str) -> None:
    config = torchair.CompilerConfig()
    setattr(config, option, broken)
    error = failure_of(lambda x: x + 1, torch.ones(3), config=config)
    assert isinstance(error, errors.PassFailed) and broken.__name__ in str(error) and option in str(error)
    assert kind in str(error) and f"{__file__}:" in str(error)
    assert error.__cause__ is not None
    x = torch.ones(3)
    torch.testing.assert_close(torch.compile(lambda x: x + 2, backend=torchair.get_npu_backend())(x), x + 2)


def test_a_pass_of_the_engine_that_fails_is_named_with_the_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(graph: Graph) -> Graph:
        raise ValueError("odd")

    entry = next(e for e in passes.PIPELINE if e.name == "CommonSubexpressions")
    changed = tuple(dataclasses.replace(e, run=broken) if e is entry else e for e in passes.PIPELINE)
    monkeypatch.setattr(passes, "PIPELINE", changed)
    error = failure_of(lambda x: x + 1, torch.ones(3))
    assert isinstance(error, errors.PassFailed)
    assert "CommonSubexpressions:off" in str(error) and "ValueError: odd" in str(error)
    config = torchair.CompilerConfig()
    config.ge_config.optimization_switch = "CommonSubexpressions:off"
    x = torch.ones(3)
    compiled = torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend(compiler_config=config))
    torch.testing.assert_close(compiled(x), x + 1)


def test_a_failing_converter_of_a_torch_operator_is_named_with_its_line() -> None:
    @torchair.register_fx_node_ge_converter(torch.ops.aten.sinc.default)
    def convert(x: Any, meta_outputs: Any = None) -> Any:
        return {}["absent"]

    try:
        error = failure_of(lambda x: torch.sinc(x), torch.ones(3))
    finally:
        torchair.registry.unregister(torch.ops.aten.sinc.default)
    assert isinstance(error, errors.ConverterFailed)
    line = convert.function.__code__.co_firstlineno + 2
    assert "aten.sinc" in str(error) and f"test_bad_input.py:{line}" in str(error)
