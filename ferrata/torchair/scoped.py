"""Scopes in a captured graph: the pairs of `air::scope_enter` and `air::scope_exit` become attributes of the nodes."""

from __future__ import annotations

from typing import Any

import torch

from ferrata import errors
from ferrata.torchair.scope import CLEARED
from ferrata.torchair.source import where_of

META = "ferrata_scope"  # key of a node's attributes in its `meta`


def apply(gm: torch.fx.GraphModule, *, captured: bool) -> None:
    """Attach the attributes and take the markers out. captured: the graph will be captured, not made a GE graph.

    Raises ScopeUnpaired with the user's line; OnlyInGraphs for what GE graphs do not have.
    """
    air = torch.ops.air
    open_scopes: list[tuple[dict[str, str], torch.fx.Node]] = []
    found = False
    for node in list(gm.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target is air.scope_enter.default:
            keys, values = node.args[0], node.args[1]
            outer = open_scopes[-1][0] if open_scopes else {}
            merged = {**outer, **dict(zip(keys, values, strict=True))}
            open_scopes.append(({k: v for k, v in merged.items() if v != CLEARED}, node))
            found = True
        elif node.target is air.scope_exit.default:
            if not open_scopes:
                raise errors.ScopeUnpaired(where=str(where_of(node)), what="left without being entered")
            open_scopes.pop()
        elif node.target is air.record_tagged_stream.default and not captured:
            raise errors.NotInGraphMode(what="ops.npu_record_tagged_stream", where=str(where_of(node)))
        elif open_scopes and open_scopes[-1][0]:
            node.meta[META] = open_scopes[-1][0]
    if open_scopes:
        raise errors.ScopeUnpaired(where=str(where_of(open_scopes[-1][1])), what="entered and never left in this graph")
    if found:
        for node in reversed(list(gm.graph.nodes)):
            if node.target in (air.scope_enter.default, air.scope_exit.default):
                gm.graph.erase_node(node)
        gm.recompile()


def attributes(node: torch.fx.Node) -> dict[str, Any]:
    """The attributes of a node's scopes; empty outside of any."""
    return dict(node.meta.get(META) or {})
