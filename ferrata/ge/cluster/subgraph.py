"""A cluster as a graph of its own, and the `PartitionedCall` node that stands for it in the graph around.

The subgraph reads nothing but its inputs: the values from outside in the order of the node's ports, numbers that stand in
shapes included.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.cluster.partition import Cluster, Parts, free_symbols
from ferrata.ge.ir import CLUSTER, Call, Desc, Graph, Node, Output, Port, Ref, Where, map_structure
from ferrata.ge.types import ge_dtype

BRANCH = "f"
_NUMBER = Desc(ge_dtype(torch.int64), (), host=True, placement="CPU")


def enclose(graph: Graph, parts: Parts) -> Graph:
    """The graph with each cluster as one node."""
    nodes = graph.by_name()
    taken = set(nodes)
    to: dict[Ref, Ref] = dict(parts.assigned)
    made: list[Node] = []
    sizes: dict[str, Ref] = {}
    home: dict[str, str] = {}  # node in a cluster -> the cluster's node
    for item in parts.order:
        if isinstance(item, Node):
            node = item.map_refs(lambda r: to.get(r, r)) if any(r in to for r in item.refs) else item
            if any(c in home for c in node.controls):
                controls = tuple(dict.fromkeys(home.get(c, c) for c in node.controls))
                node = dataclasses.replace(node, controls=controls)
            made.append(node)
            continue
        inner, more = _subgraph(graph, nodes, item)
        extra = []
        for symbol in more:
            source = graph.symbols[symbol]
            if isinstance(source, Ref):
                extra.append(source)
                continue
            if symbol not in sizes:
                made.append(_size(_fresh(f"size_{symbol}", taken), *source))
                sizes[symbol] = Ref(made[-1].name, 0)
            extra.append(sizes[symbol])
        reads = [to.get(r, r) for r in item.inputs] + extra
        effect = any(n.effect and n.name not in parts.local for n in item.nodes)
        node = _call(_fresh(item.name, taken), inner, reads, item, nodes, effect)
        home.update((n.name, node.name) for n in item.nodes)
        to.update({r: Ref(node.name, i) for i, r in enumerate(item.outputs)})
        made.append(node)
    outputs = map_structure(graph.outputs, lambda r: to.get(r, r))
    return Graph(graph.name, tuple(made), outputs, graph.symbols)


def _fresh(base: str, taken: set[str]) -> str:
    name, n = base, 0
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    taken.add(name)
    return name


def _subgraph(graph: Graph, nodes: Mapping[str, Node], cluster: Cluster) -> tuple[Graph, list[str]]:
    """The graph inside, and the symbols that it must be fed besides the cluster's inputs."""
    taken = {n.name for n in cluster.nodes}
    feeds: dict[Ref, Node] = {}
    for i, ref in enumerate(cluster.inputs):
        made = nodes[ref.node]
        name = made.name if len(made.outputs) == 1 else f"{made.name}_{made.outputs[ref.index].name}"
        feeds[ref] = _data(_fresh(name, taken), i, made.outputs[ref.index].desc, made.where)
    to = {r: Ref(n.name, 0) for r, n in feeds.items()}
    symbols: dict[str, Any] = {s: to[r] for s, r in graph.symbols.items() if isinstance(r, Ref) and r in to}
    more: list[str] = []
    extra: list[Node] = []
    for symbol in free_symbols([*feeds.values(), *cluster.nodes]):
        source = graph.symbols.get(symbol)
        if symbol in symbols:
            continue
        if source is None:
            found = _as_dim(symbol, feeds.values())
            if found is not None:
                symbols[symbol] = found
        elif not isinstance(source, Ref) and source[0] in to:
            symbols[symbol] = (to[source[0]], source[1])
        else:
            extra.append(_data(_fresh(symbol, taken), len(feeds) + len(extra), _NUMBER, Where()))
            symbols[symbol] = Ref(extra[-1].name, 0)
            more.append(symbol)
    inside = [n.map_refs(lambda r: to.get(r, r)) for n in cluster.nodes]
    inside = [dataclasses.replace(n, controls=()) if n.controls else n for n in inside]
    all_nodes = (*feeds.values(), *extra, *inside)
    return Graph(f"{graph.name}_{cluster.name}", all_nodes, cluster.outputs, symbols), more


def _data(name: str, index: int, desc: Desc, where: Where) -> Node:
    return Node(
        name, "Data", (), (Output("y", desc),), {"index": AttrValue("Int", index)}, where=where, output_counts=(1,)
    )


def _as_dim(symbol: str, feeds: Iterable[Node]) -> tuple[Ref, int] | None:
    """An input that has the symbol as a dimension: sizes that only a run knows come this way."""
    for node in feeds:
        for i, dim in enumerate(node.outputs[0].desc.shape or ()):
            if not isinstance(dim, int) and str(dim) == symbol:
                return Ref(node.name, 0), i
    return None


def _size(name: str, ref: Ref, dim: int) -> Node:
    call = Call(torch.ops.aten.sym_size.int, "aten.sym_size.int", (ref, dim))
    where = Where(made_by="InductorClusters")
    return Node(name, "aten::sym_size.int", (Port("self", ref),), (Output("y", _NUMBER),), {}, (), where, call)


def _call(name: str, inner: Graph, reads: list[Ref], cluster: Cluster, nodes: Mapping[str, Node], effect: bool) -> Node:
    outputs = tuple(Output(f"output{i}", nodes[r.node].outputs[r.index].desc) for i, r in enumerate(cluster.outputs))
    where = next((n.where for n in cluster.nodes if n.where.line), Where())
    return Node(
        name,
        CLUSTER,
        tuple(Port(f"args{i}", r) for i, r in enumerate(reads)),
        outputs,
        {},
        (),
        dataclasses.replace(where, made_by="InductorClusters"),
        counts=(len(reads),),
        output_counts=(len(outputs),),
        effect=effect,
        graphs={BRANCH: inner},
    )
