"""Eager operators (TORCH_LIBRARY on PrivateUse1, launching a kernel) against torch.add on CPU tensors."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch

import ferrata.npu  # noqa: F401
from benchmarks.kernels import ADD_CUSTOM, REPO
from benchmarks.measure import Result, versus
from ferrata.cli.demo.library import build_library


def _operator(sources: list[Path]) -> None:
    library, _ = build_library(Path(tempfile.mkdtemp(prefix="ferrata-bench-")), sources)
    torch.ops.load_library(str(library))


def run() -> list[Result]:
    _operator([ADD_CUSTOM / "add_custom_kernel.asc", Path(__file__).parent / "eager_add.asc"])
    _operator([REPO / "examples" / "add_custom_torch_library" / "add_custom.asc"])
    fixed, any_length = torch.ops.ferrata_bench_eager.add, torch.ops.ascendc_eager.ascendc_add
    x, y = torch.rand(8, 2048), torch.rand(8, 2048)
    xn, yn = x.to("npu"), y.to("npu")
    rows = []
    with torch.no_grad():
        for name, op, limit in (("AddCustom", fixed, 3.0), ("add of any length, queues", any_length, None)):
            torch.testing.assert_close(op(xn, yn).cpu(), x + y, rtol=0, atol=0)
            title = f"eager {name} [8, 2048] against torch.add"
            rows.append(versus(title, lambda f=op: f(xn, yn), lambda: torch.add(x, y), limit=limit))
    return rows
