"""`fe.testing.check`: the verdict on one operator.

It binds the cases, runs the checks one after another, prints the table and raises `CheckFailed` with the first cause.
What did not change since an equal check passed is not run again (unchanged.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from ferrata import errors
from ferrata.testing.report import Finding, Outcome, Report, Row


def check(
    op: Any,
    cases: Sequence[Any] | None = None,
    *,
    reference: Callable[..., Any] | None = None,
    dtypes: Any = None,
    layouts: Iterable[str] | None = None,
    rtol: Any = None,
    atol: Any = None,
    special: bool = True,
    only: Iterable[str] | None = None,
    skip: Iterable[str] = (),
    examples: int = 8,
    device: str = "npu",
    ge: str | None = None,
    force: bool = False,
    show: bool = True,
) -> Report:
    """Check all that an operator promises, for every case, dtype and layout; print one table.

    op: an `fe.op` operator, a torch operator (`torch.ops.mylib.add`) or its name ("mylib::add").
    cases: `fe.testing.case(...)` or dictionaries; None: shapes drawn from the signature (needs hypothesis).
    reference: a function of the same arguments that gives the right values; default: the operator's @op.reference.
        It gets floats as double.
    dtypes: dtypes to run, or {"T": dtypes} by dtype variable; default: every dtype of the signature (of an operator
        without one: float32).
    layouts: names of `fe.testing.LAYOUTS`; default all.
    rtol, atol: a number for floating point, or {dtype: number}; default `fe.testing.TOLERANCES`. Integers are exact.
    special: one run per dtype with NaN, infinities, denormals and the largest numbers.
    only, skip: names of checks, as in the table. examples: how many cases are drawn.
    device: "npu", or "cpu" for the operator's implementation there.
    ge: the GE type of an operator that does not say it. force: check again what passed before and did not change.

    Returns the report. Raises CheckFailed, an AssertionError, with the first cause; BadCase; NotAnOperator.

    >>> fe.testing.check(add_op, cases=[fe.testing.case(x=(8, 2048), y=(8, 2048))], reference=torch.add)
    """
    __tracebackhide__ = True
    start = time.perf_counter()
    from ferrata.quiet import leave_at_exit, no_collections
    from ferrata.testing.unchanged import Verdicts

    options = {
        "dtypes": dtypes, "layouts": None if layouts is None else tuple(layouts), "rtol": rtol, "atol": atol,
        "special": special, "only": None if only is None else sorted(only), "skip": sorted(skip), "examples": examples,
        "device": device, "ge": ge,
    }  # fmt: skip
    verdicts = Verdicts(op, cases, reference, options)
    with no_collections():
        known = None if force else verdicts.known()
    if known is not None:
        leave_at_exit()
        report = Report(known.op, known.rows, time.perf_counter() - start, known.note)
    else:
        report = _run(op, cases, reference, options)
        report.seconds = time.perf_counter() - start
        if report.ok:
            verdicts.keep(report)
    if show:
        _print(report)
    if not report.ok:
        raise _failure(report)
    return report


def _run(op: Any, cases: Sequence[Any] | None, reference: Any, options: dict[str, Any]) -> Report:
    from dataclasses import replace
    from functools import partial

    import torch

    from ferrata.testing.cases import bind
    from ferrata.testing.checks import CHECKS, hazards
    from ferrata.testing.context import Context
    from ferrata.testing.layouts import chosen
    from ferrata.testing.subject import subject

    if options["device"] == "npu":
        import ferrata.npu  # noqa: F401  the device
    subject_ = subject(op, reference)
    if options["ge"] is not None:
        subject_ = replace(subject_, ge=options["ge"])
    if cases is None:
        from ferrata.testing.strategies import drawn

        given = drawn(subject_, options["examples"])
    else:
        given = [bind(subject_, case) for case in cases]
    ctx = Context(
        subject_, tuple(given), options["device"], options["dtypes"], chosen(options["layouts"]), options["rtol"],
        options["atol"], options["special"], cases is None,
    )  # fmt: skip
    extra = hazards.rows()
    names = [name for name, _ in CHECKS] + list(extra)
    _known_names([*(options["only"] or ()), *options["skip"]], names)
    report = Report(subject_.name, note=f"  {len(given)} cases drawn from the signature" if cases is None else "")
    ahead = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ferrata-check")
    try:
        if subject_.definition is not None and options["device"] == "npu":
            ahead.submit(_compile, op, ctx, options)
        _import_graphs(options)
        # one thread: the tensors are small, and threads that wait for each other cost more than they save
        with torch.random.fork_rng(devices=[]), _threads(1):  # nor are the caller's random numbers ours to advance
            for name, run in CHECKS:
                if name == "runs" or _wanted(name, options):
                    report.rows.append(_row(name, partial(run, ctx)))
            for name, checker in extra.items():
                if checker is None:
                    report.rows.append(Row(name, "not installed", note="no checker of kernels is registered"))
                elif _wanted(name, options):
                    report.rows.append(_row(name, partial(checker, op, ctx)))
    finally:
        ahead.shutdown(cancel_futures=True)
    if cases is None and not report.ok:
        from ferrata.testing.shrink import shrunk

        def again(case: Any, check: str) -> Report:
            return _run(op, [case], reference, {**options, "only": [check], "special": check == "special values"})

        report = shrunk(report, subject_, again)
    return report


@contextmanager
def _threads(count: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _compile(op: Any, ctx: Any, options: dict[str, Any]) -> None:
    """Compile the kernels of the first case in every dtype, and the C++ plan, while the main thread imports what graphs need."""
    from ferrata.testing.cases import combinations, sample

    for dtypes in combinations(ctx.subject, ctx.cases[0], ctx.dtypes) if ctx.cases else ():
        one = sample(ctx.subject, ctx.cases[0], dtypes)
        with suppress(Exception):  # the check of runs meets it again, and reports it
            op.executor.prepare([one.masters[p.name] for p in ctx.subject.tensors], [
                one.masters.get(p.name, p.default) for p in ctx.subject.attrs
            ])  # fmt: skip
    if _wanted("C++ plan", options):
        with suppress(Exception):
            from ferrata.op.plan import native

            native.of(ctx.subject.definition)


def _import_graphs(options: dict[str, Any]) -> None:
    """What the checks of fakes and graphs import on first use: more than a second."""
    if any(_wanted(name, options) for name in ("fake", "symbolic shapes", "compiled, static", "compiled, dynamic")):
        import torch._dynamo
        import torch.testing._internal.optests  # noqa: F401


def _row(name: str, run: Callable[[], Outcome]) -> Row:
    start = time.perf_counter()
    outcome = run()
    seconds = time.perf_counter() - start
    if outcome.skipped:
        return Row(name, "skipped", seconds=seconds, note=outcome.skipped)
    status = "failed" if outcome.findings else "ok"
    return Row(name, status, outcome.runs, seconds, outcome.note, tuple(outcome.findings))


def _wanted(name: str, options: dict[str, Any]) -> bool:
    return (options["only"] is None or name in options["only"]) and name not in options["skip"]


def _known_names(given: list[str], names: list[str]) -> None:
    for name in given:
        if name not in names:
            raise errors.UnknownCheck(check=name, known=", ".join(map(repr, names)))


def _print(report: Report) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file, or pytest's capture: room for the notes
        console = Console(width=120)
    console.print(report)


def _failure(report: Report) -> errors.CheckFailed:
    first = next(row for row in report.rows if row.findings)
    finding: Finding = first.findings[0]
    others = [row.check for row in report.rows if row.findings and row is not first]
    also = f"\n\nAlso failed: {', '.join(others)}." if others else ""
    runs = f"{len({f.sample for f in first.findings})} of {first.runs} runs" if first.runs else "it"
    failure = errors.CheckFailed(
        op=report.op, check=first.check, runs=runs, finding=_indented(finding), also=also, report=report
    )
    failure.__cause__ = finding.cause
    return failure


def _indented(finding: Finding) -> str:
    return "\n".join(f"  {line}" if line else line for line in str(finding).splitlines())
