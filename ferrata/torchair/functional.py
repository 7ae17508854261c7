"""In-place custom operators: turn `auto_functionalized` wrappers back into the operator, with copies where needed.

AOTAutograd hides mutation behind `auto_functionalized` (v1 and v2). PyTorch's own passes know which copies can go
(`reinplace`) and how a wrapper decomposes (views regenerated, None arguments, lists); they are used as they are, and
imported only if the graph has such a node, because that costs time.
"""

from __future__ import annotations

from typing import Any

import torch


def has_wrappers(gm: torch.fx.GraphModule) -> bool:
    """Whether the graph contains a functionalised in-place operator."""
    return any(n.op == "call_function" and n.target in _wrappers() for n in gm.graph.nodes)


def restore_in_place(gm: torch.fx.GraphModule, *, reuse: bool = True) -> None:
    """Rewrite `gm` so that it calls the mutating operators themselves. reuse: drop copies nobody can observe."""
    from torch._inductor.fx_passes.post_grad import decompose_auto_functionalized
    from torch._inductor.fx_passes.reinplace import reinplace_inplaceable_ops_core

    wrapped = {n.args[0] for n in gm.graph.nodes if n.op == "call_function" and n.target in _wrappers()}
    lines = {n: n.stack_trace for n in gm.graph.nodes}  # the decomposition overwrites those of its neighbours
    if reuse:
        reinplace_inplaceable_ops_core(gm.graph)
    decompose_auto_functionalized(gm.graph)  # type: ignore[no-untyped-call]
    for node in gm.graph.nodes:
        if node in lines:
            node.stack_trace = lines[node]
        if node.op == "call_function" and node.target in wrapped:
            _own_meta(node)
    gm.graph.lint()
    gm.recompile()


def _wrappers() -> tuple[Any, ...]:
    return (torch.ops.higher_order.auto_functionalized, torch.ops.higher_order.auto_functionalized_v2)


def _own_meta(node: torch.fx.Node) -> None:
    """The decomposition leaves the wrapper's Meta: the operator's results, then the written tensors."""
    value, schema = node.meta.get("val"), getattr(node.target, "_schema", None)
    if not isinstance(value, tuple):
        return
    if schema is None:  # control flow: as many results as its subgraphs have, always a tuple
        owner = node.graph.owning_module
        inner = [
            getattr(owner, str(a.target)) for a in node.args if isinstance(a, torch.fx.Node) and a.op == "get_attr"
        ]
        modules = [m for m in inner if isinstance(m, torch.fx.GraphModule)]
        result = modules[-1].graph.output_node().args[0] if modules else ()
        node.meta["val"] = value[: len(result) if isinstance(result, (list, tuple)) else 1]
        return
    count = len(schema.returns)
    node.meta["val"] = value[:count] if count > 1 else value[0] if count else None
