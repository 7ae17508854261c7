"""A graph in ONNX form, for Netron and for tools that read ONNX: `op_type` is `ge:<Type>`, descriptors are attributes.

The messages are those of the `onnx` package; the layout of the file is the same. Values carry their type and shape as
`value_info`, so that a viewer shows them on the edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ferrata.ge.ir import Desc, Graph, Node, iter_refs
from ferrata.ge.types import dtype_name, torch_dtype

_DOMAIN = "ge"


def to_model(graph: Graph, *, weights: bool = True) -> Any:
    """An `onnx.ModelProto` that `onnx.checker` accepts. weights: constants with their values."""
    import onnx

    proto = _graph(graph, graph.name, weights)
    opset = [onnx.helper.make_opsetid(_DOMAIN, 1), onnx.helper.make_opsetid("", 12)]
    return onnx.helper.make_model(proto, producer_name="GE", opset_imports=opset, ir_version=6)


def _graph(graph: Graph, path: str, weights: bool, scope: str = "") -> Any:
    """The messages of one graph; each subgraph is a node of type `subgraph` that holds it.

    scope: put before the names of values in subgraphs, because ONNX wants them unique in the whole model.
    """
    import onnx

    users = {str(r) for n in graph.nodes for r in n.refs} | {str(r) for r in iter_refs(graph.outputs)}
    controls = {c for n in graph.nodes for c in n.controls}
    nodes = graph.by_name()
    made = []
    for node in graph.nodes:
        made.append(_node(node, nodes, users, controls, weights, scope))
        for branch, inner in node.graphs.items():
            name = f"{path}/{node.name}/{branch}"
            held = onnx.helper.make_node("subgraph", [], [name], name=name, domain=_DOMAIN)
            held.attribute.append(onnx.helper.make_attribute("graph", _graph(inner, name, weights, f"{name}/")))
            made.append(held)
    outputs = [_value(f"{scope}{r}", graph.desc(r)) for r in dict.fromkeys(iter_refs(graph.outputs))]
    results = {str(r) for r in iter_refs(graph.outputs)}
    values = [
        _value(f"{scope}{n.name}:{i}", o.desc)
        for n in graph.nodes
        for i, o in enumerate(n.outputs)
        if f"{n.name}:{i}" in users and f"{n.name}:{i}" not in results
    ]
    return onnx.helper.make_graph(made, path, [], outputs, value_info=values)


def to_pbtxt(graph: Graph, *, weights: bool = True) -> str:
    """Text form, which `onnx.load` reads from a `.pbtxt` file."""
    from google.protobuf import text_format  # type: ignore[import-untyped]

    return str(text_format.MessageToString(to_model(graph, weights=weights)))


def _node(node: Node, nodes: Mapping[str, Node], users: set[str], controls: set[str], weights: bool, scope: str) -> Any:
    import onnx

    inputs = [f"{scope}{p.ref}" if p.ref is not None else "" for p in node.inputs]
    inputs += [f"{scope}{c}:-1" for c in node.controls]
    outputs = [f"{scope}{node.name}:{i}" for i in range(len(node.outputs)) if f"{node.name}:{i}" in users]
    if node.name in controls:
        outputs.append(f"{scope}{node.name}:-1")
    out = onnx.helper.make_node(f"ge:{node.type}", inputs, outputs, name=node.name, domain=_DOMAIN)
    for key, value in sorted(_attributes(node, nodes, weights).items()):
        out.attribute.append(onnx.helper.make_attribute(key, value))
    if node.where.line:
        out.doc_string = f"{node.where.line}  {node.where.code}"
    return out


def _attributes(node: Node, nodes: Mapping[str, Node], weights: bool) -> dict[str, Any]:
    import onnx

    out: dict[str, Any] = {}
    for key, attr in node.attrs.items():
        value = attr.value
        if attr.kind in ("ListListInt", "ListListFloat"):
            value = str(value)
        elif attr.kind == "Bool":
            value = int(value)
        elif attr.kind == "ListBool":
            value = [int(v) for v in value]
        if value != []:  # an empty list has no type in ONNX
            out[key] = value
    if node.value is not None:
        desc = node.outputs[0].desc
        out["value_desc_dtype"], out["value_desc_shape"] = dtype_name(desc.dtype), str(desc.shape)
        out["value_desc_layout"], out["value_desc_device_type"] = "ND", desc.placement
        if weights:
            data = node.value.detach().cpu()
            out["value_data"] = onnx.numpy_helper.from_array(
                data.float().numpy() if data.dtype not in _NUMPY else data.numpy()
            )
    out["input_desc_nums"], out["output_desc_nums"] = len(node.inputs), len(node.outputs)
    out["src_name"] = [p.ref.node for p in node.inputs if p.ref is not None] or ""
    out["src_index"] = [p.ref.index for p in node.inputs if p.ref is not None] or 0
    out["input_name"] = [p.name for p in node.inputs] or ""
    for i, port in enumerate(node.inputs):
        if port.ref is not None:
            _describe(out, f"input_desc_{{}}:{i}", nodes[port.ref.node].outputs[port.ref.index].desc)
    for i, output in enumerate(node.outputs):
        _describe(out, f"output_desc_{{}}:{i}", output.desc)
    if node.call is not None:
        out["_call"] = node.call.text
    if node.graphs:
        out["_subgraph_ir_names"] = list(node.graphs)
    return out


def _describe(out: dict[str, Any], key: str, desc: Desc) -> None:
    out[key.format("dtype")] = out[key.format("origin_dtype")] = dtype_name(desc.dtype)
    dims = "unknown" if desc.shape is None else f"[{', '.join(map(str, desc.shape))}]"
    out[key.format("shape")] = out[key.format("origin_shape")] = dims
    out[key.format("layout")], out[key.format("device_type")] = "ND", desc.placement


def _value(name: str, desc: Desc) -> Any:
    import onnx

    try:
        kind = _ONNX.get(str(torch_dtype(desc.dtype)).removeprefix("torch."), 0)
    except RuntimeError:
        kind = 0
    # ONNX cannot say that a rank is unknown, and its checker wants a shape
    shape = ["..."] if desc.shape is None else [d if isinstance(d, int) and d >= 0 else str(d) for d in desc.shape]
    return onnx.helper.make_tensor_value_info(name, kind, [] if desc.host else shape)


_ONNX = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15, "bfloat16": 16,
}  # fmt: skip
_NUMPY = {
    torch.float32,
    torch.float64,
    torch.float16,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.bool,
}
