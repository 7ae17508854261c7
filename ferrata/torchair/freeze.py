"""`frozen_parameter`: for inference, weights are constants of the graph instead of inputs.

The graph holds the tensors themselves, so that a weight that is written in place is seen; one that is replaced is not.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata.torchair.capture import written_inputs
from ferrata.torchair.config import CompilerConfig


def weights(
    gm: torch.fx.GraphModule, values: Sequence[Any], config: CompilerConfig
) -> Mapping[int, torch.Tensor] | None:
    """The parameters and marked tensors among the inputs of Dynamo's graph, by place; None unless the option is set."""
    if not config.raw("experimental_config.frozen_parameter"):
        return None
    warnings.warn(
        "experimental_config.frozen_parameter: parameters become constants of the compiled graph; assigning another tensor "
        "to one has no effect on it.",
        UserWarning,
        stacklevel=2,
    )
    inputs = [n for n in gm.graph.nodes if n.op == "placeholder"]
    return {
        i: value
        for i, (node, value) in enumerate(zip(inputs, values, strict=True))
        if type(value) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer) and _static(node, value)
    }


def _static(node: torch.fx.Node, value: torch.Tensor) -> bool:
    marks = node.meta.get("tensor_dict") or {}
    return isinstance(value, torch.nn.Parameter) or "_dynamo_static_input_type" in marks


def make_constant(gm: torch.fx.GraphModule, frozen: Mapping[int, torch.Tensor]) -> None:
    """Read the tensors as attributes of `gm`; the placeholders stay. What the graph writes is left alone."""
    written = written_inputs(gm)
    for i, node in enumerate([n for n in gm.graph.nodes if n.op == "placeholder"]):
        place = getattr(node.meta.get("desc"), "idx", None)
        if place is None or place not in frozen or i in written or not node.users:
            continue
        name = f"frozen_{node.name}"
        with _disable_current_modes():  # AOTAutograd's fake mode is on
            setattr(gm, name, torch.nn.Buffer(frozen[place].detach()))
        with gm.graph.inserting_after(node):
            made = gm.graph.get_attr(name)
        made.meta.update(node.meta)
        node.replace_all_uses_with(made)
    gm.recompile()
