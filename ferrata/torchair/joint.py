"""The joint graph: forward and backward compile as one GE graph (`experimental_config.aot_config_enable_joint_graph`).

The forward computes the gradients too, for a loss whose own gradient is 1; the backward multiplies them by the gradient
that it is given. Which result is the loss says `aot_config_output_loss_index`; the others get no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._functorch._aot_autograd.descriptors import PlainAOTOutput, TangentAOTInput

from ferrata import errors

aten = torch.ops.aten
_INDEX = "experimental_config.aot_config_output_loss_index"
_OTHERS = "ferrata_joint_others"  # in the meta of the backward module: the results that must get no gradient


def partition(joint: torch.fx.GraphModule, _inputs: Any, *, loss_index: int, num_fwd_outputs: int, **_: Any) -> Any:
    """A partition function for AOTAutograd: the forward with all gradients, and the backward that scales them.

    Raises BadOptionValue where the result `loss_index` is no single number with a gradient.
    """
    from torch._functorch.partitioners import _extract_fwd_bwd_modules

    graph = joint.graph
    output = graph.output_node()
    (results,) = output.args
    results = list(results)  # type: ignore[arg-type]
    ends = dict(zip(output.meta["desc"], results, strict=True))
    tangents = {n.meta["desc"].output: n for n in graph.find_nodes(op="placeholder") if _is_tangent(n)}
    loss = PlainAOTOutput(loss_index)
    if loss not in tangents or tangents[loss].meta["val"].numel() != 1:
        some = [str(o.idx) for o, n in tangents.items() if isinstance(o, PlainAOTOutput) and n.meta["val"].numel() == 1]
        raise errors.BadOptionValue(
            option=_INDEX,
            value=loss_index,
            allowed="the loss is a result of one number that needs a gradient; here "
            + (f"that is result {' or '.join(some)}" if some else "there is none"),
        )
    grads = results[num_fwd_outputs:]
    for of, tangent in tangents.items():
        users = list(tangent.users)
        made = aten.ones_like.default if of == loss else aten.zeros_like.default
        with graph.inserting_before(_first(graph, users)):
            value = graph.call_function(made, (ends[of],), {"memory_format": torch.contiguous_format})
        value.meta["val"] = tangent.meta["val"]
        for user in users:
            user.replace_input_with(tangent, value)
    scale = tangents[loss]
    scaled: dict[torch.fx.Node, torch.fx.Node] = {}
    for grad in dict.fromkeys(g for g in grads if isinstance(g, torch.fx.Node)):
        with graph.inserting_before(output):
            scaled[grad] = graph.call_function(aten.mul.Tensor, (grad, _number(graph, scale, grad)))
        scaled[grad].meta["val"] = grad.meta["val"]
    new = [scaled.get(g, g) if isinstance(g, torch.fx.Node) else g for g in grads]
    output.args = ([*results[:num_fwd_outputs], *new],)
    joint.recompile()
    forward, backward = _extract_fwd_bwd_modules(
        joint, list(scaled), [], num_fwd_outputs=num_fwd_outputs, ignore_must_be_in_fw_bw=True
    )
    backward.meta[_OTHERS] = {n.name: o for o, n in tangents.items() if o != loss}
    return forward, backward


def checking(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """The compiler of the backward, whose graphs refuse gradients of other results than the loss.

    They raise JointGradient.
    """

    def compile_backward(gm: torch.fx.GraphModule, example_inputs: Any) -> Any:
        others = gm.meta.get(_OTHERS, {})
        names = [n.name for n in gm.graph.find_nodes(op="placeholder")]
        at = {names.index(name): of for name, of in others.items() if name in names}
        compiled = compiler(gm, example_inputs)
        return _checked(compiled, at) if at else compiled

    return compile_backward


def _checked(compiled: Any, at: dict[int, Any]) -> Any:
    def run(args: list[Any]) -> Any:
        for index, of in at.items():
            if bool(args[index].any()):
                raise errors.JointGradient(result=of.expr(), option=_INDEX)
        return compiled(args)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def _is_tangent(node: torch.fx.Node) -> bool:
    return isinstance(node.meta.get("desc"), TangentAOTInput)


def _first(graph: torch.fx.Graph, users: list[torch.fx.Node]) -> torch.fx.Node:
    """The first of the users. AOTAutograd traces the whole forward before the first gradient, so all results are there."""
    order = {n: i for i, n in enumerate(graph.nodes)}
    return min(users, key=order.__getitem__, default=graph.output_node())


def _number(graph: torch.fx.Graph, scale: torch.fx.Node, grad: torch.fx.Node) -> torch.fx.Node:
    """The loss's gradient as a number without dimensions, in the type of the gradient that it scales."""
    value = scale.meta["val"]
    if value.dim():
        made = graph.call_function(aten.view.default, (scale, []))
        made.meta["val"] = value.reshape([])
        scale, value = made, made.meta["val"]
    dtype = grad.meta["val"].dtype
    if value.dtype != dtype:
        made = graph.call_function(torch.ops.prims.convert_element_type.default, (scale, dtype))
        made.meta["val"] = value.to(dtype)
        scale = made
    return scale
