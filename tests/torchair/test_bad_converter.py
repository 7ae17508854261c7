"""Converters whose parameters do not fit the node, or that give back what no graph can use: told with all that helps."""

from __future__ import annotations

import functools
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

from ferrata import errors, torchair
from ferrata.torchair import ge, registry

pytestmark = pytest.mark.slow


def failure_of(function: Callable[..., Any], *inputs: Any) -> BaseException:
    with pytest.raises((BackendCompilerFailed, errors.GraphError, TypeError)) as caught:
        torch.compile(function, backend=torchair.get_npu_backend(), fullgraph=True)(*inputs)
    return getattr(caught.value, "inner_exception", caught.value)


def place(function: Any) -> str:
    return f"test_bad_converter.py:{function.__code__.co_firstlineno}"


def scaled(operators: Any) -> Any:
    """An operator that is called with an argument by name."""
    return operators.torch(
        "scaled(Tensor x, *, float k=1.0) -> Tensor", lambda x, k=1.0: x * k, lambda x, k=1.0: torch.empty_like(x)
    )


class NeedsMore:
    def __call__(self, x: Any, y: Any, **options: Any) -> Any:
        return x


def adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return called


def no_keyword(x: Any) -> Any:
    return ge.Clone(x)


no_keyword_here: Any = no_keyword


def two_tensors(x: Any, y: Any, k: float = 1.0) -> Any:
    return ge.Clone(x)


def no_parameters(*, k: float) -> Any:
    return None


@pytest.mark.parametrize(
    ("convert", "problem", "shown", "line"),
    [
        (no_keyword, "got an unexpected keyword argument 'k'", "no_keyword(x: 'Any') -> 'Any'", place(no_keyword)),
        (two_tensors, "missing a required argument: 'y'", "two_tensors(x: 'Any', y: 'Any', k: ", place(two_tensors)),
        (no_parameters, "too many positional arguments", "no_parameters(*, k: ", place(no_parameters)),
        (adapted(no_keyword), "got an unexpected keyword argument 'k'", "no_keyword(x: ", place(no_keyword)),
        (functools.partial(two_tensors, k=3.0), "missing a required argument: 'y'", "two_tensors(", place(two_tensors)),
        (NeedsMore(), "missing a required argument: 'y'", "NeedsMore(x: ", place(NeedsMore.__call__)),
    ],
    ids=["keyword", "missing", "too_many", "wrapped", "partial", "object"],
)
def test_parameters_that_do_not_fit_the_call(operators: Any, convert: Any, problem: str, shown: str, line: str) -> None:
    op = scaled(operators)
    operators.converter(op, convert)

    def f(x: torch.Tensor) -> Any:
        return op(x, k=2.5)

    error = failure_of(f, torch.ones(3))
    assert isinstance(error, errors.ConverterSignature) and isinstance(error, TypeError)
    text = str(error)
    for part in (problem, shown, line, f"{operators.namespace}.scaled.default", "k=2.5", "f32[3]", "*, float k="):
        assert part in text, part
    assert f"test_bad_converter.py:{f.__code__.co_firstlineno + 1}" in text
    assert isinstance(error.__cause__, TypeError)


def test_a_wrong_call_inside_a_converter_is_told_where_it_is(operators: Any) -> None:
    def convert(x: Any, k: float = 1.0) -> Any:
        return no_keyword_here(x, k)

    op = scaled(operators)
    operators.converter(op, convert)
    error = failure_of(lambda x: op(x, k=2.0), torch.ones(3))
    assert isinstance(error, errors.ConverterFailed) and "no_keyword() takes 1 positional argument" in str(error)
    assert f"test_bad_converter.py:{convert.__code__.co_firstlineno + 1}: return no_keyword_here(x, k)" in str(error)


