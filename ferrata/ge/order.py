"""The order of nodes, where the user asks for another than that of capture (`topology_sorting_strategy`).

Nodes move only between two effects: what writes memory, prints or waits keeps its place among all others.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Sequence

from ferrata.ge.ir import Graph, Node


def reordered(graph: Graph, strategy: str) -> Graph:
    """BFS: level by level; RDFS: depth first from the last result; DFS and StableRDFS: as captured."""
    if strategy not in ("BFS", "RDFS"):
        return graph
    nodes: list[Node] = []
    part: list[Node] = []
    for node in graph.nodes:
        if node.effect or node.type in ("Data", "RefData"):
            nodes += _sorted(part, strategy)
            nodes.append(node)
            part = []
        else:
            part.append(node)
    return dataclasses.replace(graph, nodes=(*nodes, *_sorted(part, strategy)))


def _sorted(part: Sequence[Node], strategy: str) -> list[Node]:
    names = {n.name: n for n in part}
    needs = {
        n.name: [r for r in dict.fromkeys((*(ref.node for ref in n.refs), *n.controls)) if r in names] for n in part
    }
    return _by_level(part, needs) if strategy == "BFS" else _depth_first(part, needs)


def _by_level(part: Sequence[Node], needs: dict[str, list[str]]) -> list[Node]:
    level: dict[str, int] = {}
    for node in part:
        level[node.name] = 1 + max((level[n] for n in needs[node.name]), default=-1)
    return sorted(part, key=lambda n: level[n.name])  # stable


def _depth_first(part: Sequence[Node], needs: dict[str, list[str]]) -> list[Node]:
    names = {n.name: n for n in part}
    done: dict[str, None] = {}
    for last in reversed(part):
        todo: deque[tuple[str, int]] = deque([(last.name, 0)])
        while todo:
            name, at = todo.pop()
            if name in done:
                continue
            inputs = needs[name]
            if at < len(inputs):
                todo.append((name, at + 1))
                todo.append((inputs[-1 - at], 0))  # the last input first: that is what "R" stands for
            else:
                done[name] = None
    return [names[n] for n in done]


def with_ref_data(graph: Graph) -> Graph:
    """Inputs that a node of the graph writes as RefData, the type that says so (`enable_ref_data`)."""
    feeds = {n.name for n in graph.nodes if n.type == "Data"}
    written: set[str] = set()
    for node in graph.nodes:
        if not node.effect:
            continue
        aliases = {o.alias for o in node.outputs}
        written.update(p.ref.node for p in node.inputs if p.ref is not None and p.name in aliases)
        schema = getattr(node.call.fn if node.call is not None else None, "_schema", None)
        if schema is not None:
            writes = {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write}
            written.update(p.ref.node for p in node.inputs if p.ref is not None and p.name in writes)
    chosen = feeds & written
    if not chosen:
        return graph
    return dataclasses.replace(
        graph, nodes=tuple(dataclasses.replace(n, type="RefData") if n.name in chosen else n for n in graph.nodes)
    )
