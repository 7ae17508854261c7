"""The operator itself: does it run, did its kernels run, what did they write, and are the values right?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata import errors
from ferrata.testing import context
from ferrata.testing.cases import Case, Sample, expand, sample, tensors_in
from ferrata.testing.compare import difference, either, tolerance
from ferrata.testing.context import Context, Run, said
from ferrata.testing.dims import without_dimensions, without_elements
from ferrata.testing.layouts import applies
from ferrata.testing.report import Finding, Outcome

HOPELESS = 4  # when so many first runs fail alike, none of the others is tried


def runs(ctx: Context) -> Outcome:
    """Every case with every dtype in every layout; without elements and without dimensions where the signature allows."""
    count = counter(ctx.device)
    given = {repr(case) for case in ctx.cases}
    for one in samples(ctx):
        run = context.run(ctx.subject, one, ctx.device, count)
        if isinstance(run.error, errors.PlanRefuses) and repr(one.case) not in given:
            continue  # an edge that we derived, and the operator has no meaning there
        ctx.runs.append(run)
        if (
            len(ctx.runs) == HOPELESS
            and len({str(r.error) for r in ctx.runs if r.error is not None}) == 1
            and not ctx.good
        ):
            break
    findings = [
        ctx.finding(f"{ctx.subject.name} raised {said(r.error)}", r.sample, r.error)
        for r in ctx.runs
        if r.error is not None
    ]
    note = "through torch.compile: torch has no kernel of this operator" if ctx.subject.graph_only else ""
    return Outcome(len(ctx.runs), findings, note)


def samples(ctx: Context) -> list[Sample]:
    """What is run. A layout that leaves every tensor of a case as it is adds nothing and is left out."""
    derived = _edges(ctx)
    found = []
    for case, dtypes, layout in expand(ctx.subject, (*ctx.cases, *derived), ctx.dtypes, ctx.layouts):
        one = sample(ctx.subject, case, dtypes, layout)
        if layout == "contiguous" or any(
            applies(layout, t.shape, name.split("[")[0] in one.mutated) for name, t in tensors_in(one.masters)
        ):
            found.append(one)
    if ctx.special and ctx.cases:
        for dtypes in (d for c, d, layout in expand(ctx.subject, ctx.cases[:1], ctx.dtypes, ("contiguous",))):
            if any(d.is_floating_point for d in dtypes.values()):
                found.append(sample(ctx.subject, ctx.cases[0], dtypes, special=True))
    return found


def _edges(ctx: Context) -> list[Case]:
    """Cases without elements and without dimensions, one of each for each number of dimensions."""
    known = {repr(case) for case in ctx.cases}
    found: dict[Any, Case] = {}
    for case in ctx.cases:
        for make in (without_elements, without_dimensions):
            edge = make(ctx.subject, case)
            if edge is not None and repr(edge) not in known:
                ranks = [len(v) for v in edge.values.values() if isinstance(v, tuple)]
                found.setdefault((make, tuple(ranks)), edge)
    return list(found.values())


def launches(ctx: Context) -> Outcome:
    """A call with elements launches a kernel."""
    if ctx.device != "npu":
        return Outcome(skipped=f"kernels run on npu, not on {ctx.device}")
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    full = [r for r in ctx.good if any(t.numel() for _, t in tensors_in(dict(enumerate_outputs(r))))]
    findings = [
        ctx.finding(
            f"{ctx.subject.name} launched no kernel: its result was computed by something else, or not at all", r.sample
        )
        for r in full
        if not r.launches
    ]
    counts = sorted({r.launches for r in full})
    note = f"{' or '.join(map(str, counts))} a call" if counts else ""
    kernels = _kernels(ctx, full) if note and not findings else ""
    return Outcome(len(full), findings, note=f"{note}: {kernels}" if kernels else note)


def _kernels(ctx: Context, runs: list[Run]) -> str:
    """The kernels that the plan launches in these runs, and on how many cores: `add_kernel on 1 to 24 cores`."""
    definition = ctx.subject.definition
    if definition is None or definition.plan is None:
        return ""
    from ferrata.op.plan.native import python_launches
    from ferrata.testing.checks.plans import arguments

    cores: dict[str, set[int]] = {}
    for r in runs:
        for launch in python_launches(definition, *arguments(definition, r)):
            cores.setdefault(launch.kernel, set()).add(launch.cores)
    return ", ".join(f"{kernel} on {_range(found)}" for kernel, found in cores.items())


def _range(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low} core{'s' * (low != 1)}" if low == high else f"{low} to {high} cores"


def enumerate_outputs(run: Run) -> list[tuple[str, Any]]:
    """Outputs of a run by name."""
    return list(zip(run.names, run.outputs, strict=True))


def memory(ctx: Context) -> Outcome:
    """Inputs that are not mutated stay as they are, so does what lies around a view; outputs have memory of their own."""
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    findings = [ctx.finding(text, r.sample) for r in ctx.good for text in (*r.written, *r.aliased)]
    return Outcome(len(ctx.good), findings)


def values(ctx: Context) -> Outcome:
    """The outputs and mutated arguments are the reference's."""
    return _compared(ctx, ctx.good)


