"""`torchair.scope`: what nodes should carry with them, for everything that is called inside a `with`.

    with torchair.scope.npu_stream_switch("side"):
        y = model.branch(x)

A captured graph has `air::scope_enter` and `air::scope_exit` around these calls; the nodes between get the attributes,
which every dump shows. Scheduling attributes change no result here. In eager mode a scope does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair import air as _air  # noqa: F401  (defines the operators)

__all__ = [
    "data_dump",
    "deterministic",
    "limit_core_num",
    "npu_stream_switch",
    "npu_wait_tensor",
    "op_never_timeout",
    "super_kernel",
]

CLEARED = "\0cleared"  # the value that takes an outer scope's attribute away


class Scope:
    """A context manager that sets attributes on nodes. It can be nested and used again; the innermost wins."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.keys, self.values = list(attributes), list(attributes.values())

    def __enter__(self) -> None:
        torch.ops.air.scope_enter(self.keys, self.values)

    def __exit__(self, *exc: object) -> None:
        torch.ops.air.scope_exit()


def npu_stream_switch(stream_tag: str, stream_priority: int = 0, enable_inner_parallel: bool = True) -> Scope:
    """Nodes inside belong to the stream of that tag."""
    _check(isinstance(stream_tag, str), "npu_stream_switch", "stream_tag", "a string", stream_tag)
    _check(_is_int(stream_priority), "npu_stream_switch", "stream_priority", "an int", stream_priority)
    return Scope(
        {
            "_user_stream_label": stream_tag,
            "_user_stream_priority": str(stream_priority),
            "_enable_inner_parallel": _flag(enable_inner_parallel),
        }
    )


def super_kernel(scope: str | None, options: str = "") -> Scope:
    """Nodes inside may be fused into one kernel of that name; None: not these."""
    _check(scope is None or isinstance(scope, str), "super_kernel", "scope", "a string or None", scope)
    _check(isinstance(options, str), "super_kernel", "options", "a string", options)
    if scope is None:
        return Scope({"_super_kernel_scope": CLEARED, "_super_kernel_options": CLEARED})
    return Scope({"_super_kernel_scope": scope, "_super_kernel_options": options})


def limit_core_num(op_aicore_num: int, op_vectorcore_num: int) -> Scope:
    """Nodes inside use at most so many cores."""
    for name, value in (("op_aicore_num", op_aicore_num), ("op_vectorcore_num", op_vectorcore_num)):
        _check(_is_int(value) and value > 0, "limit_core_num", name, "a number of cores", value, errors.ScopeValue)
    return Scope({"_op_aicore_num": str(op_aicore_num), "_op_vectorcore_num": str(op_vectorcore_num)})


def op_never_timeout(enable: bool = True) -> Scope:
    """Nodes inside may run as long as they like."""
    _check(isinstance(enable, bool), "op_never_timeout", "enable", "True or False", enable)
    return Scope({"_op_exec_never_timeout": _flag(enable)})


def data_dump() -> Scope:
    """Only nodes inside are dumped, where `dump_config.enable_dump` is on."""
    return Scope({"torchair_enable_data_dump": "1"})


def deterministic(level: int) -> Scope:
    """Nodes inside compute in the same order in every run: level 0 (as they like) to 3."""
    _check(_is_int(level) and 0 <= level <= 3, "deterministic", "level", "0, 1, 2 or 3", level, errors.ScopeValue)
    return Scope({"_deterministic": _flag(level > 0), "_deterministic_level": str(level)})


def npu_wait_tensor(self: torch.Tensor, dependency: torch.Tensor) -> torch.Tensor:
    """`self`, available only after `dependency` has been computed: an edge that orders, in a captured graph.

    Raises OnlyInGraphs (a NotImplementedError) in eager mode, where nothing waits for anything.
    """
    if not torch.compiler.is_compiling():
        raise errors.OnlyInGraphs(what="scope.npu_wait_tensor")
    result: torch.Tensor = torch.ops.air.wait_tensor(self, dependency)
    return result


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check(good: bool, what: str, argument: str, expected: str, got: Any, kind: Any = errors.ScopeKind) -> None:
    if not good:
        raise kind(what=f"scope.{what}", argument=argument, expected=expected, got=repr(got))
