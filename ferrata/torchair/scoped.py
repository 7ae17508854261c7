"""Scopes in a captured graph: the pairs of `air::scope_enter` and `air::scope_exit` become attributes of the nodes.

In what Dynamo traced, before AOTAutograd, they go where PyTorch keeps annotations: those reach the nodes that come of a
node, forward and backward. In a graph of ATen operators that a compiler is given, they are attributes at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair.scope import CLEARED
from ferrata.torchair.source import where_of

META = "ferrata_scope"  # key of a node's attributes in its `meta`, and among its annotations


def annotate(gm: torch.fx.GraphModule, outer: Mapping[str, str] | None = None) -> None:
    """Annotate what Dynamo traced, with its subgraphs, and take the markers out. Raises ScopeUnpaired."""
    outer = outer or {}

    def note(node: torch.fx.Node, scope: dict[str, str]) -> None:
        node.meta["custom"] = {**node.meta.get("custom", {}), META: scope}
        for given in node.args:
            inner = getattr(gm, str(given.target), None) if isinstance(given, torch.fx.Node) else None
            if isinstance(inner, torch.fx.GraphModule):
                annotate(inner, scope)

    _walk(gm, outer, note)


def apply(gm: torch.fx.GraphModule, *, captured: bool) -> None:
    """Attach the attributes and take the markers out. captured: the graph will be captured, not made a GE graph.

    Raises ScopeUnpaired with the user's line; NotInGraphMode for what GE graphs do not have.
    """
    if not captured:
        for node in gm.graph.find_nodes(op="call_function", target=torch.ops.air.record_tagged_stream.default):
            raise errors.NotInGraphMode(what="ops.npu_record_tagged_stream", where=str(where_of(node)))

    def note(node: torch.fx.Node, scope: dict[str, str]) -> None:
        node.meta[META] = scope

    _walk(gm, {}, note)


def attributes(node: torch.fx.Node) -> dict[str, Any]:
    """The attributes of a node's scopes; empty outside of any."""
    annotated = (node.meta.get("custom") or {}).get(META) or {}
    return {**annotated, **(node.meta.get(META) or {})}


def _walk(
    gm: torch.fx.GraphModule, outer: Mapping[str, str], note: Callable[[torch.fx.Node, dict[str, str]], None]
) -> None:
    """`note` each node that computes inside a scope, with the attributes of all scopes around it."""
    open_scopes: list[tuple[dict[str, str], torch.fx.Node]] = []
    markers = []
    for node in gm.graph.nodes:
        around = open_scopes[-1][0] if open_scopes else dict(outer)
        packet = getattr(node.target, "overloadpacket", node.target)  # the packet is what Dynamo traces
        if packet is torch.ops.air.scope_enter:
            keys, values = node.args[0], node.args[1]
            merged = {**around, **dict(zip(keys, values, strict=True))}
            open_scopes.append(({k: v for k, v in merged.items() if v != CLEARED}, node))
            markers.append(node)
        elif packet is torch.ops.air.scope_exit:
            if not open_scopes:
                raise errors.ScopeUnpaired(where=str(where_of(node)), what="left without being entered")
            open_scopes.pop()
            markers.append(node)
        elif around and node.op in ("call_function", "call_method", "call_module"):
            note(node, around)
    if open_scopes:
        raise errors.ScopeUnpaired(where=str(where_of(open_scopes[-1][1])), what="entered and never left in this graph")
    for node in reversed(markers):
        gm.graph.erase_node(node)
    if markers:
        gm.recompile()
