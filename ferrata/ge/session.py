"""A session compiles graphs and runs them: passes, placement, program; dumps on the way.

It holds no state besides its options. A compiled graph is a function from a list of inputs to a tuple of outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ferrata import errors
from ferrata.ge import dump
from ferrata.ge.ir import CLUSTER, Graph
from ferrata.ge.memory import MemoryPlan, plan_memory
from ferrata.ge.passes import final, run_passes
from ferrata.ge.probe import Probe
from ferrata.ge.program import Program
from ferrata.ge.prototype import settled


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """A graph ready to run. `run(inputs)` empties the list; `source` is the program that runs."""

    original: Graph
    graph: Graph
    source: str
    run: Callable[[list[Any]], tuple[Any, ...]]
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    hints: Mapping[str, int] = field(default_factory=dict)  # the sizes that it was compiled with, by symbol

    @property
    def memory(self) -> MemoryPlan:
        """When each value lives, and how much memory that takes: print it, or see ferrata.ge.memory."""
        return plan_memory(self.graph, self.hints)

    def probed(self, probe: Probe) -> Callable[[list[Any]], tuple[Any, ...]]:
        """`run` with the probe around each node."""
        with settled():
            return Program(self.graph, self.device, probe).compile()

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Run with checks of the inputs' number and, for tensors of known type, their dtype. Raises FeedMismatch."""
        feeds = self.graph.feeds
        if len(inputs) != len(feeds):
            raise errors.FeedMismatch(
                graph=self.graph.name,
                expected=f"{len(feeds)} inputs ({', '.join(f.name for f in feeds)})",
                got=f"{len(inputs)}",
            )
        return self.run(list(inputs))


@dataclass(frozen=True, slots=True)
class Session:
    """Options of compilation.

    level: "O1" or "O3"; off: names of passes that do not run; clusters: built-in nodes run as machine code from
    TorchInductor, which takes a C++ compiler's time; guarded: inputs have the strides and sizes that the graph says, so
    clusters need not look.
    """

    level: str = "O3"
    off: frozenset[str] = frozenset()
    dump_options: Sequence[dump.GraphDump | dump.Listener] = field(default_factory=tuple)
    clusters: bool = False
    guarded: bool = False

    def compile(
        self,
        graph: Graph,
        device: torch.device | str = "cpu",
        *,
        hints: Mapping[str, int] | None = None,
        kind: str = "inference",
    ) -> CompiledGraph:
        """hints: sizes to expect, by symbol; kind: "inference", "forward" or "backward".

        Raises NoImplementation if a node has nobody to execute it.
        """

        def watch(changed: Graph, name: str) -> None:
            dump.stage(changed, name, self.dump_options)

        dump.stage(graph, "PreRunBegin", self.dump_options)
        with settled():
            optimised = run_passes(graph, self.level, self.off, watch)
            where = torch.device(device)
            if self.clusters:
                optimised = self._clustered(optimised, where, hints or {}, kind)
            optimised = run_passes(optimised, self.level, self.off, watch, final(hints or {}, kind))
            program = Program(optimised, where)
        dump.stage(optimised, "Build", self.dump_options)
        compiled = CompiledGraph(graph, optimised, program.source, program.compile(), where, hints or {})
        dump.memory(optimised, lambda: str(compiled.memory), self.dump_options)
        return compiled

    def _clustered(self, graph: Graph, device: torch.device, hints: Mapping[str, int], kind: str) -> Graph:
        from ferrata.ge import cluster  # late: it imports Inductor

        around = cluster.cluster(graph, device, hints, kind, self.guarded)
        if around is not graph:
            dump.stage(graph, f"Before{cluster.NAME}", self.dump_options)
            dump.stage(around, f"After{cluster.NAME}", self.dump_options)
        return around


def ready(graph: Graph, device: torch.device | str = "cpu", hints: Mapping[str, int] | None = None) -> CompiledGraph:
    """A graph that went through a session before, such as one from a file: no pass runs; clusters are compiled again,
    for sizes as `hints` says, by Inductor's cache. Raises NoImplementation.
    """
    where = torch.device(device)
    with settled():
        if any(n.type == CLUSTER and n.call is None for n in graph.nodes):
            from ferrata.ge import cluster  # late: it imports Inductor

            graph = cluster.compiled(graph, where, hints or {})
        program = Program(graph, where)
    return CompiledGraph(graph, graph, program.source, program.compile(), where)
