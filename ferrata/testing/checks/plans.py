"""The C++ that is exported chooses what Python chooses: launches of the plan, InferShape, InferDataType."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.errors import ExportRefused
from ferrata.testing.context import Context, Run, said
from ferrata.testing.report import Finding, Outcome


def plans(ctx: Context) -> Outcome:
    """Kernels, instances, cores and arguments of every launch, for the sizes and dtypes of every run."""
    definition = ctx.subject.definition
    if definition is None or definition.plan is None:
        return Outcome(skipped="the operator has no plan in Python")
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    from ferrata.op.plan import native

    try:
        native.of(definition)
    except ExportRefused as refused:  # nothing is exported that could differ
        return Outcome(skipped=said(refused))
    except Exception as failure:  # noqa: BLE001  the plan is the user's: what has no C++ is refused with its line
        return Outcome(1, [ctx.finding(f"the plan cannot be written as C++: {said(failure)}", None, failure)])
    findings: list[Finding] = []
    runs = ctx.each_dtype()
    for r in runs:
        try:
            found = native.differences(definition, *arguments(definition, r))
        except Exception as failure:  # noqa: BLE001
            findings.append(ctx.finding(f"the C++ plan raised {said(failure)}", r.sample, failure))
            continue
        findings += [ctx.finding(text, r.sample) for text in found[:1]]
    return Outcome(len(runs), findings)


def arguments(definition: Any, run: Run) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Sizes and dtypes of a run's inputs, and its attributes, as plans are asked with them."""
    tensors = [run.inputs.get(port.name) for port in definition.inputs]
    attributes = {a.name: run.inputs.get(a.name, a.default) for a in definition.attributes}
    return _each(tensors, "shape"), _each(tensors, "dtype"), attributes


def _each(tensors: list[Any], what: str) -> list[Any]:
    def of(tensor: torch.Tensor) -> Any:
        return tuple(tensor.shape) if what == "shape" else tensor.dtype

    return [None if t is None else [of(one) for one in t] if isinstance(t, list) else of(t) for t in tensors]
