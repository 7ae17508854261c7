"""The graph as the program runs it: several nodes as one call of ATen. No dump shows it, no probe stands around it.

A linear layer of PyTorch arrives as reshape, product and reshape, since operators are decomposed before they come here;
ATen computes all three in one call, with the same arithmetic. A part that is written into a tensor arrives as a
concatenation of slices; where InPlaceReuse found that the tensor may be written, one copy does it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import torch

from ferrata.ge.columns import product_with_vector
from ferrata.ge.ir import IN_PLACE, Call, Graph, Node, Output, Port, Ref, map_structure
from ferrata.ge.passes.dead import remove_dead_nodes
from ferrata.ge.passes.edit import library_rule, made_in
from ferrata.ge.passes.part import replaced_part

_PRODUCTS = ("MatMul", "MatMulV2")


def lowered(graph: Graph) -> Graph:
    """The same object if there is nothing to put together."""
    if not any(n.type in _PRODUCTS or _marked(n) for n in graph.nodes):
        return graph
    nodes, users = graph.by_name(), graph.users()
    calls: dict[str, Node] = {}  # instead of a product, or of a concatenation
    to: dict[Ref, Ref] = {}  # results of reshapes behind these
    written = 0  # the place of the last node that writes
    places: dict[str, int] = {}
    for at, node in enumerate(graph.nodes):
        places[node.name] = at
        if _marked(node):
            calls[node.name] = _write(node, nodes, users, lambda n: places[n] > written)  # noqa: B023
        if node.effect or IN_PLACE in node.attrs:
            written = at
        how = _FORMS.get(node.type)
        made = how(node, nodes, users) if how is not None else None
        if made is not None:
            calls[made.name] = made
            to[Ref(node.name, 0)] = Ref(made.name, 0)
    if not calls:
        return graph

    def final(ref: Ref) -> Ref:
        return to.get(ref, ref)

    changed = [calls.get(n.name, n) for n in graph.nodes]
    changed = [n.map_refs(final) if any([r in to for r in n.refs]) else n for n in changed]
    outputs = map_structure(graph.outputs, final)
    return remove_dead_nodes(dataclasses.replace(graph, nodes=tuple(changed), outputs=outputs))


def _linear(back: Node, nodes: Mapping[str, Node], users: Mapping[str, int]) -> Node | None:
    """`reshape(reshape(x, [-1, k]) @ w.T + b, [*x.shape[:-1], n])` as one call; it replaces the product."""
    product = nodes[back.refs[0].node]
    if product.type not in _PRODUCTS or not _only_one_reads(product, users) or not _plain(back):
        return None
    flags = {n: v.value for n, v in product.attrs.items() if not n.startswith("_")}
    if flags.pop("transpose_x1", False) or not flags.pop("transpose_x2", False) or flags or product.controls:
        return None
    if len(product.refs) not in (2, 3) or any(p.ref is None for p in product.inputs[: len(product.refs)]):
        return None
    flat, weight, *bias = product.refs
    there = nodes[flat.node]
    if (
        there.type != "Reshape"
        or not _only_one_reads(there, users)
        or not _plain(there)
        or library_rule(product) is None
    ):
        return None
    x = there.refs[0]
    given, flattened = nodes[x.node].outputs[x.index].desc, there.outputs[0].desc
    result, shaped = product.outputs[0].desc, back.outputs[0].desc
    if given.host or None in (given.shape, flattened.shape, result.shape, shaped.shape):
        return None
    assert given.shape is not None and flattened.shape is not None  # for mypy
    assert result.shape is not None and shaped.shape is not None
    if any(-1 in shape for shape in (given.shape, flattened.shape, result.shape, shaped.shape)):
        return None
    if any(d.stride is not None for d in (given, flattened, result, shaped)) or len(given.shape) < 3:
        return None
    if (given.shape[-1], shaped.shape[-1]) != (flattened.shape[-1], result.shape[-1]) or given.shape[-1] == 0:
        return None
    if given.shape[:-1] != shaped.shape[:-1]:
        return None
    inputs = tuple(Port(n, r) for n, r in zip(("x", "weight", "bias"), (x, weight, *bias), strict=False))
    return Node(
        product.name, "aten::linear", inputs, (Output("y", shaped),), {}, (), product.where,
        Call(torch._C._nn.linear, "linear", (x, weight, *bias)),
    )  # fmt: skip


_FORMS = {"Reshape": _linear, "Squeeze": product_with_vector}  # by the type of the node behind a product


def _marked(node: Node) -> bool:
    return node.type == "ConcatV2" and IN_PLACE in node.attrs


def _write(node: Node, nodes: Mapping[str, Node], users: Mapping[str, int], since: Callable[[str], bool]) -> Node:
    """The new part copied into the tensor. What was only copied or given a dimension to be written is read itself.

    since: whether nothing was written from a node of this name up to here.
    """
    part = replaced_part(node, nodes)
    assert part is not None
    call: Callable[..., torch.Tensor] = write_part
    new, where = part.new, [part.axis, part.start, part.stop - part.start]
    row = nodes[new.node]
    if row.type == "Unsqueeze" and _plain(row) and row.attrs["axes"].value == [part.axis]:
        new, call, where = row.refs[0], write_row, [part.axis, part.start]
    copy = nodes[new.node]
    if copy.type == "TensorMove" and _plain(copy) and _only_one_reads(copy, users) and since(copy.name):
        source = copy.refs[0]
        if not nodes[source.node].outputs[source.index].desc.host and not _memory(source, nodes) & _memory(
            part.base, nodes
        ):
            new = source
    inputs = (Port("x", part.base), Port("new", new))
    return Node(
        node.name, f"ferrata::{call.__name__}", inputs, node.outputs, {}, node.controls, node.where,
        Call(call, call.__name__, (part.base, new, *where)),
    )  # fmt: skip


def _memory(ref: Ref, nodes: Mapping[str, Node]) -> set[Ref]:
    """The values in whose memory this one may lie, itself among them."""
    found, rest = {ref}, [ref]
    while rest:
        more = [r for r in made_in(nodes[rest.pop().node]) if r not in found]
        found.update(more)
        rest += more
    return found


def write_part(x: torch.Tensor, new: torch.Tensor, axis: int, start: int, length: int) -> torch.Tensor:
    x.narrow(axis, start, length).copy_(new)
    return x


def write_row(x: torch.Tensor, new: torch.Tensor, axis: int, index: int) -> torch.Tensor:
    x.select(axis, index).copy_(new)
    return x


def _plain(node: Node) -> bool:
    return library_rule(node) is not None and not node.controls


def _only_one_reads(node: Node, users: Mapping[str, int]) -> bool:
    return users[node.name] == 1 and len(node.outputs) == 1
