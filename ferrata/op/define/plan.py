"""Running a plan: what it returns, and what can be proved of it. launching.py makes its launches ready to run."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import place, writes
from ferrata.op.define.model import OperatorDef
from ferrata.op.define.operands import Operand, recording

COUNT_DTYPE = torch.int32  # of the tensors in which a kernel counts a size


def launches(
    definition: OperatorDef,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
    outputs: Sequence[Any],
    first_slot: int,
) -> tuple[list[Any], list[tuple[tuple[int, ...], torch.dtype, bool]]]:
    """What the plan returns for these operands, as a list, and the scratch that it asked for.

    outputs: operands of the outputs, then of the counts. first_slot: the position of the first scratch.
    Raises PlanMissing, PlanReturnsNothing, PlanReturnsOther, PlanRefuses, PlanFailed.
    """
    require(definition)
    plan = definition.plan
    assert plan is not None
    values = [attributes[a.name] for a in definition.attributes]
    with recording(first_slot) as recorder:
        try:
            result = plan(*inputs, *values, *outputs)
        except errors.FerrataError:
            raise
        except Exception as problem:
            at = line_in(problem, plan)
            if isinstance(problem, ValueError) and at.excerpt.strip().startswith("raise "):  # as its author wants it
                raise errors.PlanRefuses(where=at, op=definition.name, reason=problem, excerpt=at.excerpt) from problem
            raise errors.PlanFailed(
                where=at, op=definition.name, kind=type(problem).__name__, reason=problem, excerpt=at.excerpt
            ) from problem
    if result is None:
        at = place.of_function(plan)
        line = place.launch_line(plan)
        launched = (
            "" if line is None else f", though it launches in line {line}: that line makes a launch, it does not run"
        )
        raise errors.PlanReturnsNothing(where=at, op=definition.name, launched=launched, excerpt=at.excerpt)
    found = list(result) if isinstance(result, (list, tuple)) else [result]
    for one in found:
        if not all(hasattr(one, name) for name in ("kernel", "args", "cores")):
            at = place.of_return(plan)
            got = f"the tensor {one.name}" if isinstance(one, Operand) else repr(one)
            raise errors.PlanReturnsOther(where=at, op=definition.name, got=got, excerpt=at.excerpt)
    return found, recorder.scratch


def require(definition: OperatorDef) -> None:
    """Raise PlanMissing if the operator has no plan."""
    if definition.plan is None:
        parameters = (*definition.parameters, *(port.name for port in definition.outputs))
        raise errors.PlanMissing(
            op=definition.name, where=definition.where, function=definition.function.__name__,
            parameters=", ".join((*parameters, *(dim.name for dim in definition.unknowns))),
        )  # fmt: skip


def check(definition: OperatorDef, found: Sequence[Any], outputs: Sequence[Operand], inputs: Sequence[Operand]) -> None:
    """What can be proved of who writes what.

    Raises PlanLaunchesNothing, OutputNotWritten, InputWritten.
    """
    assert definition.plan is not None
    uses: dict[int, list[tuple[Any, Any]]] = {}
    for launch in found:
        if launch.cores > 0:
            for parameter in launch.kernel.params:
                value = launch.args.get(parameter.name)
                for one in value if isinstance(value, (list, tuple)) else (value,):
                    if isinstance(one, Operand):
                        uses.setdefault(one.slot, []).append((launch, parameter))
    for output in outputs:
        if not output.numel():
            continue
        written = [getattr(parameter, "written", None) for _, parameter in uses.get(output.slot, ())]
        if written and any(one is not False for one in written):
            continue
        at = place.of_function(definition.plan)
        if not written:
            raise errors.PlanLaunchesNothing(
                where=at,
                op=definition.name,
                what=output.name,
                shape=f"its shape is {list(output.shape)}",
                excerpt=at.excerpt,
            )
        named = ", ".join(f"{launch.kernel.name}'s {parameter.name}" for launch, parameter in uses[output.slot])
        raise errors.OutputNotWritten(
            where=at, op=definition.name, output=output.name, parameters=named, excerpt=at.excerpt
        )
    if not any(launch.cores > 0 for launch in found):
        at = place.of_function(definition.plan)
        what = ", ".join(port.name for port in definition.mutated)
        raise errors.PlanLaunchesNothing(
            where=at, op=definition.name, what=what, shape="it is declared as written", excerpt=at.excerpt
        )
    declared = {port.name for port in definition.mutated}
    for operand in inputs:
        if operand.name.split("[")[0] in declared:
            continue
        for launch, parameter in uses.get(operand.slot, ()):
            if writes.is_written(launch.kernel, parameter):
                at = place.of_parameter(definition.function, operand.name.split("[")[0])
                raise errors.InputWritten(
                    where=place.of_function(definition.plan), op=definition.name, kernel=launch.kernel.name,
                    parameter=parameter.name, input=operand.name.split("[")[0], excerpt=at.excerpt,
                )  # fmt: skip


def line_in(problem: BaseException, function: Callable[..., Any]) -> place.Place:
    """The line of the function, or of what it calls in its file, from which an exception came."""
    file = function.__code__.co_filename
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == file]
    return place.Place(file, frames[-1].lineno or 0) if frames else place.of_function(function)
