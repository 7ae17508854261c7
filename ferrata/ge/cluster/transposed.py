"""The gradient of a convolution for its input, where nothing else is asked for: written as a transposed convolution.

That is how a model's transposed convolution arrives, since GE has one operator for both. The gradient's operator wants
the input, whose sizes alone matter, as memory; and it is not what TorchInductor arranges around.
"""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten


def as_convolutions(traced: torch.fx.GraphModule, mode: Any) -> None:
    """Replace, in place, gradients of sizes that are numbers. mode: the fake mode of the graph."""
    graph = traced.graph
    for node in graph.find_nodes(op="call_function", target=aten.convolution_backward.default):
        arguments = _arguments(node)
        if arguments is None:
            continue
        with graph.inserting_before(node), mode:
            made = graph.call_function(aten.convolution.default, arguments)
            values = [a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in arguments]
            made.meta["val"] = aten.convolution.default(*values)
        for user in list(node.users):
            user.replace_all_uses_with(made)
            graph.erase_node(user)
        empty = node.args[1]
        graph.erase_node(node)
        if not empty.users and empty.op == "call_function":
            graph.erase_node(empty)
    traced.recompile()


def _arguments(node: torch.fx.Node) -> tuple[Any, ...] | None:
    """What `aten.convolution` gets instead; None if it does not do."""
    given: Any = node.args
    grad, x, weight, _, stride, padding, dilation, transposed, _, groups, mask = given
    if transposed or list(mask) != [True, False, False] or any(u.users for u in node.users if u.args[1] != 0):
        return None
    shapes = [n.meta["val"].shape[2:] for n in (grad, x, weight)]
    if not all(isinstance(s, int) and s > 0 for shape in shapes for s in shape):
        return None
    more = [
        size - ((made - 1) * step - 2 * pad + spread * (window - 1) + 1)
        for made, size, window, step, pad, spread in zip(*shapes, stride, padding, dilation, strict=True)
    ]
    if not all(0 <= m < max(step, spread) for m, step, spread in zip(more, stride, dilation, strict=True)):
        return None
    return grad, weight, None, stride, padding, dilation, True, more, groups
