"""What passes share: which nodes are pure, whose memory is handed out or written, and redirecting reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.infer import input_instances
from ferrata.ge.ir import Graph, Node, Ref, iter_refs, map_structure
from ferrata.ge.library import rules
from ferrata.ge.prototype import registered_prototype, require_prototype

# operators whose result may be, or lie in, an input's memory, besides those whose rule says so
_SHARING = {
    "Identity", "Reshape", "Squeeze", "Unsqueeze", "ExpandDims", "FlattenV2", "ReduceSum", "ReduceMean", "ReduceMax",
    "ReduceMin", "ReduceAny", "ReduceAll", "ReduceProd", "ReduceProdD", "Real", "Conj", "AddN", "MirrorPad", "PadV3",
}  # fmt: skip


def library_rule(node: Node, *, effects: bool = False) -> rules.Rule | None:
    """The rule of a node that is one of GE's own operators and only computes; None for every other node.

    effects: also of one that writes its operands.
    """
    if node.call is not None or (node.effect and not effects) or registered_prototype(node.type) is not None:
        return None
    return rules.find(node.type)


def exposed(graph: Graph) -> set[str]:
    """Nodes whose memory the graph hands out, or that a node with effects reads and may write; views followed back."""
    found = {r.node for r in iter_refs(graph.outputs)}
    for node in reversed(graph.nodes):
        if node.effect:
            found.update(r.node for r in node.refs)
        elif node.name in found:
            found.update(r.node for r in _shared(node))
    return found


def _shared(node: Node) -> list[Ref]:
    """The operands in whose memory the result may lie: not those that are read as numbers."""
    rule = library_rule(node)
    if rule is None:
        return list(node.refs)
    if not rule.view and node.type not in _SHARING:
        return []
    proto = require_prototype(node.type, node.where)
    if len(node.counts) != len(proto.inputs):  # read from a dump of another prototype, to be seen
        return list(node.refs)
    ports = input_instances(proto, node)
    return [p.ref for spec, some in ports if spec.name not in rule.host for p in some if p.ref is not None]


def views_of(node: Node) -> Sequence[Ref]:
    """The operands in whose memory a result may lie, for operators that say so; custom ones by their aliased outputs."""
    if node.call is not None:
        schema = getattr(node.call.fn, "_schema", None)
        return node.refs if schema is not None and any(r.alias_info is not None for r in schema.returns) else ()
    rule = library_rule(node)
    if rule is not None:
        return _shared(node)
    aliases = {o.alias for o in node.outputs if o.alias is not None}
    return [p.ref for p in node.inputs if p.name in aliases and p.ref is not None]


def made_in(node: Node) -> Sequence[Ref]:
    """The operands in whose memory a result may lie, for all that is known: everything, for whoever does not say."""
    if node.call is not None:
        known = isinstance(node.call.fn, torch._ops.OpOverload) and node.call.fn.namespace == "aten"
        return views_of(node) if known else node.refs
    return _shared(node)


def redirect(graph: Graph, to: Mapping[Ref, Ref], changed: Mapping[str, Node] | None = None) -> Graph:
    """The graph with reads of some values replaced and some nodes exchanged; the same object if there is nothing."""
    changed = changed or {}
    if not to and not changed:
        return graph

    def final(ref: Ref) -> Ref:
        while ref in to:
            ref = to[ref]
        return ref

    nodes = []
    for node in graph.nodes:
        node = changed.get(node.name, node)
        nodes.append(node.map_refs(final) if to and any([r in to for r in node.refs]) else node)
    symbols = {s: final(v) if isinstance(v, Ref) else (final(v[0]), v[1]) for s, v in graph.symbols.items()}
    return Graph(graph.name, tuple(nodes), map_structure(graph.outputs, final), symbols)


def constant(ref: Ref | None, nodes: Mapping[str, Node]) -> Any:
    """The value of a constant as Python numbers; None for anything else."""
    node = None if ref is None else nodes[ref.node]
    return node.value.tolist() if node is not None and node.type == "Const" else None


def made_by(node: Node, name: str) -> Any:
    """The node's provenance, with the pass as its maker."""
    return dataclasses.replace(node.where, made_by=name)
