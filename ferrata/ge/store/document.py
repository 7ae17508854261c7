"""A graph as one JSON document and a list of tensors, and back: everything that a `Graph` holds.

The document is versioned. What it needs from outside is listed in it by name: custom GE types with the signature that
they had, and PyTorch operators of other libraries; reading compares.
"""

from __future__ import annotations

from typing import Any

import torch

from ferrata import __version__, errors
from ferrata.ge.attrs import AttrValue
from ferrata.ge.impl import find_implementation
from ferrata.ge.ir import CLUSTER, Call, Desc, Graph, Node, Output, Port, Ref, Where
from ferrata.ge.prototype import registered_prototype
from ferrata.ge.store.values import Reader, Writer

FORMAT, VERSION = "ferrata-ge", 1
_WHERE = ("line", "code", "fx_node", "fx_target", "made_by", "module")


def to_document(graph: Graph, meta: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[torch.Tensor]]:
    """The document and its tensors. meta: what the caller adds; plain JSON.

    Raises GraphNotStorable naming the node and the user's line.
    """
    writing = _Writing()
    body = writing.graph(graph)
    return {
        "format": FORMAT,
        "version": VERSION,
        "ferrata": __version__,
        "torch": torch.__version__,
        "operators": _custom_types(graph),
        "torch_operators": list(writing.values.torch_operators),
        "where": [[getattr(w, f) for f in _WHERE] for w in writing.wheres],
        "graph": body,
        "meta": meta or {},
    }, writing.values.tensors


def from_document(document: dict[str, Any], tensors: list[torch.Tensor], device: torch.device | None = None) -> Graph:
    """The graph. device: where it runs, if another kind than it was made for.

    Raises GraphFileVersion, MissingOperators, OperatorChanged.
    """
    if document.get("version") != VERSION:
        raise errors.GraphFileVersion(found=document.get("version"), expected=VERSION, ferrata=document.get("ferrata"))
    _check_operators(document)
    wheres = [Where(*row) for row in document["where"]]
    return _Reading(Reader(tensors, device), wheres).graph(document["graph"])


def _custom_types(graph: Graph) -> list[dict[str, str]]:
    """The types that somebody registered, with what they looked like and where they came from."""
    rows: dict[str, dict[str, str]] = {}
    for node in graph.every_node():
        proto = registered_prototype(node.type) if node.call is None else None
        if proto is not None and node.type not in rows:
            impl = find_implementation(node.type)
            rows[node.type] = {
                "type": node.type,
                "signature": proto.signature(),
                "from": str(impl.origin if impl is not None else proto.origin),
            }
    return list(rows.values())


def _check_operators(document: dict[str, Any]) -> None:
    missing = []
    for row in document["operators"]:
        proto = registered_prototype(row["type"])
        if proto is None or find_implementation(row["type"]) is None:
            missing.append(f"{row['signature']} (made with {row['from']})")
        elif proto.signature() != row["signature"]:
            raise errors.OperatorChanged(op=row["type"], then=row["signature"], now=proto.signature())
    for name in document["torch_operators"]:
        space, _, rest = name.partition("::")
        if not hasattr(getattr(torch.ops, space), rest.partition(".")[0]):
            missing.append(f"torch.ops.{name.replace('::', '.')}")
    if missing:
        raise errors.MissingOperators(count=len(missing), listing="\n".join(f"  {m}" for m in missing))


class _Writing:
    def __init__(self) -> None:
        self.values = Writer()
        self.wheres: dict[Where, int] = {}

    def graph(self, graph: Graph) -> dict[str, Any]:
        encode = self.values.encode
        return {
            "name": graph.name,
            "nodes": [self.node(n) for n in graph.nodes],
            "outputs": encode(list(graph.outputs)),
            "symbols": {
                name: encode(source if isinstance(source, Ref) else tuple(source))
                for name, source in graph.symbols.items()
            },
        }

    def node(self, node: Node) -> dict[str, Any]:
        try:
            return self._node(node)
        except TypeError as problem:
            raise errors.GraphNotStorable(
                node=node.name, op=node.type, where=str(node.where), what=str(problem)
            ) from None

    def _node(self, node: Node) -> dict[str, Any]:
        encode = self.values.encode
        where = self.wheres.setdefault(node.where, len(self.wheres))
        row: dict[str, Any] = {"name": node.name, "type": node.type, "where": where}
        if node.inputs:
            row["inputs"] = [[p.name, *((p.ref.node, p.ref.index) if p.ref is not None else ())] for p in node.inputs]
        if node.outputs:
            row["outputs"] = [[o.name, self.desc(o.desc), o.alias] for o in node.outputs]
        if node.attrs:
            row["attrs"] = {k: [v.kind, encode(v.value)] for k, v in node.attrs.items()}
        for name in ("controls", "counts", "output_counts"):
            if getattr(node, name):
                row[name] = list(getattr(node, name))
        if node.effect:
            row["effect"] = True
        if node.value is not None:
            row["value"] = self.values.tensor(node.value)
        if node.call is not None and node.type != CLUSTER:  # a cluster is compiled anew from its subgraph
            call = node.call
            row["call"] = [encode(call.fn), call.text, encode(call.args), encode(dict(call.kwargs)), call.outputs]
        if node.graphs:
            row["graphs"] = {branch: self.graph(inner) for branch, inner in node.graphs.items()}
        return row

    def desc(self, desc: Desc) -> list[Any]:
        encode = self.values.encode
        shape = None if desc.shape is None else [encode(d) for d in desc.shape]
        stride = None if desc.stride is None else [encode(d) for d in desc.stride]
        return [desc.dtype, shape, stride, desc.host, desc.placement, desc.format]


class _Reading:
    def __init__(self, values: Reader, wheres: list[Where]) -> None:
        self.values, self.wheres = values, wheres

    def graph(self, row: dict[str, Any]) -> Graph:
        decode = self.values.decode
        nodes = tuple(self.node(n) for n in row["nodes"])
        symbols = {name: decode(source) for name, source in row["symbols"].items()}
        return Graph(row["name"], nodes, tuple(decode(row["outputs"])), symbols)

    def node(self, row: dict[str, Any]) -> Node:
        decode = self.values.decode
        inputs = tuple(Port(p[0], Ref(p[1], p[2]) if len(p) > 1 else None) for p in row.get("inputs", ()))
        outputs = tuple(Output(n, self.desc(d), alias) for n, d, alias in row.get("outputs", ()))
        attrs = {k: AttrValue(kind, decode(v)) for k, (kind, v) in row.get("attrs", {}).items()}
        call = None
        if "call" in row:
            fn, text, args, kwargs, kind = row["call"]
            call = Call(decode(fn), text, decode(args), decode(kwargs), kind)
        value = None if "value" not in row else self.values.tensors[row["value"]]
        if value is not None and outputs and outputs[0].desc.host:
            value = value.cpu()
        graphs = {branch: self.graph(inner) for branch, inner in row.get("graphs", {}).items()}
        return Node(
            row["name"], row["type"], inputs, outputs, attrs, tuple(row.get("controls", ())),
            self.wheres[row["where"]], call, tuple(row.get("counts", ())), tuple(row.get("output_counts", ())),
            row.get("effect", False), value, graphs,
        )  # fmt: skip

    def desc(self, row: list[Any]) -> Desc:
        dtype, shape, stride, host, placement, form = row
        decode = self.values.decode
        return Desc(
            dtype,
            None if shape is None else tuple(map(decode, shape)),
            None if stride is None else tuple(map(decode, stride)),
            host,
            placement if host or self.values.device is None else "NPU",  # moved: all that is not the host's
            form,
        )
