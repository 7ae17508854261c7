"""Operators that write their arguments, under autograd: what is written has another history afterwards.

torch.library knows gradients of operators that return new tensors only. One that writes gets an autograd.Function around
its call, which marks what it wrote: as for torch's own in-place operators, `x` then has the gradient function of the
write, a leaf that requires a gradient is refused, and a tensor that somebody saved before is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.op.define.autograd import Gradient

Run = Callable[[], Any]


@dataclass
class _Call:
    """One call: inputs, one a port, lists as lists; attributes in order; what runs it."""

    gradient: Gradient
    inputs: Sequence[Any]
    attributes: Sequence[Any]
    run: Run


class _Written(torch.autograd.Function):
    """The outputs of a call, then what it wrote. The tensors among its arguments stand in a row behind the call."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: torch.Tensor) -> Any:
        definition = call.gradient.definition
        # below autograd; but whoever traces it must not take the write for one under no_grad, which has no history
        with torch.enable_grad():
            result = call.run()
        call.gradient.save(ctx, (*call.inputs, *call.attributes), result)
        written = [value for port, value in zip(definition.inputs, call.inputs, strict=True) if port.mutated]
        ctx.mark_dirty(*_flat(written))
        ctx.ferrata_gradient = call.gradient
        ctx.ferrata_inputs = [
            len(v) if isinstance(v, (list, tuple)) else None if v is None else -1 for v in call.inputs
        ]
        results = _outputs(call, result)
        ctx.ferrata_groups = [len(v) if isinstance(v, (list, tuple)) else None for v in (*results, *written)]
        return (*_flat(results), *_flat(written))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        gradient: Gradient = ctx.ferrata_gradient
        flags, rest = iter(ctx.needs_input_grad[1:]), iter(grads)
        # of an absent tensor there is no flag
        asked = [
            False if count is None else next(flags) if count < 0 else [next(flags) for _ in range(count)]
            for count in ctx.ferrata_inputs
        ]
        given = [next(rest) if count is None else [next(rest) for _ in range(count)] for count in ctx.ferrata_groups]
        found = gradient.compute(ctx, [*asked, *(False for _ in gradient.definition.attributes)], given)
        row: list[Any] = []
        for count, value in zip(ctx.ferrata_inputs, found, strict=False):
            row += [] if count is None else [value] if count < 0 else value
        return (None, *row)


def apply(gradient: Gradient, inputs: Sequence[Any], attributes: Sequence[Any], run: Run) -> Any:
    """Run a call that writes, with its gradient; gives what the operator returns."""
    call = _Call(gradient, inputs, attributes, run)
    flat = list(_Written.apply(call, *_flat(inputs)))  # type: ignore[no-untyped-call]
    ports = gradient.definition.outputs
    if not ports:
        return None
    if len(ports) == 1 and ports[0].kind != "list":
        return flat[0]
    written = len(_flat([v for p, v in zip(gradient.definition.inputs, inputs, strict=True) if p.mutated]))
    own = flat[: len(flat) - written]
    if len(ports) == 1:
        return own
    # a list among several outputs is as long as what is left
    rest, out = iter(own), []
    listed = sum(port.kind == "list" for port in ports)
    length = (len(own) - len(ports) + listed) // max(listed, 1)
    for port in ports:
        out.append([next(rest) for _ in range(length)] if port.kind == "list" else next(rest))
    return tuple(out)


def _outputs(call: _Call, result: Any) -> list[Any]:
    count = len(call.gradient.definition.outputs)
    return [] if count == 0 else [result] if count == 1 else list(result)


def _flat(values: Sequence[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        out += [] if value is None else value if isinstance(value, (list, tuple)) else [value]
    return out
