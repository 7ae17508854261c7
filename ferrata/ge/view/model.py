"""What the page knows of compiled graphs, as plain data: graphs with their subgraphs, passes, program, memory, times.

Keys are short because a page holds thousands of nodes. A node: n name, t type, k kind, i inputs [port, node, output],
o outputs [name, description, bytes], a attributes, l line, c code, f FX node, g its target, m who made it, p module,
s subgraphs {branch: graph}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ferrata.ge.dump.passes import Step
from ferrata.ge.dump.text import to_text
from ferrata.ge.ir import IN_PLACE, Graph, Node, Ref, iter_refs
from ferrata.ge.library import rules
from ferrata.ge.prototype import registered_prototype
from ferrata.ge.view.memory import live_bytes, nbytes

_CONTROL = frozenset({"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"})
_LONGEST = 400  # characters of an attribute's text


@dataclass(frozen=True, slots=True)
class Shown:
    """One compiled graph for the page. seconds: by node, of one call; sizes: of symbols, for the memory timeline."""

    original: Graph
    graph: Graph
    steps: Sequence[Step] = ()
    source: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    device: str = ""


def described(programs: Sequence[Shown]) -> list[dict[str, Any]]:
    """The data of each."""
    return [_program(shown) for shown in programs]


def _program(shown: Shown) -> dict[str, Any]:
    graphs: list[dict[str, Any]] = []
    _add(shown.graph, shown.graph.name, "", shown, graphs)
    if shown.original is not shown.graph:
        _add(shown.original, f"{shown.original.name} (original)", "original", shown, graphs, None, None)
    return {
        "name": shown.graph.name,
        "device": shown.device,
        "sizes": {s: shown.sizes.get(s) for s in shown.graph.symbols},
        "graphs": graphs,
        "passes": [
            {
                "name": step.name,
                "graph": step.after.name,
                "nodes": [len(step.before.nodes), len(step.after.nodes)],
                "diff": step.diff(2),
            }
            for step in shown.steps
        ],
        "source": shown.source,
        "text": to_text(shown.graph),
    }


def _add(
    graph: Graph,
    title: str,
    role: str,
    shown: Shown,
    graphs: list[dict[str, Any]],
    owner: Any = None,
    path: str | None = "",
) -> int:
    """Append a graph and, behind it, its subgraphs; its place in the list. path: of the times' names, None without."""
    place = len(graphs)
    entry: dict[str, Any] = {"title": title, "role": role, "owner": owner}
    graphs.append(entry)
    index = {n.name: i for i, n in enumerate(graph.nodes)}
    rows = []
    for i, node in enumerate(graph.nodes):
        row = _node(node, index, shown)
        if node.graphs:
            row["s"] = {
                branch: _add(
                    inner,
                    f"{title}/{node.name}/{branch}",
                    "sub",
                    shown,
                    graphs,
                    [place, i, branch],
                    None if path is None else f"{path}{node.name}/{branch}/",
                )
                for branch, inner in node.graphs.items()
            }
        if path is not None and f"{path}{node.name}" in shown.seconds:
            row["x"] = round(shown.seconds[f"{path}{node.name}"] * 1e6, 3)
        rows.append(row)
    entry["nodes"] = rows
    entry["results"] = [[index[r.node], r.index] for r in iter_refs(graph.outputs)]
    entry["memory"], plan = live_bytes(graph, shown.sizes)
    entry["plan"] = {"peak": plan.peak, "bound": plan.lower_bound, "guessed": list(plan.guessed), "text": str(plan)}
    return place


def _node(node: Node, index: Mapping[str, int], shown: Shown) -> dict[str, Any]:
    where = node.where
    row: dict[str, Any] = {
        "n": node.name,
        "t": node.type,
        "k": kind(node),
        "i": [[p.name, index[p.ref.node], p.ref.index] for p in node.inputs if p.ref is not None],
        "o": [[o.name, str(o.desc), nbytes(o.desc, shown.sizes)] for o in node.outputs],
    }
    if node.controls:
        row["i"] += [["after", index[c], -1] for c in node.controls]
    attrs = {k: _text(v.value) for k, v in node.attrs.items() if not k.startswith("_")}
    if node.call is not None:
        attrs |= _arguments(node)
    if node.value is not None:
        attrs["value"] = _text(node.value)
    optional = {"a": attrs, "l": where.line, "c": where.code, "f": where.fx_node, "g": where.fx_target}
    optional |= {"m": where.made_by, "p": where.module, "e": "yes" if node.effect else ""}
    optional |= {"z": _shared(node)}
    row.update({key: value for key, value in optional.items() if value})
    return row


def _shared(node: Node) -> dict[str, str]:
    """Output -> the input in whose memory it lies."""
    found = {o.name: o.alias for o in node.outputs if o.alias is not None}
    mark = node.attrs.get(IN_PLACE)
    if mark is not None and node.outputs:
        ports = [p.name for p in node.inputs if p.ref is not None]
        found[node.outputs[0].name] = ports[mark.value]
    return found


def kind(node: Node) -> str:
    """Its colour: input, const, control, cluster, host, aten, custom or library."""
    if node.type in ("Data", "RefData"):
        return "input"
    if node.type == "Const":
        return "const"
    if node.type in _CONTROL:
        return "control"
    if node.graphs:
        return "cluster"
    if node.call is not None:
        return "host" if node.type.startswith("host::") or _is_number(node) else "aten"
    known = rules.find(node.type) is not None and registered_prototype(node.type) is None
    return "library" if known or node.type in ("Pack", "NetOutput", "Assign", "Identity", "TensorMove") else "custom"


def _is_number(node: Node) -> bool:
    return bool(node.outputs) and all(o.desc.host for o in node.outputs)


def _arguments(node: Node) -> dict[str, str]:
    """The plain arguments of an ATen call, by name."""
    call = node.call
    assert call is not None
    schema = getattr(call.fn, "_schema", None)
    names = [a.name for a in schema.arguments] if schema is not None else []
    found = {names[i] if i < len(names) else f"[{i}]": a for i, a in enumerate(call.args)} | dict(call.kwargs)
    return {k: _text(v) for k, v in found.items() if not isinstance(v, Ref) and not list(iter_refs(v))}


def _text(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        flat = value.detach().flatten()[:8].tolist()
        more = ", ..." if value.numel() > 8 else ""
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)} [{', '.join(map(str, flat))}{more}]"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
