"""Gradients: the operator's backward against autograd of the reference in double, or against finite differences.

A reference that autograd cannot see through (NumPy, in-place steps) is differentiated numerically, along one random
direction for each input. So is one whose autograd gives NaN, as torch's own norms do for tensors without elements.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.testing import context
from ferrata.testing.cases import tensors_in
from ferrata.testing.checks.graphs import caller
from ferrata.testing.compare import difference, tolerance
from ferrata.testing.context import Context, Run, said
from ferrata.testing.report import Finding, Outcome
from ferrata.testing.subject import outputs_of

STEP = 1e-6
_UNWANTED = "; where none is wanted, the reference uses {name}.detach()"


def gradients(ctx: Context) -> Outcome:
    """Every floating-point input of every contiguous run."""
    if not ctx.subject.differentiable:
        return Outcome(skipped="no backward is defined")
    if ctx.subject.reference is None:
        return Outcome(skipped="no reference to differentiate")
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    findings: list[Finding] = []
    runs = [r for r in ctx.each_dtype() if any(t.dtype.is_floating_point for _, t in tensors_in(r.inputs))]
    numeric = 0
    for r in runs:
        try:
            mine, weights = _ours(ctx, r)
        except Exception as failure:  # noqa: BLE001  the backward is the user's
            findings.append(ctx.finding(f"the backward raised {said(failure)}", r.sample, failure))
            continue
        theirs = _autograd(ctx, r, weights)
        if theirs is None:
            numeric += 1
            try:
                findings += _numeric(ctx, r, mine, weights)
            except Exception as failure:  # noqa: BLE001  the reference is the user's
                findings.append(ctx.finding(f"the reference raised {said(failure)}", r.sample, failure))
            continue
        for name, gradient in mine.items():
            expected = theirs[name]
            if gradient is None or expected is None:
                if gradient is not None or (expected is not None and bool(expected.any())):
                    has = "a gradient, the reference none" if expected is None else "no gradient, the reference has one"
                    wanted = "" if expected is None else _UNWANTED.format(name=name)
                    findings.append(ctx.finding(f"{name} gets {has}{wanted}", r.sample))
                continue
            rtol, atol = tolerance(gradient.dtype, ctx.rtol, ctx.atol)
            text = difference(f"the gradient of {name}", gradient, expected, rtol, atol, "the reference's")
            if text is not None and not (expected.isnan().any() and not _numeric(ctx, r, {name: gradient}, weights)):
                findings.append(ctx.finding(text, r.sample))
                break
    if not findings:
        findings += _compiled(ctx, runs[0])
    return Outcome(len(runs), findings, note=f"{numeric} by finite differences" if numeric else "")


def _leaves(values: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors of `values` that get a gradient."""
    return {n: tensor.requires_grad_() for n, tensor in tensors_in(values) if tensor.dtype.is_floating_point}


def _results(function: Any, values: dict[str, Any], written: frozenset[str]) -> tuple[Any, ...]:
    """The outputs, then what was written. An operator writes copies: a leaf must not be written."""
    given = {k: _copy(v) if k in written else v for k, v in values.items()}
    outputs = outputs_of(function(given))
    changed = [t for _, t in tensors_in({k: v for k, v in given.items() if k in written})]
    return (*outputs, *changed)


