"""Calls on tensors: a plan is prepared once for the shapes, types and attributes of a call, then only launched.

`Executor.run` is written out in Python for each operator (written.py), so that a call that was prepared does nothing but
build its key, allocate and launch. Everything else, all checks included, happens when a key is new. Holds state: what is
prepared.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import call, launching, overlap, plan, shapes, written
from ferrata.op.define.dims import Unknown
from ferrata.op.define.model import Attribute, OperatorDef
from ferrata.op.define.operands import Operand

MOST_KEPT = 4096  # prepared calls of an operator; attributes that change with each call would fill the memory


@dataclass
class Prepared:
    """A call with known shapes. outputs: (shape, dtype) of each tensor, those of lists in a row; groups: how many of
    them each output has, None for a single tensor. counts: the sizes that the kernel counts, with their largest value;
    counted: of the outputs that have some, (dimension, number of the count)."""

    definition: OperatorDef
    outputs: tuple[tuple[tuple[int, ...], torch.dtype], ...]
    groups: tuple[int | None, ...]
    counts: tuple[tuple[Unknown, int], ...]
    counted: Mapping[int, tuple[tuple[int, int], ...]]
    launched: launching.Steps = field(default_factory=lambda: launching.Steps((), (), ()))

    def run(self, device: torch.device, *tensors: Any) -> Any:
        """Allocate, launch, and give the outputs as the operator returns them."""
        made = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in self.outputs]
        counts = [torch.zeros(1, dtype=plan.COUNT_DTYPE, device=device) for _ in self.counts]
        scratch = [allocate(*one, device) for one in self.launched.scratch]
        values = (*tensors, *made, *counts, *scratch, *self.launched.constants)
        for step in self.launched.steps:
            step.run(step.cores, *step.pick(values))
        if self.counts:
            made = self._narrowed(self.definition, made, [int(count) for count in counts])
        return self._results(made)

    def _narrowed(self, definition: OperatorDef, made: list[Any], counts: Sequence[int]) -> list[Any]:
        for (dim, limit), count in zip(self.counts, counts, strict=True):
            if not 0 <= count <= limit:
                raise errors.CountOutOfRange(
                    op=definition.name, name=dim.name, count=count, limit=limit, text=dim.limit
                )
        out = []
        for i, tensor in enumerate(made):
            for at, which in self.counted.get(i, ()):
                tensor = tensor.narrow(at, 0, counts[which])
            # a copy: the rest of the memory goes back
            out.append(tensor.clone(memory_format=torch.contiguous_format) if i in self.counted else tensor)
        return out

    def _results(self, made: list[Any]) -> Any:
        rest = iter(made)
        results = [next(rest) if n is None else [next(rest) for _ in range(n)] for n in self.groups]
        return None if not results else results[0] if len(results) == 1 else tuple(results)


class Executor:
    """Runs one operator on tensors of the device."""

    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        self.prepared: dict[Any, Callable[..., Any]] = {}
        self.run: Callable[..., Any] = self._written_out()

    def update(self, definition: OperatorDef) -> None:
        """Go on with a definition of the same signature whose plan or shape function is another."""
        self.definition = definition
        self.prepared.clear()

    def on_copies(self, *args: Any, **kwargs: Any) -> Any:
        """The same for tensors on the CPU: copied to the device, what was written and the results copied back."""
        inputs, attributes = split(self.definition, args, kwargs)
        there = [_map(value, lambda t: t.to("npu")) for value in inputs]
        names = [a.name for a in self.definition.attributes]
        result = self.run(*there, **dict(zip(names, attributes, strict=True)))
        for port, original, copy in zip(self.definition.inputs, inputs, there, strict=True):
            if port.mutated and original is not None:
                for a, b in zip(original, copy, strict=True) if port.kind == "list" else ((original, copy),):
                    a.copy_(b)
        return _map(result, lambda t: t.to("cpu"))

    def prepare(self, inputs: Sequence[Any], values: Sequence[Any]) -> Prepared:
        """Run the plan for these tensors. inputs: one an input, lists as lists; values: of the attributes."""
        definition = self.definition
        _one_device(definition, inputs)
        given = attributes(definition, values)
        # reading sizes must not go through autograd or modes: plain numbers
        sizes = [_map_any(value, lambda t: tuple(t.shape)) for value in inputs]
        dtypes = [_map_any(value, lambda t: t.dtype) for value in inputs]
        return prepare(definition, sizes, dtypes, given)

    def _written_out(self) -> Callable[..., Any]:
        defaults = {f"_default_{a.name}": a.default for a in self.definition.attributes}
        own = {
            "_get": self.prepared.get,
            "_keep": self._keep,
            "_refuse": overlap.refuse,
            "_device": torch.device("npu"),
        }
        scope = {**own, **defaults}
        return written.function(written.entry(self.definition), "run", scope, self.definition.name)

    def _keep(self, key: Any, inputs: Sequence[Any], values: Sequence[Any]) -> Callable[..., Any]:
        if len(self.prepared) >= MOST_KEPT:
            self.prepared.clear()
        call = self.prepare(inputs, values)
        made = self.prepared[key] = self._closure(call, inputs) or call.run
        return made

    def _closure(self, call: Prepared, inputs: Sequence[Any]) -> Callable[..., Any] | None:
        """The call as a function of its own, where it has single tensors only and nothing that the kernel counts."""
        if call.counts or any(group is not None for group in call.groups) or not call.launched.steps:
            return None
        if any(isinstance(value, (list, tuple)) for value in inputs):
            return None
        row = [None if value is None else (tuple(value.shape), value.dtype) for value in inputs]
        # a tensor like an input is cheaper to ask for than one of a shape
        likes = tuple(row.index(output) if output in row else None for output in call.outputs)
        return written.call(len(row), likes, call.outputs, call.launched)


def prepare(definition: OperatorDef, sizes: Sequence[Any], dtypes: Sequence[Any], given: Mapping[str, Any]) -> Prepared:
    """Shapes and launches of a call. Raises every error of a call and of a plan."""
    bound = call.bind_types(definition, [_map_any(d, lambda one: str(one).removeprefix("torch.")) for d in dtypes])
    limits: dict[str, tuple[Unknown, int]] = {}

    def largest(dim: Unknown, limit: Any) -> int:
        limits[dim.name] = (dim, int(limit))
        return int(limit)

    found = shapes.of(definition, sizes, dtypes, given, largest)
    call.check_sizes(definition, found)
    kinds = [getattr(torch, str(element.torch)) for element in call.output_types(definition, bound)]
    outputs: list[tuple[tuple[int, ...], torch.dtype]] = []
    groups: list[int | None] = []
    for port, shape, kind in zip(definition.outputs, found, kinds, strict=True):
        listed = port.kind == "list"
        groups.append(len(shape) if listed else None)
        outputs += [(tuple(one), kind) for one in (shape if listed else (shape,))]
    plan.require(definition)
    inputs = shapes.operands(definition, sizes, dtypes)
    flat = [one for value in inputs for one in (value if isinstance(value, tuple) else (value,))]
    counts = tuple(limits[dim.name] for dim in definition.unknowns)
    prepared = Prepared(definition, tuple(outputs), tuple(groups), counts, _counted(definition, found, counts))
    written = [one for one in flat if one is not None and _is_mutated(definition, one)]
    slots = len(flat)
    operands = [Operand(_name(definition, groups, i), s, d, slots + i) for i, (s, d) in enumerate(outputs)]
    if not any(one.numel() for one in (*operands, *written)):
        return prepared  # nothing to compute: launch nothing
    slots += len(operands)
    counters = [Operand(dim.name, (1,), plan.COUNT_DTYPE, slots + i) for i, (dim, _) in enumerate(counts)]
    slots += len(counters)
    given_to_plan: list[Any] = []
    rest = iter(operands)
    for group in groups:
        given_to_plan.append(next(rest) if group is None else tuple(next(rest) for _ in range(group)))
    launches, scratch = plan.launches(definition, inputs, given, [*given_to_plan, *counters], slots)
    plan.check(definition, launches, [*operands, *counters], [one for one in flat if one is not None])
    prepared.launched = launching.steps(definition, launches, scratch, slots + len(scratch))
    return prepared


def allocate(shape: Sequence[int], dtype: torch.dtype, zero: bool, device: torch.device) -> torch.Tensor:
    """Scratch for one call."""
    return (torch.zeros if zero else torch.empty)(tuple(shape), dtype=dtype, device=device)


def attributes(definition: OperatorDef, values: Sequence[Any]) -> dict[str, Any]:
    """Attributes by name, as GE keeps them: float in single precision, so that a graph computes with the same number."""
    return {a.name: _single(a, value) for a, value in zip(definition.attributes, values, strict=True)}


def split(definition: OperatorDef, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Inputs and attributes of a call as the dispatcher makes it, with what it left out."""
    bound = dict(zip(definition.parameters, args, strict=False)) | dict(kwargs)
    inputs = [bound.get(port.name) for port in definition.inputs]
    return inputs, [bound.get(a.name, a.default) for a in definition.attributes]


