"""One compiled form of a cached function: which calls it serves, where its inputs come from, how the result is built.

It comes from a `Traced` function that was compiled just now, or from the document of a file; both run the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata.ge import dump
from ferrata.ge.feeds import Feeds
from ferrata.ge.ir import Graph
from ferrata.ge.session import CompiledGraph, ready
from ferrata.ge.store import device_of, place
from ferrata.ge.store.document import from_document, to_document
from ferrata.ge.store.values import Reader, Writer
from ferrata.torchair import eager
from ferrata.torchair.backend import cloning
from ferrata.torchair.capture import Captured, CapturePlan
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.gears import combine


class Entry:
    """`accepts(spec, leaves)` says why not, or None; `run(leaves)` computes."""

    def __init__(
        self,
        module: torch.nn.Module,
        compiled: CompiledGraph,
        meta: dict[str, Any],
        out_spec: Any,
        config: CompilerConfig,
    ) -> None:
        reader = Reader([])
        self.compiled, self.meta, self.out_spec = compiled, meta, out_spec
        self.in_spec: str = meta["in_spec"]
        self._last_spec: Any = None
        self._plain = [(int(i), reader.decode(v)) for i, v in meta["leaves"]]
        inputs = meta["inputs"]
        feeds = Feeds(compiled.graph, meta["ranges"], [reader.decode(g) for g in meta["guards"]], strides=True)
        self._arguments = [(i, row["leaf"]) for i, row in enumerate(inputs) if row["kind"] == "argument"]
        self._argument_feeds = feeds.only([i for i, _ in self._arguments])
        self._weight_feeds = feeds.only([i for i, row in enumerate(inputs) if row["kind"] in ("parameter", "buffer")])
        self._slots = [_slot(module, row) for row in inputs if row["kind"] in ("parameter", "buffer")]
        self._constants = {i: compiled.graph.feeds[i].value for i, r in enumerate(inputs) if r["kind"] == "constant"}
        self._order = [row["kind"] for row in inputs]
        self._written = [
            leaf for (_, leaf), row in zip(self._arguments, _of(inputs, "argument"), strict=True) if row["mutated"]
        ]
        self._known: list[int] = []
        given = meta.get("gears")
        self.gears = None if given is None else combine([tuple(row) for row in given[1]], given[0])
        self._single = out_spec.is_leaf()
        self._program = compiled.run
        if "capture" not in meta and config.raw("debug.aclgraph.enable_output_clone"):
            self._program = cloning(compiled.run)
        if "capture" in meta:
            bound, passed, lines = meta["capture"]
            self._program = Captured(compiled, CapturePlan(tuple(bound), tuple(passed), lines), config).run

    def accepts(self, spec: Any, leaves: Sequence[Any]) -> str | None:
        if spec is not self._last_spec:
            if spec != self._last_spec and repr(spec) != self.in_spec:
                return "the arguments are structured otherwise"
            self._last_spec = spec
        for i, value in self._plain:
            if leaves[i] is not value and (type(leaves[i]) is not type(value) or leaves[i] != value):
                return f"argument {i} is {leaves[i]!r}, compiled for {value!r}"
        found = self._argument_feeds.problem([leaves[leaf] for _, leaf in self._arguments])
        if found is None:
            return None
        name, expected, got = found
        return f"{name} has {got}, compiled for {expected}"

    def overlapping(self, leaves: Sequence[Any]) -> bool:
        """Whether a tensor that the function writes shares memory with another argument."""
        if not self._written:
            return False
        owners: dict[int, int] = {}
        for _, leaf in self._arguments:
            tensor = leaves[leaf]
            if tensor.numel():
                pointer = tensor.untyped_storage().data_ptr()
                owners[pointer] = owners.get(pointer, 0) + 1
        return any(owners.get(leaves[leaf].untyped_storage().data_ptr(), 0) > 1 for leaf in self._written)

    def weights_changed(self) -> str | None:
        """Why the weights of the module do not fit any more; None if they do."""
        values = [table[name] for table, name in self._slots]
        ids = [id(v) for v in values]
        if ids == self._known:
            return None
        found = self._weight_feeds.problem(values)
        if found is None:
            self._known = ids
            return None
        name, expected, got = found
        return f"{name} has {got}, compiled for {expected}"

    def run(self, leaves: Sequence[Any]) -> Any:
        weights = iter([table[name] for table, name in self._slots])
        given = iter([leaves[leaf] for _, leaf in self._arguments])
        values = [
            next(given) if kind == "argument" else self._constants[i] if kind == "constant" else next(weights)
            for i, kind in enumerate(self._order)
        ]
        results = self._program(values)
        return results[0] if self._single else pytree.tree_unflatten(list(results), self.out_spec)

    # ---- as a file ----

    def document(self) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Raises GraphNotStorable; NotImplementedError for a result whose structure has no name."""
        out_spec = pytree.treespec_dumps(self.out_spec)
        return to_document(self.compiled.graph, {**self.meta, "out_spec": out_spec, "program": self.compiled.source})


def restored(
    module: torch.nn.Module, document: dict[str, Any], tensors: list[torch.Tensor], config: CompilerConfig
) -> Entry:
    """The entry of a file, with the dumps that the options ask for.

    Raises ValueError, KeyError or a FerrataError where it does not fit this process.
    """
    meta = document["meta"]
    device = device_of(meta["device"])
    graph: Graph = from_document(document, place(document, tensors, device))
    compiled = ready(graph, device, meta.get("hints"))
    kind = config.raw("debug.graph_dump.type")
    dumps = () if kind is None else (dump.graph_dump(kind, str(config.raw("debug.graph_dump.path"))),)
    dump.stage(graph, "Build", dumps)
    if config.raw("dump_config.enable_dump"):
        compiled = eager.dumping_nodes(compiled, config)
    return Entry(module, compiled, meta, pytree.treespec_loads(meta["out_spec"]), config)


def meta_of(traced: Any, device: torch.device) -> dict[str, Any]:
    """What a file keeps beside the graph. Raises TypeError for arguments that a file cannot hold."""
    writer = Writer()
    tensors = {i.leaf for i in traced.inputs if i.kind == "argument"}
    return {
        "device": str(device),
        "in_spec": repr(traced.in_spec),
        "leaves": [[i, writer.encode(v)] for i, v in enumerate(traced.leaves) if i not in tensors],
        "inputs": [
            {"kind": i.kind, "name": i.name, "leaf": i.leaf, "mutated": i.mutated} for i in traced.inputs
        ],
        "ranges": {name: list(bounds) for name, bounds in traced.ranges.items()},
        "guards": [writer.encode(g) for g in traced.guards],
    }  # fmt: skip


def _of(inputs: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [row for row in inputs if row["kind"] == kind]


def _slot(module: torch.nn.Module, row: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The table of the module in which a weight stands, and its name there."""
    path, _, name = str(row["name"]).rpartition(".")
    owner = module.get_submodule(path)
    table = owner._parameters if name in owner._parameters else owner._buffers
    if table.get(name) is None:
        raise ValueError(f"the module has no {row['name']}")
    return table, name
