"""In-place custom operators: turn `auto_functionalized` wrappers back into the operator, with copies where needed.

AOTAutograd hides mutation behind `auto_functionalized` (v1 and v2). PyTorch's own passes know which copies can go
(`reinplace`) and how a wrapper decomposes (views regenerated, None arguments, lists); they are used as they are, and
imported only if the graph has such a node, because that costs time.
"""

from __future__ import annotations

import torch


def has_wrappers(gm: torch.fx.GraphModule) -> bool:
    """Whether the graph contains a functionalised in-place operator."""
    wrappers = (torch.ops.higher_order.auto_functionalized, torch.ops.higher_order.auto_functionalized_v2)
    return any(n.op == "call_function" and n.target in wrappers for n in gm.graph.nodes)


def restore_in_place(gm: torch.fx.GraphModule, *, reuse: bool = True) -> None:
    """Rewrite `gm` so that it calls the mutating operators themselves. reuse: drop copies nobody can observe."""
    from torch._inductor.fx_passes.post_grad import decompose_auto_functionalized
    from torch._inductor.fx_passes.reinplace import reinplace_inplaceable_ops_core

    traces = {n.args[0]: n.stack_trace for n in gm.graph.nodes if n.op == "call_function" and n.args and n.stack_trace}
    if reuse:
        reinplace_inplaceable_ops_core(gm.graph)
    decompose_auto_functionalized(gm.graph)
    for node in gm.graph.nodes:  # the decomposition drops the user's line
        if node.op == "call_function" and not node.stack_trace and node.target in traces:
            node.stack_trace = traces[node.target]
    gm.graph.lint()
    gm.recompile()
