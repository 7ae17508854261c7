"""Run the benchmarks, print a table, write `benchmarks/results.json`.

Arguments: names of groups (`compile graph eager op stream fallback vector checks testing lang catalogue`), default all.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Result

GROUPS = (
    "compile", "graph", "convert", "cache", "zoo", "memory", "eager", "op", "stream", "fallback", "vector", "checks",
    "testing", "lang", "catalogue",
)  # fmt: skip


def _text(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} us" if abs(seconds) < 1e-3 else f"{seconds * 1e3:.2f} ms"


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.exit(f"no benchmark group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    results: list[Result] = []
    for name in names or GROUPS:
        results += importlib.import_module(f"benchmarks.bench_{name}").run()
    table = Table("benchmark", "ferrata", "baseline", "ratio", "goal", "", "noise", "note")
    for row in results:
        goal = (
            "" if row.limit is None else (f"<= {row.limit:g}x" if row.ratio is not None else f"<= {_text(row.limit)}")
        )
        table.add_row(
            row.name,
            _text(row.seconds),
            "" if row.baseline is None else _text(row.baseline),
            "" if row.ratio is None else f"{row.ratio:.2f}x",
            goal,
            {True: "met", False: "MISSED", None: ""}[row.ok],
            f"{row.noise:.0%}",
            row.note,
        )
    Console(width=160).print(table)
    out = Path(__file__).parent / "results.json"
    machine = f"{platform.machine()}, {platform.processor() or 'unknown processor'}, Python {platform.python_version()}"
    out.write_text(json.dumps({"machine": machine, "results": [row.as_dict() for row in results]}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
