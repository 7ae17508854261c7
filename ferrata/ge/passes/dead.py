"""Remove nodes whose results nobody reads. Graph inputs stay (the feed list keeps its form), effects stay."""

from __future__ import annotations

import dataclasses

from ferrata.ge.ir import Graph, Ref, iter_refs


def remove_dead_nodes(graph: Graph) -> Graph:
    """One backward walk from the results and the effects."""
    live = {r.node for r in iter_refs(graph.outputs)}
    live |= {source.node if isinstance(source, Ref) else source[0].node for source in graph.symbols.values()}
    kept = []
    for node in reversed(graph.nodes):
        if node.name in live or node.effect or node.type in ("Data", "RefData"):
            live.update(r.node for r in node.refs)
            live.update(node.controls)
            kept.append(node)
    if len(kept) == len(graph.nodes):
        return graph
    return dataclasses.replace(graph, nodes=tuple(reversed(kept)))
