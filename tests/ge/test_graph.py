"""The IR, the builder, passes, the program and the session, without torch.compile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sympy
import torch

from ferrata import errors, ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.builder import is_contiguous
from ferrata.ge.ir import Call, Desc, Graph, Output, Port, Ref, iter_refs, map_structure
from ferrata.ge.passes import run_passes
from ferrata.ge.prototype import find_prototype
from ferrata.ge.types import DataType, dtype_name, ge_dtype, proto_dtype, torch_dtype
from ferrata.ge.worlds import World


@pytest.fixture
def axpy() -> Iterator[str]:
    """The example of the docstrings of register_op and register_op_impl."""
    ge.register_op(
        "AxpyDemo",
        inputs={"x": "T", "y": "T", "mask?": torch.bool},
        outputs={"z": "T"},
        attrs={"alpha": ("Float", 1.0)},
        symbols={"T": [torch.float32, torch.float16]},
    )

    @ge.register_op_impl("AxpyDemo")
    class AxpyDemo:
        def infer_shape(self, ctx: Any) -> None:
            ctx.set_output_shape("z", ctx.input_shape("x"))

        def execute(self, ctx: Any) -> None:
            x, y = ctx.input("x"), ctx.input("y")
            torch.add(x, y, alpha=ctx.attr("alpha"), out=ctx.malloc_output("z", x.shape, x.dtype))

    yield "AxpyDemo"
    ge.unregister_op("AxpyDemo")


def two_nodes(axpy: str) -> Graph:
    with ge.GraphBuilder("demo") as g:
        x, y = g.data("x", Desc(0, (8, 16))), g.data("y", Desc(0, (8, 16)))
        (z,) = g.add(axpy, {"y": y, "x": x}, attrs={"alpha": AttrValue("Float", 2.0)})
        (w,) = g.add("Cast", {"x": z}, attrs={"dst_type": AttrValue("Int", 1)})
        return g.finish([w])


def test_build_compile_and_run(axpy: str) -> None:
    graph = two_nodes(axpy)
    compiled = ge.Session().compile(graph)
    (out,) = compiled(torch.ones(8, 16), torch.full((8, 16), 3.0))
    assert out.dtype is torch.float16 and torch.equal(out, torch.full((8, 16), 7.0, dtype=torch.float16))
    assert str(graph.desc(Ref("AxpyDemo"))) == "f32[8, 16]"
    assert "AxpyDemo, = run_AxpyDemo([x, y, None])" in compiled.source
    with pytest.raises(errors.FeedMismatch, match=r"takes 2 inputs \(x, y\), fed 1"):
        compiled(torch.ones(8, 16))


def test_the_program_frees_what_is_not_read_again(axpy: str) -> None:
    lines = ge.Session().compile(two_nodes(axpy)).source.splitlines()
    assert [line.strip() for line in lines if "del " in line] == ["del x, y", "del AxpyDemo"]


def test_dead_nodes_go_and_effects_stay(axpy: str) -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", Desc(0, (2,)))
        unused = g.data("unused", Desc(0, (2,)))
        g.add("TensorMove", {"x": x}, name="dead")
        g.add("Assign", {"ref": x, "value": unused}, name="write")
        (y,) = g.add("Identity", {"x": x}, name="kept")
        graph = g.finish([y])
    names = [n.name for n in run_passes(graph).nodes]
    assert names == ["x", "unused", "write", "kept"]
    assert [n.name for n in run_passes(graph, off={"DeadNodes"}).nodes] == ["x", "unused", "dead", "write", "kept"]
    a, b = torch.zeros(2), torch.ones(2)
    (out,) = ge.Session().compile(graph)(a, b)
    assert out.tolist() == [1, 1] and a.tolist() == [1, 1]


def test_effects_keep_their_order_by_control_edges() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", Desc(0, (2,))), g.data("y", Desc(0, (2,)))
        g.add("Assign", {"ref": x, "value": y}, name="first")
        g.add("Assign", {"ref": y, "value": x}, name="second")
        graph = g.finish([])
    assert graph.node("second").controls == ("first",)


def test_symbols_are_read_from_inputs_and_evaluated_each_call(axpy: str) -> None:
    n = sympy.Symbol("s0", integer=True, positive=True)
    with ge.GraphBuilder("g", [World({n: 4}, "a"), World({n: 7}, "b")]) as g:
        x = g.data("x", Desc(0, (n, 3)))
        (z,) = g.add(axpy, {"x": x, "y": x})
        assert g.descs[z].shape == (n, 3)
        graph = g.finish([z, n * 2], {"s0": (x, 0)})
    compiled = ge.Session().compile(graph)
    for rows in (2, 5):
        out, twice = compiled(torch.ones(rows, 3))
        assert out.shape == (rows, 3) and twice == 2 * rows
    assert "if AxpyDemo.shape != (s0, 3)" in compiled.source


def test_unknown_rank_compiles_and_runs() -> None:
    """A custom operator without any inference: the engine knows nothing, and runs it."""
    ge.register_op("OpaqueDemo", inputs=["x"], outputs=["y"])
    try:

        @ge.register_op_impl("OpaqueDemo")
        class OpaqueDemo:
            def execute(self, ctx: Any) -> None:
                ctx.malloc_output(0, (3,), torch.int32).fill_(4)

        with ge.GraphBuilder("g") as g:
            x = g.data("x", Desc(0, (2,)))
            (y,) = g.add("OpaqueDemo", {"x": x})
            assert g.descs[y].shape is None
            graph = g.finish([y])
        assert ge.Session().compile(graph)(torch.ones(2))[0].tolist() == [4, 4, 4]
    finally:
        ge.unregister_op("OpaqueDemo")


def test_two_nodes_of_one_type_share_one_instance(axpy: str) -> None:
    from ferrata.ge.impl import find_implementation

    first, second = find_implementation(axpy), find_implementation(axpy)
    assert first is second


def test_constants_are_visible_to_inference() -> None:
    ge.register_op("FillDemo", inputs={"dims": torch.int64}, outputs=["y"])
    try:

        @ge.register_op_impl("FillDemo")
        class FillDemo:
            def infer_shape(self, ctx: Any) -> None:
                value = ctx.input_value("dims")
                ctx.set_output_shape("y", [-1] if value is None else value.tolist())

            def execute(self, ctx: Any) -> None:
                ctx.malloc_output("y", ctx.input("dims").tolist(), torch.float32).zero_()

        with ge.GraphBuilder("g") as g:
            dims = g.const(torch.tensor([2, 5]))
            (y,) = g.add("FillDemo", {"dims": dims})
            assert g.descs[y].shape == (2, 5)
            graph = g.finish([y])
        assert ge.Session().compile(graph)()[0].shape == (2, 5)
    finally:
        ge.unregister_op("FillDemo")


def test_dangling_edge_and_unknown_implementation() -> None:
    with ge.GraphBuilder("g") as g:
        call = Call(torch.neg, "neg", (Ref("nowhere"),))
        with pytest.raises(errors.DanglingEdge, match="reads nowhere:0"):
            g.aten("aten::neg", call, [("y", Desc())], ports=[("x", Ref("nowhere"))])
    ge.register_op("BareDemo", inputs=["x"], outputs=["y"])
    try:
        with ge.GraphBuilder("g") as g:
            graph = g.finish(g.add("BareDemo", {"x": g.data("x", Desc(0, (2,)))}))
        with pytest.raises(errors.NoImplementation, match="custom: no implementation is registered"):
            ge.Session().compile(graph)
    finally:
        ge.unregister_op("BareDemo")


def test_names_are_unique_and_safe_for_python() -> None:
    with ge.GraphBuilder("g") as g:
        refs = [g.data(name, Desc(0, (1,))) for name in ("class", "a.b", "1", "args", "x", "x")]
        (out,) = g.add("Identity", {"x": refs[0]}, name="run")
        graph = g.finish([out, *refs])
    values = [torch.full((1,), float(i)) for i in range(6)]
    got = ge.Session().compile(graph)(*values)
    assert [v.item() for v in got] == [0, 0, 1, 2, 3, 4, 5]
    assert [n.name for n in graph.nodes][4:6] == ["x", "x_1"]


def test_structures_are_walked_in_order() -> None:
    a, b, c = Ref("a"), Ref("b"), Ref("c", 1)
    value = [a, (1, {"k": b}), slice(None, c, 2), "text"]
    assert list(iter_refs(value)) == [a, b, c]
    assert map_structure(value, str) == ["a:0", (1, {"k": "b:0"}), slice(None, "c:1", 2), "text"]


def test_map_refs_replaces_ports_and_calls() -> None:
    node = ge.Node(
        "n",
        "aten::neg",
        (Port("x", Ref("a")), Port("m", None)),
        (Output("y", Desc()),),
        call=Call(torch.neg, "neg", (Ref("a"),)),
    )
    changed = node.map_refs(lambda r: Ref("b", 2))
    assert changed.refs == (Ref("b", 2),) and changed.call is not None and changed.call.args == (Ref("b", 2),)
    assert not node.portable and ge.Node("n", "Add").portable


@pytest.mark.parametrize(
    ("shape", "stride", "expected"),
    [((2, 3), (3, 1), True), ((2, 3), (1, 2), False), ((1, 3), (99, 1), True), ((0, 3), (7, 7), True), ((), (), True)],
)
def test_contiguity(shape: Any, stride: Any, expected: bool) -> None:
    assert is_contiguous(shape, stride) is expected


def test_type_numbers_convert_by_name() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.float8_e5m2):
        assert torch_dtype(ge_dtype(dtype)) is dtype
    assert [proto_dtype(d) for d in (0, 3, 9, 11, 12, 27, 28, 34)] == [1, 7, 8, 12, 11, 27, 0, 33]
    assert ge_dtype("DT_BF16") == ge_dtype("float16") + 26 == 27 and ge_dtype(DataType.DT_BOOL) == 12
    assert dtype_name(5) == "DT_5"
    for wrong in (torch.quint4x2, "FLOAT17", 5, True, None):
        with pytest.raises(RuntimeError, match="no GE counterpart"):
            ge_dtype(wrong)


@pytest.mark.parametrize(
    ("declaration", "text"),
    [
        ({"inputs": "xy", "outputs": ["z"]}, "inputs must be a list of names"),
        ({"inputs": ["x", "x?"], "outputs": ["z"]}, "inputs must be names that differ"),
        ({"inputs": ["x y"], "outputs": ["z"]}, "each of inputs must be a port's name"),
        ({"inputs": [3], "outputs": ["z"]}, "each of inputs must be a port's name"),
        ({"inputs": ["x"], "outputs": ["z"], "attrs": ["k"]}, "attrs must be a dictionary"),
        ({"inputs": ["x"], "outputs": ["z"], "attrs": {"k": 3}}, r"attrs\['k'\] must be a kind"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(declaration: Any, text: str) -> None:
    with pytest.raises(errors.BadDeclaration, match=text) as caught:
        ge.register_op("NonsenseT", **declaration)
    assert "test_graph.py:" in str(caught.value)
    assert find_prototype("NonsenseT") is None


def test_types_that_every_graph_knows_stay_as_they_are() -> None:
    with pytest.raises(errors.DuplicateOperator, match="Cast is registered twice"):
        ge.register_op("Cast", inputs=["x"], outputs=["y"])
    with pytest.raises(errors.BadDeclaration, match="the type must be a name"):
        ge.register_op("", inputs=["x"], outputs=["y"])


def test_implementations_are_classes() -> None:
    with pytest.raises(errors.BadDeclaration, match="must be a class with execute"):
        ge.register_op_impl("NonsenseT")(lambda ctx: None)  # type: ignore[arg-type]


def test_ints_have_64_bits() -> None:
    from ferrata.ge.attrs import KINDS

    assert KINDS["Int"].make(-(2**63)).value == -(2**63)
    for kind, value in (("Int", 2**63), ("ListInt", [1, -(2**63) - 1]), ("ListListInt", [[2**70]])):
        with pytest.raises(TypeError, match="64 bits"):
            KINDS[kind].make(value)


def test_a_description_reads_as_text_with_what_is_unusual() -> None:
    assert repr(Desc(0, (3, sympy.Symbol("s6")))) == "f32[3, s6]"
    assert repr(Desc(1, (2, 3), (1, 2), placement="CPU")) == "f16[2, 3] strides=(1, 2) on=CPU"
    assert repr(Desc(9, (), host=True)) == "i64 host=True"
