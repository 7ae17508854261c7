"""Concatenations that put new values in place of a part of a tensor: written as `slice_scatter`, which fuses.

GE has no operator for it, so that an assignment to a slice is a head, the values and a tail side by side. Machine code
from that copies the whole tensor for each assignment, such as for each step of a recurrence.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

aten = torch.ops.aten


def put_in_place(traced: torch.fx.GraphModule) -> None:
    """Replace, in place, the concatenations whose parts around one of them are what a tensor has at those places."""
    graph = traced.graph
    for node in graph.find_nodes(op="call_function", target=aten.cat.default):
        found = _assignment(node)
        if found is None:
            continue
        base, values, dim, start = found
        with graph.inserting_before(node):
            end = start + values.meta["val"].shape[dim]
            made = graph.call_function(aten.slice_scatter.default, (base, values, dim, start, end))
            made.meta["val"] = node.meta["val"]
        node.replace_all_uses_with(made)
        parts = node.all_input_nodes
        graph.erase_node(node)
        while parts:
            part = parts.pop()
            if not part.users and part.target in (aten.slice.Tensor, aten.clone.default):
                parts += part.all_input_nodes
                graph.erase_node(part)
    traced.recompile()


def _assignment(node: Node) -> tuple[Node, Node, int, int] | None:
    """The tensor, the new values, the dimension and the place at which they begin."""
    parts: Any = node.args[0]
    if not 2 <= len(parts) <= 3 or not all(isinstance(p, Node) and _plain(p) for p in (node, *parts)):
        return None
    shape = node.meta["val"].shape
    given: Any = node.args[1] if len(node.args) > 1 else 0
    dim = given % len(shape)
    for at in [1] if len(parts) == 3 else [0, 1]:
        around = [_cut(p, dim) for p in parts if p is not parts[at]]
        if len(around) != len(parts) - 1 or None in around:
            continue
        bases = {cut[0] for cut in around if cut is not None}
        sizes = [p.meta["val"].shape[dim] for p in parts]
        starts = [0, sizes[0], sizes[0] + sizes[-2]][: len(parts)]
        there = [s for i, s in enumerate(starts) if i != at]
        base = bases.pop()
        fits = not bases and base.meta["val"].shape == shape and base.meta["val"].dtype == node.meta["val"].dtype
        if fits and [cut[1] for cut in around if cut is not None] == there:
            return base, parts[at], dim, starts[at]
    return None


def _plain(node: Node) -> bool:
    """Whether the sizes are numbers."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dim() > 0 and all(isinstance(s, int) for s in value.shape)


def _cut(part: Node, dim: int) -> tuple[Node, int] | None:
    """The tensor of which this is a slice, or a copy of one, along the dimension, and where the slice begins."""
    while part.target is aten.clone.default and isinstance(part.args[0], Node):
        part = part.args[0]
    if part.target is not aten.slice.Tensor:
        return None
    given: Any = (*part.args, *(None, 0, 0, None, 1)[len(part.args) :])
    base, along, start, _, step = given
    if not isinstance(base, Node) or not _plain(base) or not isinstance(start, int) or step != 1:
        return None
    size = base.meta["val"].shape
    if along % len(size) != dim:
        return None
    return base, slice(start, None).indices(size[dim])[0]
