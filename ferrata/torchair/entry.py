"""The backends that torch.compile finds by name: `npu` (GE graph), `npugraph_ex` (captured operators, no GE graph)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.torchair.backend import _is_ours, npu_backend
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.meta import explain_missing_meta


def npu(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
    """torch.compile(backend="npu"): the default CompilerConfig."""
    return npu_backend(gm, example_inputs, compiler_config=CompilerConfig(), decompositions={}, **kwargs)


def npugraph_ex(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
    """torch.compile(backend="npugraph_ex", options={...}): operators run their device kernels, capture is emulated."""
    config = CompilerConfig()
    config.mode = "npugraph_ex"
    return npu_backend(gm, example_inputs, compiler_config=config, decompositions={}, **kwargs)


npu._ferrata_backend = npugraph_ex._ferrata_backend = True  # type: ignore[attr-defined]
explain_missing_meta(_is_ours)
