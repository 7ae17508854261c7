"""Which operators PyTorch breaks up while it traces: those of its core decompositions that have no converter here.

High-level operators stay whole where GE has them; what is left of ATen becomes simpler operators that GE has, and only
then nodes that run on ATen. Used by the backend and by export, in front of AOTAutograd.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair import converters, registry
from ferrata.torchair.source import line_in, where_of

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

    Raises BadOptionKind for what is no table from operators to functions; AOTAutograd would never look up other keys.
    """
    option = "custom_decompositions"
    if not isinstance(given, Mapping):
        raise errors.BadOptionKind(
            option=option, allowed="a dictionary from operators to functions", value=given, kind=type(given).__name__
        )
    table: dict[Any, Callable[..., Any]] = {}
    exact: dict[Any, Callable[..., Any]] = {}
    for op, function in given.items():
        if not callable(function):
            raise errors.BadOptionKind(
                option=f"{option}[{op}]", allowed="a function", value=function, kind=type(function).__name__
            )
        if isinstance(op, torch._ops.OpOverloadPacket):
            names: Sequence[str] = op.overloads()  # type: ignore[no-untyped-call]
            table.update({one: _named(one, function) for one in (getattr(op, name) for name in names)})
        elif isinstance(op, torch._ops.OperatorBase):
            exact[op] = _named(op, function)
        else:
            raise errors.BadOptionKind(
                option=option, allowed="a dictionary whose keys are operators such as"
                " torch.ops.aten.relu.default", value=op, kind=type(op).__name__,
            )  # fmt: skip
    return table | exact


def _named(op: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user, so that what goes wrong in it names it; those of PyTorch are left as they are."""
    schema = getattr(op, "_schema", None)
    inner = inspect.unwrap(function)
    if (
        schema is None
        or hasattr(function, "_ferrata_named")
        or str(getattr(inner, "__module__", "")).startswith("torch.")
    ):
        return function

    def failed(problem: str) -> errors.DecompositionFailed:
        meta = torch.fx.traceback.get_current_meta()
        node = types.SimpleNamespace(stack_trace=meta.get("stack_trace"), meta={}, name=str(op), target=op)
        return errors.DecompositionFailed(
            target=op, where=where_of(node), problem=problem, function=registry.described(function), schema=schema
        )

    @functools.wraps(function)
    def named(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except Exception as failure:
            if isinstance(failure, errors.FerrataError) or type(failure).__module__.startswith("torch."):
                raise  # what tracing itself is told by
            raise failed(f"raised {type(failure).__name__}: {failure} ({line_in(inner, failure)})") from failure
        wrong = None if result is NotImplemented else _unlike(schema, result)
        if wrong is not None:
            raise failed(f"gave {wrong}.")
        return result

    named._ferrata_named = True  # type: ignore[attr-defined]
    return named


def _unlike(schema: Any, result: Any) -> str | None:
    """What a result is instead of what the schema says; None if it may be that."""
    kinds = [str(r.type) for r in schema.returns]
    results = result if len(kinds) > 1 and isinstance(result, (list, tuple)) else [result]
    if len(kinds) > 1 and len(results) != len(kinds):
        return f"{len(results)} result(s) instead of {len(kinds)}"
    for kind, one in zip(kinds, results, strict=False):
        if kind == "Tensor" and not isinstance(one, torch.Tensor) and one is not None:
            return f"{one!r} instead of a tensor"
    return "nothing" if kinds == ["Tensor"] and result is None else None


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
