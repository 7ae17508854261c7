"""The eager operator (TORCH_LIBRARY on PrivateUse1, launching the kernel) against torch.add on CPU tensors."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch

import ferrata.npu  # noqa: F401
from benchmarks.kernels import REPO
from benchmarks.measure import Result, versus
from ferrata.cli.demo.library import build_library


def run() -> list[Result]:
    source = REPO / "examples" / "add_custom_torch_library" / "add_custom.asc"
    library, _ = build_library(Path(tempfile.mkdtemp(prefix="ferrata-bench-")), [source])
    torch.ops.load_library(str(library))
    operator = torch.ops.ascendc_eager.ascendc_add
    x, y = torch.rand(8, 2048), torch.rand(8, 2048)
    xn, yn = x.to("npu"), y.to("npu")
    with torch.no_grad():
        torch.testing.assert_close(operator(xn, yn).cpu(), x + y)
        return [
            versus(
                "eager AddCustom [8, 2048] against torch.add",
                lambda: operator(xn, yn),
                lambda: torch.add(x, y),
                limit=3.0,
            )
        ]
