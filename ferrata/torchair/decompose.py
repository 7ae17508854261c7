"""Which operators PyTorch breaks up while it traces: those of its core decompositions that have no converter here.

High-level operators stay whole where GE has them; what is left of ATen becomes simpler operators that GE has, and only
then nodes that run on ATen. Used by the backend and by export, in front of AOTAutograd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair import converters, registry

# Whole they run far faster than their parts, and are computed in another order. Why each stays an ATen node, and what
# else there is: `coverage` says so.
_ATTENTION = (
    "PyTorch's attention for the CPU is kept whole, far faster than its parts; GE's own has no float32, and other"
    " statistics for the gradient",
    'for a graph without it: the model on "npu", or torch.nn.attention.sdpa_kernel(SDPBackend.MATH) around the call',
)
WHOLE = {
    "aten::_scaled_dot_product_flash_attention_for_cpu": _ATTENTION,
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _ATTENTION,
}


def decompositions(given: Mapping[Any, Callable[..., Any]] | None = None) -> dict[Any, Callable[..., Any]]:
    """The table for AOTAutograd; `given`, the user's own, come before ours. What a user's converter takes stays."""
    ours = {op: run for op, run in _core().items() if registry.find(op) is None}
    return {**ours, **(given or {})}


def by_overload(given: Mapping[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """The user's table as AOTAutograd reads it: an operator without an overload stands for all of them.

    Raises BadOptionKind for keys that are no operators, which AOTAutograd would never look up.
    """
    table: dict[Any, Callable[..., Any]] = {}
    for op, function in given.items():
        if isinstance(op, torch._ops.OpOverloadPacket):
            table.update({getattr(op, name): function for name in op.overloads()})  # type: ignore[no-untyped-call]
        elif not isinstance(op, torch._ops.OperatorBase):
            raise errors.BadOptionKind(
                option="custom_decompositions", allowed="a dictionary whose keys are operators such as"
                " torch.ops.aten.relu.default", value=op, kind=type(op).__name__,
            )  # fmt: skip
    return table | {op: function for op, function in given.items() if isinstance(op, torch._ops.OperatorBase)}


@cache
def _core() -> Mapping[Any, Callable[..., Any]]:
    """PyTorch's core decompositions of functional operators without a converter."""
    from torch._decomp import core_aten_decompositions

    known = converters.every()
    table: dict[Any, Callable[..., Any]] = dict(core_aten_decompositions())
    return {op: run for op, run in table.items() if op not in known and _plain(op)}


def _plain(op: Any) -> bool:
    """An operator of ATen that gives tensors and writes nothing, and that is not broken up anyway."""
    if not isinstance(op, torch._ops.OpOverload) or op.namespace != "aten" or op._name in WHOLE:
        return False
    schema = op._schema
    if schema.is_mutable or not all("Tensor" in str(r.type) for r in schema.returns):
        return False
    return not torch._C._dispatch_has_kernel_for_dispatch_key(op._name, "CompositeImplicitAutograd")
