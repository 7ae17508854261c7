"""The engine's own readable format (`ge_readable_*.txt`), as its other tools expect it."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Graph, Node, Ref, iter_refs


def to_readable(graph: Graph) -> str:
    """`%name : [#users=n] = Node[type=T] (inputs = (x=%a), attrs = {...})`, then get_element lines and the return.

    Subgraphs follow, under their paths.
    """
    parts = [_one(graph, graph.name)]
    parts += [_one(inner, path) for path, _, _, inner in graph.subgraphs()]
    return "\n".join(parts)


def _one(graph: Graph, path: str) -> str:
    users = graph.users()
    names: dict[Ref, str] = {}
    lines = [f'graph("{path}"):']
    rets = 0
    for node in graph.nodes:
        inputs = ", ".join(f"{p.name}=%{names[p.ref]}" for p in node.inputs if p.ref is not None)
        attrs = {**node.attrs} if node.value is None else {**node.attrs, "value": AttrValue("Tensor", node.value)}
        texts = [f"{k}: {_value(v)}" for k, v in attrs.items() if not k.startswith("_")]
        texts += [f"{branch}: {path}/{node.name}/{branch}" for branch in node.graphs]
        shown = ", ".join(texts)
        lines.append(
            f"  %{node.name} : [#users={users[node.name]}] = Node[type={node.type}] "
            f"(inputs = ({inputs}), attrs = {{{shown}}})"
        )
        rets = _name(node, names, lines, rets)
    results = [f"%{names[r]}" for r in iter_refs(graph.outputs)]
    if len(results) > 1:
        results = [f"output_{i}={r}" for i, r in enumerate(results)]
    lines.append(f"  return ({', '.join(results)})")
    return "\n".join(lines) + "\n"


def _name(node: Node, names: dict[Ref, str], lines: list[str], rets: int) -> int:
    if len(node.outputs) == 1:
        names[Ref(node.name, 0)] = node.name
        return rets
    for i in range(len(node.outputs)):
        name = "ret" if rets == 0 else f"ret_{rets}"
        rets += 1
        names[Ref(node.name, i)] = name
        lines.append(f"  %{name} : [#users=1] = get_element[node=%{node.name}]({i})")
    return rets


def _value(attr: AttrValue) -> str:
    if attr.kind != "Tensor":
        return f'"{attr.value}"' if attr.kind == "Str" else str(attr.value)
    tensor: Any = attr.value
    if not isinstance(tensor, torch.Tensor):
        return "<not_supported>"
    flat = tensor.detach().flatten().tolist()
    if not flat:
        return "<empty>"
    items = flat if len(flat) <= 6 else [*flat[:3], "...", *flat[-3:]]
    return "[" + ", ".join(map(str, items)) + "]"
