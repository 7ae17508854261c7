"""Nodes in the order in which the results need them, so that no value waits in memory for the others.

A C++ kernel takes in all that comes before the next call of a library, and holds its results from there on: what a
later layer alone reads should not be made with what the first one does.
"""

from __future__ import annotations

import torch

aten = torch.ops.aten


def order_late(traced: torch.fx.GraphModule) -> None:
    """Put each node right before the first that reads it, in place; assignments to inputs stay last, in their order."""
    graph = traced.graph
    graph.eliminate_dead_code()
    output = graph.output_node()
    nodes = list(graph.nodes)
    last = [n for n in nodes if n.op == "call_function" and n.target is aten.copy_.default]
    placed = dict.fromkeys(n for n in nodes if n.op in ("placeholder", "get_attr"))
    given = set(placed)
    waiting = [*reversed(last), output]
    opened: set[torch.fx.Node] = set()
    while waiting:
        node = waiting[-1]
        if node in placed or node in opened:
            placed.setdefault(node)
            waiting.pop()
            continue
        opened.add(node)
        waiting += [n for n in reversed(node.all_input_nodes) if n not in placed]
    if len(placed) != len(nodes):  # something has an effect that no result needs
        return
    for node in [*(n for n in placed if n not in given and n not in last and n is not output), *last]:
        output.prepend(node)
    traced.recompile()
