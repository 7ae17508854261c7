"""Memory that runs out inside a compiled cluster: its C++ says only which call failed, so it is told here what that was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.ir import Graph

Function = Callable[[list[Any]], Any]
_ALLOCATION = "aoti_torch_empty_strided"  # what Inductor's C++ makes every tensor with


class Exhausted(errors.ClusterOutOfMemory, torch.OutOfMemoryError):
    __doc__ = errors.ClusterOutOfMemory.__doc__


def told(fast: Function, graph: Graph, device: torch.device) -> Function:
    """`fast`, whose failed allocations are errors that torch's own handlers know."""
    name, count = graph.name, len(graph.nodes)
    lines = list(dict.fromkeys(str(n.where) for n in graph.nodes if n.where.line))

    def run(args: list[Any]) -> Any:
        try:
            return fast(args)
        except RuntimeError as failure:
            if not str(failure).startswith(_ALLOCATION):
                raise
        raise Exhausted(cluster=name, count=count, where=", ".join(lines[:3]) or "no source lines", device=str(device))

    return run
