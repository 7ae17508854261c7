"""A graph as `ge.proto.ModelDef`: binary, `txt` (its text form) and the TensorBoard-like `pbtxt`.

The messages are described in one table and built at run time with protobuf's descriptor pool. Generated code was not
chosen because it is tied to the protobuf release that generated it; descriptors work with every release from 4 on.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Desc, Graph, Node, iter_refs
from ferrata.ge.prototype import MODES, Prototype, find_prototype
from ferrata.ge.types import UNDEFINED, DataType, dtype_name, proto_dtype

# message: "field=number type", `*` repeated, `map<T>` string-keyed; a field in `|...|` belongs to the oneof `value`
_MESSAGES = {
    "ShapeDef": "dim=1 int64*",
    "TensorDescriptor": "name=1 string, dtype=2 DataType, shape=3 ShapeDef, layout=4 string, attr=5 map<AttrDef>, "
    "has_out_attr=9 bool, size=10 int64, weight_size=11 int64, reuse_input=12 bool, output_tensor=13 bool, "
    "device_type=14 string, input_tensor=15 bool, real_dim_cnt=16 int64, reuse_input_index=17 int64, "
    "data_offset=18 int64, cmps_size=19 int64, cmps_tab=20 string, cmps_tab_offset=21 int64",
    "TensorDef": "desc=1 TensorDescriptor, data=2 bytes",
    "NamedAttrs": "name=1 string, attr=2 map<AttrDef>",
    "AttrDef": "list=1 AttrDef.ListValue|, s=2 bytes|, i=3 int64|, f=4 float|, b=5 bool|, bt=7 bytes|, "
    "func=10 NamedAttrs|, td=11 TensorDescriptor|, t=12 TensorDef|, g=13 GraphDef|, "
    "list_list_int=14 AttrDef.ListListInt|, dt=15 int64|, list_list_float=16 AttrDef.ListListFloat|, "
    "expression=17 bytes|",
    "AttrDef.ListValue": "s=2 bytes*, i=3 int64*, f=4 float*, b=5 bool*, bt=7 bytes*, td=8 TensorDescriptor*, "
    "t=9 TensorDef*, g=10 GraphDef*, na=11 NamedAttrs*, dt=12 int64*, val_type=20 AttrDef.ListValue.ListValueType",
    "AttrDef.ListListInt": "list_list_i=1 AttrDef.ListListInt.ListInt*",
    "AttrDef.ListListInt.ListInt": "list_i=1 int64*",
    "AttrDef.ListListFloat": "list_list_f=1 AttrDef.ListListFloat.ListFloat*",
    "AttrDef.ListListFloat.ListFloat": "list_f=1 float*",
    "OpDef": "name=1 string, type=2 string, input=5 string*, attr=10 map<AttrDef>, has_out_attr=20 bool, id=21 int64, "
    "stream_id=22 int64, input_name=23 string*, src_name=24 string*, src_index=25 int64*, dst_name=26 string*, "
    "dst_index=27 int64*, input_i=28 int64*, output_i=29 int64*, workspace=30 int64*, workspace_bytes=31 int64*, "
    "is_input_const=32 bool*, input_desc=33 TensorDescriptor*, output_desc=34 TensorDescriptor*, "
    "subgraph_name=35 string*",
    "GraphDef": "name=1 string, input=4 string*, output=5 string*, op=6 OpDef*, attr=11 map<AttrDef>",
    "ModelDef": "name=1 string, version=2 uint32, custom_version=3 string, graph=7 GraphDef*, attr=11 map<AttrDef>",
}
_LIST_KINDS = [
    "NONE",
    "STRING",
    "INT",
    "FLOAT",
    "BOOL",
    "BYTES",
    "TENSOR_DESC",
    "TENSOR",
    "GRAPH",
    "NAMED_ATTRS",
    "DATA_TYPE",
]


@functools.cache
def messages() -> dict[str, Any]:
    """Message classes by name ("ModelDef", "AttrDef.ListValue", ...)."""
    from google.protobuf import (  # type: ignore[import-untyped]
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )

    file = descriptor_pb2.FileDescriptorProto(name="ge_ir.proto", package="ge.proto", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    dtypes = file.enum_type.add(name="DataType")
    rows = sorted({(proto_dtype(t), dtype_name(t)) for t in DataType if t != DataType.DT_MAX})
    for number, name in rows:
        dtypes.value.add(name=name, number=number)
    made: dict[str, Any] = {}
    for full, text in _MESSAGES.items():
        outer, _, name = full.rpartition(".")
        message = made[outer].nested_type.add(name=name) if outer else file.message_type.add(name=name)
        made[full] = message
        if full == "AttrDef.ListValue":
            listed = message.enum_type.add(name="ListValueType")
            for number, kind in enumerate(_LIST_KINDS):
                listed.value.add(name=f"VT_LIST_{kind}", number=number)
        for item in text.split(", "):
            _add_field(message, full, item, kinds)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {full: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ge.proto.{full}")) for full in _MESSAGES}


def _add_field(message: Any, full: str, item: str, kinds: Any) -> None:
    match = re.fullmatch(r"(\w+)=(\d+) (map<)?([\w.]+)>?([*|]?)", item)
    assert match is not None, item
    name, number, is_map, kind, mark = match.groups()
    field = message.field.add(name=name, number=int(number), label=kinds.LABEL_OPTIONAL)
    if mark == "*" or is_map:
        field.label = kinds.LABEL_REPEATED
    if mark == "|":
        if not message.oneof_decl:
            message.oneof_decl.add(name="value")
        field.oneof_index = 0
    if is_map:
        entry = message.nested_type.add(name="".join(p.capitalize() for p in name.split("_")) + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=kinds.LABEL_OPTIONAL, type=kinds.TYPE_STRING)
        value = entry.field.add(name="value", number=2, label=kinds.LABEL_OPTIONAL)
        _set_type(value, kind, kinds)
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".ge.proto.{full}.{entry.name}"
    else:
        _set_type(field, kind, kinds)


def _set_type(field: Any, kind: str, kinds: Any) -> None:
    scalar = getattr(kinds, f"TYPE_{kind.upper()}", None)
    if scalar is not None:
        field.type = scalar
        return
    field.type = kinds.TYPE_ENUM if kind in ("DataType", "AttrDef.ListValue.ListValueType") else kinds.TYPE_MESSAGE
    field.type_name = f".ge.proto.{kind}"


def to_model(graph: Graph, *, weights: bool = True) -> Any:
    """The graph as a ModelDef message; each graph has a NetOutput node. weights: with the bytes of constants.

    The first graph is the root; the others are subgraphs, which nodes name by their path.
    """
    model = messages()["ModelDef"](name=graph.name, version=1)
    _write_graph(model, graph, graph.name, None, weights)
    for path, owner, _, inner in graph.subgraphs():
        _write_graph(model, inner, path, owner, weights)
    return model


def _write_graph(model: Any, graph: Graph, path: str, owner: Node | None, weights: bool) -> None:
    out = model.graph.add(name=path)
    before = 0 if owner is None else len(owner.inputs) - len(owner.passed)
    out.input.extend(f"{n.name}:0" for n in graph.feeds)
    results = list(iter_refs(graph.outputs))
    out.output.extend(map(str, results))
    nodes = graph.by_name()
    for i, node in enumerate(graph.nodes):
        op = out.op.add(id=i)
        _write_op(op, node, nodes, weights)
        if node.graphs:
            op.subgraph_name.extend(f"{path}/{node.name}/{branch}" for branch in node.graphs)
            op.attr["_subgraph_ir_names"].list.s.extend(branch.encode() for branch in node.graphs)
            op.attr["_subgraph_ir_names"].list.val_type = 1
        if owner is not None and node.type in ("Data", "RefData"):
            op.attr["_parent_node_index"].i = node.attrs["index"].value + before
    net = out.op.add(name=_free("NetOutput", nodes), type="NetOutput", id=len(graph.nodes))
    net.input.extend(map(str, results))
    for i, ref in enumerate(results):
        desc = net.input_desc.add()
        _write_desc(desc, f"input{i}", nodes[ref.node].outputs[ref.index].desc)
        if owner is not None:
            desc.attr["_parent_node_index"].i = i


def to_txt(graph: Graph, *, weights: bool = True) -> str:
    """The full message in text form."""
    from google.protobuf import text_format

    return str(text_format.MessageToString(to_model(graph, weights=weights)))


def to_tensorboard(graph: Graph) -> str:
    """One `node {}` per operator, as TensorBoard's graph viewer reads it; subgraphs are scopes under their node."""
    return _tensorboard(graph, "") + "".join(
        _tensorboard(inner, f"{path.split('/', 1)[1]}/") for path, _, _, inner in graph.subgraphs("graph")
    )


