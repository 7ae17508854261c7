"""Ways to run a graph without compiling it: plainly, or writing every node's tensors; and dumps of compiled graphs.

`debug.data_dump` and `dump_config` lead here. The graph runs node by node: slow, but one sees everything.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ferrata.ge.dump import data, stamp
from ferrata.ge.session import CompiledGraph
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.source import target_name

_graphs = itertools.count()


def running(gm: torch.fx.GraphModule) -> Callable[[list[Any]], Any]:
    """Run the graph node by node."""
    return _boxed(torch.fx.Interpreter(gm))


def dumping(gm: torch.fx.GraphModule, config: CompilerConfig) -> Callable[[list[Any]], Any]:
    """Run the graph node by node and write each call's inputs and outputs as `.npy` files.

    Files: <path>/worldsize<W>_global_rank<R>/graph_<k>/<step>/<node>-<target>.INPUT.<i>.<time>.npy and .OUTPUT.….
    """
    folder = data.rank_folder(config.raw("debug.data_dump.path")) / f"graph_{next(_graphs)}"
    return _boxed(_Dumper(gm, folder, config.raw("debug.data_dump.filter")))


def dumping_nodes(compiled: CompiledGraph, config: CompilerConfig) -> CompiledGraph:
    """The compiled graph with the data dump that `dump_config` describes."""

    def option(name: str) -> Any:
        return config.raw(f"dump_config.{name}")

    return data.dumping(
        compiled,
        data.DataDump(
            str(option("dump_path")), option("dump_mode"), option("dump_step"), tuple(option("dump_layer").split()),
            option("dump_data"), option("data_dump_stage") == "original",
        ),
    )  # fmt: skip


def _boxed(interpreter: torch.fx.Interpreter) -> Callable[[list[Any]], Any]:
    def run(args: list[Any]) -> Any:
        inputs = list(args)
        args.clear()
        return interpreter.run(*inputs)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


class _Dumper(torch.fx.Interpreter):
    def __init__(self, gm: torch.fx.GraphModule, folder: Path, keep: Callable[[Any], Any] | None) -> None:
        super().__init__(gm)
        self.folder, self.keep = folder, keep
        self.step = itertools.count()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        self.current = self.folder / str(next(self.step))
        return super().run(*args, **kwargs)

    def run_node(self, n: torch.fx.Node) -> Any:
        wanted = n.op == "call_function" and (self.keep is None or self.keep(n) is not None)
        if wanted:
            self._write(n, "INPUT", self.fetch_args_kwargs_from_env(n)[0])
        result = super().run_node(n)
        if wanted:
            self._write(n, "OUTPUT", result if isinstance(result, (list, tuple)) else (result,))
        return result

    def _write(self, node: torch.fx.Node, side: str, values: Any) -> None:
        moment = stamp()
        stem = f"{node.name}-{target_name(node.target)}.{side}"
        for i, value in enumerate(values):
            for suffix, tensor in _tensors(value, str(i)):
                path = self.current / f"{stem}.{suffix}.{moment}.npy"
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    np.save(path, data.array(tensor))
                except OSError as problem:  # a dump that cannot be written must not stop the run
                    warnings.warn(f"The data dump {path} was not written: {problem}", RuntimeWarning, stacklevel=2)


def _tensors(value: Any, index: str) -> list[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        return [(index, value)]
    if isinstance(value, (list, tuple)):
        return [(f"{index}.{j}", v) for j, v in enumerate(value) if isinstance(v, torch.Tensor)]
    return []
