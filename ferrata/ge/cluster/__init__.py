"""Clusters: at level O3, built-in nodes that stand together run as machine code from TorchInductor.

members.py says which nodes may, partition.py cuts the graph, subgraph.py makes each cluster a `PartitionedCall`, trace.py
turns it into an FX graph, compile.py into a function, fed.py says what that checks first. The session asks for it after
the passes; the program then has one line for a cluster. Nothing here is imported unless clusters are asked for.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Mapping

import torch

from ferrata.ge.cluster.compile import Function, compile_cluster, left_out
from ferrata.ge.cluster.fed import unsure
from ferrata.ge.cluster.partition import SMALLEST, partition
from ferrata.ge.cluster.subgraph import BRANCH, enclose
from ferrata.ge.cluster.trace import Untraceable
from ferrata.ge.ir import CLUSTER, Call, Graph, Node

NAME = "InductorClusters"

__all__ = ["NAME", "cluster", "compiled", "enclosed"]


def enclosed(
    graph: Graph, device: torch.device, smallest: int = SMALLEST, leave: Collection[str] = frozenset()
) -> Graph:
    """The graph with its clusters as nodes, not compiled yet; the same object if there are none.

    leave: names of nodes that no cluster takes.
    """
    parts = partition(graph, device, smallest, leave)
    return graph if parts is None else enclose(graph, parts)


def cluster(
    graph: Graph, device: torch.device, hints: Mapping[str, int], kind: str = "inference", guarded: bool = False
) -> Graph:
    """The graph with its clusters compiled. hints: expected sizes by symbol; kind: inference, forward or backward;
    guarded: the graph is fed nothing but what it describes.

    A node that cannot be traced is left out, with a warning, and the graph is cut again.
    """
    leave: set[str] = set()
    while True:
        around = enclosed(graph, device, leave=leave)
        if around is graph:
            return graph
        try:
            return compiled(around, device, hints, kind, guarded)
        except Untraceable as failure:
            warnings.warn(left_out(graph.node(failure.node), failure), RuntimeWarning, stacklevel=2)
            leave.add(failure.node)


def compiled(
    graph: Graph, device: torch.device, hints: Mapping[str, int], kind: str = "inference", guarded: bool = False
) -> Graph:
    """The graph with those of its clusters compiled that are not, such as those of a graph from a file."""

    def made(node: Node) -> Node:
        if node.type != CLUSTER or node.call is not None:
            return node
        makers = unsure(graph, node, guarded, kind == "backward")
        run = compile_cluster(node.graphs[BRANCH], device, hints, kind, makers)
        return _calling(node, run)

    return dataclasses.replace(graph, nodes=tuple(map(made, graph.nodes)))


def _calling(node: Node, run: Function) -> Node:
    return dataclasses.replace(node, call=Call(run, node.name, (list(node.refs),), outputs="many"))
