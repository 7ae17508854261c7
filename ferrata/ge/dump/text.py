"""The readable text of a graph: one line a node, shape and dtype first, inputs by name, the user's source line last."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.ir import IN_PLACE, Graph, Node, Ref, map_structure


def to_text(graph: Graph) -> str:
    """The graph as text; columns are aligned, values are named as nodes are. Subgraphs follow, under their paths."""
    parts = [_one(graph, graph.name)]
    parts += [_one(inner, path) for path, _, _, inner in graph.subgraphs()]
    return "\n".join(parts)


def _one(graph: Graph, name: str) -> str:
    texts = value_names(graph)
    rows = [_row(node, texts) for node in graph.nodes]
    left = max((len(r[0]) for r in rows), default=0)
    middle = min(max((len(r[1]) for r in rows), default=0), 72)
    lines = [f"{name}:"]
    for descs, body, source in rows:
        lines.append(f"  {descs:<{left}}  {body:<{middle}}  {source}".rstrip())
    outputs = ", ".join(_show(o, texts) for o in graph.outputs)
    lines.append(f"  return ({outputs})")
    return "\n".join(lines) + "\n"


def value_names(graph: Graph) -> dict[Ref, str]:
    """A name for each value: the node's, with the port where there are several outputs."""
    names = {}
    for node in graph.nodes:
        for i, output in enumerate(node.outputs):
            names[Ref(node.name, i)] = node.name if len(node.outputs) == 1 else f"{node.name}.{output.name}"
    return names


_READABLE = 8  # elements of a constant that stand in its line

# what torchair.scope leaves on nodes
SCOPE_ATTRS = (
    "_user_stream_label", "_user_stream_priority", "_enable_inner_parallel", "_super_kernel_scope", "_super_kernel_options",
    "_op_aicore_num", "_op_vectorcore_num", "_op_exec_never_timeout", "_torchair_enable_data_dump", "_deterministic",
    "_deterministic_level",
)  # fmt: skip


def _row(node: Node, texts: dict[Ref, str]) -> tuple[str, str, str]:
    descs = ", ".join(str(o.desc) for o in node.outputs) or "()"
    if node.call is not None:
        args = [_show(a, texts) for a in node.call.args] + [
            f"{k}={_show(v, texts)}" for k, v in node.call.kwargs.items()
        ]
    else:
        args = [f"{p.name}={'None' if p.ref is None else texts[p.ref]}" for p in node.inputs]
        args += [f"{k}={v}" for k, v in node.attrs.items() if not k.startswith("_")]
        args += [f"{branch}=<{inner.name}>" for branch, inner in node.graphs.items()]
        args += _value(node)
    after = f"  after {', '.join(node.controls)}" if node.controls else ""
    if IN_PLACE in node.attrs:  # the result takes the memory of an operand
        after = f" into {texts[node.refs[node.attrs[IN_PLACE].value]]}{after}"
    marks = [f"{k}={v.value}" for k, v in node.attrs.items() if k in SCOPE_ATTRS]
    after += f"  @({', '.join(marks)})" if marks else ""
    where = node.where
    source = f"# {where.line}  {where.code}".rstrip() if where.line else ""
    return descs, f"{node.name} = {node.type}({', '.join(args)}){after}", source


def _value(node: Node) -> list[str]:
    """What a constant holds, if that is readable."""
    if "_readable_value" in node.attrs:
        return [f"value={node.attrs['_readable_value'].value}"]
    tensor = node.value
    if node.type != "Const" or not isinstance(tensor, torch.Tensor) or tensor.numel() > _READABLE:
        return []
    return [f"value={tensor.tolist()}"]


def line_of(node: Node, texts: dict[Ref, str]) -> str:
    """The node's line by itself, for diffs: `MatMul = MatMulV2(x1=x, x2=w) -> f32[2, 3]  # model.py:3  y = x @ w`."""
    descs, body, source = _row(node, texts)
    return f"{body} -> {descs}  {source}".rstrip()


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _show(value: Any, texts: dict[Ref, str]) -> str:
    return repr(map_structure(value, lambda r: _Text(texts[r])))
