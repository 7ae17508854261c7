"""A place for checkers of kernels: races, bounds, queues, uninitialised reads. This module holds state: their table.

A checker is a function `(op, case) -> findings` under a name; the table of every report has a row for it. Until one is
installed the row says so, so that nobody takes a green table for proof that a kernel has no race.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferrata.testing.context import Context, said
from ferrata.testing.report import Finding, Outcome

# (the operator as `check` got it, the values of one case on the device) -> findings or messages
Checker = Callable[[Any, dict[str, Any]], Iterable["Finding | str"]]

_checkers: dict[str, Checker] = {}
NAMES = ("hazards",)  # shown even when nobody registered them


def register_checker(name: str, checker: Checker) -> None:
    """Add a checker of kernels to every report; a second one of the same name replaces the first.

    checker(op, values) runs the operator on `values`, the inputs of one case on the device, in whatever way it needs
    and gives what it found: messages, or `Finding`s that name the user's line. Nothing found is an empty list.
    """
    _checkers[name] = checker


def registered() -> dict[str, Checker]:
    """Checkers by name."""
    return dict(_checkers)


def rows() -> dict[str, Callable[[Any, Context], Outcome] | None]:
    """The rows of the table for checkers; None is one that is not installed."""
    found: dict[str, Callable[[Any, Context], Outcome] | None] = dict.fromkeys(NAMES)
    for name, checker in _checkers.items():
        found[name] = lambda op, ctx, checker=checker: _run(op, ctx, checker)  # type: ignore[misc]
    return found


def _run(op: Any, ctx: Context, checker: Checker) -> Outcome:
    findings: list[Finding] = []
    runs = ctx.each_dtype()
    for r in runs:
        try:
            for found in checker(op, r.sample.inputs(ctx.device)):
                findings.append(found if isinstance(found, Finding) else ctx.finding(found, r.sample))
        except Exception as failure:  # noqa: BLE001  a checker runs the user's kernel
            findings.append(ctx.finding(f"the checker raised {said(failure)}", r.sample, failure))
    return Outcome(len(runs), findings)
