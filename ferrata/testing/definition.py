"""The Subject of an operator that was made with `@fe.op`, and what its plan in Python and in C++ say.

This file alone knows the record of `ferrata.op.define`; the checks read the Subject.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata.lang.elements import DtypeVar, choices
from ferrata.op.define import dims as rows
from ferrata.op.define.model import ATTRIBUTES, OperatorDef, Port
from ferrata.testing.subject import MISSING, AttrParam, Dims, Subject, TensorParam


def from_definition(op: Any, definition: OperatorDef, reference: Callable[..., Any] | None) -> Subject:
    """What the checks need of an operator."""
    namespace, name = definition.name.split("::")
    tensors = tuple(_tensor(port) for port in definition.inputs)
    attrs = tuple(
        AttrParam(a.name, ATTRIBUTES[a.type][0], MISSING if a.required else a.default, i >= definition.keyword_only)
        for i, a in enumerate(definition.attributes)
    )
    return Subject(
        name=definition.name,
        overload=getattr(getattr(torch.ops, namespace), name).default,
        params=(*tensors, *attrs),
        outputs=tuple(port.name for port in definition.outputs),
        where=definition.where,
        ge=definition.ge_type,
        reference=reference or definition.reference,
        differentiable=definition.backward is not None,
        definition=definition,
        expression=getattr(definition.function, "__name__", "op"),
        broadcast=tuple(
            dict.fromkeys(
                f"*{name}" if name else "..."
                for port in definition.outputs
                for dim in port.dims
                if isinstance(dim, rows.Broadcast)
                for name in dim.rests
            )
        ),
    )


def _tensor(port: Port) -> TensorParam:
    dtypes = tuple(d for d in (_torch(e.torch) for e in choices(port.element)) if d is not None)
    variable = port.element.name if isinstance(port.element, DtypeVar) else ""
    return TensorParam(port.name, port.kind, dtypes, variable, _dims(port.dims), port.mutated)


def _torch(name: str | None) -> torch.dtype | None:
    found = None if name is None else getattr(torch, name, None)
    return found if isinstance(found, torch.dtype) else None


def _dims(dims: tuple[rows.Dim, ...]) -> Dims:
    return tuple(dim.size if isinstance(dim, rows.Fixed) else str(dim) for dim in dims)
