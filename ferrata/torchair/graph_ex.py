"""The package `npugraph_ex`: the same backend in its captured mode, which needs no converters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ferrata.torchair import backend as _backend
from ferrata.torchair.config import CompilerConfig as _Config
from ferrata.torchair.entry import npugraph_ex
from ferrata.torchair.options import apply_options


class CompilerConfig(_Config):
    """A CompilerConfig whose mode is npugraph_ex from the start."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = "npugraph_ex"


def get_npu_backend(
    *, compiler_config: _Config | None = None, custom_decompositions: Mapping[Any, Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """The backend for torch.compile, in captured mode."""
    return _backend.get_npu_backend(
        compiler_config=compiler_config or CompilerConfig(), custom_decompositions=custom_decompositions
    )


def get_compiler(compiler_config: _Config | None = None) -> Callable[..., Any]:
    """The compiler of one AOT graph, in captured mode."""
    return _backend.get_compiler(compiler_config or CompilerConfig())


def compile_fx(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any] | None = None, options: Mapping[str, Any] | None = None
) -> Any:
    """Compile an FX graph; without example inputs, a backend that takes them later."""
    config = apply_options(CompilerConfig(), options or {})
    compiled = _backend.get_npu_backend(compiler_config=config)
    return compiled(gm, example_inputs) if example_inputs is not None else lambda inputs: compiled(gm, inputs)


__all__ = ["CompilerConfig", "compile_fx", "get_compiler", "get_npu_backend", "npugraph_ex"]
