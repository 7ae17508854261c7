"""Clusters: at level O3, built-in nodes that stand together run as machine code from TorchInductor.

members.py says which nodes may, partition.py cuts the graph, subgraph.py makes each cluster a `PartitionedCall`, trace.py
turns it into an FX graph, compile.py into a function. The session asks for it after the passes; the program then has one
line for a cluster. Nothing here is imported unless clusters are asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import torch

from ferrata.ge.cluster.compile import compile_cluster
from ferrata.ge.cluster.partition import SMALLEST, partition
from ferrata.ge.cluster.subgraph import BRANCH, enclose
from ferrata.ge.ir import CLUSTER, Call, Graph, Node

NAME = "InductorClusters"

__all__ = ["NAME", "cluster", "enclosed"]


def enclosed(graph: Graph, device: torch.device, smallest: int = SMALLEST) -> Graph:
    """The graph with its clusters as nodes, not compiled yet; the same object if there are none."""
    parts = partition(graph, device, smallest)
    return graph if parts is None else enclose(graph, parts)


def cluster(graph: Graph, device: torch.device, hints: Mapping[str, int], kind: str = "inference") -> Graph:
    """The graph with its clusters compiled. hints: expected sizes by symbol; kind: inference, forward or backward."""
    around = enclosed(graph, device)
    if around is graph:
        return graph

    def compiled(node: Node) -> Node:
        if node.type != CLUSTER or node.call is not None:
            return node
        run = compile_cluster(node.graphs[BRANCH], device, hints, kind)
        return dataclasses.replace(node, call=Call(run, node.name, (list(node.refs),), outputs="many"))

    return dataclasses.replace(around, nodes=tuple(map(compiled, around.nodes)))
