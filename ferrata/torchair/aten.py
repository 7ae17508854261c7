"""FX calls that stay what they are: nodes that run on ATen (marked not portable), and arithmetic on sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.builder import GraphBuilder, describe
from ferrata.ge.ir import Call, Desc, Ref, iter_refs
from ferrata.ge.types import DataType
from ferrata.torchair.source import target_name

_HOST = {
    torch.SymInt: DataType.DT_INT64,
    torch.SymFloat: DataType.DT_DOUBLE,
    torch.SymBool: DataType.DT_BOOL,
    int: DataType.DT_INT64,
    float: DataType.DT_DOUBLE,
    bool: DataType.DT_BOOL,
}


def is_number(value: Any) -> bool:
    """Whether a Meta value is a number on the host, symbolic or not."""
    return type(value) in _HOST


def desc_of(value: Any) -> Desc:
    """What is known of a value: a tensor's description, or that of a number on the host."""
    if isinstance(value, torch.Tensor):
        return describe(value)
    dtype = _HOST.get(type(value), DataType.DT_UNDEFINED)
    return Desc(int(dtype), (), host=True, placement="CPU")


def add_call(
    builder: GraphBuilder,
    target: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    meta: Any,
    effect: bool,
) -> Any:
    """Add the node; returns its results shaped as Meta is: a Ref, a flat list of Ref or None, or None."""
    text = target_name(target)
    kind, outputs, shape = _outputs(meta)
    call = Call(target, text, tuple(args), dict(kwargs), kind)
    refs = builder.aten(_type_name(target), call, outputs, ports=_ports(target, args, kwargs), effect=effect)
    if kind == "one":
        return refs[0]
    return [r if v is not None else None for r, v in zip(refs, shape, strict=True)] if kind == "many" else None


def _outputs(meta: Any) -> tuple[str, list[tuple[str, Desc]], Sequence[Any]]:
    if meta is None:
        return "none", [], ()
    if isinstance(meta, (list, tuple)):
        if all(v is None or isinstance(v, torch.Tensor) or is_number(v) for v in meta):
            return "many", [(f"y{i}", desc_of(v)) for i, v in enumerate(meta)], meta
        return "one", [("y", Desc(host=True))], ()  # nested: taken apart where it is used
    return "one", [("y", desc_of(meta))], ()


def _type_name(target: Any) -> str:
    if isinstance(target, torch._ops.OpOverload):
        return f"{target.namespace}::{target._schema.name.split('::')[-1]}.{target._overloadname}"
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order::{getattr(target, '_name', target)}"
    return f"host::{getattr(target, '__name__', 'call')}"


def _ports(target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[tuple[str, Ref]]:
    names: list[str] = []
    if isinstance(target, torch._ops.OpOverload):
        names = [a.name for a in target._schema.arguments]
    ports: list[tuple[str, Ref]] = []
    for i, arg in enumerate([*args, *kwargs.values()]):
        key = (
            names[i] if i < len(names) and i < len(args) else ([*kwargs][i - len(args)] if i >= len(args) else f"x{i}")
        )
        found = list(iter_refs(arg))
        ports += [(key if len(found) == 1 else f"{key}{j}", r) for j, r in enumerate(found)]
    return ports
