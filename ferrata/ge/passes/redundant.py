"""Leave out casts, reshapes and transpositions that change nothing, and what another node undoes."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ferrata.ge.ir import Graph, Node, Output, Port, Ref, iter_refs
from ferrata.ge.passes.edit import constant, exposed, library_rule, redirect, views_of
from ferrata.ge.types import UNDEFINED, torch_dtype

# what a wider type holds without rounding
_EXACT = {
    torch.float16: {torch.float32, torch.float64}, torch.bfloat16: {torch.float32, torch.float64},
    torch.float32: {torch.float64}, torch.int8: {torch.int16, torch.int32, torch.int64},
    torch.uint8: {torch.int16, torch.int32, torch.int64}, torch.int16: {torch.int32, torch.int64},
    torch.int32: {torch.int64, torch.float64}, torch.bool: {torch.uint8, torch.int32, torch.int64, torch.float32},
}  # fmt: skip


def remove_redundant(graph: Graph) -> Graph:
    """Readers get the operand; the node itself is left to DeadNodes. Results and written memory stay as they are."""
    if not any(n.type in _WORK for n in graph.nodes):
        return graph
    nodes = graph.by_name()
    kept = exposed(graph)
    to: dict[Ref, Ref] = {}
    changed: dict[str, Node] = {}
    laid: set[str] | None = None
    for node in graph.nodes:
        work = _WORK.get(node.type)
        if work is None or node.name in kept or library_rule(node) is None:
            continue
        source = work(node, nodes, kept)
        free = False
        if source is not None and node.type == "Squeeze":
            laid = _laid_out_for(graph) if laid is None else laid
            free = node.name not in laid
        if source is not None and _alike(node.outputs[0], nodes[source.node].outputs[source.index], free):
            to[Ref(node.name, 0)] = source
        elif node.type == "Reshape":
            shorter = _over(node, nodes)
            if shorter is not None:
                changed[node.name] = nodes[node.name] = shorter
                origin = shorter.refs[0]
                if _alike(node.outputs[0], nodes[origin.node].outputs[origin.index]):
                    to[Ref(node.name, 0)] = origin
    return redirect(graph, to, changed)


def _laid_out_for(graph: Graph) -> set[str]:
    """Nodes of which a reader goes by the layout in memory: a view, an operator that is not GE's own, the caller."""
    found = {r.node for r in iter_refs(graph.outputs)}
    for node in graph.nodes:
        if library_rule(node) is None or views_of(node):
            found.update(r.node for r in node.refs)
    return found


def _alike(a: Output, b: Output, free: bool = False) -> bool:
    """free: whether their layouts in memory may differ."""
    shape = a.desc.shape
    if a.desc.dtype == UNDEFINED or a.desc.dtype != b.desc.dtype or shape is None or -1 in shape:
        return False
    return shape == b.desc.shape and (free or a.desc.stride == b.desc.stride)


def _cast(node: Node, nodes: Mapping[str, Node], kept: set[str]) -> Ref | None:
    """There and back through a type that holds every value. A copy: memory that is written later does not do."""
    inner = nodes[node.refs[0].node]
    if inner.type != "Cast" or library_rule(inner) is None or inner.refs[0].node in kept:
        return None
    source = inner.refs[0]
    before, between = nodes[source.node].outputs[source.index].desc.dtype, inner.outputs[0].desc.dtype
    if UNDEFINED in (before, between) or torch_dtype(between) not in _EXACT.get(torch_dtype(before), ()):
        return None
    return source


def _same(node: Node, nodes: Mapping[str, Node], kept: set[str]) -> Ref | None:
    return node.refs[0]


def _transpose(node: Node, nodes: Mapping[str, Node], kept: set[str]) -> Ref | None:
    order = constant(node.refs[1], nodes)
    if order is None:
        return None
    order = [axis % len(order) for axis in order]
    if order == sorted(order):
        return node.refs[0]
    inner = nodes[node.refs[0].node]
    first = constant(inner.refs[1], nodes) if inner.type == "Transpose" and library_rule(inner) is not None else None
    if first is not None and [first[axis] % len(first) for axis in order] == list(range(len(order))):
        return inner.refs[0]
    return None


def _over(node: Node, nodes: Mapping[str, Node]) -> Node | None:
    """A reshape of a reshape, as one."""
    inner = nodes[node.refs[0].node]
    if inner.type != "Reshape" or library_rule(inner) is None:
        return None
    source = inner.refs[0]
    inputs = tuple(Port(p.name, source if p.ref == node.refs[0] else p.ref) for p in node.inputs)
    return Node(
        node.name, node.type, inputs, node.outputs, node.attrs, node.controls, node.where, node.call, node.counts,
        node.output_counts, node.effect, node.value, node.graphs,
    )  # fmt: skip


def _picked(node: Node, nodes: Mapping[str, Node], kept: set[str]) -> Ref | None:
    """One of the tensors that were just stacked, such as the real part of complex numbers written as pairs. Also a copy."""
    cut = nodes[node.refs[0].node]
    if cut.type != "StridedSliceV2" or library_rule(cut) is None or len(cut.refs) != 5:
        return None
    stack = nodes[cut.refs[0].node]
    shape = stack.outputs[0].desc.shape
    if stack.type != "Pack" or library_rule(stack) is None or shape is None:
        return None
    begin, _, axes, steps = (constant(r, nodes) for r in cut.refs[1:])
    masked = any(attr.value for attr in cut.attrs.values())
    if masked or begin is None or axes is None or steps is None or not len(begin) == len(axes) == 1:
        return None
    axis, count = (stack.attrs["axis"].value if "axis" in stack.attrs else 0) % len(shape), len(stack.refs)
    squeezed = node.attrs["axis"].value if "axis" in node.attrs else ()
    if axes[0] % len(shape) != axis or [a % len(shape) for a in squeezed] != [axis]:
        return None
    if not -count <= begin[0] < count or steps != [1]:
        return None
    chosen = stack.refs[begin[0]]
    return None if chosen.node in kept or nodes[chosen.node].outputs[chosen.index].desc.host else chosen


_WORK = {
    "Cast": _cast, "Reshape": _same, "Identity": _same, "BroadcastTo": _same, "Transpose": _transpose, "Squeeze": _picked,
}  # fmt: skip
