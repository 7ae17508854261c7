"""Derive a converter for an operator whose schema matches a GE prototype.

The GE type is the operator's name in camel case (`my_add_v2` -> `MyAddV2`; a trailing `_functional` goes). Arguments
go to ports and attributes by name where the names agree, else by position; names that contradict the positions are a
conflict, and nothing is derived. Namespaces are compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.nearest import near
from ferrata.ge.prototype import Prototype, find_prototype, registered
from ferrata.torchair import ge

_NEVER = ("aten", "prim", "prims")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing could be derived. known: there is a prototype, but it does not fit."""

    reason: str
    known: bool = True


def candidates(target: torch._ops.OpOverload) -> list[str]:
    """GE types that the operator's name may mean, in the order tried."""
    name = target._schema.name.split("::")[-1].removesuffix("_functional")
    parts = [p for p in name.split("_") if p]
    lowered = "".join(p[:1].upper() + p[1:].lower() for p in parts)
    kept = "".join(p[:1].upper() + p[1:] for p in parts)
    return list(dict.fromkeys((lowered, kept)))


def derive(target: torch._ops.OpOverload) -> Callable[..., Any] | Refusal:
    """A converter function, or the reason why there is none."""
    if target.namespace in _NEVER:
        return Refusal("operators of PyTorch itself are not derived")
    names = candidates(target)
    proto = next((p for p in map(find_prototype, names) if p is not None), None)
    if proto is None:
        return Refusal(f"no GE prototype {' or '.join(names)}.{near(names[0], registered())}".rstrip("."), known=False)
    plan = _match(target._schema, proto)
    return plan if isinstance(plan, Refusal) else _Derived(proto, plan)


def has_device_kernel(target: torch._ops.OpOverload) -> bool:
    """Whether the operator itself was implemented for the npu device, so that a graph can call it as it is.

    `torch.library.custom_op` without device_types implements it for every device at once.
    """
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return any(has(target._name, key) for key in ("PrivateUse1", "CompositeExplicitAutograd"))


def derive_from(target: torch._ops.OpOverload, proto: Prototype) -> Callable[..., Any]:
    """The converter of an operator that was made for this prototype. Raises ValueError when they do not match."""
    plan = _match(target._schema, proto)
    if isinstance(plan, Refusal):
        raise ValueError(plan.reason)
    return _Derived(proto, plan)


@dataclass(frozen=True, slots=True)
class _Plan:
    arguments: tuple[str, ...]  # the schema's argument names, in order
    ports: dict[str, str]  # argument -> port
    attrs: dict[str, str]  # argument -> attribute
    mutates: frozenset[str]  # arguments the schema says are written
    returns: int


def _match(schema: Any, proto: Prototype) -> _Plan | Refusal:
    tensors: list[str] = []
    others: list[str] = []
    mutated: list[str] = []
    for arg in schema.arguments:
        kind = str(arg.type)
        if "number" in kind or "Scalar" in kind:
            return Refusal(f"{schema.name} takes a Scalar ({arg.name}), whose type GE cannot know")
        (tensors if "Tensor" in kind else others).append(arg.name)
        if arg.alias_info is not None and arg.alias_info.is_write:
            mutated.append(arg.name)
    shown = proto.signature()
    if len(tensors) != len(proto.inputs):
        return Refusal(f"prototype {shown} has {len(proto.inputs)} inputs, the schema {len(tensors)} tensors")
    if len(others) > len(proto.attrs):
        return Refusal(f"prototype {shown} has {len(proto.attrs)} attributes, the schema {len(others)} other arguments")
    in_place = proto.in_place
    returns = len(schema.returns)
    if mutated:
        if len(mutated) != len(in_place):
            return Refusal(f"prototype {shown} writes {len(in_place)} inputs in place, the schema {len(mutated)}")
        if returns + len(mutated) != len(proto.outputs):
            return Refusal(
                f"prototype {shown} has {len(proto.outputs)} outputs, the schema {returns} and {len(mutated)} mutated"
            )
    elif returns != len(proto.outputs):
        return Refusal(f"prototype {shown} has {len(proto.outputs)} outputs, the schema {returns}")
    ports = _pair(tensors, [p.name for p in proto.inputs])
    attrs = _pair(others, [a.name for a in proto.attrs])
    for found, what in ((ports, "inputs"), (attrs, "attributes")):
        if isinstance(found, str):
            return Refusal(f"the {what} of prototype {shown} and of the schema contradict each other: {found}")
    assert isinstance(ports, dict) and isinstance(attrs, dict)
    if mutated and {ports[m] for m in mutated} != set(in_place):
        return Refusal(f"prototype {shown} writes {', '.join(in_place)} in place, the schema {', '.join(mutated)}")
    unset = [a.name for a in proto.attrs if a.required and a.name not in attrs.values()]
    if unset:
        return Refusal(f"prototype {shown} requires the attributes {', '.join(unset)}")
    return _Plan(tuple(a.name for a in schema.arguments), ports, attrs, frozenset(mutated), returns)


def _pair(arguments: Sequence[str], declared: Sequence[str]) -> dict[str, str] | str:
    """Pair by name if all names agree, else by position; a text when a shared name stands at another position."""
    if set(arguments) <= set(declared):
        return {a: a for a in arguments}
    for i, name in enumerate(arguments):
        if name in declared and declared.index(name) != i:
            return f"{name!r} is number {i} in the schema and number {declared.index(name)} in the prototype"
    return dict(zip(arguments, declared, strict=False))


class _Derived:
    """The derived converter; called as a registered one is."""

    wants_meta = True

    def __init__(self, proto: Prototype, plan: _Plan) -> None:
        self.proto, self.plan = proto, plan

    def __call__(self, *args: Any, meta_outputs: Any = None, **kwargs: Any) -> Any:
        proto, plan = self.proto, self.plan
        given = dict(zip(plan.arguments, args, strict=False)) | kwargs
        inputs: dict[str, Any] = {}
        attrs: dict[str, AttrValue] = {}
        for name, value in given.items():
            if name in plan.ports:
                port = plan.ports[name]
                functional = port in proto.in_place and name not in plan.mutates
                inputs[port] = ge.Clone(value) if functional and isinstance(value, ge.Tensor) else value
            elif name in plan.attrs and value is not None:
                attr = proto.attr(plan.attrs[name])
                assert attr is not None
                attrs[attr.name] = ge.plain_attr(proto.op_type, attr.name, attr.type, value)
        metas = meta_outputs if isinstance(meta_outputs, (list, tuple)) and plan.returns != 1 else [meta_outputs]
        hidden = proto.in_place if plan.mutates else ()
        asked: list[Any] = []
        shown = iter(metas)
        for port_spec in proto.outputs:
            # a written list is as long as it came in
            meta = inputs[port_spec.name] if port_spec.name in hidden else next(shown, None)
            asked.append((port_spec.name, len(meta or ())) if port_spec.kind == "dynamic" else port_spec.name)
        made = ge.custom_op(proto.op_type, inputs=inputs, outputs=asked, attrs=attrs)
        results = made if isinstance(made, tuple) else (made,)
        names = [a if isinstance(a, str) else a[0] for a in asked]
        kept = [r for n, r in zip(names, results, strict=True) if n not in hidden]
        return None if not kept else kept[0] if len(kept) == 1 else tuple(kept)
