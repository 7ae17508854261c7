"""The kernels and operator libraries that the benchmarks run, built once from the examples and the demo."""

from __future__ import annotations

import functools
from pathlib import Path

import torch

from ferrata.cli.demo.library import build_library

REPO = Path(__file__).resolve().parent.parent
ADD_CUSTOM = REPO / "examples" / "add_custom_ge_torchair"


@functools.cache
def demo_operator() -> object:
    """torch.ops.ascendc_ops.ascendc_add with its GE deliverables, any shape (the demo's library), converter registered."""
    import tempfile

    import ferrata.npu  # noqa: F401
    from ferrata.cli.demo.model import register

    library, _ = build_library(Path(tempfile.mkdtemp(prefix="ferrata-bench-")))
    torch.ops.load_library(str(library))
    return register()
