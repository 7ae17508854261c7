"""What the npu device adds to an operator of ATen: the same call on npu and CPU tensors of a few elements."""

from __future__ import annotations

from collections.abc import Callable

import torch

import ferrata.npu  # noqa: F401
from benchmarks.measure import Result, overhead

OPERATORS: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
    "add": lambda a, b: torch.add(a, b),
    "mul_ (in place)": lambda a, b: a.mul_(b),
    "mm": lambda a, b: torch.mm(a, b),
    "softmax": lambda a, b: torch.softmax(a, -1),
    "cat": lambda a, b: torch.cat([a, b]),
    "sum": lambda a, b: a.sum(),
}


def run() -> list[Result]:
    a, b = torch.rand(8, 8), torch.ones(8, 8)
    an, bn = a.to("npu"), b.to("npu")
    rows = []
    with torch.no_grad():
        for name, op in OPERATORS.items():
            rows.append(
                overhead(f"fallback overhead: {name}", lambda f=op: f(an, bn), lambda f=op: f(a, b), limit=1e-6)
            )
    return rows
