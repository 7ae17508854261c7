"""What the converters of PyTorch's own operators are written with: nodes of GE's library, promotion, constants.

    ops.SoftmaxV2(x, axes=[dim])       a node; ports by position or name, attributes by name
    x, y = promote(x, y)               both in the data type that Meta says the result has

A plain number or list given to a port becomes a constant. Outside a conversion there is no `out()`.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ferrata.ge.attrs import KINDS, AttrValue
from ferrata.ge.builder import current, is_contiguous
from ferrata.ge.ir import Ref
from ferrata.ge.library import rules
from ferrata.ge.prototype import registered_prototype, require_prototype
from ferrata.ge.types import UNDEFINED, ge_dtype, torch_dtype
from ferrata.torchair.aten import add_call
from ferrata.torchair.ge import Tensor

_meta: contextvars.ContextVar[Any] = contextvars.ContextVar("ferrata_meta", default=None)


class Unsupported(Exception):
    """GE's library has nothing for this call; it stays an ATen node."""


class Known(Tensor):
    """A value as these converters see it: asked for a rank or data type that nothing infers, it ends the conversion.

    Sizes that only a run tells leave the results between two nodes unknown.
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        rank = super().rank
        require(rank >= 0, "an unknown rank")
        return rank

    @property
    def dtype(self) -> int:
        dtype = super().dtype
        require(dtype != UNDEFINED, "an unknown data type")
        return dtype


def known(value: Any) -> Any:
    """The argument of a converter, tensors as Known."""
    if isinstance(value, Tensor):
        return Known(value._builder, value.ref, value.meta)
    return type(value)(map(known, value)) if type(value) in (list, tuple) else value


@contextlib.contextmanager
def converting(meta: Any) -> Iterator[None]:
    """Inside, `out()` is `meta`: what PyTorch says of the node's result."""
    token = _meta.set(meta)
    try:
        yield
    finally:
        _meta.reset(token)


def out(index: int = 0) -> Any:
    """The Meta tensor of the node's result, or of its result `index`."""
    meta = _meta.get()
    return meta[index] if isinstance(meta, (list, tuple)) else meta


def out_list() -> list[Any]:
    """The Meta tensors of all results."""
    meta = _meta.get()
    return list(meta) if isinstance(meta, (list, tuple)) else [meta]


def dtype_of(x: Any) -> torch.dtype:
    """The torch dtype of a ge.Tensor."""
    return torch_dtype(x.dtype)


def const(value: Any, dtype: torch.dtype) -> Tensor:
    """A constant: a number, kept as Python has it for operators that take numbers, or a (nested) list."""
    builder = current("a converter")
    if isinstance(value, (list, tuple)):
        return Tensor(builder, builder.const(torch.tensor(value, dtype=dtype), readable=str(value)))
    if isinstance(value, float) and not (dtype.is_floating_point or dtype.is_complex) and math.isfinite(value):
        value = bool(value) if dtype == torch.bool else int(value)
    kind = "Bool" if isinstance(value, bool) else "Int" if isinstance(value, int) else "Float"
    fits = not isinstance(value, complex) and (kind != "Int" or -(2**63) <= value < 2**63)
    number = AttrValue(kind, value) if fits else None
    return Tensor(builder, builder.const(_scalar(value, kind, dtype, builder.device), None, str(value), number))


