"""torch.library.opcheck: is the operator registered as torch wants it?"""

from __future__ import annotations

from typing import Any

import torch

from ferrata.testing.cases import tensors_in
from ferrata.testing.checks.fakes import structures
from ferrata.testing.context import Context, Run, said
from ferrata.testing.report import Finding, Outcome
from ferrata.testing.subject import has_kernel

TESTS = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
REGISTRATION = ("test_autograd_registration",)  # torch has it for CPU and CUDA only


def opcheck(ctx: Context) -> Outcome:
    """opcheck's tests on the first case, and its schema test on one case of every other structure."""
    runs = [group[0] for group in structures(ctx.plain())]
    if not runs:
        return Outcome(skipped="no run succeeded")
    if ctx.subject.graph_only:
        return Outcome(skipped="it calls the operator, which runs in graphs alone")
    findings: list[Finding] = []
    note = ""
    for i, r in enumerate(runs):
        tests: tuple[str, ...] = TESTS if i == 0 else TESTS[:1]
        if ctx.subject.random:
            tests = tests[:2]
        findings += _opcheck(ctx, r, tests, ctx.device)
    if ctx.subject.differentiable:
        if has_kernel(ctx.subject.overload, "CPU", "CompositeExplicitAutograd"):
            findings += _opcheck(ctx, runs[0], REGISTRATION, "cpu")
        else:
            note = "not test_autograd_registration: torch runs it on the CPU only"
    return Outcome(len(runs), findings, note)


def _opcheck(ctx: Context, run: Run, tests: tuple[str, ...], device: str) -> list[Finding]:
    inputs = run.sample.inputs(device)
    # test_aot_dispatch_dynamic with gradients loads all of Inductor; the check of gradients compiles them for npu
    if tests == REGISTRATION:
        for name, tensor in tensors_in(inputs):
            if tensor.dtype.is_floating_point and name not in run.sample.mutated:
                tensor.requires_grad_()
    try:
        verdicts = torch.library.opcheck(ctx.subject.overload, (), inputs, test_utils=tests, raise_exception=False)
    except Exception as failure:  # noqa: BLE001  opcheck lets some errors of the operator through
        return [ctx.finding(f"opcheck raised {said(failure)}", run.sample, failure)]
    return [
        ctx.finding(f"{test}: {_plain(verdict)}", run.sample, _cause(verdict))
        for test, verdict in verdicts.items()
        if verdict != "SUCCESS"
    ]


def _cause(verdict: Any) -> BaseException | None:
    return verdict if isinstance(verdict, BaseException) else None


def _plain(verdict: Any) -> str:
    """opcheck's message without its advice on how to call opcheck."""
    cause = getattr(verdict, "__cause__", None)
    text = said(cause) if cause is not None else str(verdict)
    return text.split("\n\n")[0]
