"""A failing case that was drawn, made small: hypothesis searches for the smallest one that fails the same check.

Only what failed first is looked at, in the dtype and layout in which it failed, and not for longer than a user waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from ferrata.testing.cases import Case
from ferrata.testing.report import Report, Row
from ferrata.testing.strategies import elements, shapes
from ferrata.testing.subject import Subject

SECONDS = 5.0  # for the whole search
EXAMPLES = 200

Check = Callable[[Case], Row | None]


def shrunk(report: Report, subject: Subject, again: Callable[[Case, str], Report]) -> Report:
    """The report with the smallest case that was found in front of the first failing row.

    again: runs one check on one case.
    """
    failing = next(row for row in report.rows if row.findings)

    def check(case: Case) -> Row | None:
        return next(
            (row for row in again(case, failing.check).rows if row.check == failing.check and row.findings), None
        )

    found = _smallest(subject, check)
    if found is None:
        return report
    case, row = found
    if repr(case) in failing.findings[0].sample:
        return report
    first = replace(row.findings[0], message=f"{row.findings[0].message}\n  (the smallest case found, of those drawn)")
    rows = [replace(r, findings=(first, *r.findings)) if r is failing else r for r in report.rows]
    return Report(report.op, rows, report.seconds, report.note)


class _Fails(Exception):
    """The case fails too."""


def _smallest(subject: Subject, check: Check) -> tuple[Case, Row] | None:
    """The smallest case that fails, with its row."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings

    best: tuple[Case, Row] | None = None
    known: dict[str, Row | None] = {}
    end = time.monotonic() + SECONDS

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(shapes(subject))
    def search(case: Case) -> None:
        nonlocal best
        key = repr(case)
        if key not in known:
            if time.monotonic() > end:
                return
            known[key] = check(case)
        row = known[key]
        if row is not None:
            if best is None or elements(case) < elements(best[0]):
                best = case, row
            raise _Fails

    with suppress(Exception):  # _Fails; Flaky when the time was over; what counts is the best case
        search()
    return best