@functools.lru_cache(256)
def _scalar(value: Any, kind: str, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """One tensor for all constants of a value; 1, 1.0 and True are equal to Python, hence `kind`."""
    exact = torch.float64 if isinstance(value, float) else torch.complex128 if isinstance(value, complex) else None
    return torch.tensor(value, dtype=exact).to(dtype).to(device)


def promote(*values: Any, to: torch.dtype | None = None) -> Any:
    """The values in one dtype, that of the result unless `to` says another: tensors by Cast, numbers as constants."""
    wanted = to if to is not None else out().dtype
    made = [_promoted(v, wanted) for v in values]
    return made[0] if len(made) == 1 else made


def _promoted(value: Any, dtype: torch.dtype) -> Any:
    if value is None:
        return None
    if not isinstance(value, Tensor):
        return const(value, dtype)
    if value.desc.host:
        if dtype_of(value) == dtype:
            return value
        if dtype in (torch.float32, torch.float64):  # what PyTorch rounds such a number to as well
            return ops.Cast(value, dst_type=ge_dtype(dtype))
        raise Unsupported("a number that changes from call to call, of another type than the result")
    require(not dtype_of(value).is_complex or dtype.is_complex, "the real part of complex numbers")
    return value if dtype_of(value) == dtype else ops.Cast(value, dst_type=ge_dtype(dtype))


def axes_of(dim: Any, rank: int) -> list[int]:
    """The axes that `dim` means: a number, a list, or None or nothing for all."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(rank))
    dims = list(dim) if isinstance(dim, (list, tuple)) else [dim]
    return [d % rank if rank else 0 for d in dims] if rank else []


def shape_list(x: Any) -> list[int]:
    """The sizes of a ge.Tensor, where all are known."""
    shape = x.desc.shape
    if shape is None or not all(isinstance(d, int) and d >= 0 for d in shape):
        raise Unsupported("sizes that change from call to call")
    return list(shape)


def sizes_of(x: Any, dtype: torch.dtype) -> Any:
    """The sizes of a ge.Tensor as a value of the graph: a constant, or a Shape node where they change."""
    shape = x.desc.shape
    if shape is not None and all(isinstance(d, int) and d >= 0 for d in shape):
        return const(list(shape), dtype)
    made = ops.Shape(x, dtype=ge_dtype(dtype))
    if shape is not None and -1 not in shape:
        current("a converter").values[made.ref] = tuple(shape)
    return made


def told(x: Any, dtype: torch.dtype, shape: Sequence[Any]) -> None:
    """What Meta tells of a value between two nodes whose size depends on values, and that inference cannot know."""
    current("a converter").set_desc(x.ref, dataclasses.replace(x.desc, dtype=ge_dtype(dtype), shape=tuple(shape)))


def size(x: Any, dim: int) -> Any:
    """One size of a ge.Tensor: an int, or a number on the host where it changes."""
    known_size = x.desc.shape[dim] if x.desc.shape is not None else -1
    if isinstance(known_size, int) and known_size >= 0:
        return known_size
    return host(torch.ops.aten.sym_size.int, x, dim, value=known_size)


def host(function: Any, *given: Any, value: Any = -1) -> Any:
    """`function` of numbers on the host, some of which change. value: what it gives, as an expression of symbols."""
    builder = current("a converter")
    if not any(isinstance(g, Tensor) for g in given):
        return function(*given)
    ref = add_call(builder, function, [g.ref if isinstance(g, Tensor) else g for g in given], {}, 0, False)
    if value != -1:
        builder.values[ref] = value
    return Known(builder, ref)


def size_list(sizes: Sequence[Any], dtype: torch.dtype) -> Any:
    """Numbers of which some may be on the host as a list for a port."""
    if not any(isinstance(s, Tensor) for s in sizes):
        return const(list(sizes), dtype)
    builder = current("a converter")
    made = ops.Pack([s if isinstance(s, Tensor) else const(s, torch.int64) for s in sizes], axis=0, N=len(sizes))
    if dtype != torch.int64:
        made = ops.Cast(made, dst_type=ge_dtype(dtype))
    values = [builder.values.get(s.ref) if isinstance(s, Tensor) else s for s in sizes]
    if None not in values:
        builder.values[made.ref] = tuple(values)
    return made


def laid_as(view: Any, x: Any) -> Any:
    """A view between two nodes, of which Meta says nothing: it has the strides of the tensor that it is a part of."""
    desc, of = view.desc, x.desc
    if desc.shape is None or of.shape is None or -1 in desc.shape or -1 in of.shape:
        return view
    steps: list[Any] = [1] * len(of.shape)
    for i in reversed(range(len(steps) - 1)):
        steps[i] = steps[i + 1] * of.shape[i + 1]
    stride = tuple(steps) if of.stride is None else of.stride
    if not is_contiguous(desc.shape, stride):
        current("a converter").set_desc(view.ref, dataclasses.replace(desc, stride=stride))
    return view


def maker(x: Any) -> Any:
    """The node of GE's library that a ge.Tensor comes from; None for inputs, constants, ATen calls and views."""
    node = current("a converter").nodes[x.ref.node]
    found = None if node.call is not None else rules.find(node.type)
    return node if found is not None and not found.view else None


def require(condition: bool, why: str) -> None:
    """Raise Unsupported unless it holds."""
    if not condition:
        raise Unsupported(why)


class _Ops:
    """`ops.Add(x, y)` adds a node of that type. Returns a ge.Tensor, a list for a dynamic output, a tuple for several."""

    def __getattr__(self, op_type: str) -> Any:
        def make(*inputs: Any, outputs: int | None = None, **named: Any) -> Any:
            return add(op_type, inputs, named, outputs)

        return make


ops = _Ops()


def add(op_type: str, inputs: Sequence[Any], named: dict[str, Any], count: int | None) -> Any:
    """A node; see `ops`. count: how many tensors a dynamic output has."""
    builder = current(op_type)
    proto = require_prototype(op_type, builder.where)
    if rules.find(op_type) is None or registered_prototype(op_type) is not None:
        raise Unsupported(f"nothing executes {op_type} here, or a library of the user has the name")
    ports: dict[str, Any] = {}
    for spec, value in zip(proto.inputs, inputs, strict=False):
        ports[spec.name] = value
    attrs: dict[str, AttrValue] = {}
    for name, value in named.items():
        spec_attr = proto.attr(name)
        if spec_attr is None:
            ports[name] = value
        elif value is not None:
            attrs[name] = KINDS[spec_attr.type].make(value)
    lists = {spec.name for spec in proto.inputs if spec.kind == "dynamic"}
    edges = {name: _edge(builder, value, name in lists) for name, value in ports.items()}
    names: list[Any] = [(p.name, count) if p.kind == "dynamic" else p.name for p in proto.outputs]
    refs = builder.add(op_type, edges, names, attrs)
    made = [Known(builder, r) for r in refs]
    if any(p.kind == "dynamic" for p in proto.outputs):
        return made
    return made[0] if len(made) == 1 else tuple(made)


def _edge(builder: Any, value: Any, many: bool) -> Ref | list[Ref] | None:
    if value is None:
        return None
    if isinstance(value, Tensor):
        return value.ref
    if isinstance(value, (list, tuple)) and all(isinstance(v, Tensor) for v in value) and (value or many):
        return [v.ref for v in value]
    if isinstance(value, (bool, int, float, list, tuple)):
        dtype = torch.int64 if not isinstance(value, float) else torch.float32
        return const(value, torch.bool if isinstance(value, bool) else dtype).ref
    raise TypeError(f"a port takes a tensor or numbers, not {value!r}")
