"""torch.vmap over an operator.

`...` in a signature are batch dimensions: each index of them is computed on its own. So where all batched tensors begin
with `...`, the batch becomes one more of them and the operator runs once. Else it runs once per sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import call, shapes
from ferrata.op.define.dims import Rest
from ferrata.op.define.eager import attributes, split
from ferrata.op.define.model import OperatorDef, Port

_AXES = frozenset({"dim", "dims", "axis", "axes"})  # attributes that count dimensions, which a batch would shift


def batched(
    definition: OperatorDef, op: Any, info: Any, in_dims: Sequence[Any], args: Sequence[Any], kwargs: Any
) -> tuple[Any, Any]:
    """The results for a batch, and where their batch dimension is. Raises VmapWrites, VmapRagged."""
    inputs, values = split(definition, args, kwargs)
    named = dict(zip((a.name for a in definition.attributes), values, strict=True))
    places = [*in_dims, *[None] * len(definition.parameters)][: len(inputs)]
    first = next((p.name for p, at in zip(definition.inputs, places, strict=True) if _any(at)), "an attribute")
    for port, value, at in zip(definition.inputs, inputs, places, strict=True):
        if port.mutated and value is not None and not _all(at, value):
            raise errors.VmapWrites(op=definition.name, name=port.name, batched=first)
    if is_elementwise(definition) and all(
        at is None or _leads(port) for port, at in zip(definition.inputs, places, strict=True)
    ):
        moved = [
            _front(port, value, at, info.batch_size)
            for port, value, at in zip(definition.inputs, inputs, places, strict=True)
        ]
        result = op(*moved, **named)
    else:
        result = _looped(definition, op, info.batch_size, inputs, places, named)
    return result, _zeros(result)


def is_elementwise(definition: OperatorDef) -> bool:
    """Whether the signature says that another batch dimension in front changes nothing but the batch."""
    return (
        definition.shape is None
        and not definition.unknowns
        and all(port.kind != "list" for port in (*definition.inputs, *definition.outputs))
        and all(map(_leads, definition.outputs))
        and all(_leads(port) or Rest() not in port.dims for port in definition.inputs)
        and any(map(_leads, definition.inputs))
        and not any(attribute.name in _AXES for attribute in definition.attributes)
    )


def _leads(port: Port) -> bool:
    return bool(port.dims) and port.dims[0] == Rest()


def _front(port: Port, value: Any, at: int | None, batch: int) -> Any:
    if value is None or not _leads(port):
        return value
    return value.expand(batch, *value.shape) if at is None else value.movedim(at, 0)


def _looped(definition: OperatorDef, op: Any, batch: int, inputs: Any, places: Any, named: Any) -> Any:
    if definition.unknowns:
        raise errors.VmapRagged(op=definition.name, name=definition.unknowns[0].name)
    if batch == 0:
        return _nothing(definition, inputs, places, named)
    samples = [
        op(*(_sample(value, at, i) for value, at in zip(inputs, places, strict=True)), **named) for i in range(batch)
    ]
    if not definition.outputs:
        return None
    if len(definition.outputs) == 1:
        return _stacked(samples)
    return tuple(_stacked([sample[i] for sample in samples]) for i in range(len(definition.outputs)))


def _sample(value: Any, at: Any, i: int) -> Any:
    if isinstance(value, (list, tuple)):
        places = at if isinstance(at, (list, tuple)) else [at] * len(value)
        return [_sample(item, place, i) for item, place in zip(value, places, strict=True)]
    return value if value is None or at is None else value.select(at, i)


def _stacked(samples: list[Any]) -> Any:
    if isinstance(samples[0], (list, tuple)):
        return [torch.stack(group) for group in zip(*samples, strict=True)]
    return torch.stack(samples)


def _nothing(definition: OperatorDef, inputs: Any, places: Any, named: Any) -> Any:
    """The results of a batch of none: the shapes that one sample would have, behind a dimension of size 0."""

    def one(value: Any, at: Any) -> Any:
        if isinstance(value, (list, tuple)):
            ats = at if isinstance(at, (list, tuple)) else [at] * len(value)
            return [one(item, place) for item, place in zip(value, ats, strict=True)]
        if value is None or at is None:
            return value
        at %= value.dim()
        return torch.empty([*value.shape[:at], *value.shape[at + 1 :]], dtype=value.dtype, device=value.device)

    made = [one(value, at) for value, at in zip(inputs, places, strict=True)]
    given = attributes(definition, list(named.values()))
    several = [isinstance(value, list) for value in made]
    sizes = [
        [tuple(t.shape) for t in v] if many else v if v is None else tuple(v.shape)
        for v, many in zip(made, several, strict=True)
    ]
    dtypes = [
        [t.dtype for t in v] if many else v if v is None else v.dtype for v, many in zip(made, several, strict=True)
    ]
    names = [[_name(d) for d in ds] if isinstance(ds, list) else ds and _name(ds) for ds in dtypes]
    bound = call.bind_types(definition, names)
    found = shapes.of(definition, sizes, dtypes, given, lambda dim, limit: limit)
    device = next(t.device for value in made for t in (value if isinstance(value, list) else [value]) if t is not None)
    out: list[Any] = []
    for port, shape, element in zip(definition.outputs, found, call.output_types(definition, bound), strict=True):
        dtype = getattr(torch, str(element.torch))
        tensors = [
            torch.empty((0, *s), dtype=dtype, device=device) for s in (shape if port.kind == "list" else [shape])
        ]
        out.append(tensors if port.kind == "list" else tensors[0])
    return None if not out else out[0] if len(out) == 1 else tuple(out)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _zeros(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_zeros(item) for item in result)
    return None if result is None else 0


def _any(at: Any) -> bool:
    return any(map(_any, at)) if isinstance(at, (list, tuple)) else at is not None


def _all(at: Any, value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(a is not None for a in at) if isinstance(at, (list, tuple)) else at is not None
    return at is not None
