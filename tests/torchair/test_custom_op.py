"""ge.custom_op: both call forms, every kind of port and attribute, and everything that can be wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata
import ferrata.npu  # the device
from ferrata import errors
from ferrata.ge import Desc, GraphBuilder, Session
from ferrata.torchair import ge


@pytest.fixture
def everything(operators: Any) -> str:
    """A type with required, optional and dynamic ports and all attribute kinds."""

    def run(ctx: Any) -> None:
        a, scale, parts = ctx.input("a"), ctx.input("scale"), [ctx.input(f"parts{i}") for i in range(ctx.attr("n"))]
        total = a.clone()
        for p in parts:
            total += p
        if scale is not None:
            total *= scale
        ctx.malloc_output("sum", a.shape, a.dtype).copy_(total * ctx.attr("alpha"))
        for i, p in enumerate(parts):
            ctx.malloc_output(f"copies{i}", p.shape, p.dtype).copy_(p)

    operators.ge(
        "EverythingT",
        run,
        inputs={"a": "T", "scale?": "T", "parts[]": "T"},
        outputs={"sum": "T", "copies[]": "T"},
        attrs={
            "n": "Int",
            "alpha": ("Float", 1.0),
            "flag": ("Bool", False),
            "mode": ("Str", "x"),
            "kind": ("DataType", torch.float32),
            "ints": ("ListInt", []),
            "floats": ("ListFloat", [1.0]),
            "bools": ("ListBool", [True]),
            "names": ("ListStr", ["a"]),
            "kinds": ("ListDataType", [torch.float16]),
            "table": ("ListListInt", [[1], [2, 3]]),
            "weights": ("ListListFloat", [[0.5]]),
        },
        symbols={"T": [torch.float32, torch.float16]},
    )
    return "EverythingT"


def feeds(g: GraphBuilder, *dtypes: int) -> list[ge.Tensor]:
    return [ge.Tensor(g, g.data(f"x{i}", Desc(d, (2, 3)))) for i, d in enumerate(dtypes)]


def run(g: GraphBuilder, *outputs: ge.Tensor) -> tuple[Any, ...]:
    compiled = Session().compile(g.finish([o.ref for o in outputs]))
    return compiled(*[torch.full((2, 3), float(i + 1)) for i in range(len(compiled.graph.feeds))])


def test_named_form_takes_ports_in_any_order(everything: str) -> None:
    with GraphBuilder() as g:
        a, b, c = feeds(g, 0, 0, 0)
        total, copies = ge.custom_op(
            everything,
            inputs={"parts": [b, c], "a": a},
            outputs=["sum", ("copies", 2)],
            attrs={"alpha": ge.attr.Float(2), "n": ge.attr.Int(2), "table": ge.attr.ListListInt([[4]])},
        )
    assert (total.dtype, total.node.name, total.tensor, total.controller) == (
        0,
        "EverythingT",
        "EverythingT:0",
        "EverythingT:-1",
    )
    got = run(g, total, *copies)
    assert [t.flatten()[0].item() for t in got] == [12.0, 2.0, 3.0]


def test_optional_input_given_and_absent(everything: str) -> None:
    for scale in (True, False):
        with GraphBuilder() as g:
            a, s = feeds(g, 0, 0)
            total, _ = ge.custom_op(
                everything,
                inputs={"a": a, "scale": s if scale else None, "parts": []},
                outputs=["sum", ("copies", 0)],
                attrs={"n": ge.attr.Int(0)},
            )
        assert run(g, total)[0][0, 0] == (2.0 if scale else 1.0)


def test_positional_form(operators: Any) -> None:
    operators.ge(
        "PosT",
        lambda ctx: ctx.malloc_output(0, (2, 3), torch.float32).copy_(ctx.input(0) * ctx.attr("k")) is None,
        inputs=["x", "m?"],
        outputs=["y"],
        attrs={"k": ("Float", 3.0), "kind": ("Int", 0)},
    )
    with GraphBuilder() as g:
        (x,) = feeds(g, 0)
        y = ge.custom_op("PosT", x, None, None, torch.float16)
        assert y.node.attrs["kind"].value == 1 and "k" not in y.node.attrs
    assert run(g, y)[0][0, 0] == 3.0
    with GraphBuilder() as g:
        (x,) = feeds(g, 0)
        with pytest.raises(
            errors.WrongInputCount, match=r"3 positional value\(s\) given, .* 2 input\(s\) and 2 attribute"
        ):
            ge.custom_op("PosT", x, None, 1.0)
        with pytest.raises(IndexError):
            ge.custom_op("PosT", x)
        with pytest.raises(TypeError, match=r"input 'x' must be a ge.Tensor, got 3"):
            ge.custom_op("PosT", 3, None, None, None)
        with pytest.raises(ValueError, match="attribute 'k' must be a number, got 'x'"):
            ge.custom_op("PosT", x, None, "x", None)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"inputs": {"aa": 0, "parts": []}}, errors.UnknownPort, "no input is called 'aa'. Did you mean 'a'"),
        ({"inputs": {"part": []}}, errors.UnknownPort, "Did you mean 'parts'"),
        ({"inputs": {"parts": []}}, errors.MissingPort, "required input 'a' is not given"),
        ({"inputs": {"a": 0}}, errors.MissingPort, "required input 'parts' is not given"),
        ({"inputs": {"a": 0, "parts": 0}}, errors.BadInput, "input 'parts' must be a list of tensors"),
        ({"inputs": {"a": [0], "parts": []}}, errors.BadInput, "input 'a' must be one tensor"),
        ({"inputs": {"a": "text", "parts": []}}, errors.BadInput, "input 'a' must be a ge.Tensor, None or a list"),
        ({"outputs": ["sun", ("copies", 0)]}, errors.UnknownPort, "no output is called 'sun'. Did you mean 'sum'"),
        ({"outputs": ["sum"]}, errors.MissingPort, "required output 'copies' is not given"),
        ({"outputs": ["sum", "copies"]}, errors.WrongOutputCount, "a count for the dynamic output 'copies'"),
        ({"outputs": [("sum", 2), ("copies", 0)]}, errors.WrongOutputCount, "got|2 'sum'"),
        ({"attrs": {"alhpa": ge.attr.Float(1.0)}}, errors.UnknownAttr, "Did you mean 'alpha'"),
        ({"attrs": {}}, errors.MissingAttr, "required attribute 'n'"),
        ({"attrs": {"n": 3}}, errors.BadAttr, "attribute 'n' must be a ge.attr object"),
        ({"attrs": {"n": ge.attr.Float(3.0)}}, errors.BadAttr, "attribute 'n' must be VT_INT"),
        ({"node_name": " "}, errors.BadNodeName, "blank"),
        ({"node_name": "x0"}, errors.BadNodeName, "in use"),
    ],
)
def test_what_is_wrong_is_named(everything: str, change: dict[str, Any], error: type[Exception], text: str) -> None:
    with GraphBuilder() as g:
        (a,) = feeds(g, 0)

        def fill(value: Any) -> Any:
            return a if value == 0 else [a] if value == [0] else value

        call: dict[str, Any] = {
            "inputs": {"a": 0, "parts": []},
            "outputs": ["sum", ("copies", 0)],
            "attrs": {"n": ge.attr.Int(0)},
        } | change
        call["inputs"] = {k: fill(v) for k, v in call["inputs"].items()}
        with pytest.raises(error, match=text):
            ge.custom_op(everything, **call)
        assert issubclass(error, AssertionError)
        call = {"inputs": {"a": a, "parts": []}, "outputs": ["sum", ("copies", 0)], "attrs": {"n": ge.attr.Int(0)}}
        ge.custom_op(everything, **call)  # the builder is still good


def test_dtype_outside_the_prototype(everything: str) -> None:
    with GraphBuilder() as g:
        x, h, i = feeds(g, 0, 1, 3)
        attrs = {"n": ge.attr.Int(0)}
        with pytest.raises(
            errors.DtypeNotAllowed, match="input 'a' is DT_INT32, the prototype allows DT_FLOAT, DT_FLOAT16"
        ):
            ge.custom_op(everything, inputs={"a": i, "parts": []}, outputs=["sum", ("copies", 0)], attrs=attrs)
        with pytest.raises(errors.DtypeNotAllowed, match=r"'parts0' is DT_FLOAT16.* shares the symbol T with 'a'"):
            ge.custom_op(everything, inputs={"a": x, "parts": [h]}, outputs=["sum", ("copies", 1)], attrs=attrs)


def test_unknown_type_names_the_nearest() -> None:
    with (
        GraphBuilder(),
        pytest.raises(errors.NoPrototype, match=r"'TensorMov' .* has no prototype. Did you mean 'TensorMove'"),
    ):
        ge.custom_op("TensorMov", inputs={}, outputs=[])


def test_outside_a_converter() -> None:
    with pytest.raises(errors.NotInConverter, match="only inside a converter"):
        ge.custom_op("Cast", inputs={}, outputs=[])
    with pytest.raises(errors.NotInConverter):
        ge.Const(1)


@pytest.mark.parametrize(
    ("builder", "good", "bad"),
    [
        ("Int", 3, 3.0),
        ("Int", -1, True),
        ("Float", 2, "2"),
        ("Bool", True, 1),
        ("Str", "x", 1),
        ("DataType", torch.float16, "text"),
        ("ListInt", [1, 2], [1.5]),
        ("ListFloat", [1, 0.5], 1.0),
        ("ListBool", [True], [1]),
        ("ListStr", ["a"], "a"),
        ("ListDataType", [torch.int8, 0], [None]),
        ("ListListInt", [[1], []], [1]),
        ("ListListFloat", [[0.5]], [["x"]]),
    ],
)
def test_attribute_builders(builder: str, good: Any, bad: Any) -> None:
    make = getattr(ge.attr, builder)
    assert make(good) == make(good) and make(make(good)) == make(good) and make.get(make(good)) == make(good).value
    for wrong in (bad, None):
        with pytest.raises(AssertionError):
            make(wrong)
    other = ge.attr.Int(1) if builder != "Int" else ge.attr.Float(1.0)
    with pytest.raises(AssertionError):
        make(other)


def test_const_cast_clone() -> None:
    with GraphBuilder() as g:
        (x,) = feeds(g, 0)
        assert (
            ge.Const(1).dtype == 9
            and ge.Const(1.0).dtype == 0
            and ge.Const([]).dtype == 3
            and ge.Const(True).dtype == 12
        )
        assert ge.Const([1, 2], dtype=torch.float16).dtype == 1 and ge.Const([[1.5]], dtype=11).rank == 2
        with pytest.raises(ValueError, match="takes Python numbers"):
            ge.Const(x)
        half = ge.Cast(x, dst_type=torch.float16)
        assert (half.dtype, half.rank, half.node.type) == (1, 2, "Cast")
        assert ge.Cast(3, dst_type=1).node.type == "Const"
        copy = ge.Clone(half, dependencies=[x], node_name="mine")
        assert (copy.node.name, copy.node.controls, copy.dtype) == ("mine", ("x0",), 1)
        with pytest.raises(AssertionError):
            ge.Clone(3)
    assert run(g, copy)[0].dtype is torch.float16


def test_intermediate_results_know_dtype_and_shape(everything: str) -> None:
    with GraphBuilder() as g:
        (x,) = feeds(g, 0)
        half = ge.Cast(x, dst_type=1)
        total, _ = ge.custom_op(
            everything, inputs={"a": half, "parts": []}, outputs=["sum", ("copies", 0)], attrs={"n": ge.attr.Int(0)}
        )
        assert total.dtype == 1
        back = ge.Cast(total, dst_type=0)
    assert run(g, back)[0].dtype is torch.float32


def test_an_operator_for_every_device_runs_in_a_graph_as_it_is() -> None:
    @torch.library.custom_op("for_every_device::thrice", mutates_args=())
    def thrice(x: torch.Tensor, times: float = 3.0) -> torch.Tensor:
        return x * times

    thrice.register_fake(lambda x, times=3.0: torch.empty_like(x))
    for device in ("cpu", "npu"):
        f = torch.compile(
            lambda x: thrice(x.sin()) + 1, backend=ferrata.get_npu_backend(), fullgraph=True, dynamic=True
        )
        for n in (3, 5):
            x = torch.randn(n)
            torch.testing.assert_close(f(x.to(device)).cpu(), x.sin() * 3 + 1)
