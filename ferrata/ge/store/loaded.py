"""A graph that came from a file: its inputs by name, checked, and its results."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.feeds import Feeds
from ferrata.ge.ir import Desc, Graph, Ref
from ferrata.ge.session import CompiledGraph
from ferrata.ge.store.values import Reader


class LoadedGraph:
    """Call it with tensors by position or by name; it returns a tuple of results.

    `inputs` and `outputs` describe both ends, `graph` is the graph as it runs, `source` the program.
    """

    def __init__(self, compiled: CompiledGraph, meta: dict[str, Any], device: torch.device) -> None:
        self.compiled, self.meta, self.device = compiled, meta, device
        feeds = compiled.graph.feeds
        self._state = {i: f.value for i, f in enumerate(feeds) if f.value is not None}  # buffers that the graph writes
        self._named = [f for f in feeds if f.value is None]
        effects = [n for n in compiled.graph.nodes if n.effect]
        self._written = {f.name for f in feeds if any(r.node == f.name for n in effects for r in n.refs)}
        self.inputs: dict[str, Desc] = {f.name: f.outputs[0].desc for f in self._named}
        guards = [Reader([]).decode(g) for g in meta.get("guards", ())]
        self._feeds = Feeds(compiled.graph, meta.get("ranges"), guards)

    @property
    def graph(self) -> Any:
        return self.compiled.graph

    @property
    def source(self) -> str:
        """The program that runs."""
        return self.compiled.source

    @property
    def outputs(self) -> list[str]:
        """Names of the results, as the exporting function structured them; else `output0`, `output1`, ..."""
        count = len(self.compiled.graph.outputs)
        names = self.meta.get("outputs") or []
        return list(names) if len(names) == count else [f"output{i}" for i in range(count)]

    def __call__(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """Raises FeedMismatch for a missing, unknown or unfit input."""
        values = self._bind(args, named)
        feeds, given = self.compiled.graph.feeds, iter(values)
        full = [self._state[i] if i in self._state else next(given) for i in range(len(feeds))]
        there = [v.to(self.device) if self._moves(v, f) else v for v, f in zip(full, feeds, strict=True)]
        self._feeds.check(there)
        back = [
            (v, moved)
            for v, moved, f in zip(full, there, feeds, strict=True)
            if v is not moved and f.name in self._written
        ]
        results: tuple[Any, ...] = self.compiled.run(there)
        for v, moved in back:  # the caller's tensor is what the graph was to write
            v.copy_(moved)
        return results

    def _moves(self, value: Any, feed: Any) -> bool:
        desc = feed.outputs[0].desc
        here = desc.placement == "NPU" or (self.device.type == "cpu" and not desc.host)
        return isinstance(value, torch.Tensor) and here and value.device.type != self.device.type

    def _bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        names = list(self.inputs)
        wanted = f"{len(names)} inputs ({', '.join(f'{n}: {d}' for n, d in self.inputs.items()) or 'none'})"

        def refuse(got: str) -> errors.FeedMismatch:
            return errors.FeedMismatch(graph=self.compiled.graph.name, expected=wanted, got=got)

        if len(args) > len(names):
            raise refuse(f"{len(args)}")
        values = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names:
                hit = difflib.get_close_matches(name, names, n=1)
                raise refuse(f"{name!r}" + (f" (did you mean {hit[0]!r}?)" if hit else ""))
            if name in values:
                raise refuse(f"{name!r} twice")
            values[name] = value
        missing = [n for n in names if n not in values]
        if missing:
            raise refuse(f"no {', '.join(map(repr, missing))}")
        return [values[n] for n in names]


def describe(graph: Graph, meta: dict[str, Any], device: torch.device) -> Iterator[str]:
    """Lines that say what a graph takes, gives and consists of."""
    yield f"graph {graph.name}: {sum(1 for _ in graph.every_node())} nodes, made for {device}"
    for feed in graph.feeds:
        note = "  (kept between calls)" if feed.value is not None else ""
        yield f"input  {feed.name}: {feed.outputs[0].desc}{note}"
    for symbol, bounds in (meta.get("ranges") or {}).items():
        lower, upper = bounds
        if symbol in graph.symbols:
            yield f"size   {symbol}: {lower if lower is not None else 0} to {upper if upper is not None else 'any'}"
    names = meta.get("outputs") or []
    nodes = graph.by_name()
    for i, value in enumerate(graph.outputs):
        name = names[i] if len(names) == len(graph.outputs) else f"output{i}"
        shown = nodes[value.node].outputs[value.index].desc if isinstance(value, Ref) else value
        yield f"output {name}: {shown}"
    weights = [n for n in graph.nodes if n.type == "Const"]
    size = sum(n.value.numel() * n.value.element_size() for n in weights)
    yield f"consts {len(weights)}, {size / 2**20:.1f} MiB"
    counts = Counter(n.type for n in graph.every_node() if n.type not in ("Data", "RefData", "Const"))
    yield "nodes  " + ", ".join(f"{kind} {n}" for kind, n in counts.most_common())
    aten = sorted({n.type for n in graph.every_node() if not n.portable})
    if aten:
        yield f"aten   {', '.join(aten)} (run here only)"
