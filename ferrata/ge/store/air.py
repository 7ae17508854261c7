"""A graph as an .air file: a serialised `ge.proto.ModelDef`, which other tools read, with our document inside.

The message holds the operators and the bytes of the constants; what it has no place for (ATen calls, strides, symbols,
the user's lines) is the document, in the model's attribute `_ferrata_graph`. The bytes of a constant stand once: at its
node, or in a file beside the .air, to which a FileConstant node then points.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.attrs import AttrValue
from ferrata.ge.dump.proto import messages, to_model
from ferrata.ge.ir import Graph, Node
from ferrata.ge.store.document import FORMAT, to_document
from ferrata.ge.store.pack import checksum
from ferrata.ge.store.tensors import from_bytes, to_bytes

_DOCUMENT, _TENSOR = "_ferrata_graph", "_ferrata_tensor_"


def write_air(
    graph: Graph, path: Path, meta: dict[str, Any] | None = None, *, file_of: Callable[[Node], str | None] | None = None
) -> None:
    """Write the file. file_of: for a constant, the name of the file beside `path` that takes its bytes; None: inside.

    Raises GraphNotStorable.
    """
    document, tensors = to_document(graph, meta)
    files = {n.name: file_of(n) for n in graph.nodes if n.type == "Const"} if file_of is not None else {}
    outside = {name: file for name, file in files.items() if file is not None}
    model = to_model(_pointing(graph, outside), weights=False)
    places = _places(document["graph"], model, outside)
    rows = []
    for i, tensor in enumerate(tensors):
        row, raw = to_bytes(tensor)
        place = places.get(i)
        if isinstance(place, str):
            (path.parent / place).write_bytes(raw)
            row["file"] = place
        elif place is not None:
            model.graph[place[0]].op[place[1]].attr["value"].t.data = raw
            row["op"] = place
        else:
            model.attr[f"{_TENSOR}{i}"].bt = raw
        rows.append(row)
    text = json.dumps({"tensors": rows, **document}, separators=(",", ":")).encode()
    body = model.SerializeToString(deterministic=True)
    text = checksum(body) + text
    path.write_bytes(body + _tail(checksum(text) + text))


def read_air(path: Path) -> tuple[dict[str, Any], list[torch.Tensor]]:
    """The document and the tensors. Raises ValueError, saying what is wrong with the file."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    model = messages()["ModelDef"]()
    raw = path.read_bytes()
    try:
        model.ParseFromString(raw)
    except DecodeError:
        raise ValueError("it is no serialised ge.proto.ModelDef, or it was cut off") from None
    if _DOCUMENT not in model.attr:
        raise ValueError(f"it has no attribute {_DOCUMENT}: it was cut off, or another program wrote it")
    data = model.attr[_DOCUMENT].bt
    if checksum(data[16:]) != data[:16]:
        raise ValueError("its check sum is wrong")
    document = json.loads(data[32:])
    if document.get("format") != FORMAT:
        raise ValueError(f"its document is a {document.get('format')!r}")
    tensors = [_tensor(i, row, model, path.parent) for i, row in enumerate(document["tensors"])]
    if not raw.endswith(tail := _tail(data)) or checksum(raw[: -len(tail)]) != data[16:32]:
        raise ValueError("its operators are not those that were written: their check sum is wrong")
    return document, tensors


def _tail(document: bytes) -> bytes:
    """The attribute as the last bytes of the file: messages that follow each other are one, so a sum covers the others."""
    model = messages()["ModelDef"]()
    model.attr[_DOCUMENT].bt = document
    return bytes(model.SerializeToString(deterministic=True))


def _tensor(index: int, row: dict[str, Any], model: Any, folder: Path) -> torch.Tensor:
    if "file" in row:
        file = folder / row["file"]
        if Path(row["file"]).name != row["file"]:
            raise ValueError(f"it names a weight outside its folder: {row['file']}")
        try:
            raw = file.read_bytes()
        except OSError as problem:
            raise ValueError(f"its weight {file} cannot be read: {problem.strerror}") from None
    elif "op" in row:
        graph, op = row["op"]
        raw = model.graph[graph].op[op].attr["value"].t.data
    else:
        raw = model.attr[f"{_TENSOR}{index}"].bt
    try:
        return from_bytes(row, raw)
    except ValueError as problem:
        raise ValueError(f"{problem}{' in ' + row['file'] if 'file' in row else ''}") from None


def _pointing(graph: Graph, outside: dict[str, str]) -> Graph:
    """The graph with FileConstant nodes for the constants that lie in files."""
    if not outside:
        return graph
    return dataclasses.replace(
        graph, nodes=tuple(_file_constant(n, outside[n.name]) if n.name in outside else n for n in graph.nodes)
    )


def _file_constant(node: Node, file: str) -> Node:
    attrs = {
        "file_path": AttrValue("Str", file),
        "shape": AttrValue("ListInt", list(node.value.shape)),
        "dtype": AttrValue("DataType", node.outputs[0].desc.dtype),
    }
    return dataclasses.replace(node, type="FileConstant", value=None, attrs=attrs)


def _places(body: dict[str, Any], model: Any, outside: dict[str, str]) -> dict[int, Any]:
    """Tensor index -> its file, or [graph, operator] whose `value` it is. A shared tensor stands where it comes first."""
    places: dict[int, Any] = {}
    number = {g.name: i for i, g in enumerate(model.graph)}

    def walk(graph: dict[str, Any], path: str) -> None:
        for i, node in enumerate(graph["nodes"]):
            if node["type"] == "Const" and node["value"] not in places:
                inside = [number[path], i]
                places[node["value"]] = outside.get(node["name"], inside) if path == model.graph[0].name else inside
            for branch, inner in node.get("graphs", {}).items():
                walk(inner, f"{path}/{node['name']}/{branch}")

    walk(body, model.graph[0].name)
    return places


def damaged(path: Path, problem: Exception) -> errors.GraphFileDamaged:
    """The error for what is wrong with a file."""
    return errors.GraphFileDamaged(path=path, why=str(problem))
