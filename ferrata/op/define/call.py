"""What one call binds: a size for each name, a type for each variable, and from them the shapes of the outputs.

The same code serves a call with numbers, one with symbols, and GE's inference, where a size may be UNKNOWN. Two sizes
that must agree are compared with torch._check when one is a symbol: that is the only guard that a signature states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ferrata import errors
from ferrata.lang.elements import Dtype, DtypeVar, by_torch, choices
from ferrata.op.define.dims import UNKNOWN, Broadcast, Computed, Fixed, Named, Rest, Unknown, evaluate, names
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.define.signature import unbound

Shape = Sequence[Any]  # of int and torch.SymInt


@dataclass
class Sizes:
    """names: by name. rests: the groups of dimensions. listed: groups of the i-th tensors of lists, one entry an i."""

    names: dict[str, Any] = field(default_factory=dict)
    rests: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    listed: list[dict[str, tuple[Any, ...]]] = field(default_factory=list)


def bind(definition: OperatorDef, shapes: Sequence[Any], attributes: Mapping[str, Any]) -> Sizes:
    """Match the shapes of a call's tensors with the signature.

    shapes: per input a shape, a list of shapes, or None for an absent one.
    Raises WrongRank, DimensionsDisagree, WrongLists.
    """
    binding = _Binding(definition)
    for attribute in definition.attributes:
        if attribute.type == "int":
            binding.name(attribute.name, attributes[attribute.name], f"attribute {attribute.name}")
    # lists last: their tensors share what single tensors bind
    pairs = sorted(zip(definition.inputs, shapes, strict=True), key=lambda pair: pair[0].kind == "list")
    for port, given in pairs:
        if port.kind == "list":
            binding.tensors(port, given)
        elif given is not None:
            binding.tensor(port, given, port.name, binding.sizes.rests)
    for check in binding.later:
        check()
    return binding.sizes


class _Binding:
    """Fills one Sizes, and remembers where a size came from for the error that names both."""

    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        self.sizes = Sizes()
        self.later: list[Callable[[], None]] = []
        self._from: dict[str, str] = {}
        self._counts: dict[str, tuple[str, int]] = {}

    def tensors(self, port: Port, given: Sequence[Shape]) -> None:
        for dim in port.dims:
            if isinstance(dim, Rest):
                first, count = self._counts.setdefault(dim.name, (port.name, len(given)))
                if count != len(given):
                    raise errors.WrongLists(
                        first=first, first_count=count, second=port.name, second_count=len(given), **self._definition
                    )
        self.sizes.listed += [{} for _ in range(len(given) - len(self.sizes.listed))]
        for i, shape in enumerate(given):
            self.tensor(port, shape, f"{port.name}[{i}]", self.sizes.listed[i])

    def tensor(self, port: Port, shape: Shape, label: str, rests: dict[str, tuple[Any, ...]]) -> None:
        at = port.rest
        missing = len(shape) - len(port.dims) + (at is not None)
        if missing < 0 or (at is None and missing):
            dims = ", ".join(map(str, port.dims))
            raise errors.WrongRank(tensor=label, shape=list(shape), dims=dims, **self._definition)
        place = 0
        for dim in port.dims:
            if isinstance(dim, Rest):
                self._rest(dim, tuple(shape[place : place + missing]), label, rests)
                place += missing
                continue
            size, what = shape[place], f"{label} (dimension {place}, shape {_text(shape)})"
            if isinstance(dim, Fixed):
                self._agree(str(place), dim.size, "the signature", size, what)
            elif isinstance(dim, Named):
                self.name(dim.name, size, what)
            elif isinstance(dim, Computed):
                self.later.append(lambda dim=dim, size=size, what=what: self._computed(dim, size, what))  # type: ignore[misc]
            place += 1

    def name(self, name: str, size: Any, what: str) -> None:
        known = self.sizes.names.get(name)
        if known is None or (isinstance(known, int) and known == UNKNOWN):
            self.sizes.names[name], self._from[name] = size, what
        else:
            self._agree(name, known, self._from[name], size, what)

    def _computed(self, dim: Computed, size: Any, what: str) -> None:
        if set(names(dim.text)) <= self.sizes.names.keys():
            self._agree(dim.text, evaluate(dim.text, self.sizes.names), "the other tensors", size, what)

    def _rest(self, dim: Rest, group: tuple[Any, ...], label: str, rests: dict[str, tuple[Any, ...]]) -> None:
        name, what = str(dim), f"{label}"
        known = rests.get(dim.name, self.sizes.rests.get(dim.name))
        if known is None:
            rests[dim.name], self._from[name] = group, what
            return
        if len(known) != len(group):
            self._refuse(name, _text(known), self._from.get(name, "another tensor"), _text(group), what)
        for i, (first, second) in enumerate(zip(known, group, strict=True)):
            if first is not second:
                self._agree(f"{i} of {name}", first, self._from.get(name, "another tensor"), second, what)

    def _agree(self, name: str, first: Any, first_what: str, second: Any, second_what: str) -> None:
        if isinstance(first, int) and isinstance(second, int):
            if first != second and UNKNOWN not in (first, second):
                self._refuse(name, first, first_what, second, second_what)
            return
        import torch

        try:
            torch._check(first == second)  # type: ignore[no-untyped-call]
        except RuntimeError:
            self._refuse(name, first, first_what, second, second_what)

    def _refuse(self, name: str, first: Any, first_what: str, second: Any, second_what: str) -> None:
        raise errors.DimensionsDisagree(
            name=name, first=first_what, first_size=first, second=second_what, second_size=second, **self._definition
        ) from None

    @property
    def _definition(self) -> dict[str, Any]:
        return described(self.definition)


def described(definition: OperatorDef) -> dict[str, Any]:
    """The fields of an error that tell which operator it is."""
    return {"op": definition.name, "signature": definition.signature(), "where": definition.where}


def output_shapes(
    definition: OperatorDef, sizes: Sizes, counts: Sequence[int], unknown: Callable[[Unknown, Any], Any]
) -> list[Any]:
    """The shape of each output; of a list a list of shapes.

    counts: tensors per input. unknown: gives the size for a dimension that the kernel counts, from its largest value.
    Raises UnboundDimension for a definition that needs a shape function.
    """
    require_bound(definition)
    given: dict[str, Any] = {}

    def counted(dim: Unknown) -> Any:
        if dim.name not in given:
            given[dim.name] = unknown(dim, evaluate(dim.limit, sizes.names))
        return given[dim.name]

    result: list[Any] = []
    for port in definition.outputs:
        if port.kind == "list":
            length = list_length(definition, port, counts)
            result.append([_shape(definition, port, sizes, i, counted) for i in range(length)])
        else:
            result.append(_shape(definition, port, sizes, None, counted))
    return result


def require_bound(definition: OperatorDef) -> None:
    """Raise UnboundDimension if a dimension of an output follows from nothing."""
    from ferrata.op.define import place

    missing = unbound(definition)
    if missing is not None:
        at = place.of_string(definition.function, "return", missing[1])
        raise errors.UnboundDimension(
            where=at, output=missing[0].name, op=definition.name, name=missing[1], excerpt=at.excerpt,
            function=definition.function.__name__,
        )  # fmt: skip


def list_length(definition: OperatorDef, port: Port, counts: Sequence[int]) -> int:
    """Tensors of an output list: as many as the first input list has with which it shares a group, else the first."""
    lists = [(p, count) for p, count in zip(definition.inputs, counts, strict=True) if p.kind == "list"]
    groups = {dim.name for dim in port.dims if isinstance(dim, Rest)}
    sharing = (count for p, count in lists if any(isinstance(d, Rest) and d.name in groups for d in p.dims))
    return next(sharing, lists[0][1])


def _shape(
    definition: OperatorDef, port: Port, sizes: Sizes, index: int | None, counted: Callable[[Unknown], Any]
) -> tuple[Any, ...]:
    def rest(name: str) -> tuple[Any, ...]:
        own = sizes.listed[index] if index is not None else sizes.rests
        return own[name] if name in own else sizes.rests[name]

    shape: list[Any] = []
    for dim in port.dims:
        match dim:
            case Fixed(size):
                shape.append(size)
            case Named(name):
                shape.append(sizes.names[name])
            case Rest(name):
                shape += rest(name)
            case Computed(text):
                shape.append(evaluate(text, sizes.names))
            case Broadcast(groups):
                shape += broadcast(definition, [(str(Rest(name)), rest(name)) for name in groups])
            case Unknown():
                shape.append(counted(dim))
    return tuple(shape)


def broadcast(definition: OperatorDef, groups: Sequence[tuple[str, tuple[Any, ...]]]) -> tuple[Any, ...]:
    """What groups of dimensions broadcast to. Raises DimensionsDisagree."""
    if not all(isinstance(size, int) for _, group in groups for size in group):
        import torch

        try:
            return tuple(torch.broadcast_shapes(*(group for _, group in groups)))  # type: ignore[no-untyped-call]
        except RuntimeError:
            (first, a), (second, b) = groups[0], groups[-1]
            raise errors.DimensionsDisagree(
                name="of the result", first=first, first_size=_text(a), second=second, second_size=_text(b),
                **described(definition),
            ) from None  # fmt: skip
    rank = max(len(group) for _, group in groups)
    result: list[int] = []
    for i in range(rank, 0, -1):
        size, whose = 1, ""
        for name, group in groups:
            mine = group[-i] if i <= len(group) else 1
            if mine == 1 or (mine == UNKNOWN and size > 1):
                continue
            if size not in (1, UNKNOWN, mine):
                raise errors.DimensionsDisagree(
                    name=f"{rank - i} of the broadcast", first=whose, first_size=size, second=name, second_size=mine,
                    **described(definition),
                )  # fmt: skip
            size, whose = mine, name
        result.append(size)
    return tuple(result)


def bind_types(definition: OperatorDef, types: Sequence[Any]) -> dict[str, Dtype]:
    """The element type of each variable. types: per input torch's name of a type, a list of names, or None.

    Raises WrongDtype.
    """
    bound: dict[str, Dtype] = {var.name: var.allowed[0] for var in definition.dtype_vars if len(var.allowed) == 1}
    source: dict[str, str] = {}
    for port, given in zip(definition.inputs, types, strict=True):
        listed = port.kind == "list"
        for i, name in enumerate(() if given is None else given if listed else (given,)):
            label = f"{port.name}[{i}]" if listed else port.name
            element = by_torch(name)
            if element is None or element not in choices(port.element):
                allowed = ", ".join(str(choice.torch) for choice in choices(port.element))
                variable = f" ({port.element.name})" if isinstance(port.element, DtypeVar) else ""
                raise errors.WrongDtype(
                    tensor=label, dtype=name, expected=f"allowed: {allowed}{variable}", **described(definition)
                )
            if isinstance(port.element, DtypeVar):
                var = port.element.name
                first = bound.setdefault(var, element)
                if first != element:
                    expected = f"{source.get(var, 'another tensor')} is {first.torch}, and both are declared {var}"
                    raise errors.WrongDtype(tensor=label, dtype=name, expected=expected, **described(definition))
                source.setdefault(var, label)
    return bound


def output_types(definition: OperatorDef, bound: Mapping[str, Dtype]) -> list[Dtype]:
    """The element type of each output."""
    return [p.element if isinstance(p.element, Dtype) else bound[p.element.name] for p in definition.outputs]


def check_sizes(definition: OperatorDef, shapes: Sequence[Any]) -> None:
    """Raise NegativeSize for an output that is smaller than nothing."""
    for port, shape in zip(definition.outputs, shapes, strict=True):
        for one in shape if port.kind == "list" else (shape,):
            if any(isinstance(size, int) and size < 0 for size in one):
                raise errors.NegativeSize(output=port.name, shape=list(one), **described(definition))


def _text(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"
