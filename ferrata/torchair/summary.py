"""The summary that `debug.fx_summary` writes while compiling: a CSV row for each operator of a graph."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata.ge.dump import stamp
from ferrata.torchair.coverage import Row, survey
from ferrata.torchair.source import target_name

COLUMNS = ("target", "kind", "status", "calls", "inputs", "outputs", "lines", "reason")


def write_summary(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, direct: bool = False, folder: str = "."
) -> Path:
    """Write the file; its path. Inputs and outputs are data types and shapes with their counts.

    status: that of `ferrata coverage`; "partial" where calls of one operator differ.
    """
    with _disable_current_modes():
        surveyed = survey(gm, example_inputs, direct=direct)
    found = {row.node: row for row in surveyed if not row.inside}
    inside: dict[tuple[str, str], list[Row]] = {}  # what is missing or fails in branches and loops
    for row in surveyed:
        if row.inside:
            inside.setdefault((row.op, row.status), []).append(row)
    nodes: dict[Any, list[torch.fx.Node]] = {}
    for node in gm.graph.nodes:
        if node.op == "call_function":
            nodes.setdefault(node.target, []).append(node)
    path = Path(folder) / f"summary_rank_{os.environ.get('RANK', '0')}_pid_{os.getpid()}_ts_{stamp()}.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for target, calls in sorted(nodes.items(), key=lambda item: -len(item[1])):
            rows = [found[n.name] for n in calls if n.name in found]
            inputs = Counter(", ".join(_show(a.meta.get("val")) for a in n.all_input_nodes) for n in calls)
            outputs = Counter(_show(n.meta.get("val")) for n in calls)
            kind = getattr(target, "namespace", "builtin")
            facts = [_counted(inputs), _counted(outputs), *_words(rows)]
            writer.writerow([target_name(target), kind, _status(rows), len(calls), *facts])
        for (op, status), rows in inside.items():
            writer.writerow([op, op.partition(".")[0], status, len(rows), "", "", *_words(rows)])
    return path


def _status(rows: Sequence[Row]) -> str:
    statuses = {row.status for row in rows}
    return "partial" if len(statuses) > 1 else statuses.pop() if statuses else "builtin"


def _words(rows: Sequence[Row]) -> list[str]:
    """The lines, and the reasons."""
    return [
        "; ".join(dict.fromkeys(filter(None, texts))) for texts in ([r.line for r in rows], [r.reason for r in rows])
    ]


def _counted(texts: Counter[str]) -> str:
    return "; ".join(f"{text} x{count}" for text, count in texts.items())


def _show(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_show, value))})"
    return str(value)
