"""Calls without AOTAutograd's wrapper, where it has nothing to do.

The wrapper restores what tracing took away: writes to inputs, results that are views of inputs, gradients, autocast. A
graph of plain tensors without any of these is its program; of a small one the wrapper takes a tenth of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


class Seen:
    """What AOTAutograd compiled for one graph of Dynamo, and what it knew of it then."""

    def __init__(self, compile_inference: Callable[..., Any]) -> None:
        self._compile = compile_inference
        self._autocast = torch._C._is_any_autocast_enabled()  # asked now: it is off while AOTAutograd compiles
        self._made: Any = None
        self._count = -1

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
        """The inference compiler."""
        count = sum(n.op == "placeholder" for n in gm.graph.nodes)
        made = self._compile(gm, example_inputs)
        context = torch._guards.TracingContext.try_get()
        nothing_to_do = (
            not self._autocast and context is not None and _does_nothing(context) and count == len(example_inputs)
        )
        self._made, self._count = (made, count) if nothing_to_do else (None, -1)
        return made

    def direct(self, whole: Callable[..., Any], gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
        """`whole`, AOTAutograd's function, or one that does the same with less around it.

        The first call goes through `whole`: it looks at what custom operators do to their arguments.
        """
        run = getattr(self._made, "run", None)
        own = any(True for _ in gm.parameters()) or any(True for _ in gm.buffers())
        if run is None or own or len(example_inputs) != self._count or _needs_gradients(example_inputs):
            return whole
        first = True

        def direct(*args: Any) -> Any:
            nonlocal first
            if first:
                first = False
                return whole(*args)
            return run(list(args))

        for name in ("zero_grad", "named_parameters", "named_buffers", "serialize"):
            if hasattr(whole, name):
                setattr(direct, name, getattr(whole, name))
        return direct


def _needs_gradients(example_inputs: Sequence[Any]) -> bool:
    """Whether the wrapper has to switch gradients off for the call."""
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in example_inputs)


def _does_nothing(context: Any) -> bool:
    """Whether AOTAutograd's wrapper has no work on a call of the graph that is being compiled."""
    from torch._functorch._aot_autograd.schemas import OutputType, PlainTensorMeta  # late: it is imported by now

    known = context.fw_metadata
    if known is None or getattr(context, "fakify_first_call", False):
        return False
    plain = all(isinstance(m, PlainTensorMeta) for m in (*known.subclass_inp_meta, *known.subclass_fw_graph_out_meta))
    kinds = (OutputType.non_alias, OutputType.unsafe_view_alias)
    own = all(o.output_type in kinds and not o.dynamic_dims for o in known.output_info)
    written = any(i.mutates_data or i.mutates_metadata for i in known.input_info)
    other = (
        known.num_mutated_inp_runtime_indices, known.num_outputs_aliased, known.num_intermediate_bases,
        known.num_outputs_rng_offset, len(known.tokens), known.grad_enabled_mutation is not None,
    )  # fmt: skip
    return plain and own and not written and not any(other)