def _tensorboard(graph: Graph, scope: str) -> str:
    lines = []
    for node in graph.nodes:
        inputs = "".join(f'  input: "{scope}{r}"\n' for r in node.refs)
        inputs += "".join(f'  input: "^{scope}{c}"\n' for c in node.controls)
        attrs = "".join(f'  attr {{ key: "{k}" value {{ s: "{_escape(v.value)}" }} }}\n' for k, v in node.attrs.items())
        outs = "".join(f'  attr {{ key: "_output:{o.name}" value {{ s: "{o.desc}" }} }}\n' for o in node.outputs)
        line = f'  attr {{ key: "_source" value {{ s: "{_escape(node.where)}" }} }}\n' if node.where.line else ""
        lines.append(f'node {{\n  name: "{scope}{node.name}"\n  op: "{node.type}"\n{inputs}{attrs}{outs}{line}}}\n')
    return "".join(lines)


def _escape(value: Any) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _write_op(op: Any, node: Node, nodes: dict[str, Node], weights: bool) -> None:
    op.name, op.type = node.name, node.type
    proto = find_prototype(node.type) if node.call is None else None
    for i, port in enumerate(node.inputs):
        desc = op.input_desc.add()
        if port.ref is None:
            op.input.append("")
            desc.name = port.name
            desc.attr["_is_unfed_optional"].i = 1
        else:
            op.input.append(str(port.ref))
            _write_desc(desc, port.name, nodes[port.ref.node].outputs[port.ref.index].desc)
        op.attr["_input_name_key"].list.s.append(port.name.encode())
        op.attr["_input_name_value"].list.i.append(i)
    op.input.extend(f"{c}:-1" for c in node.controls)
    if node.type in ("Data", "RefData"):
        _write_desc(op.input_desc.add(), "x", node.outputs[0].desc)
    for i, output in enumerate(node.outputs):
        _write_desc(op.output_desc.add(), output.name, output.desc)
        op.attr["_output_name_key"].list.s.append(output.name.encode())
        op.attr["_output_name_value"].list.i.append(i)
    for name, attr in node.attrs.items():
        write_attr(op.attr[name], attr)
    if node.call is not None:
        op.attr["_call"].s = f"{node.call.text}".encode()
    if node.where.line:
        op.attr["_source_line"].s = f"{node.where.line}  {node.where.code}".encode()
    if node.where.fx_node:
        op.attr["_fx_node_name"].s = node.where.fx_node.encode()
    if node.value is not None:
        _write_tensor(op.attr["value"].t, node.value, node.outputs[0].desc, weights)
    if proto is not None:
        _write_prototype(op, node, proto)
    for key in (
        "_input_name_key",
        "_output_name_key",
        "_opt_input",
        "_ir_attr_names",
        "_ir_inputs_key",
        "_ir_outputs_key",
    ):
        if key in op.attr:
            op.attr[key].list.val_type = 1
    for key in ("_input_name_value", "_output_name_value", "_ir_inputs_value", "_ir_outputs_value"):
        if key in op.attr:
            op.attr[key].list.val_type = 2


