"""Graphs back from ge.proto text dumps (`ge_proto_*.txt`, `dynamo_*.txt`), for the page: they can be seen, not run.

A folder of DUMP_GE_GRAPH gives each graph with its passes, as far as they were dumped (DUMP_GRAPH_LEVEL=1 dumps all).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ferrata import errors
from ferrata.ge.attrs import AttrValue
from ferrata.ge.dump.passes import Stages
from ferrata.ge.ir import Desc, Graph, Node, Output, Port, Ref, Where
from ferrata.ge.prototype import find_prototype
from ferrata.ge.types import UNDEFINED, DataType, proto_dtype
from ferrata.ge.view.model import Shown


def read_dump(path: Path) -> Graph:
    """The graph of the file. Raises BadDumpFile."""
    from google.protobuf import text_format  # type: ignore[import-untyped]

    from ferrata.ge.dump.proto import messages

    try:
        model = text_format.Parse(path.read_text(encoding="utf-8"), messages()["ModelDef"]())
    except (OSError, UnicodeDecodeError, text_format.ParseError) as problem:
        raise errors.BadDumpFile(path=path, problem=str(problem).splitlines()[0]) from problem
    if not model.graph:
        raise errors.BadDumpFile(path=path, problem="it holds no graph")
    return _graph(model.graph[0])


def read_folder(folder: Path) -> list[Shown]:
    """The graphs of a folder of dumps, in the order in which they were written. Raises BadDumpFile."""
    found: dict[tuple[Path, str], list[tuple[str, Path]]] = {}
    for file in sorted(folder.rglob("ge_proto_*.txt"), key=lambda f: f.name):
        match = _STAGE.fullmatch(file.name)
        if match is not None:
            found.setdefault((file.parent, match["graph"]), []).append((match["stage"], file))
    if not found:
        raise errors.BadDumpFile(path=folder, problem="the folder holds no ge_proto_*.txt")
    shown = []
    for stages in found.values():
        graphs = [(name, read_dump(file)) for name, file in stages]
        seen = Stages(graphs)
        first, last = (
            next((g for name, g in graphs if name == wanted), graphs[i][1])
            for wanted, i in (("PreRunBegin", 0), ("Build", -1))
        )
        shown.append(Shown(first, last, tuple(seen.steps())))
    return shown


_STAGE = re.compile(r"ge_proto_\d+_graph_(?P<graph>\d+)_(?P<stage>\w+)\.txt")


def _graph(body: Any) -> Graph:
    nodes, results = [], []
    for op in body.op:
        if op.type == "NetOutput":
            results = [_ref(text) for text in op.input if text and not text.endswith(":-1")]
            continue
        nodes.append(_node(op))
    known = {n.name: n for n in nodes}
    nodes = [n.map_refs(lambda r: r) for n in nodes if all(r.node in known for r in n.refs)]
    return Graph(body.name, tuple(nodes), tuple(results))


def _node(op: Any) -> Node:
    texts = list(op.input)
    data = [t for t in texts if not t.endswith(":-1")]
    names = [s.decode() for s in op.attr["_input_name_key"].list.s] if "_input_name_key" in op.attr else []
    ports = tuple(
        Port(names[i] if i < len(names) else f"x{i}", _ref(text) if text else None) for i, text in enumerate(data)
    )
    outputs = tuple(Output(d.name or f"y{i}", _desc(d)) for i, d in enumerate(op.output_desc))
    controls = tuple(t.rpartition(":")[0] for t in texts if t.endswith(":-1"))
    attrs = {name: _attr(value) for name, value in op.attr.items() if not name.startswith("_")}
    return Node(op.name, op.type, ports, outputs, attrs, controls, _where(op), counts=_counts(op.type, ports))


def _counts(op_type: str, ports: tuple[Port, ...]) -> tuple[int, ...]:
    """How many ports each input of the prototype has; nothing where it is unknown here, or another than the writer's."""
    proto, left = find_prototype(op_type), list(ports)
    counts = []
    for spec in () if proto is None else proto.inputs:
        mine = re.compile(re.escape(spec.name) + (r"\d+" if spec.kind == "dynamic" else ""))
        count = 0
        while left and mine.fullmatch(left[0].name) and (spec.kind == "dynamic" or not count):
            count += spec.kind == "dynamic" or left[0].ref is not None
            del left[0]
            if spec.kind != "dynamic":
                break
        counts.append(count)
    return () if left else tuple(counts)


def _ref(text: str) -> Ref:
    node, _, index = text.rpartition(":")
    return Ref(node, int(index))


def _desc(desc: Any) -> Desc:
    dims: tuple[int, ...] | None = tuple(desc.shape.dim)
    if dims == (-2,):
        dims = None
    found = next((int(t) for t in DataType if t != DataType.DT_MAX and proto_dtype(t) == desc.dtype), UNDEFINED)
    if "__tensor_desc_data_type__" in desc.attr:
        found = desc.attr["__tensor_desc_data_type__"].i
    return Desc(found if desc.dtype else UNDEFINED, dims, placement=desc.device_type or "NPU")


def _where(op: Any) -> Where:
    line, code = "", ""
    if "_source_line" in op.attr:
        line, _, code = op.attr["_source_line"].s.decode(errors="replace").partition("  ")
    fx = op.attr["_fx_node_name"].s.decode(errors="replace") if "_fx_node_name" in op.attr else ""
    return Where(line, code, fx)


def _attr(value: Any) -> AttrValue:
    """Only for people to read: its kind is text."""
    field = value.WhichOneof("value")
    if field == "s":
        return AttrValue("Str", value.s.decode(errors="replace"))
    if field == "list":
        items = next((list(part) for _, part in value.list.ListFields() if not isinstance(part, int)), [])
        return AttrValue("Str", str([i.decode(errors="replace") if isinstance(i, bytes) else i for i in items]))
    if field == "t":
        return AttrValue("Str", f"tensor {list(value.t.desc.shape.dim)}, {len(value.t.data)} bytes")
    return AttrValue("Str", "" if field is None else str(getattr(value, field)).strip())
