"""Let matrix products read transposed operands by their attributes, without a Transpose in between."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Graph, Node, Port
from ferrata.ge.passes.edit import constant, library_rule, made_by, redirect

# the attributes that transpose the first and the second operand
_ATTRS = {
    "MatMul": ("transpose_x1", "transpose_x2"), "MatMulV2": ("transpose_x1", "transpose_x2"),
    "BatchMatMul": ("adj_x1", "adj_x2"), "BatchMatMulV2": ("adj_x1", "adj_x2"),
}  # fmt: skip


def transpose_into_matmul(graph: Graph) -> Graph:
    """A Transpose that swaps the last two dimensions becomes an attribute of the product that reads it."""
    if not any(n.type in _ATTRS for n in graph.nodes):
        return graph
    nodes = graph.by_name()
    changed = {}
    for node in graph.nodes:
        if node.type in _ATTRS and library_rule(node) is not None:
            made = _absorbed(node, nodes)
            if made is not None:
                changed[node.name] = made
    return redirect(graph, {}, changed)


def _absorbed(node: Node, nodes: Mapping[str, Node]) -> Node | None:
    attrs, inputs = dict(node.attrs), list(node.inputs)
    for i, attr in enumerate(_ATTRS[node.type]):
        ref = inputs[i].ref
        source = None if ref is None else nodes[ref.node]
        if source is None or source.type != "Transpose" or library_rule(source) is None:
            continue
        order = constant(source.refs[1], nodes)
        if order is None or not _swaps_last(order):
            continue
        already = attr in attrs and bool(attrs[attr].value)
        attrs[attr] = AttrValue("Bool", not already)
        inputs[i] = Port(inputs[i].name, source.refs[0])
    if inputs == list(node.inputs):
        return None
    where = made_by(node, "TransposeIntoMatMul")
    return dataclasses.replace(node, attrs=attrs, inputs=tuple(inputs), where=where)


def _swaps_last(order: list[int]) -> bool:
    rank = len(order)
    return rank >= 2 and [a % rank for a in order] == [*range(rank - 2), rank - 1, rank - 2]
