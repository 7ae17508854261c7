"""`a + alpha * b`, one operator in ATen, written as two.

TorchInductor (2.13) makes one call of `a + x @ y`, and takes `add(a, x @ y, alpha=0.1)` for the same.
"""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten


def without_alpha(traced: torch.fx.GraphModule, mode: Any) -> None:
    """Write out, in place, every `alpha` of additions and subtractions. mode: the fake mode of the graph."""
    graph = traced.graph
    for target in (aten.add.Tensor, aten.sub.Tensor):
        for node in graph.find_nodes(op="call_function", target=target):
            alpha = node.kwargs.get("alpha", 1)
            if isinstance(alpha, int) and alpha == 1:
                continue
            a, b = node.args
            if not isinstance(b, torch.fx.Node) or not isinstance(b.meta.get("val"), torch.Tensor):
                continue
            with graph.inserting_before(node), mode:
                scaled = graph.call_function(aten.mul.Tensor, (b, alpha))
                factor = alpha.meta["val"] if isinstance(alpha, torch.fx.Node) else alpha
                scaled.meta["val"] = aten.mul.Tensor(b.meta["val"], factor)
            node.args, node.kwargs = (a, scaled), {}
    traced.recompile()
