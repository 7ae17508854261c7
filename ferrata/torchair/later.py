"""Public names that exist so that programs import, and say what keeps them from working here when they are called."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import torch

from ferrata import errors

_TRACES = (
    "it reads traces that the profiler of the hardware writes; ferrata view and torch.profiler show an emulated run"
)


def later(name: str, reason: str = "", instead: str = "") -> Callable[..., Any]:
    """A function of that name. It calls the operator torch.ops.npu.<name> if somebody has registered one, else raises
    NotHere."""
    short = name.rsplit(".", 1)[-1]

    def call(*args: Any, **kwargs: Any) -> Any:
        found = getattr(torch.ops.npu, short, None) if name.startswith("ops.") else None
        if found is not None:
            return found(*args, **kwargs)
        _refuse(name, reason, instead)

    call.__name__ = call.__qualname__ = short
    call.__doc__ = f"Cannot work here: {reason or _KERNEL}."
    return call


_KERNEL = "its kernel belongs to the hardware's operator library"


def _refuse(name: str, reason: str, instead: str) -> NoReturn:
    hint = instead or f"Register torch.ops.npu.{name.rsplit('.', 1)[-1]} with a kernel of your own, and it is called."
    raise errors.NotHere(
        what=f"torchair.{name}", reason=reason or _KERNEL, instead=hint if not reason or instead else ""
    )


llm_datadist = SimpleNamespace(
    create_npu_tensors=later(
        "llm_datadist.create_npu_tensors",
        "raw addresses of another process's device memory mean nothing to an emulated device",
        "Make tensors with torch.empty(..., device='npu').",
    )
)
tools = SimpleNamespace(
    gegraph_check=SimpleNamespace(
        align_trace=SimpleNamespace(
            align_trace_json=later("tools.gegraph_check.align_trace.align_trace_json", _TRACES)
        ),
        filter_operators=SimpleNamespace(
            filter_comm_ops=later("tools.gegraph_check.filter_operators.filter_comm_ops", _TRACES)
        ),
        deadlock_check=SimpleNamespace(
            deadlock_check=later("tools.gegraph_check.deadlock_check.deadlock_check", _TRACES)
        ),
    )
)
