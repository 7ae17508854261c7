"""Each thing that can go wrong between torch.compile and execution: own class, the user's line, life after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed, Unsupported

from ferrata import errors, torchair


def fails_to_compile(f: Callable[..., Any], *inputs: Any, **options: Any) -> Exception:
    """The inner exception of compiling f."""
    with pytest.raises((BackendCompilerFailed, errors.GraphError)) as caught:
        torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, **options)(*inputs)
    inner = caught.value
    if isinstance(inner, BackendCompilerFailed):  # an IndexError passes through Dynamo as it is
        inner = inner.inner_exception
    assert str(inner) in str(caught.value)
    return inner


def still_works(add: Any) -> None:
    x = torch.randn(3)
    f = torch.compile(lambda x: add(x, x), backend=torchair.get_npu_backend(), fullgraph=True)
    torch.testing.assert_close(f(x), 2 * x)


def line_of(f: Callable[..., Any], offset: int = 1) -> str:
    return f"test_errors.py:{f.__code__.co_firstlineno + offset}"


def simple(operators: Any, name: str, fake: Any = torch.empty_like) -> Any:
    return operators.torch(f"{name}(Tensor x) -> Tensor", lambda x: x * 2, fake)


def test_every_node_without_a_converter_is_listed(operators: Any, add: Any) -> None:
    one, two = simple(operators, "alone"), simple(operators, "other_op")

    def f(x: torch.Tensor) -> torch.Tensor:
        y = one(x)
        y = add(y, y)
        return two(y) + one(y)

    error = fails_to_compile(f, torch.ones(3))
    assert isinstance(error, errors.NoConverter)
    text = str(error)
    assert text.startswith("3 node(s)") and text.count("alone.default") == 3 and text.count("other_op.default") == 1
    for offset in (1, 3):
        assert line_of(f, offset) in text
    assert "no GE prototype OtherOp" in text and "register_fx_node_ge_converter" in text
    still_works(add)


def test_no_prototype(operators: Any, add: Any) -> None:
    op = simple(operators, "unknown")
    operators.converter(op, lambda x: torchair.ge.custom_op("AddCustmT", inputs={"x": x}, outputs=["z"]))

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    error = fails_to_compile(f, torch.ones(3))
    assert isinstance(error, errors.NoPrototype) and isinstance(error, RuntimeError)
    assert line_of(f) in str(error) and "Did you mean 'AddCustomT'?" in str(error)
    still_works(add)


def test_prototype_without_implementation(operators: Any, add: Any) -> None:
    op = simple(operators, "bare")
    operators.ge("BareT", None, inputs=["x"], outputs=["y"])
    operators.converter(op, lambda x: torchair.ge.custom_op("BareT", x))

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    error = fails_to_compile(f, torch.ones(3))
    assert isinstance(error, errors.NoImplementation)
    assert line_of(f) in str(error) and "REG_AUTO_MAPPING_OP(BareT)" in str(error)
    still_works(add)


def test_meta_missing(operators: Any, add: Any) -> None:
    op = simple(operators, "metaless", None)

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x) + 1

    with pytest.raises(errors.MetaMissing) as caught:
        torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(3))
    assert isinstance(caught.value, Unsupported)
    assert f"{operators.namespace}::metaless" in str(caught.value) and line_of(f) in str(caught.value)
    assert "register_fake" in str(caught.value)
    still_works(add)
    # without fullgraph it is a graph break, as with every backend
    torch.testing.assert_close(
        torch.compile(f, backend=torchair.get_npu_backend())(torch.ones(3)), torch.full((3,), 3.0)
    )


def test_other_backends_keep_their_own_message_for_missing_meta(operators: Any) -> None:
    torchair.get_npu_backend()
    op = simple(operators, "metaless", None)
    with pytest.raises(Unsupported) as caught:
        torch.compile(lambda x: op(x), backend="eager", fullgraph=True)(torch.ones(3))
    assert not isinstance(caught.value, errors.MetaMissing)


@pytest.mark.parametrize("dynamic", [False, True])
def test_meta_and_ge_shapes_disagree(operators: Any, add: Any, dynamic: bool) -> None:
    op = operators.torch("flip(Tensor x) -> Tensor", lambda x: x.t(), lambda x: x.new_empty(x.shape))
    operators.ge(
        "FlipT",
        lambda ctx: None,
        infer_shape=lambda c: c.set_output_shape(0, c.input_shape(0)[::-1]),
        inputs=["x"],
        outputs=["y"],
    )
    operators.converter(op, lambda x: torchair.ge.custom_op("FlipT", x))

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    error = fails_to_compile(f, torch.ones(3, 5), dynamic=dynamic)
    assert isinstance(error, errors.MetaMismatch)
    text = str(error)
    assert "[3, 5]" in text and "[5, 3]" in text and line_of(f) in text
    assert "fake implementation of" in text and "InferShape" in text and "conftest.py" in text
    still_works(add)


def test_a_square_first_size_does_not_hide_a_swapped_shape(operators: Any) -> None:
    op = operators.torch("flip(Tensor x) -> Tensor", lambda x: x.t(), lambda x: x.new_empty(x.shape))
    operators.ge(
        "FlipT",
        lambda ctx: None,
        infer_shape=lambda c: c.set_output_shape(0, c.input_shape(0)[::-1]),
        inputs=["x"],
        outputs=["y"],
    )
    operators.converter(op, lambda x: torchair.ge.custom_op("FlipT", x))
    x = torch.ones(6, 6)
    torch._dynamo.mark_dynamic(x, 0)
    error = fails_to_compile(lambda x: op(x), x)
    assert isinstance(error, errors.MetaMismatch) and "with s" in str(error)


def test_constant_shape_for_a_dynamic_input_is_found_by_the_second_world(operators: Any) -> None:
    op = operators.torch("fixed(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    operators.ge(
        "FixedT", lambda ctx: None, infer_shape=lambda c: c.set_output_shape(0, [4]), inputs=["x"], outputs=["y"]
    )
    operators.converter(op, lambda x: torchair.ge.custom_op("FixedT", x))
    error = fails_to_compile(lambda x: op(x), torch.ones(4), dynamic=True)
    assert isinstance(error, errors.MetaMismatch) and "GE infers [4] with s" in str(error)


def test_meta_and_ge_dtypes_disagree(operators: Any, add: Any) -> None:
    op = operators.torch(
        "narrow_(Tensor x) -> Tensor", lambda x: x.half(), lambda x: x.new_empty(x.shape, dtype=torch.float16)
    )
    operators.ge(
        "NarrowT",
        lambda ctx: None,
        infer_dtype=lambda c: c.set_output_dtype(0, c.input_dtype(0)),
        inputs=["x"],
        outputs=["y"],
    )
    operators.converter(op, lambda x: torchair.ge.custom_op("NarrowT", x))
    error = fails_to_compile(lambda x: op(x), torch.ones(3))
    assert isinstance(error, errors.MetaMismatch) and "DT_FLOAT16" in str(error) and "GE infers DT_FLOAT" in str(error)
    still_works(add)


def test_inference_that_fails_is_named(operators: Any, add: Any) -> None:
    def infer(ctx: Any) -> int:
        return 7

    op = simple(operators, "angry")
    operators.ge("AngryT", lambda ctx: None, infer_shape=infer, inputs=["x"], outputs=["y"])
    operators.converter(op, lambda x: torchair.ge.custom_op("AngryT", x))
    error = fails_to_compile(lambda x: op(x), torch.ones(3))
    assert isinstance(error, errors.InferFailed) and "returned 7" in str(error) and "DT_FLOAT [3]" in str(error)
    still_works(add)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("shape", "dtype"), [((4,), torch.float32), ((3, 1), torch.float32), ((3,), torch.float16)])
def test_planned_and_actual_output_disagree(operators: Any, add: Any, dynamic: bool, shape: Any, dtype: Any) -> None:
    op = simple(operators, "liar")
    operators.ge("LiarT", lambda ctx: ctx.malloc_output(0, shape, dtype).zero_() is None, inputs=["x"], outputs=["y"])
    operators.converter(op, lambda x: torchair.ge.custom_op("LiarT", x))

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    g = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    with pytest.raises(errors.OutputMismatch) as caught:
        g(torch.ones(3))
    text = str(caught.value)
    assert "planned as DT_FLOAT [3]" in text and f"[{', '.join(map(str, shape))}]" in text and line_of(f) in text
    still_works(add)


def test_execute_that_fails_or_forgets_an_output(operators: Any, add: Any) -> None:
    status: list[Any] = [5]

    def run(ctx: Any) -> Any:
        if status[0] == "raise":
            raise ValueError("no such table")
        if status[0] == "good":
            ctx.malloc_output(0, ctx.input(0).shape, ctx.input(0).dtype).fill_(9)
            return 0
        return status[0]

    op = simple(operators, "moody")
    operators.ge("MoodyT", run, inputs=["x"], outputs=["y"])
    operators.converter(op, lambda x: torchair.ge.custom_op("MoodyT", x))

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    g = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)
    for value, kind, text in [
        (5, errors.ExecuteFailed, "returned 5"),
        ("raise", errors.ExecuteFailed, "no such table"),
    ]:
        status[0] = value
        with pytest.raises(kind, match=text) as caught:
            g(torch.ones(3))
        assert line_of(f) in str(caught.value)
    status[0] = 0
    with pytest.raises(errors.OutputNotSet, match="did not allocate output y"):
        g(torch.ones(3))
    status[0] = "good"
    assert g(torch.ones(3)).tolist() == [9, 9, 9]
    still_works(add)


def test_input_dtype_outside_the_prototype(add: Any) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return add(x, x)

    error = fails_to_compile(f, torch.ones(3, dtype=torch.float16))
    assert isinstance(error, errors.DtypeNotAllowed)
    assert "input 'x' is DT_FLOAT16, the prototype allows DT_FLOAT" in str(error) and line_of(f) in str(error)
    still_works(add)


def test_same_operator_twice(operators: Any, add: Any) -> None:
    from ferrata import ge

    with pytest.raises(errors.DuplicateOperator, match="AddCustomT is registered twice"):
        ge.register_op("AddCustomT", inputs=["x"], outputs=["y"])
    with pytest.raises(errors.DuplicateOperator, match=r"implementation.*conftest.py.*test_errors.py"):
        ge.register_op_impl("AddCustomT")(type("AddCustomT", (), {"execute": lambda self, ctx: None}))
    still_works(add)


@pytest.mark.parametrize(
    ("convert", "kind", "text"),
    [
        (lambda x: None, errors.BadResult, "must return a ge.Tensor.* got None"),
        (lambda x: (x, x), errors.BadResult, "got 2 outputs"),
        (lambda x: x.nothing, errors.ConverterFailed, r"raised AttributeError"),
        (
            lambda x: x + 1,
            errors.TensorArithmetic,
            r"converter of .*op.default at .*test_errors.py:\d+.*`x \+ y`.*ge_apis.Add\(x, y\).*test_errors.py:\d+: lambda x: x \+ 1",
        ),
        (lambda x: 2 * x, errors.TensorArithmetic, r"`x \* y`.*ge_apis.Mul\(x, y\)"),
        (lambda x: -x, errors.TensorArithmetic, r"ge_apis.Neg\(x\)"),
        (lambda x: x[0], errors.TensorArithmetic, r"ge_apis.StridedSlice"),
        (
            lambda x: torchair.ge.custom_op("AddCustomT", inputs={"x": x}, outputs=["z"]),
            errors.MissingPort,
            "required input 'y'",
        ),
        (
            lambda x: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "yy": x}, outputs=["z"]),
            errors.UnknownPort,
            "no input is called 'yy'. Did you mean 'y'",
        ),
        (lambda x: torchair.ge.custom_op("AddCustomT", x), errors.WrongInputCount, "1 positional"),
        (
            lambda x: torchair.ge.custom_op(
                "AddCustomT", inputs={"x": x, "y": x}, outputs=["z"], attrs={"k": torchair.ge.attr.Int(1)}
            ),
            errors.UnknownAttr,
            "no attribute is called 'k'",
        ),
    ],
)
def test_mistakes_in_a_converter(operators: Any, add: Any, convert: Any, kind: type, text: str) -> None:
    op = simple(operators, "op")
    operators.converter(op, convert)

    def f(x: torch.Tensor) -> torch.Tensor:
        return op(x)

    error = fails_to_compile(f, torch.ones(3))
    assert type(error) is kind and re.search(text, str(error), re.S), error
    assert line_of(f) in str(error)
    still_works(add)


def test_every_failing_converter_is_reported(operators: Any, add: Any) -> None:
    one, two = simple(operators, "one"), simple(operators, "two")
    operators.converter(one, lambda x: 1 / 0)
    operators.converter(two, lambda x: None)
    error = fails_to_compile(lambda x: two(one(x)), torch.ones(3))
    assert isinstance(error, errors.ConverterFailed) and "division by zero" in str(error)
    assert "1 further node(s) failed:\n- BadResult" in str(error)


def test_a_size_cannot_become_an_attribute(operators: Any) -> None:
    op = operators.torch("pad(Tensor x, SymInt n) -> Tensor", lambda x, n: x * n, lambda x, n: torch.empty_like(x))
    operators.ge("PadT", lambda ctx: None, inputs=["x"], outputs=["y"], attrs={"n": "Int"})
    operators.converter(
        op,
        lambda x, n: torchair.ge.custom_op(
            "PadT", inputs={"x": x}, outputs=["y"], attrs={"n": torchair.ge.attr.Int(n)}
        ),
    )
    error = fails_to_compile(lambda x: op(x, x.shape[0]), torch.ones(3), dynamic=True)
    assert isinstance(error, errors.BadAttr) and "an attribute is a constant" in str(error)


def test_the_config_must_be_a_config() -> None:
    with pytest.raises(TypeError, match=r"must be a torchair\.CompilerConfig"):
        torchair.get_npu_backend(compiler_config={"mode": "x"})  # type: ignore[arg-type]


def test_options_of_the_wrong_backend_are_listed(add: Any) -> None:
    with pytest.raises(BackendCompilerFailed, match=r"no option 'clone_outputs'. Did you mean 'clone_output'"):
        torch.compile(lambda x: add(x, x), backend=torchair.get_npu_backend(), options={"clone_outputs": True})(
            torch.ones(3)
        )


@pytest.mark.parametrize(
    "call", ["llm_datadist.create_npu_tensors", "tools.gegraph_check.deadlock_check.deadlock_check"]
)
def test_what_cannot_work_here_says_why(call: str) -> None:
    function: Any = torchair
    for part in call.split("."):
        function = getattr(function, part)
    with pytest.raises(NotImplementedError, match=f"torchair.{call} cannot work here: "):
        function()


KEPT: list[Any] = []


@pytest.mark.parametrize(
    ("convert", "kind", "text"),
    [
        (lambda x: torchair.ge.Const([1.0] * 3), errors.MetaMismatch, r"Meta says \[3, 4\], GE infers \[3\]"),
        (lambda x: torchair.ge.Const([[1] * 4] * 3), errors.MetaMismatch, "Meta says DT_FLOAT, GE infers DT_INT64"),
        (lambda x: KEPT[0], errors.ForeignTensor, "belongs to graph"),
        (lambda x: torchair.ge.custom_op("AddCustomT", x, KEPT[0]), errors.ForeignTensor, "belongs to graph"),
        (lambda x: torchair.ge.Cast(KEPT[0], dst_type=torch.float32), errors.ForeignTensor, "belongs to graph"),
        (lambda x: torchair.ge.Clone(x, dependencies=[KEPT[0]]), errors.ForeignTensor, "belongs to graph"),
        (
            lambda x: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "y": x}, outputs="z"),
            errors.BadCall,
            "outputs must be a list",
        ),
        (
            lambda x: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "y": x}, outputs=["z", "z"]),
            errors.BadCall,
            "each port once",
        ),
        (lambda x: torchair.ge.custom_op("AddCustomT", inputs=[x, x]), errors.BadCall, "inputs must be a dictionary"),
        (
            lambda x: torchair.ge.custom_op("AddCustomT", x, x, attrs=["k"]),
            errors.BadCall,
            "attrs must be a dictionary",
        ),
        (lambda x: torchair.ge.custom_op(None, x), errors.BadCall, "op_type must be a GE type name"),
        (lambda x: torchair.ge.custom_op("AddCustomT", x, x, node_name=3), errors.BadNodeName, "is not a string"),
        (lambda x: torchair.ge.Const([[1, 2], [3]]), errors.ConverterFailed, "ge.Const cannot make a constant of"),
    ],
)
def test_mistakes_are_located_in_the_converter(operators: Any, add: Any, convert: Any, kind: type, text: str) -> None:
    keep = simple(operators, "keep")
    operators.converter(keep, lambda x: (KEPT.__setitem__(slice(None), [x]), torchair.ge.Clone(x))[1])
    torch.compile(lambda x: keep(x), backend=torchair.get_npu_backend())(torch.ones(3, 4))
    op = simple(operators, "op")
    operators.converter(op, convert)
    error = fails_to_compile(lambda x: op(x), torch.ones(3, 4))
    assert type(error) is kind and re.search(text, str(error)), error
    inside = f"Raised in the converter, {convert.__code__.co_filename}:{convert.__code__.co_firstlineno}:"
    assert inside in str(error) or kind is errors.MetaMismatch or convert.__code__.co_names == ("KEPT",)
    still_works(add)


def test_an_input_handed_through_is_checked_against_meta(operators: Any) -> None:
    op = operators.torch("flip(Tensor x) -> Tensor", lambda x: x.t(), lambda x: x.new_empty(x.shape[::-1]))
    operators.converter(op, lambda x: x)
    for f in (lambda x: op(x), lambda x: op(x.relu())):
        error = fails_to_compile(f, torch.ones(3, 4))
        assert isinstance(error, errors.MetaMismatch), error


def test_a_value_handed_through_is_a_new_tensor(operators: Any) -> None:
    same, one = simple(operators, "same"), simple(operators, "fixed")
    operators.converter(same, lambda x: x)
    operators.converter(one, lambda x: torchair.ge.Const([7.0, 7.0]))

    def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return y, same(y), one(x)

    g = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)
    y, z, c = g(torch.ones(2))
    y.zero_(), c.zero_()
    assert z.tolist() == [2, 2]
    assert g(torch.ones(2))[2].tolist() == [7, 7]


def test_const_takes_numpy_arrays(operators: Any) -> None:
    import numpy as np

    op = simple(operators, "op")
    operators.converter(op, lambda x: torchair.ge.Const(np.full((2, 2), 3, np.float32)))
    f = torch.compile(lambda x: op(x), backend=torchair.get_npu_backend(), fullgraph=True)
    assert f(torch.ones(2, 2)).tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize("value", ["aten.add", 3, lambda x: x])
def test_converters_are_registered_for_operators_only(value: Any) -> None:
    with pytest.raises(errors.BadDeclaration, match=r"test_errors\.py:\d+: its argument must be an operator"):
        torchair.register_fx_node_ge_converter(value)
    with pytest.raises(errors.BadDeclaration, match="the converter must be a function, got 3"):
        torchair.register_fx_node_ge_converter(torch.ops.aten.relu.default)(3)


@pytest.mark.parametrize("value", [3, {torch.ops.aten.relu.default: 3}, {"aten.relu": torch.sigmoid}])
def test_decompositions_must_be_functions(value: Any) -> None:
    with pytest.raises(errors.BadOptionKind, match="custom_decompositions"):
        torchair.get_npu_backend(custom_decompositions=value)


def test_options_must_be_a_dictionary() -> None:
    with pytest.raises(BackendCompilerFailed, match="Option options must be a dictionary, got 'x'"):
        torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend(), options="x")(torch.ones(3))  # type: ignore[arg-type]
