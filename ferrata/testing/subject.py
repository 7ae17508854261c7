"""What is checked: an operator's parameters, outputs and callables, whatever it was defined with.

An `fe.op` operator and an operator that a library registered with torch (C++ or Python) both become a `Subject`; every
check, case and strategy reads that and nothing else. A plain torch operator has no dimension names and no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from ferrata import errors

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "(no default)"})()
# dimensions of a signature: numbers and names, see dims.py
Dims = tuple[int | str, ...]


@dataclass(frozen=True)
class TensorParam:
    """A tensor parameter. kind: required, optional or list; variable: its dtype variable, else its own name.

    dtypes is empty and dims None when the signature says nothing about them.
    """

    name: str
    kind: str = "required"
    dtypes: tuple[torch.dtype, ...] = ()
    variable: str = ""
    dims: Dims | None = None
    mutated: bool = False


@dataclass(frozen=True)
class AttrParam:
    """An attribute. type: as in the schema (`int`, `float`, `bool`, `str`, `int[]`); keyword: given by name only."""

    name: str
    type: str
    default: Any = MISSING
    keyword: bool = False


@dataclass(frozen=True)
class Subject:
    """An operator under check. outputs: names; plan(values) gives the launches, where the operator has a plan."""

    name: str
    overload: Any
    params: tuple[TensorParam | AttrParam, ...]
    outputs: tuple[str, ...]
    where: str
    ge: str | None = None
    reference: Callable[..., Any] | None = None
    differentiable: bool = False
    random: bool = False
    definition: Any = None
    expression: str = "op"  # how messages name the operator in a call
    aliases: frozenset[int] = frozenset()  # outputs that the schema says alias an input
    broadcast: tuple[str, ...] = ()  # groups of dimensions that must broadcast with each other
    graph_only: bool = False  # torch has no kernel of it: it runs in graphs alone

    @property
    def tensors(self) -> tuple[TensorParam, ...]:
        return tuple(p for p in self.params if isinstance(p, TensorParam))

    @property
    def attrs(self) -> tuple[AttrParam, ...]:
        return tuple(p for p in self.params if isinstance(p, AttrParam))

    @property
    def variables(self) -> dict[str, tuple[torch.dtype, ...]]:
        """The dtypes of each dtype variable, and of each tensor that has none."""
        return {p.variable or p.name: p.dtypes for p in self.tensors}

    def call(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Call the operator; the outputs, always as a tuple."""
        return outputs_of(_compiled(self.overload)(values) if self.graph_only else self.overload(**values))


@cache
def _compiled(overload: Any) -> Any:
    from ferrata.torchair import get_npu_backend

    return torch.compile(lambda values: overload(**values), backend=get_npu_backend(), fullgraph=True, dynamic=True)


def outputs_of(result: Any) -> tuple[Any, ...]:
    """What an operator or a reference returned, as a tuple; a list of tensors is spread."""
    if result is None:
        return ()
    if isinstance(result, (tuple, list)):
        return tuple(part for item in result for part in (item if isinstance(item, (tuple, list)) else (item,)))
    return (result,)


def subject(op: Any, reference: Callable[..., Any] | None = None) -> Subject:
    """The Subject of an `fe.op` operator, of a torch operator (`torch.ops.mylib.add`) or of its name ("mylib::add").

    Raises NotAnOperator.
    """
    if isinstance(op, Subject):
        return op
    definition = getattr(op, "definition", None)
    if definition is not None:
        from ferrata.testing.definition import from_definition

        return from_definition(op, definition, reference)
    return _from_torch(_overload(op), reference)


def _overload(op: Any) -> Any:
    if isinstance(op, str) and "::" in op:
        namespace, name = op.split("::", 1)
        op = getattr(getattr(torch.ops, namespace), name, None)
    op = getattr(op, "_opoverload", op)  # torch.library.custom_op
    if isinstance(op, torch._ops.OpOverloadPacket):
        op = getattr(op, op.overloads()[0])  # type: ignore[no-untyped-call]
    if not isinstance(op, torch._ops.OpOverload):
        raise errors.NotAnOperator(got=repr(op), kind=type(op).__name__)
    return op


def _from_torch(overload: Any, reference: Callable[..., Any] | None) -> Subject:
    schema = overload._schema
    params = tuple(_parameter(argument) for argument in schema.arguments)
    outputs = tuple(o.name or (f"out{i}" if len(schema.returns) > 1 else "out") for i, o in enumerate(schema.returns))
    name = f"{overload.namespace}::{overload._opname}"
    return Subject(
        name=name,
        overload=overload,
        params=params,
        outputs=outputs,
        where=f"the schema {schema}",
        reference=reference,
        differentiable=has_kernel(overload, "Autograd", "AutogradPrivateUse1", "CompositeImplicitAutograd"),
        random=torch.Tag.nondeterministic_seeded in overload.tags,
        expression=f'"{name}"',
        graph_only=not has_kernel(
            overload, "PrivateUse1", "CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"
        ),
        aliases=frozenset(i for i, o in enumerate(schema.returns) if o.alias_info is not None),
    )


def _parameter(argument: Any) -> TensorParam | AttrParam:
    text = str(argument.type)
    if "Tensor" not in text:
        plain = text.replace("List[", "").replace("Optional[", "").replace("]", "")
        kind = f"{plain}[]" if text.startswith("List[") else plain
        default = argument.default_value if argument.has_default_value() else MISSING
        return AttrParam(argument.name, {"number": "float"}.get(kind, kind), default, argument.kwarg_only)
    mutated = argument.alias_info is not None and argument.alias_info.is_write
    kind = "list" if text.startswith("List[") else "optional" if text.startswith("Optional[") else "required"
    return TensorParam(argument.name, kind, (), "T", mutated=mutated)  # a schema names no dtypes


def has_kernel(overload: Any, *keys: str) -> bool:
    """Whether torch has a kernel of an operator for one of the dispatch keys."""
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), key) for key in keys)
