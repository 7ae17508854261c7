"""Passes of the user over the FX graph: what they leave is checked at once, and Meta values follow their changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

from ferrata import errors, torchair

pytestmark = pytest.mark.slow

aten = torch.ops.aten
OPTIONS = ("post_grad_custom_pre_pass", "post_grad_custom_post_pass")


def compiled(
    function: Callable[..., Any], user_pass: Any, option: str = OPTIONS[0], dynamic: bool | None = None
) -> Any:
    torch._dynamo.reset()
    config = torchair.CompilerConfig()
    setattr(config, option, user_pass)
    backend = torchair.get_npu_backend(compiler_config=config)
    return torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic)


def first(gm: Any, target: Any = None) -> Any:
    return next(n for n in gm.graph.nodes if n.op == "call_function" and target in (None, n.target))


def returns_another(gm: Any, inputs: Any, config: Any) -> Any:
    return torch.fx.GraphModule(gm, torch.fx.Graph())


def erases_the_output(gm: Any, inputs: Any, config: Any) -> None:
    gm.graph.erase_node(gm.graph.output_node())


def adds_a_result(gm: Any, inputs: Any, config: Any) -> None:
    output = gm.graph.output_node()
    output.args = ((*output.args[0], *output.args[0]),)


def drops_the_result(gm: Any, inputs: Any, config: Any) -> None:
    gm.graph.output_node().args = ((None,),)


def casts_the_result(gm: Any, inputs: Any, config: Any) -> None:
    output = gm.graph.output_node()
    with gm.graph.inserting_before(output):
        cast = gm.graph.call_function(aten._to_copy.default, output.args[0], {"dtype": torch.float16})
    output.args = ((cast,),)


def sums_instead(gm: Any, inputs: Any, config: Any) -> None:
    first(gm).target = aten.sum.default


def drops_an_input(gm: Any, inputs: Any, config: Any) -> None:
    given = next(n for n in gm.graph.nodes if n.op == "placeholder")
    with gm.graph.inserting_before(first(gm)):
        given.replace_all_uses_with(gm.graph.call_function(aten.ones.default, ([3],)))
    gm.graph.erase_node(given)


def adds_an_input(gm: Any, inputs: Any, config: Any) -> None:
    with gm.graph.inserting_before(first(gm)):
        first(gm).args = (gm.graph.placeholder("extra"),)


def gives_too_many_arguments(gm: Any, inputs: Any, config: Any) -> None:
    first(gm).args = (*first(gm).args, 3, 4)


def gives_a_text(gm: Any, inputs: Any, config: Any) -> None:
    first(gm).args = ("text",)


def calls_what_is_none(gm: Any, inputs: Any, config: Any) -> None:
    node = first(gm)
    with gm.graph.inserting_before(node):
        node.args = (gm.graph.call_method("nonesuch", node.args),)


def moves_a_node_behind_its_reader(gm: Any, inputs: Any, config: Any) -> None:
    gm.graph.output_node().prepend(first(gm))


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    ("user_pass", "text"),
    [
        (returns_another, "it returned another graph, which is not used"),
        (erases_the_output, "the graph has 0 output nodes"),
        (adds_a_result, r"the graph gave 1 result\(s\) and gives 2"),
        (drops_the_result, r"result 0 of the graph was f32\[3\] on cpu and is None"),
        (casts_the_result, r"result 0 of the graph was f32\[3\] on cpu and is f16\[3\] on cpu"),
        (sums_instead, r"result 0 of the graph was f32\[3\] on cpu and is f32\[\] on cpu"),
        (drops_an_input, r"the graph had 1 input\(s\) and has 0"),
        (adds_an_input, r"the graph had 1 input\(s\) and has 2"),
        (gives_too_many_arguments, r"cannot be called: .*at most 1 argument(.|\n)*aten.relu.default.*test_user_passes\.py:\d+"),
        (gives_a_text, r"cannot be called: .*Expected a value of type 'Tensor'(.|\n)*test_user_passes\.py:\d+"),
        (calls_what_is_none, r"cannot be called: AttributeError: .*nonesuch"),
        (moves_a_node_behind_its_reader, "used before it has been defined"),
    ],
)  # fmt: skip
def test_what_a_pass_leaves_is_checked(option: str, user_pass: Any, text: str) -> None:
    with pytest.raises(BackendCompilerFailed) as caught:
        compiled(lambda x: torch.relu(x) + 1, user_pass, option)(torch.ones(3))
    error = caught.value.inner_exception
    assert isinstance(error, errors.PassInvalid) and isinstance(error, errors.PassFailed)
    start = rf"The pass {user_pass.__name__} \({option}, .*test_user_passes\.py:{user_pass.__code__.co_firstlineno}\)"
    with pytest.raises(errors.PassInvalid, match=rf"{start} left a graph that cannot be compiled: (.|\n)*{text}"):
        raise error


def test_an_operator_without_a_fake_that_a_pass_brings_is_named(operators: Any) -> None:
    op = operators.torch("unfaked(Tensor x) -> Tensor", lambda x: x * 1, None)

    def bring(gm: Any, inputs: Any, config: Any) -> None:
        first(gm).target = op

    with pytest.raises(BackendCompilerFailed, match=rf"{op} has no Meta \(fake\) implementation.*register_fake"):
        compiled(lambda x: torch.relu(x), bring)(torch.ones(3))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("option", OPTIONS)
def test_meta_values_follow_what_a_pass_changed(option: str, dynamic: bool) -> None:
    def sum_first(gm: Any, inputs: Any, config: Any) -> None:
        """cos(x).sum(1) becomes cos(x.sum(1)): the cosine has another shape."""
        cos, total = first(gm, aten.cos.default), first(gm, aten.sum.dim_IntList)
        total.args = (cos.args[0], *total.args[1:])
        total.replace_all_uses_with(cos, delete_user_cb=lambda user: user is not cos)
        cos.args = (total,)
        cos.prepend(total)

    f = compiled(lambda x: x.cos().sum(1) * 2, sum_first, option, dynamic)
    for rows, columns in ((3, 5), (4, 6)):
        x = torch.randn(rows, columns)
        torch.testing.assert_close(f(x), x.sum(1).cos() * 2)


@pytest.mark.parametrize("page", ["docs/howto/capture.md", "docs/zh/howto/capture.md"])
def test_the_pass_of_the_page(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    found = re.search(r"```python\n(def approximate.*?)```", text, re.S)
    assert found is not None
    names: dict[str, Any] = {"torch": torch, "torchair": torchair}
    exec(found[1], names)
    x = torch.randn(100)
    f = torch.compile(torch.nn.functional.gelu, backend=torchair.get_npu_backend(compiler_config=names["config"]))
    expected = torch.nn.functional.gelu(x, approximate="tanh")
    torch.testing.assert_close(f(x), expected, rtol=0, atol=1e-7)
    assert not torch.equal(expected, torch.nn.functional.gelu(x))


def test_passes_over_the_backward_graph_too() -> None:
    seen = []

    def halve(gm: Any, inputs: Any, config: Any) -> None:
        seen.append(any(n.target is aten.cos.default for n in gm.graph.nodes))
        if seen[-1]:
            output = gm.graph.output_node()
            with gm.graph.inserting_before(output):
                half = gm.graph.call_function(aten.mul.Tensor, (output.args[0][0], 0.5))
            output.args = ((half, *output.args[0][1:]),)

    x = torch.randn(4, requires_grad=True)
    compiled(lambda x: x.sin().sum(), halve)(x).backward()
    assert seen == [False, True] and x.grad is not None
    torch.testing.assert_close(x.grad, x.detach().cos() * 0.5)


def test_sizes_that_only_a_run_tells_stay_the_same_sizes() -> None:
    def positive(gm: Any, inputs: Any, config: Any) -> None:
        found = first(gm, aten.nonzero.default)
        with gm.graph.inserting_before(found):
            found.args = (gm.graph.call_function(aten.relu.default, found.args),)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        f = compiled(lambda x: torch.nonzero(x) + 1, positive)
        x = torch.tensor([1.0, -2.0, 0.0, 3.0])
        assert f(x).tolist() == [[1], [4]]
