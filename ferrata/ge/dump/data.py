"""Data dumps of a compiled graph: each node's inputs and outputs as `.npy` files, or statistics of them as a table.

    <path>/worldsize<W>_global_rank<R>/<graph>/nodes.json
    <path>/worldsize<W>_global_rank<R>/<graph>/<step>/<node>-<type>.OUTPUT.<i>.<time>.npy     (or .INPUT., or stats.csv)

A step is one call of the graph. The dump is a probe (ge/probe.py) in the steps that are asked for; in all others the
plain program runs. `nodes.json` says which line, module and FX node each node comes from.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import itertools
import json
import os
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ferrata.ge.dump import stamp
from ferrata.ge.ir import Graph, Node
from ferrata.ge.probe import Tap, paths
from ferrata.ge.session import CompiledGraph

STATISTICS = ("node", "type", "side", "index", "dtype", "shape", "min", "max", "mean", "std", "nan", "inf", "line")
SCOPE = "_torchair_enable_data_dump"  # an attribute that torchair.scope.data_dump leaves on nodes


@dataclass(frozen=True, slots=True)
class DataDump:
    """What to dump. mode: "input", "output" or "all"; steps: "0|2-5", empty for all; data: "tensor" or "stats".

    layers: names of nodes, FX nodes or modules (with all below them), empty for all. original: the graph as it was
    before the passes, which then also runs.
    """

    path: str = "."
    mode: str = "all"
    steps: str = ""
    layers: tuple[str, ...] = ()
    data: str = "tensor"
    original: bool = False

    def step(self, number: int) -> bool:
        """Whether this step is dumped."""
        if not self.steps:
            return True
        ranges = [part.split("-") for part in self.steps.split("|")]
        return any(int(r[0]) <= number <= int(r[-1]) for r in ranges)

    def wanted(self, node: Node) -> bool:
        """Whether this node is dumped."""
        where = node.where
        return not self.layers or any(
            layer in (node.name, where.fx_node) or where.module == layer or where.module.startswith(f"{layer}.")
            for layer in self.layers
        )


def dumping(compiled: CompiledGraph, options: DataDump) -> CompiledGraph:
    """The compiled graph with the dump in its `run`. Warns of layers that no node has."""
    graph = compiled.original if options.original else compiled.graph
    folder = rank_folder(options.path) / safe(graph.name)
    state = _Dump(folder, options, any(n.attrs.get(SCOPE) is not None for n in graph.every_node()), paths(graph))
    _check_layers(graph, options)
    before = state.inputs if options.mode in ("input", "all") else None
    after = state.outputs if options.mode in ("output", "all") else None
    probed = dataclasses.replace(compiled, graph=graph).probed(Tap(before, after, state.wanted))
    plain = probed if options.original else compiled.run
    return dataclasses.replace(compiled, run=state.around(graph, probed, plain))


def rank_folder(path: str | os.PathLike[str]) -> Path:
    """Where this process writes below a dump path."""
    world, rank = os.environ.get("WORLD_SIZE", "1"), os.environ.get("RANK", "0")
    return Path(path) / f"worldsize{world}_global_rank{rank}"


class _Dump:
    """The running dump of one graph: the step counter, and where the step at hand is written (by thread)."""

    def __init__(self, folder: Path, options: DataDump, scoped: bool, names: Mapping[int, str]) -> None:
        self.folder, self.options, self.scoped, self.names = folder, options, scoped, names
        self.numbers = itertools.count()
        self.now = threading.local()

    def wanted(self, node: Node) -> bool:
        marked = not self.scoped or self.options.layers or node.attrs.get(SCOPE) is not None
        return bool(marked) and self.options.wanted(node)

    def sides(self, node: Node) -> list[str]:
        """What of a node is written as arrays."""
        if self.options.data != "tensor" or not self.wanted(node):
            return []
        return {"input": ["INPUT"], "output": ["OUTPUT"]}.get(self.options.mode, ["INPUT", "OUTPUT"])

    def around(
        self, graph: Graph, probed: Callable[[list[Any]], Any], plain: Callable[[list[Any]], Any]
    ) -> Callable[[list[Any]], Any]:
        def run(args: list[Any]) -> Any:
            number = next(self.numbers)
            if not self.options.step(number):
                return plain(args)
            self.now.folder = self.folder / str(number)
            _guarded(self.folder / "nodes.json", lambda file: file.write_text(index_text(graph, self.sides)))
            return probed(args)

        return run

    def inputs(self, node: Node, values: list[Any]) -> None:
        self._write(node, "INPUT", values)

    def outputs(self, node: Node, values: list[Any]) -> None:
        self._write(node, "OUTPUT", values)

    def _write(self, node: Node, side: str, values: Sequence[Any]) -> None:
        folder: Path = getattr(self.now, "folder", self.folder / "0")
        name = self.names.get(id(node), node.name)
        for i, value in enumerate(values):
            tensor = value if isinstance(value, torch.Tensor) else _number(value)
            if tensor is None:
                continue
            if self.options.data == "stats":
                row = [name, node.type, side, i, *statistics(tensor), node.where.line]
                _guarded(folder / "stats.csv", lambda file, row=row: _append(file, row))  # type: ignore[misc]
                continue
            path = folder / f"{safe(f'{name}-{node.type}')}.{side}.{i}.{stamp()}.npy"
            _guarded(path, lambda file, tensor=tensor: np.save(file, array(tensor)))  # type: ignore[misc]


def array(tensor: torch.Tensor) -> Any:
    """As NumPy has it; types that NumPy lacks as float32."""
    data = tensor.detach().cpu()
    unknown = data.is_floating_point() and data.dtype not in (torch.float16, torch.float32, torch.float64)
    return data.float().numpy() if unknown else data.resolve_conj().resolve_neg().numpy()


def statistics(tensor: torch.Tensor) -> list[Any]:
    """dtype, shape, min, max, mean, standard deviation, and how many are NaN and infinite; of the finite values."""
    facts = [str(tensor.dtype).removeprefix("torch."), str(list(tensor.shape))]
    data = tensor.detach().cpu()
    data = (data.abs() if data.is_complex() else data).to(torch.float64).flatten()
    finite = data[data.isfinite()]
    numbers: list[Any] = ["", "", "", ""]
    if finite.numel():
        numbers = [float(v) for v in (finite.min(), finite.max(), finite.mean(), finite.std(unbiased=False))]
    return [*facts, *numbers, int(data.isnan().sum()), int(data.isinf().sum())]


def index_text(graph: Graph, sides: Callable[[Node], list[str]]) -> str:
    """`nodes.json`: for each node what it is, where it comes from and what of it is dumped, in order of execution."""
    names = paths(graph)
    rows = [
        {
            "name": names[id(n)],
            "type": n.type,
            "outputs": [str(o.desc) for o in n.outputs],
            "line": n.where.line,
            "code": n.where.code,
            "module": n.where.module,
            "fx_node": n.where.fx_node,
            "fx_target": n.where.fx_target,
            "made_by": n.where.made_by,
            "dumped": sides(n),
        }
        for n in graph.every_node()
    ]
    return json.dumps({"graph": graph.name, "nodes": rows}, indent=1)


def safe(name: str) -> str:
    """A name as a part of a file name."""
    return re.sub(r'[/\\:*?"<>|\s]', "_", name)[:200]


def _number(value: Any) -> torch.Tensor | None:
    return torch.tensor(value) if isinstance(value, (bool, int, float)) else None


def _append(file: Path, row: Sequence[Any]) -> None:
    fresh = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        if fresh:
            writer.writerow(STATISTICS)
        writer.writerow(row)


def _guarded(path: Path, write: Callable[[Path], Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except OSError as problem:  # a dump that cannot be written must not stop the run
        warnings.warn(f"The data dump {path} was not written: {problem}", RuntimeWarning, stacklevel=2)


def _check_layers(graph: Graph, options: DataDump) -> None:
    for layer in options.layers:
        one = dataclasses.replace(options, layers=(layer,))
        if not any(one.wanted(n) for n in graph.every_node()):
            names = dict.fromkeys(x for n in graph.every_node() for x in (n.name, n.where.fx_node, n.where.module) if x)
            near = difflib.get_close_matches(layer, list(names), n=3, cutoff=0.4)
            hint = f" Near: {', '.join(near)}." if near else ""
            warnings.warn(
                f"dump_config.dump_layer: {graph.name} has no node, FX node or module {layer!r}.{hint}", UserWarning,
                stacklevel=2,
            )  # fmt: skip
