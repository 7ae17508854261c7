"""The binding: what libraries registered, as Python sees it, and inference through nodes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ferrata.errors import NativeCallFailed
from ferrata.ge import native
from ferrata.ge.native import NativeNode

F32, F16, I8, I32, I64, F64, UNDEFINED, BF16 = 0, 1, 2, 3, 9, 11, 28, 27

pytestmark = pytest.mark.usefixtures("operators")


def test_prototype_has_ports_in_order_with_kinds() -> None:
    proto = native.prototypes()["Gathered"]
    assert [(p.name, p.kind) for p in proto.inputs] == [
        ("first", "required"),
        ("parts", "dynamic"),
        ("bias", "optional"),
    ]
    assert [(p.name, p.kind) for p in proto.outputs] == [("sum", "required"), ("copies", "dynamic")]
    assert proto.inputs[0].dtypes == (F32,)


def test_prototype_says_where_it_comes_from(operators: Path) -> None:
    origin = native.prototypes()["AddHost"].origin
    assert "operators.cpp:" in origin
    assert str(operators) in origin


def test_attributes_have_types_and_defaults() -> None:
    attrs = {a.name: a for a in native.prototypes()["Attributed"].attrs}
    assert attrs["an_int"] == native.AttrDef("an_int", "VT_INT", False, 3)
    assert attrs["a_float"].default == 0.5
    assert attrs["a_bool"].default is True
    assert attrs["a_text"].default == "hello"
    assert attrs["a_type"] == native.AttrDef("a_type", "VT_DATA_TYPE", False, BF16)
    assert attrs["ints"].default == [1, 2]
    assert attrs["texts"].default == ["a", "bc"]
    assert attrs["nested"].default == [[1, 2], []]
    assert attrs["tensor"].default == native.TensorValue(F32, (2,), bytes([0, 0, 0, 0, 0, 0, 0x80, 0x3F]))
    assert attrs["bytes"].default == b"\x01\xff"
    assert attrs["needed"] == native.AttrDef("needed", "VT_INT", True, None)


def test_named_set_of_types_is_read() -> None:
    dtypes = native.prototypes()["Throws"].inputs[0].dtypes
    assert dtypes is not None
    assert len(dtypes) == 23
    assert {F32, F16, BF16, I64} <= set(dtypes)


def test_symbols_are_reported() -> None:
    proto = native.prototypes()["Symbolic"]
    assert proto.symbols["T1"] == (F32, F16, I32)
    assert [p.symbol for p in proto.inputs] == ["T1", "T2", None]  # a list symbol binds no two ports
    assert proto.outputs[0].dtypes is None  # promoted
    assert proto.outputs[1].dtypes == (F32, F16, I32)


def test_implementation_names_its_mixins() -> None:
    found = native.implementation("Contextual")
    assert found is not None
    assert (found.execute, found.compile, found.infer_shape) == (True, True, False)
    found = native.implementation("OnlyInfers")
    assert found is not None
    assert (found.execute, found.infer_shape, found.infer_dtype) == (False, True, True)


def test_v2_functions_count_as_implementation() -> None:
    found = native.implementation("ReshapeLike")
    assert found is not None
    assert (found.execute, found.infer_shape, found.infer_dtype) == (False, True, True)
    assert found.data_dependency == (1,)


def test_unknown_type_has_no_implementation() -> None:
    assert native.implementation("Missing") is None
    assert native.implementation("Nothing") is None


def test_serial_grows_and_duplicates_are_told(library: Callable[[str, str], Path]) -> None:
    before = native.serial()
    text = """
        #include "graph/custom_op.h"
        #include "graph/operator_reg.h"
        using namespace ge;
        class AddHost : public EagerExecuteOp {
        public:
          graphStatus Execute(gert::EagerOpExecutionContext *) override { return GRAPH_FAILED; }
        };
        REG_OP(AddHost)
            .INPUT(other, TensorType({DT_INT8}))
            .OUTPUT(z, TensorType({DT_INT8}))
            .OP_END_FACTORY_REG(AddHost);
        REG_AUTO_MAPPING_OP(AddHost);
    """
    path = library("second", text)
    ctypes.CDLL(str(path))
    assert native.serial() == before + 2
    told = [d for d in native.duplicates() if d.op_type == "AddHost"]
    assert [d.what for d in told] == ["prototype", "creator"]
    assert all("operators.cpp" in d.kept and "second.cpp" in d.refused for d in told)
    assert native.prototypes()["AddHost"].inputs[0].name == "x"


def test_class_infers_types_then_shapes() -> None:
    node = NativeNode("AddHost", "n", [1, 1], [1], {})
    assert node.infer_dtypes([F32, F32]) == [F32]
    assert node.infer_shapes([[8, -1], [8, 4]]) == [[8, -1]]
    assert node.infer_shapes([[-2], [4]]) == [[-2]]
    assert node.infer_shapes([[], []]) == [[]]
    assert node.infer_shapes([[0, 3], [0, 3]]) == [[0, 3]]


def test_dynamic_and_absent_ports() -> None:
    node = NativeNode("Gathered", "n", [1, 2, 0], [1, 2], {})
    assert (node.inputs, node.outputs) == (3, 3)
    assert node.infer_dtypes([F32] * 3) == [F32] * 3
    assert node.infer_shapes([[4], [4], [4]]) == [[4]] * 3


def test_shape_function_waits_for_values_that_it_needs() -> None:
    node = NativeNode("ReshapeLike", "n", [1, 1], [1], {})
    assert node.infer_dtypes([F16, I64]) == [F16]
    assert node.infer_shapes([[6], [2]]) == [[-2]]
    node.set_const(1, b"".join(n.to_bytes(8, "little") for n in (2, 3)))
    assert node.infer_shapes([[6], [2]]) == [[2, 3]]
    node.set_const(1, b"")
    assert node.infer_shapes([[1], [0]]) == [[]]
    node.set_const(1, None)
    assert node.infer_shapes([[6], [2]]) == [[-2]]


def test_v1_function_gives_shape_and_type() -> None:
    node = NativeNode("OldStyle", "n", [1, 1], [1], {})
    assert node.infer_dtypes([F16, F16]) == [UNDEFINED]
    assert node.infer_shapes([[4, 1], [3]]) == [[4, 3]]
    assert node.output_dtypes() == [F16]
    with pytest.raises(NativeCallFailed, match="50331649"):
        node.infer_shapes([[4, 2], [3]])


def test_no_inference_is_unknown_and_no_error() -> None:
    node = NativeNode("Nothing", "n", [1], [1], {})
    assert node.infer_dtypes([F32]) == [UNDEFINED]
    assert node.infer_shapes([[4]]) == [[-2]]


def test_failing_inference_shows_status_and_what_it_printed() -> None:
    node = NativeNode("NeverInfers", "n", [1], [1], {})
    assert node.infer_dtypes([F32]) == [I8]  # the only type that the output may have
    with pytest.raises(NativeCallFailed, match=r"InferShape returned status 4294967295(.|\n)*cannot say"):
        node.infer_shapes([[4]])
    assert NativeNode("AddHost", "n", [1, 1], [1], {}).infer_shapes([[4], [4]]) == [[4]]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([F32, F16, I8, F32], [F32, F32, I8, F32, I64, I32]),
        ([I32, F16, F32, F32], [F16, I32, F32, F32, I64, I32]),
        ([F16, BF16, I8, I8], [F32, F16, I8, I8, I64, I32]),
        ([F32, F64, I8, I8], [F64, F32, I8, I8, I64, I32]),
    ],
)
def test_symbols_promote_and_map(inputs: list[int], expected: list[int]) -> None:
    node = NativeNode("Symbolic", "n", [1, 1, 2], [1, 1, 2, 1, 1], {})
    assert node.infer_dtypes(inputs) == expected


def test_attribute_decides_a_symbol_without_inputs() -> None:
    node = NativeNode("Symbolic", "n", [1, 1, 0], [1, 1, 0, 1, 1], {"R": I64})
    assert node.infer_dtypes([F32, F32])[-1] == I64


@pytest.mark.parametrize(
    ("inputs", "message"),
    [([F64, F32], "input 'a' is DT_DOUBLE, not in the set of type symbol 'T1'"), ([F32, 12], "'T2'")],
)
def test_type_outside_a_symbol_is_refused(inputs: list[int], message: str) -> None:
    node = NativeNode("Symbolic", "n", [1, 1, 0], [1, 1, 0, 1, 1], {})
    with pytest.raises(NativeCallFailed, match=message):
        node.infer_dtypes(inputs)


@pytest.mark.parametrize(
    ("op", "inputs", "outputs", "message"),
    [
        ("Missing", [1], [1], "no prototype of type 'Missing'"),
        ("AddHost", [1], [1], "2 inputs, 1 given"),
        ("AddHost", [1, 0], [1], "input 'y' cannot have 0 tensors"),
        ("Gathered", [1, 2, 2], [1, 0], "input 'bias' cannot have 2"),
        ("AddHost", [1, 1], [2], "output 'z' cannot have 2"),
    ],
)
def test_wrong_counts_are_refused(op: str, inputs: list[int], outputs: list[int], message: str) -> None:
    with pytest.raises(NativeCallFailed, match=message):
        NativeNode(op, "n", inputs, outputs, {})


@pytest.mark.parametrize(
    ("name", "value"), [("an_int", "x"), ("ints", 3), ("a_float", None), ("bools", 1), ("tensor", [1]), ("a_text", 5)]
)
def test_attribute_that_does_not_fit_is_refused(name: str, value: Any) -> None:
    with pytest.raises(NativeCallFailed, match=name):
        NativeNode("Attributed", "n", [1], [1], {name: value})


def test_compile_is_called_with_options_and_platform() -> None:
    node = NativeNode("Contextual", "here", [1], [1], {})
    node.infer_dtypes([F32])
    native.set_option("test.option", None)
    with pytest.raises(NativeCallFailed, match="Compile returned status"):
        node.compile([[2, 3]], [[3]])
    native.set_option("test.option", "1")
    node.compile([[2, 3]], [[3]])
    NativeNode("AddHost", "n", [1, 1], [1], {}).compile([[1], [1]], [[1]])  # has no Compile: nothing to do
