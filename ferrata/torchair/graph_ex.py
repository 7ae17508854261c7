"""The package `npugraph_ex`: the same backend in its captured mode, which needs no converters."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.fx.immutable_collections import immutable_list

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
    """Compile an FX graph; without example inputs, a backend that takes them later.

    The result is called as `gm` is and returns what `gm` returns: one tensor, a tuple, any structure.
    """
    config = apply_options(CompilerConfig(), {} if options is None else options)
    backend = _backend.get_npu_backend(compiler_config=config)
    if example_inputs is None:
        return lambda inputs: _compiled(gm, inputs, backend)
    return _compiled(gm, example_inputs, backend)


def _compiled(gm: torch.fx.GraphModule, inputs: Sequence[Any], backend: Callable[..., Any]) -> Any:
    results = gm.graph.output_node().args[0]
    leaves, form = pytree.tree_flatten(_plain(results))  # AOTAutograd takes flat tuples only
    flat = torch.fx.GraphModule(gm, copy.deepcopy(gm.graph))
    output = flat.graph.output_node()
    by_name = {node.name: node for node in flat.graph.nodes}
    output.args = (tuple(by_name[r.name] if isinstance(r, torch.fx.Node) else r for r in leaves),)
    flat.recompile()
    run = backend(flat, inputs)
    return lambda *args: pytree.tree_unflatten(list(run(*args)), form)


def _plain(results: Any) -> Any:
    """Python's own lists and dicts in the place of FX's immutable ones."""
    if isinstance(results, dict):
        return {key: _plain(value) for key, value in results.items()}
    if type(results) in (list, tuple) or isinstance(results, immutable_list):
        kind = tuple if isinstance(results, tuple) else list
        return kind(_plain(value) for value in results)
    return results


__all__ = ["CompilerConfig", "compile_fx", "get_compiler", "get_npu_backend", "npugraph_ex"]
