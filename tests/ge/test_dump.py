"""Dumps: readable text, ge.proto, ONNX. Each is read back by what reads it elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from google.protobuf import text_format

from ferrata import ge
from ferrata.ge import dump
from ferrata.ge.attrs import KINDS, AttrValue
from ferrata.ge.dump import onnx as onnx_form
from ferrata.ge.dump import proto, readable
from ferrata.ge.ir import Desc, Graph, Where

ATTRS: dict[str, Any] = {
    "Int": 3, "Float": 0.5, "Bool": True, "Str": 'a "b"', "DataType": 27, "ListInt": [1, 2], "ListFloat": [0.5],
    "ListBool": [True],
    "ListStr": ["x"], "ListDataType": [1, 27], "ListListInt": [[1], [2, 3]], "ListListFloat": [[0.5], []],
}  # fmt: skip


@pytest.fixture
def graph() -> Any:
    """One of everything: attributes of all kinds, an absent optional, dynamic ports, a constant, controls."""
    ge.register_op(
        "DumpDemo",
        inputs=["a", "b?", "parts[]"],
        outputs=["y", "rest[]"],
        attrs={f"a{kind.lower()}": kind for kind in ATTRS},
    )
    with ge.GraphBuilder("graph_7") as g, g.at(Where("model.py:12", "y = op(x)", "op_1")):
        x = g.data("x", Desc(0, (2, -1)))
        h = g.data("h", Desc(27, None))
        c = g.const(torch.arange(8, dtype=torch.int64), readable="0..7")
        attrs = {f"a{kind.lower()}": AttrValue(kind, v) for kind, v in ATTRS.items()}
        y, r0, r1 = g.add("DumpDemo", {"a": x, "parts": [h, c]}, ["y", ("rest", 2)], attrs)
        g.add("Assign", {"ref": x, "value": y})
        (last,) = g.add("Identity", {"x": r0}, controls=["Assign"])
        yield g.finish([last, r1, None, 3])
    ge.unregister_op("DumpDemo")


def test_text_is_one_line_a_node(graph: Graph) -> None:
    lines = str(graph).splitlines()
    assert lines[0] == "graph_7:" and len(lines) == 2 + len(graph.nodes)
    assert lines[1].split() == ["f32[2,", "?]", "x", "=", "Data(index=0)", "#", "model.py:12", "y", "=", "op(x)"]
    assert lines[2].split()[0] == "bf16[...]"
    assert "DumpDemo(a=x, b=None, parts0=h, parts1=Const, aint=3" in lines[4]
    assert lines[-1] == "  return (Identity, DumpDemo.rest1, None, 3)"


def test_proto_text_reads_back(graph: Graph) -> None:
    model = text_format.Parse(proto.to_txt(graph), proto.messages()["ModelDef"]())
    again = proto.messages()["ModelDef"].FromString(model.SerializeToString())
    assert again == model
    (g,) = model.graph
    ops = {op.name: op for op in g.op}
    op = ops["DumpDemo"]
    assert list(op.input) == ["x:0", "", "h:0", "Const:0"] and [d.name for d in op.input_desc] == [
        "a",
        "b",
        "parts0",
        "parts1",
    ]
    assert op.input_desc[1].attr["_is_unfed_optional"].i == 1 and op.input_desc[1].dtype == 0
    assert list(op.input_desc[0].shape.dim) == [2, -1] and list(op.input_desc[2].shape.dim) == [-2]
    assert op.attr["__dynamic_input_parts_cnt"].i == 2 and op.attr["__dynamic_output_rest_cnt"].i == 2
    assert list(op.attr["_ir_inputs_value"].list.i) == [0, 1, 2] and list(op.attr["_opt_input"].list.s) == [b"b"]
    assert list(ops["Identity"].input) == ["DumpDemo:1", "Assign:-1"]
    assert ops["x"].attr["index"].i == 0 and ops["NetOutput"].type == "NetOutput"
    assert list(g.input) == ["x:0", "h:0"] and list(g.output) == ["Identity:0", "DumpDemo:2"]
    assert op.attr["_source_line"].s == b"model.py:12  y = op(x)"
    constant = ops["Const"].attr["value"].t
    assert constant.data == torch.arange(8).numpy().tobytes() and constant.desc.dtype == 8
    assert (
        text_format.Parse(proto.to_txt(graph, weights=False), proto.messages()["ModelDef"]())
        .graph[0]
        .op[2]
        .attr["value"]
        .t.data
        == b""
    )


@pytest.mark.parametrize("kind", ATTRS)
def test_attributes_keep_their_kind(kind: str) -> None:
    message = proto.messages()["AttrDef"]()
    proto.write_attr(message, KINDS[kind].make(ATTRS[kind]))
    field = message.WhichOneof("value")
    wanted = {"Int": "i", "Float": "f", "Bool": "b", "Str": "s", "DataType": "dt", "ListListInt": "list_list_int"}
    assert field == wanted.get(kind, "list_list_float" if kind == "ListListFloat" else "list")
    if field == "list":
        assert message.list.val_type == {"Int": 2, "Float": 3, "Bool": 4, "Str": 1, "DataType": 10}[kind[4:]]


def test_onnx_opens_and_is_valid(graph: Graph, tmp_path: Path) -> None:
    file = tmp_path / "graph.pbtxt"
    file.write_text(onnx_form.to_pbtxt(graph))
    model = onnx.load(file)
    onnx.checker.check_model(model)
    assert (model.producer_name, model.ir_version) == ("GE", 6) and not model.graph.input
    nodes = {n.name: n for n in model.graph.node}
    assert nodes["DumpDemo"].op_type == "ge:DumpDemo" and list(nodes["DumpDemo"].input) == ["x:0", "", "h:0", "Const:0"]
    assert "Assign:-1" in nodes["Assign"].output and "Assign:-1" in nodes["Identity"].input
    attributes = [a.name for a in nodes["DumpDemo"].attribute]
    assert (
        attributes == sorted(attributes) and "input_desc_dtype:0" in attributes and "output_desc_shape:1" in attributes
    )
    (data,) = [a for a in nodes["Const"].attribute if a.name == "value_data"]
    assert onnx.numpy_helper.to_array(data.t).tolist() == list(range(8))
    assert {v.name for v in model.graph.value_info} >= {"x:0", "h:0"}
    onnx.save(model, tmp_path / "graph.onnx")
    assert onnx.load(tmp_path / "graph.onnx") == model


def test_readable_form(graph: Graph) -> None:
    text = readable.to_readable(graph)
    assert text.startswith('graph("graph_7"):\n  %x : [#users=2] = Node[type=Data] (inputs = (), attrs = {index: 0})')
    assert "attrs = {value: [0, 1, 2, ..., 5, 6, 7]})" in text
    assert "%ret : [#users=1] = get_element[node=%DumpDemo](0)" in text
    assert text.rstrip().endswith("return (output_0=%Identity, output_1=%ret_2)")


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def test_environment_decides_what_is_written(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUMP_GRAPH_PATH", str(tmp_path))
    dump.stage(graph, "Build", ())
    assert files(tmp_path) == []
    monkeypatch.setenv("DUMP_GE_GRAPH", "2")
    dump.stage(graph, "PreRunBegin", ())
    names = files(tmp_path)
    assert [n.split("_0")[0] for n in names] == ["ge_onnx", "ge_proto"]
    assert all(n.endswith(("_graph_7_PreRunBegin.pbtxt", "_graph_7_PreRunBegin.txt")) for n in names)
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("pid_") and folder.name.endswith("_deviceid_0")
    monkeypatch.setenv("DUMP_GRAPH_FORMAT", "READABLE")
    monkeypatch.setenv("DUMP_GRAPH_LEVEL", "3")
    dump.stage(graph, "PreRunBegin", ())
    dump.stage(graph, "Build", ())
    assert [n for n in files(tmp_path) if "readable" in n] == [n for n in files(tmp_path) if n.endswith("_Build.txt")]
    monkeypatch.setenv("DUMP_GRAPH_LEVEL", "Begin|Other")
    dump.stage(graph, "PreRunBegin", ())
    assert len([n for n in files(tmp_path) if "readable" in n]) == 2


def test_a_folder_that_cannot_be_written_does_not_stop_the_run(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("DUMP_GE_GRAPH", "1")
    monkeypatch.setenv("DUMP_GRAPH_PATH", str(blocked))
    with pytest.warns(RuntimeWarning, match="was not written: .*Not a directory"):
        dump.stage(graph, "Build", ())
