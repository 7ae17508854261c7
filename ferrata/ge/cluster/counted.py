"""Constants of a traced graph whose values follow from their places: written as `iota` and `full` instead of memory.

The session's passes fold `arange` and what is made of it. Machine code is better off with the counter of its own loop: a
load costs more, and an index that comes from memory is checked against the bounds at each element.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

aten, prims = torch.ops.aten, torch.ops.prims
_COUNTED = (torch.int64, torch.int32, torch.float32, torch.float64)
_EXACT = 1 << 24  # integers up to which every one is a float32
MOST = 1 << 22  # elements of a constant that is looked at


def written_out(traced: torch.fx.GraphModule, mode: Any) -> None:
    """Replace, in place, the constants of which `steps` knows the values. mode: the fake mode of the graph."""
    graph = traced.graph
    for node in list(graph.find_nodes(op="get_attr")):
        value = getattr(traced, node.target)
        if not isinstance(value, torch.Tensor) or value.dim() == 0:
            continue
        found = steps(value)
        if found is None:
            continue
        with graph.inserting_before(node), mode:
            node.replace_all_uses_with(_write(graph, value, *found))
        graph.erase_node(node)
    traced.recompile()


def steps(value: torch.Tensor) -> tuple[int | float | bool, tuple[int, ...]] | None:
    """The first element, and by how much an element differs from its neighbour in each dimension; None if that varies."""
    if value.device.type != "cpu" or value.numel() < 2 or value.numel() > MOST or not value.is_contiguous():
        return None
    first = value[(0,) * value.dim()]
    if bool((value == first).all()) and bool((torch.signbit(value) == torch.signbit(first)).all()):
        return first.item(), (0,) * value.dim()
    if value.dtype not in _COUNTED:
        return None
    numbers = value.to(torch.int64)
    if value.is_floating_point():
        if bool((numbers != value).any()) or int(numbers.abs().max()) > _EXACT:
            return None
        if bool((torch.signbit(value) & (value == 0)).any()):
            return None
    origin = numbers[(0,) * value.dim()]
    found, expected = [], origin
    for dim, size in enumerate(value.shape):
        line = numbers[tuple(slice(None) if d == dim else 0 for d in range(value.dim()))]
        found.append(int(line[1] - line[0]) if size > 1 else 0)
        shape = [size if d == dim else 1 for d in range(value.dim())]
        expected = expected + (torch.arange(size) * found[-1]).view(shape)
    return (int(origin), tuple(found)) if torch.equal(expected.expand(value.shape), numbers) else None


def _write(graph: torch.fx.Graph, value: torch.Tensor, first: int | float | bool, step: Sequence[int]) -> torch.fx.Node:
    def call(target: Any, *args: Any, **kwargs: Any) -> torch.fx.Node:
        node = graph.call_function(target, args, kwargs)
        node.meta["val"] = target(*(a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in args), **kwargs)
        return node

    shape, device = list(value.shape), torch.device("cpu")
    if not any(step):
        return call(aten.full.default, shape, first, dtype=value.dtype, device=device, pin_memory=False)
    dtype = torch.int64 if value.is_floating_point() else value.dtype

    def counted(length: int, start: int, by: int) -> torch.fx.Node:
        return call(prims.iota.default, length, start=start, step=by, dtype=dtype, device=device, requires_grad=False)

    places = [d for d, by in enumerate(step) if by]
    unit = step[places[-1]] // math.prod(shape[places[-1] + 1 :])
    through = [math.prod(shape[d + 1 :]) * unit if size > 1 else 0 for d, size in enumerate(shape)]
    if list(step) == through:
        node = counted(value.numel(), int(first), unit)
        node = node if len(shape) == 1 else call(aten.view.default, node, shape)
    else:
        lines = [
            call(
                aten.view.default,
                counted(shape[d], int(first) if d == places[0] else 0, step[d]),
                [shape[d] if i == d else 1 for i in range(len(shape))],
            )
            for d in places
        ]
        node = lines[0]
        for line in lines[1:]:
            node = call(aten.add.Tensor, node, line)
        if list(node.meta["val"].shape) != shape:  # what reads it may want its elements side by side
            node = call(aten.expand.default, node, shape)
            node = call(aten.clone.default, node, memory_format=torch.contiguous_format)
    if dtype != value.dtype:
        node = call(prims.convert_element_type.default, node, value.dtype)
    return node