def special(ctx: Context) -> Outcome:
    """The same for NaN, infinities, denormals and the largest numbers."""
    if not ctx.special:
        return Outcome(skipped="special=False")
    mine = [r for r in ctx.runs if r.sample.special and r.error is None]
    return _compared(ctx, mine) if mine else Outcome(skipped="no floating-point input")


def _compared(ctx: Context, runs_: list[Run]) -> Outcome:
    if ctx.subject.reference is None:
        return Outcome(skipped="no reference: give reference=... or define one with @op.reference")
    if not runs_:
        return Outcome(skipped="no run succeeded")
    if ctx.subject.random:
        return Outcome(skipped="the operator is random")
    findings: list[Finding] = []
    unable: list[str] = []
    for r in runs_:
        try:
            expected = context.references(ctx.subject, r)
        except Exception as failure:  # noqa: BLE001  the reference is the user's
            if any(not t.numel() or not t.dim() for _, t in tensors_in(r.inputs)):
                unable.append(said(failure))  # an edge case that we derived; not every operator has a meaning there
            else:
                findings.append(ctx.finding(f"the reference raised {said(failure)}", r.sample, failure))
            continue
        if len(expected) != len(r.outputs):
            findings.append(
                ctx.finding(f"the reference gives {len(expected)} results, the operator {len(r.outputs)}", r.sample)
            )
            continue
        # what overflows on the way in float does not in double; both are right
        single = _in_single(ctx, r) if r.sample.special else {}
        for name, actual, right in zip(r.names, r.outputs, expected, strict=True):
            rtol, atol = tolerance(
                right.dtype if not isinstance(actual, torch.Tensor) else actual.dtype, ctx.rtol, ctx.atol
            )
            text = difference(name, actual, right, rtol, atol)
            if text is not None and single:
                text = difference(name, actual, either(actual, right, single[name], rtol, atol), rtol, atol)
            if text is not None:
                findings.append(ctx.finding(text, r.sample))
    note = f"{len(unable)} without a reference value: {unable[0].splitlines()[0]}" if unable else ""
    return Outcome(len(runs_) - len(unable), findings, note)


def _in_single(ctx: Context, run: Run) -> dict[str, Any]:
    """The reference's results in float by name; empty where it computes in double only."""
    try:
        return dict(zip(run.names, context.references(ctx.subject, run, torch.float32), strict=True))
    except Exception:  # noqa: BLE001  the reference is the user's, and in double it gave results
        return {}


def deterministic(ctx: Context) -> Outcome:
    """Two calls with equal inputs give the same bits."""
    if ctx.subject.random:
        return Outcome(skipped="the operator is declared random")
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    text = "two calls with equal inputs must agree"
    findings = [ctx.finding(f"{r.unstable}\n    {text}", r.sample) for r in ctx.good if r.unstable]
    return Outcome(len(ctx.good), findings)


def counter(device: str) -> Callable[[], int]:
    """A function that counts the kernels launched so far."""
    if device != "npu":
        return lambda: 0
    from ferrata.run.runtime import runtime

    return runtime().launches