def test_the_line_is_that_of_the_converter_not_of_a_library_that_it_calls(operators: Any) -> None:
    def convert(x: Any) -> Any:
        values = np.concatenate([np.ones(2), np.ones((2, 2))])
        return ge.Const(statistics.mean(values.tolist()))

    def other(x: Any) -> Any:
        return statistics.mean([])

    for function, line in ((convert, 1), (other, 1)):
        op = operators.torch(f"op{function.__name__}(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
        operators.converter(op, function)
        text = str(failure_of(lambda x, op=op: op(x), torch.ones(3)))
        assert f"Raised in the converter, {__file__}:{function.__code__.co_firstlineno + line}:" in text


def test_all_that_do_not_fit_are_told_together(operators: Any) -> None:
    op, other = scaled(operators), operators.torch("other(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    operators.converter(op, no_keyword)
    operators.converter(other, two_tensors)
    error = failure_of(lambda x: other(op(x, k=2.0)), torch.ones(3))
    assert isinstance(error, errors.ConverterSignature) and "1 further node(s) failed:" in str(error)
    assert "unexpected keyword argument 'k'" in str(error) and "missing a required argument: 'y'" in str(error)


def test_functions_of_c_without_a_signature_are_converters_too(operators: Any) -> None:
    op = operators.torch("plain(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    operators.converter(op, int)
    error = failure_of(lambda x: op(x), torch.ones(3))
    assert isinstance(error, errors.ConverterFailed) and "The converter is int." in str(error)
    with pytest.raises(errors.BadDeclaration, match=r"test_bad_converter\.py.*can be called.*keyword argument 'q'"):
        torchair.register_fx_node_ge_converter(op)(functools.partial(no_keyword_here, q=3))


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        (torch.relu, "torch.ops.aten.relu.default"),
        (torch.nn.functional.silu, "torch.ops.aten.silu.default"),
        (torch.Tensor.add, "torch.ops.aten.add.Tensor"),
        (torch.nn.ReLU, "torch.ops.aten.relu.default"),
        (torch.cond, "torch.ops.higher_order.cond"),
    ],
)
def test_functions_that_no_captured_graph_calls_are_refused_with_the_operator(given: Any, instead: str) -> None:
    with pytest.raises(errors.BadDeclaration, match=rf"test_bad_converter\.py:\d+: its argument .* such as {instead} "):
        torchair.register_fx_node_ge_converter(given)


def test_samples_declared_before_registration_stay(operators: Any) -> None:
    op = operators.torch("plain(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    declared = torchair.declare_supported(["sample"])(no_keyword)  # type: ignore[arg-type]
    try:
        assert torchair.register_fx_node_ge_converter(op)(declared).supported == ["sample"]
    finally:
        registry.unregister(op)
        del declared.supported


@pytest.mark.parametrize("samples", [no_keyword, 3, "x"])
def test_samples_are_a_list(samples: Any) -> None:
    with pytest.raises(
        errors.BadDeclaration, match=r"declare_supported at .*test_bad_converter\.py:\d+: .*a list of samples"
    ):
        torchair.declare_supported(samples)


def counted(operators: Any) -> Any:
    """An operator that gives a number."""
    return operators.torch(
        "counted(Tensor x) -> SymInt", lambda x: 3, lambda x: torch.library.get_ctx().new_dynamic_size()
    )


KEPT: list[Any] = []


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        (lambda x: None, errors.BadResult, "must return an int or a ge.Tensor of one.* got None"),
        (lambda x: 2.5, errors.BadResult, "got 2.5"),
        (lambda x: True, errors.BadResult, "got True"),
        (lambda x: "3", errors.BadResult, "got '3'"),
        (lambda x: (1, 2), errors.BadResult, "got 2 outputs"),
        (lambda x: x, errors.BadResult, r"got Tensor\(arg0_1:0, f32\[3\]\)"),
        (lambda x: ge.Const(3.0), errors.BadResult, r"got Tensor\(Const:0, f32\[\]\)"),
        (lambda x: KEPT[0], errors.ForeignTensor, "belongs to graph"),
    ],
)
def test_a_number_must_be_one(operators: Any, result: Any, kind: type, text: str) -> None:
    keep = operators.torch("keep(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    operators.converter(keep, lambda x: (KEPT.__setitem__(slice(None), [ge.Const(4)]), ge.Clone(x))[1])
    torch.compile(lambda x: keep(x), backend=torchair.get_npu_backend())(torch.ones(3))
    op = counted(operators)
    operators.converter(op, result)
    error = failure_of(lambda x: x + op(x), torch.ones(3))
    assert type(error) is kind
    with pytest.raises(kind, match=text):
        raise error
    assert "The converter is <lambda> (" in str(error) and place(result) in str(error)


@pytest.mark.parametrize("result", [lambda x: 3, lambda x: ge.Const(3), lambda x: ge.Const([3])])
def test_a_number_may_be_a_tensor_of_one(operators: Any, result: Any) -> None:
    op = counted(operators)
    operators.converter(op, result)

    def f(x: torch.Tensor) -> Any:
        n = op(x)
        return x + n, x.new_zeros(n, 2), n

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        added, zeros, n = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(4))
    assert added.tolist() == [4.0] * 4 and tuple(zeros.shape) == (3, 2) and n == 3