def _name(definition: OperatorDef, groups: Sequence[int | None], index: int) -> str:
    for port, group in zip(definition.outputs, groups, strict=True):
        count = 1 if group is None else group
        if index < count:
            return port.name if group is None else f"{port.name}[{index}]"
        index -= count
    raise IndexError(index)


def _is_mutated(definition: OperatorDef, operand: Operand) -> bool:
    return any(port.name == operand.name.split("[")[0] for port in definition.mutated)


def _counted(
    definition: OperatorDef, found: Sequence[Any], counts: Sequence[tuple[Unknown, int]]
) -> dict[int, tuple[tuple[int, int], ...]]:
    """For each tensor of an output with counted dimensions: (dimension, number of the count)."""
    numbers = {dim.name: i for i, (dim, _) in enumerate(counts)}
    result: dict[int, tuple[tuple[int, int], ...]] = {}
    at = 0
    for port, shape in zip(definition.outputs, found, strict=True):
        for one in shape if port.kind == "list" else (shape,):
            rest = port.rest
            extra = len(one) - len(port.dims)
            places = [
                (i + (extra if rest is not None and i > rest else 0), numbers[dim.name])
                for i, dim in enumerate(port.dims)
                if isinstance(dim, Unknown)
            ]
            if places:
                result[at] = tuple(places)
            at += 1
    return result


def _one_device(definition: OperatorDef, inputs: Sequence[Any]) -> None:
    first: tuple[str, torch.device] | None = None
    for port, value in zip(definition.inputs, inputs, strict=True):
        for tensor in () if value is None else value if port.kind == "list" else (value,):
            if first is None:
                first = port.name, tensor.device
            elif tensor.device != first[1]:
                raise errors.WrongDevice(
                    op=definition.name,
                    first=first[0],
                    first_device=first[1],
                    second=port.name,
                    second_device=tensor.device,
                )


def _single(attribute: Attribute, value: Any) -> Any:
    if attribute.type == "float":
        return ctypes.c_float(value).value
    if attribute.type == "list[float]":
        return [ctypes.c_float(item).value for item in value]
    return list(value) if attribute.type.startswith("list") else value


def _map(value: Any, function: Callable[[Any], Any]) -> Any:
    return _map_any(value, function) if isinstance(value, (torch.Tensor, list, tuple)) else value


def _map_any(value: Any, function: Callable[[Any], Any]) -> Any:
    """The function of one item, of each item of a list; None stays."""
    if type(value) in (list, tuple):
        return type(value)(_map_any(item, function) for item in value)
    return None if value is None else function(value)
