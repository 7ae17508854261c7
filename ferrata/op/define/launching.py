"""From a plan's launches to what a call runs: instances of kernels, and where each of their arguments is from.

Launches name their arguments by operands; these become positions in the row of a call's values: inputs, outputs,
counts, scratch, then the constants of the launches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata import errors
from ferrata.lang.elements import Dtype, DtypeVar, by_torch
from ferrata.op.define import place
from ferrata.op.define.model import OperatorDef
from ferrata.op.define.operands import Operand


@dataclass(frozen=True)
class View:
    """The place of an argument that a kernel takes as another type of the same memory."""

    slot: int
    dtype: torch.dtype


Place = int | View | tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One launch: `run(cores, *pick(values))`. places: of the arguments in the row of values; for a list a tuple."""

    run: Callable[..., None]
    cores: int
    places: tuple[Place, ...]

    def pick(self, values: tuple[Any, ...]) -> list[Any]:
        """The arguments of the launch, from the row of a call's values."""
        return [_at(values, place) for place in self.places]


@dataclass(frozen=True)
class Steps:
    """The launches of a plan; scratch: (shape, dtype, zero) of what they need besides; constants follow it."""

    steps: tuple[Step, ...]
    scratch: tuple[tuple[tuple[int, ...], torch.dtype, bool], ...]
    constants: tuple[Any, ...]


def steps(definition: OperatorDef, found: Sequence[Any], scratch: Sequence[Any], first_constant: int) -> Steps:
    """The launches with their kernels compiled. Raises LaunchArgument and what the kernels raise."""
    constants: list[Any] = []
    made: list[Step] = []
    for launch in found:
        if launch.cores <= 0:
            continue
        kernel = launch.kernel
        bound = types(definition, launch)
        places: list[Place] = []
        for parameter in kernel.params:
            if parameter.kind == "const":
                continue
            value = launch.args[parameter.name]
            if isinstance(value, Operand):
                places.append(_place(value, parameter.element, bound))
            elif parameter.kind == "gm_list":
                places.append(tuple(one.slot for one in value))
            else:
                places.append(first_constant + len(constants))
                constants.append(value)
        instance = kernel.instance(bound, dict(launch.consts))
        made.append(Step(getattr(instance, "run", instance), int(launch.cores), tuple(places)))
    return Steps(*_typed(made, scratch, first_constant - len(scratch)), tuple(constants))


def _place(value: Operand, element: Any, bound: dict[str, Dtype]) -> Place:
    wanted = bound[element.name] if isinstance(element, DtypeVar) else element
    dtype = None if wanted is None or wanted.torch is None else getattr(torch, wanted.torch)
    return value.slot if dtype is None or value.dtype == dtype else View(value.slot, dtype)


def _typed(made: Sequence[Step], scratch: Sequence[Any], first: int) -> tuple[tuple[Step, ...], tuple[Any, ...]]:
    """Scratch that was asked for in bytes and serves one type is allocated in that type, which saves the view."""
    wanted: dict[int, set[Any]] = {}
    for step in made:
        for at in step.places:
            if not isinstance(at, tuple):
                slot, dtype = (at.slot, at.dtype) if isinstance(at, View) else (at, None)
                wanted.setdefault(slot, set()).add(dtype)
    kept = list(scratch)
    direct: set[int] = set()
    for i, (shape, _, zero) in enumerate(scratch):
        uses = wanted.get(first + i, set())
        if len(uses) == 1 and None not in uses and len(shape) == 1:
            (dtype,) = uses
            kept[i] = ((-(-shape[0] // dtype.itemsize),), dtype, zero)
            direct.add(first + i)
        elif len(uses) > 1:  # whole elements of every type
            kept[i] = ((-(-shape[0] // 8) * 8, *shape[1:]), torch.uint8, zero) if len(shape) == 1 else kept[i]
    steps_ = [
        Step(
            step.run, step.cores, tuple(p.slot if isinstance(p, View) and p.slot in direct else p for p in step.places)
        )
        for step in made
    ]
    return tuple(steps_), tuple(kept)


def _at(values: tuple[Any, ...], at: Place) -> Any:
    if isinstance(at, tuple):
        return [values[i] for i in at]
    return values[at.slot].view(at.dtype) if isinstance(at, View) else values[at]


def types(definition: OperatorDef, launch: Any) -> dict[str, Dtype]:
    """The element type of each variable of a launch's kernel. Raises LaunchArgument."""
    bound: dict[str, Dtype] = {}
    for parameter in launch.kernel.params:
        name, kind, value = parameter.name, parameter.kind, launch.args.get(parameter.name)
        if kind == "gm_list":
            if not isinstance(value, (list, tuple)) or not all(isinstance(one, Operand) for one in value):
                _refuse(definition, launch, name, value, "the parameter is a list of tensors")
            for one in value or ():
                _bind(definition, launch, parameter, one, bound)
        elif kind == "gm":
            if value is not None and not isinstance(value, Operand):
                _refuse(definition, launch, name, value, "the parameter is a tensor: pass one of the plan's as it is")
            if value is not None:
                _bind(definition, launch, parameter, value, bound)
        elif kind != "const" and (value is None or isinstance(value, (Operand, list, tuple))):
            _refuse(definition, launch, name, value, f"the parameter is of kind {kind}, no tensor")
    for var in launch.kernel.dtype_vars:
        bound.setdefault(var.name, var.allowed[0])  # only absent tensors have it
    return bound


def _bind(definition: OperatorDef, launch: Any, parameter: Any, value: Operand, bound: dict[str, Dtype]) -> None:
    """Bind the variable of a kernel's parameter to the type of the operand that it gets."""
    if value.dtype is None:
        return
    element = by_torch(str(value.dtype).removeprefix("torch."))
    wanted = parameter.element
    if not isinstance(wanted, DtypeVar):
        if wanted is not None and element != wanted and not _same_bytes(value.dtype, wanted):
            _refuse(definition, launch, parameter.name, value, f"the kernel takes {wanted.torch}")
    elif element is None or element not in wanted.allowed:
        allowed = ", ".join(str(one.torch) for one in wanted.allowed)
        _refuse(definition, launch, parameter.name, value, f"the kernel takes {wanted.name}: {allowed}")
    elif bound.setdefault(wanted.name, element) != element:
        other = bound[wanted.name].torch
        _refuse(definition, launch, parameter.name, value, f"the kernel's {wanted.name} is {other} already")


def _same_bytes(dtype: torch.dtype, wanted: Dtype) -> bool:
    """torch's bool and a kernel's bytes: one byte an element, 0 or 1."""
    return dtype is torch.bool and wanted.torch in ("uint8", "int8")


def _refuse(definition: OperatorDef, launch: Any, name: str, value: Any, expected: str) -> None:
    assert definition.plan is not None
    at = place.of_return(definition.plan)
    raise errors.LaunchArgument(
        where=at, op=definition.name, kernel=launch.kernel.name, name=name, got=repr(value), expected=expected,
        excerpt=at.excerpt,
    )  # fmt: skip