def test_which_of_several_results_is_wrong_is_told(operators: Any) -> None:
    op = operators.torch(
        "pair(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x * 1, x * 2),
        lambda x: (torch.empty_like(x), torch.empty_like(x)),
    )
    operators.converter(op, lambda x: (x, None))
    error = failure_of(lambda x: op(x), torch.ones(3))
    assert isinstance(error, errors.BadResult) and "a ge.Tensor as output 1" in str(error)


def test_the_last_registration_for_an_operator_counts(operators: Any) -> None:
    op = operators.torch("plain(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    for factor in (2.0, 3.0):
        scale = {"value": ge.attr.Float(factor)}
        operators.converter(
            op, lambda x, scale=scale: ge.custom_op("Muls", inputs={"x": x}, outputs=["y"], attrs=scale)
        )
        torch._dynamo.reset()
        f = torch.compile(lambda x: op(x), backend=torchair.get_npu_backend(), fullgraph=True)
        assert f(torch.ones(2)).tolist() == [factor, factor]


def raising(x: Any) -> Any:
    raise ValueError("not today")


def of_two(x: Any, y: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("decompose", "problem"),
    [
        (raising, "raised ValueError: not today (…:{+1})"),
        (of_two, "raised TypeError: of_two() missing 1 required positional argument: 'y' (…:{+0})"),
        (lambda x: 3, "gave 3 instead of a tensor."),
        (lambda x: None, "gave nothing."),
    ],
)
@pytest.mark.parametrize("key", [torch.ops.aten.sinc.default, torch.ops.aten.sinc])
@pytest.mark.parametrize("cached", [False, True])
def test_a_decomposition_that_fails_is_named(
    tmp_path: Path, decompose: Any, problem: str, key: Any, cached: bool
) -> None:
    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.sinc(x)

    table = {key: decompose}
    if cached:
        call = torchair.inference.cache_compile(Model().forward, custom_decompositions=table, cache_dir=tmp_path)
        with torch.no_grad(), pytest.raises(errors.DecompositionFailed) as direct:
            call(torch.ones(3))
        text = str(direct.value)
    else:
        torch._dynamo.reset()
        backend = torchair.get_npu_backend(custom_decompositions=table)
        with pytest.raises(BackendCompilerFailed) as caught:
            torch.compile(Model(), backend=backend, fullgraph=True)(torch.ones(3))
        assert isinstance(caught.value.inner_exception, errors.DecompositionFailed)
        text = str(caught.value)
    first, line = Model.forward.__code__.co_firstlineno + 1, decompose.__code__.co_firstlineno
    start = re.sub(r"[^\s(]*test_bad_converter\.py", "…", text[text.index("The decomposition of aten.sinc.default") :])
    expected = problem.replace("{+1}", str(line + 1)).replace("{+0}", str(line))
    assert start.startswith(f"The decomposition of aten.sinc.default at …:{first} {expected}")
    assert f"It is {decompose.__name__} (…:{line}) and gets the arguments of aten::sinc(Tensor self) -> Tensor" in start


@torch.no_grad()
def test_a_cached_function_takes_decompositions_as_the_backend_does(tmp_path: Path) -> None:
    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.sinc(x)

    tables: list[Any] = [{torch.ops.aten.sinc: torch.cos}, {torch.ops.aten.sinc.default: lambda x: x.tan()}]
    for number, table in enumerate(tables):
        call = torchair.inference.cache_compile(Model().forward, custom_decompositions=table, cache_dir=tmp_path)
        x = torch.randn(5)
        torch.testing.assert_close(call(x), (x.cos(), x.tan())[number])
        backend = torchair.get_npu_backend(custom_decompositions=table)
        again = torchair.inference.cache_compile(Model().forward, backend=backend, cache_dir=tmp_path)
        torch.testing.assert_close(again(x), (x.cos(), x.tan())[number])
        assert again.hits == 1
    with pytest.raises(errors.BadOptionKind, match="custom_decompositions"):
        torchair.inference.cache_compile(Model().forward, custom_decompositions={"aten.sinc": torch.cos})