def _write_prototype(op: Any, node: Node, proto: Prototype) -> None:
    for spec in proto.inputs:
        op.attr["_ir_inputs_key"].list.s.append(spec.name.encode())
        op.attr["_ir_inputs_value"].list.i.append(MODES.index(spec.kind))
        if spec.kind == "optional":
            op.attr["_opt_input"].list.s.append(spec.name.encode())
    for spec in proto.outputs:
        op.attr["_ir_outputs_key"].list.s.append(spec.name.encode())
        op.attr["_ir_outputs_value"].list.i.append(int(spec.kind == "dynamic"))
    for attr in proto.attrs:
        op.attr["_ir_attr_names"].list.s.append(attr.name.encode())
    for specs, counts, side in ((proto.inputs, node.counts, "input"), (proto.outputs, node.output_counts, "output")):
        for spec, count in zip(specs, counts, strict=False):
            if spec.kind == "dynamic":
                op.attr[f"__dynamic_{side}_{spec.name}_cnt"].i = count


def write_attr(out: Any, attr: AttrValue) -> None:
    """Fill an AttrDef."""
    value, kind = attr.value, attr.kind
    if kind == "Tensor":
        _write_tensor(out.t, value, None, True)
    elif kind == "ListListInt":
        for row in value:
            out.list_list_int.list_list_i.add().list_i.extend(row)
    elif kind == "ListListFloat":
        for row in value:
            out.list_list_float.list_list_f.add().list_f.extend(row)
    elif kind.startswith("List"):
        field, number = {
            "ListInt": ("i", 2),
            "ListFloat": ("f", 3),
            "ListBool": ("b", 4),
            "ListStr": ("s", 1),
            "ListDataType": ("dt", 10),
        }[kind]
        out.list.val_type = number
        getattr(out.list, field).extend([v.encode() if isinstance(v, str) else v for v in value])
    elif kind == "Str":
        out.s = value.encode()
    else:
        setattr(out, {"Int": "i", "Float": "f", "Bool": "b", "DataType": "dt"}[kind], value)


def _write_desc(out: Any, name: str, desc: Desc) -> None:
    out.name, out.dtype, out.layout, out.device_type = name, proto_dtype(desc.dtype), "ND", desc.placement
    dims: Sequence[Any] = [-2] if desc.shape is None and not desc.host else desc.shape or ()
    out.shape.dim.extend(d if isinstance(d, int) else -1 for d in dims)
    symbolic = [str(d) for d in dims if not isinstance(d, int)]
    if symbolic:
        out.attr["_symbolic_shape"].s = str(desc).encode()
    if desc.dtype != UNDEFINED and proto_dtype(desc.dtype) == 0:
        out.attr["__tensor_desc_data_type__"].i = desc.dtype


def _write_tensor(out: Any, tensor: torch.Tensor, desc: Desc | None, weights: bool) -> None:
    from ferrata.ge.builder import describe

    _write_desc(out.desc, "", desc or describe(tensor))
    if weights:
        flat = tensor.detach().cpu().contiguous().flatten()
        out.data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def _free(name: str, nodes: dict[str, Node]) -> str:
    while name in nodes:
        name += "_"
    return name
