"""What a check found: rows of the table, findings, and the report that holds them.

A `Finding` is one thing that is wrong, with the case that shows it; a `Row` is one check. The report prints as one
table; `CheckFailed` carries the first finding in the order of the checks, which go from causes to consequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MARKS = {"ok": "green", "failed": "bold red", "skipped": "yellow", "unchanged": "green", "not installed": "dim"}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. sample: text of the run; again: arguments of `check` that run only this.

    where: a line of the user's, if one can be named. cause: the exception behind it.
    """

    message: str
    sample: str = ""
    again: str = ""
    where: str = ""
    cause: BaseException | None = None

    def __str__(self) -> str:
        parts = [self.message]
        parts += [f"  case   {self.sample}"] * bool(self.sample)
        parts += [f"  where  {self.where}"] * bool(self.where)
        parts += [f"  again  {self.again}"] * bool(self.again)
        return "\n".join(parts)


@dataclass(frozen=True)
class Outcome:
    """What one check says: findings, the number of runs it looked at, and a note; or why it did not run."""

    runs: int = 0
    findings: Sequence[Finding] = ()
    note: str = ""
    skipped: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the table. status: a key of MARKS."""

    check: str
    status: str
    runs: int = 0
    seconds: float = 0.0
    note: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass
class Report:
    """The verdict on one operator. `ok` when no check failed; `print(report)` gives the table as text."""

    op: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""

    @property
    def ok(self) -> bool:
        return not any(row.status == "failed" for row in self.rows)

    @property
    def findings(self) -> list[Finding]:
        """All findings, first causes first."""
        return [finding for row in self.rows for finding in row.findings]

    def __getitem__(self, check: str) -> Row:
        return next(row for row in self.rows if row.check == check)

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=120, no_color=True)
        with console.capture() as captured:
            console.print(self)
        return captured.get().rstrip()

    def __rich__(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        failed = sum(row.status == "failed" for row in self.rows)
        able = sum(row.status != "not installed" for row in self.rows)
        verdict = f"[bold red]{failed} of {able} checks failed" if failed else "[bold green]ok"
        title = f"[bold]{escape(self.op)}[/]: {verdict}[/]  [dim]{self.seconds:.2f} s{escape(self.note)}[/]"
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("check")
        table.add_column("")
        table.add_column("runs", justify="right")
        table.add_column("time", justify="right")
        table.add_column("", overflow="fold")
        for row in self.rows:
            note = row.note if not row.findings else row.findings[0].message.splitlines()[0]
            more = f" (and {len(row.findings) - 1} more)" if len(row.findings) > 1 else ""
            time = f"{row.seconds * 1e3:.0f} ms" if row.seconds else ""
            runs = str(row.runs) if row.runs else ""
            table.add_row(row.check, f"[{MARKS[row.status]}]{row.status}[/]", runs, time, escape(note + more))
        return Group(Text.from_markup(title), table)