def _copy(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    return value.clone() if isinstance(value, torch.Tensor) else value


def _scalar(outputs: tuple[Any, ...], weights: list[torch.Tensor]) -> torch.Tensor:
    """One number from all differentiable outputs: their sum with random weights."""
    floats = [o for o in outputs if isinstance(o, torch.Tensor) and o.dtype.is_floating_point]
    parts = [(o * w.to(o)).sum() for o, w in zip(floats, weights, strict=True)]
    total: torch.Tensor = torch.stack([p.double() if p.device.type == "cpu" else p for p in parts]).sum()
    return total


def _compiled(ctx: Context, run: Run) -> list[Finding]:
    """Forward and backward in graphs give the bits of the eager call."""
    from ferrata.torchair import get_npu_backend

    eager, _ = _ours(ctx, run)
    function: Any = torch.compile(caller(ctx), backend=get_npu_backend(), fullgraph=True)
    try:
        mine, _ = _ours(ctx, run, function)
    except Exception as failure:  # noqa: BLE001  the graph of the user's operator
        return [ctx.finding(f"compiling with gradients failed: {said(failure)}", run.sample, failure)]
    texts = [difference(f"the gradient of {n}, compiled,", mine[n], eager[n], versus="the eager one") for n in eager]
    return [ctx.finding(text, run.sample) for text in texts if text is not None]


def _ours(ctx: Context, run: Run, function: Any = None) -> tuple[dict[str, torch.Tensor | None], list[torch.Tensor]]:
    """Gradients by the operator's backward, and the weights of the outputs. function: calls the operator."""
    inputs = run.sample.inputs(ctx.device)
    leaves = _leaves(inputs)
    outputs = _results(function or (lambda given: ctx.subject.overload(**given)), inputs, run.sample.mutated)
    floats = [o for o in outputs if isinstance(o, torch.Tensor) and o.dtype.is_floating_point]
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(o.shape, generator=generator).to(o.dtype) for o in floats]
    tracked = [(o, w.to(o.device)) for o, w in zip(floats, weights, strict=True) if o.requires_grad]
    if not tracked:
        raise RuntimeError("no output is connected to the inputs: the backward is not registered for this device")
    grads = torch.autograd.grad(
        [o for o, _ in tracked], list(leaves.values()), [w for _, w in tracked], allow_unused=True
    )
    return {n: None if g is None else g.detach().cpu() for n, g in zip(leaves, grads, strict=True)}, weights


def _autograd(ctx: Context, run: Run, weights: list[torch.Tensor]) -> dict[str, torch.Tensor | None] | None:
    """Gradients by autograd of the reference in double, None when it has none."""
    values = {k: context.wide(v) for k, v in run.inputs.items()}
    leaves = _leaves(values)
    try:
        outputs = _results(lambda given: context.call_reference(ctx.subject, given), values, run.sample.mutated)
        total = _scalar(outputs, weights)
        if not total.requires_grad:
            return None
        grads = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    except (RuntimeError, TypeError, ValueError, AttributeError):  # numpy() of a tensor that requires grad, in-place
        return None
    return dict(zip(leaves, grads, strict=True))


def _numeric(
    ctx: Context, run: Run, mine: dict[str, torch.Tensor | None], weights: list[torch.Tensor]
) -> list[Finding]:
    """Compare directional derivatives of the reference with the operator's gradients."""
    findings = []
    for name, gradient in mine.items():
        generator = torch.Generator().manual_seed(1)
        shape = dict(tensors_in(run.inputs))[name].shape
        direction = torch.randn(shape, generator=generator, dtype=torch.float64)

        def value(step: float, name: str = name, direction: torch.Tensor = direction) -> float:
            values = {k: context.wide(v) for k, v in run.inputs.items()}
            dict(tensors_in(values))[name].add_(direction, alpha=step)
            outputs = _results(lambda given: context.call_reference(ctx.subject, given), values, run.sample.mutated)
            return float(_scalar(outputs, weights))

        expected = (value(STEP) - value(-STEP)) / (2 * STEP)
        products = torch.zeros(()) if gradient is None else gradient.double() * direction
        actual = float(products.sum())
        rtol, _ = tolerance(torch.float32 if gradient is None else gradient.dtype, ctx.rtol, ctx.atol)
        # the sum's error is that of its terms, and of the difference of two doubles over the step
        limit = rtol * float(products.abs().sum()) + 1e-4 * max(1.0, abs(expected))
        if abs(actual - expected) <= limit or (math.isnan(actual) and math.isnan(expected)):
            continue
        mine_is = f"the gradient of {name} along a random direction is {actual:.6g},"
        if gradient is None:
            mine_is = f"{name} gets no gradient{_UNWANTED.format(name=name)}; along a random direction"
        text = f"{mine_is} finite differences of the reference give {expected:.6g}"
        findings.append(ctx.finding(text, run.sample))
    return findings
