"""Cut a graph into clusters of built-in nodes around the others, without making cycles.

Nodes that stay outside keep their order among each other. Each gets a level that never falls; a cluster holds the nodes
that can run when the outside nodes of lower levels have run, so whatever lies on a path out of a cluster and back into
one has a higher level. A node with effects is a wall: nothing crosses it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import torch

from ferrata.ge.cluster.members import FEEDS, Members
from ferrata.ge.ir import Graph, Node, Ref, iter_refs

INLINED = 64  # elements of a constant up to which each cluster that reads it holds it
SMALLEST = 3  # nodes that compute: below, a call of compiled code costs what it saves


@dataclass(frozen=True)
class Cluster:
    """Nodes that become one. inputs: what they read from outside; outputs: what is read of them outside."""

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[Ref, ...]
    outputs: tuple[Ref, ...]


@dataclass(frozen=True)
class Parts:
    """The outside nodes and the clusters in an order in which they can run."""

    order: tuple[Node | Cluster, ...]
    clusters: tuple[Cluster, ...]
    local: set[str]  # nodes that write only what was made for them
    assigned: Mapping[Ref, Ref]  # the result of an assignment in a cluster -> the input that it wrote


def partition(
    graph: Graph, device: torch.device, smallest: int = SMALLEST, leave: Collection[str] = frozenset()
) -> Parts | None:
    """The graph in parts; None if there is no cluster worth compiling. leave: nodes that stay outside anyway."""
    members = Members(graph, device, leave)
    joins = {n.name for n in graph.nodes if members.may_join(n)}
    levels = _levels(graph, joins, members)
    apart = {n for n in members.local if levels[n] != levels[members.copy_of(n)]}
    if apart:  # a copy and what writes it, in two clusters: the first might hand out one copy for two
        return partition(graph, device, smallest, {*leave, *apart})
    groups: dict[int, list[Node]] = {}
    for node in graph.nodes:
        if node.name in joins and not members.on_host(node):
            groups.setdefault(levels[node.name], []).append(node)
    groups = {k: g for k, g in groups.items() if sum(map(members.computes, g)) >= smallest}
    if not groups:
        return None
    clustered = {n.name for g in groups.values() for n in g}
    drafts = {k: _inside(groups[k], members) for k in sorted(groups)}
    read = {r for _, inputs in drafts.values() for r in inputs} | set(iter_refs(graph.outputs))
    outside = _needed(graph, clustered, {r.node for r in read})
    read |= {r for n in outside for r in n.refs}
    assigned = {Ref(n, 0): members.nodes[n].refs[0] for n in members.assigned if n in clustered}
    clusters = {}
    result = {
        ref: i for i, ref in enumerate(iter_refs(graph.outputs))
    }  # in this order, a sole cluster gives all results
    for i, (level, (nodes, inputs)) in enumerate(drafts.items()):
        made = [Ref(n.name, j) for n in groups[level] for j in range(len(n.outputs))]
        outputs = tuple(sorted((r for r in made if r in read and r not in assigned), key=lambda r: result.get(r, -1)))
        clusters[level] = Cluster(f"cluster_{i}", tuple(nodes), tuple(inputs), outputs)
    return Parts(_order(outside, clusters, levels, joins), tuple(clusters.values()), members.local, assigned)


def _levels(graph: Graph, joins: set[str], members: Members) -> dict[str, int]:
    levels: dict[str, int] = {}
    outside = floor = highest = beyond = 0
    for node in graph.nodes:
        if node.type in FEEDS or node.type == "Const":
            levels[node.name] = -1
            continue
        before = [r.node for r in node.refs]
        before += () if node.name in members.local else node.controls
        if node.name in joins:
            level = max([floor, *(levels[b] + (b not in joins) for b in before)])
            if node.name in members.assigned:  # it writes what others up to here may read
                level = max(level, highest, beyond)
        else:
            level = max([outside, *(levels[b] for b in before)])
            if members.walls(node):
                level = max(level, highest)
                floor = level + 1
            outside, beyond = level, level + 1
            levels[node.name] = level
            continue
        levels[node.name] = level
        highest = max(highest, level)
    _sink(graph, joins, members, levels)
    return levels


def _sink(graph: Graph, joins: set[str], members: Members, levels: dict[str, int]) -> None:
    """What is made of constants and sizes alone is made where it is first read, so that it does not wait in memory."""

    def pure(node: Node) -> bool:
        return node.name in joins and not node.effect and not node.controls and not members.on_host(node)

    free: set[str] = set()
    for node in graph.nodes:
        made = pure(node) and all(r.node in free for r in node.refs)
        if made or node.type == "Const" or members.on_host(node):
            free.add(node.name)
    read = {r.node for r in iter_refs(graph.outputs)}
    first: dict[str, int] = {}
    for node in reversed(graph.nodes):
        if pure(node) and node.name in free and node.name in first and node.name not in read:
            levels[node.name] = max(levels[node.name], first[node.name])
        for name in (*(r.node for r in node.refs), *node.controls):
            first[name] = min(first.get(name, levels[node.name]), levels[node.name])


def _needed(graph: Graph, clustered: set[str], used: set[str]) -> list[Node]:
    """The outside nodes, without those on the host that only clusters read. used: by the result and by clusters."""
    used |= {source.node if isinstance(source, Ref) else source[0].node for source in graph.symbols.values()}
    kept = []
    for node in reversed(graph.nodes):
        if node.name not in clustered and (node.name in used or node.effect or node.type in FEEDS):
            used.update(r.node for r in node.refs)
            kept.append(node)
    return kept[::-1]


def free_symbols(nodes: Iterable[Node]) -> list[str]:
    """The symbols that stand in the nodes' descriptions, in order."""
    found: dict[str, None] = {}
    for node in nodes:
        for output in node.outputs:
            for dim in (*(output.desc.shape or ()), *(output.desc.stride or ())):
                if not isinstance(dim, int):
                    found.update(dict.fromkeys(sorted(map(str, dim.free_symbols))))
    return list(found)


def _inside(group: list[Node], members: Members) -> tuple[list[Node], list[Ref]]:
    """A cluster's nodes, copies of what they read on the host included, and what they read from outside."""
    found: dict[str, Node] = {}
    own = {n.name for n in group}
    inputs: dict[Ref, None] = {}

    def take(ref: Ref, host: bool) -> None:
        source = members.nodes[ref.node]
        if source.name in own or source.name in found:
            return
        known = source.type == "Const" and (host or source.value.numel() <= INLINED)
        if known or (members.on_host(source) and source.type not in FEEDS):
            for inner in source.refs:
                take(inner, True)
            found[source.name] = source
        else:
            inputs[ref] = None

    for node in group:
        for ref, host in members.reads(node):
            take(ref, host)
        found[node.name] = node
    for symbol in free_symbols([*found.values(), *(members.nodes[r.node] for r in inputs)]):
        source = members.graph.symbols.get(symbol)
        if isinstance(source, Ref):
            inputs[source] = None
    return list(found.values()), sorted(inputs, key=lambda r: (members.place[r.node], r.index))


def _order(
    outside: Iterable[Node], clusters: Mapping[int, Cluster], levels: Mapping[str, int], joins: set[str]
) -> tuple[Node | Cluster, ...]:
    keyed: list[tuple[tuple[int, int, int], Node | Cluster]] = []
    for i, node in enumerate(outside):
        keyed.append(((levels[node.name], 1 if node.name in joins else 2, i), node))
    keyed += [((level, 0, 0), cluster) for level, cluster in clusters.items()]
    return tuple(item for _, item in sorted(keyed, key=lambda pair: pair[0]))
