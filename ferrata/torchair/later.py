"""Public names that exist so that programs import, and say clearly that they are not available yet when called."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

from ferrata import errors


def later(name: str, instead: str = "") -> Callable[..., Any]:
    """A function that raises NotBuiltYet under this name."""

    def call(*args: Any, **kwargs: Any) -> NoReturn:
        raise errors.NotBuiltYet(what=f"torchair.{name}", instead=instead)

    call.__name__ = call.__qualname__ = name.rsplit(".", 1)[-1]
    call.__doc__ = f"Not available yet. {instead}".strip()
    return call


def namespace(prefix: str, *names: str) -> SimpleNamespace:
    """A module-like object of such functions."""
    return SimpleNamespace(**{n: later(f"{prefix}.{n}") for n in names})


register_replacement = later("register_replacement", "Edit the FX graph in config.post_grad_custom_pre_pass.")
scope = namespace(
    "scope", "npu_stream_switch", "super_kernel", "limit_core_num", "op_never_timeout", "data_dump", "deterministic",
    "npu_wait_tensor",
)  # fmt: skip
ops = namespace(
    "ops", "npu_print", "record", "wait", "npu_create_tagged_event", "npu_tagged_event_record", "npu_tagged_event_wait",
    "npu_record_tagged_stream", "npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2",
)  # fmt: skip
llm_datadist = namespace("llm_datadist", "create_npu_tensors")
tools = SimpleNamespace(
    gegraph_check=SimpleNamespace(
        align_trace=namespace("tools.gegraph_check.align_trace", "align_trace_json"),
        filter_operators=namespace("tools.gegraph_check.filter_operators", "filter_comm_ops"),
        deadlock_check=namespace("tools.gegraph_check.deadlock_check", "deadlock_check"),
    )
)
