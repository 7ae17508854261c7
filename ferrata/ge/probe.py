"""Probes: what an instrumented variant of a generated program does around each node.

`Program(graph, device, probe)` writes the same program with the probe's lines around those of each node. Plain programs
have none; they only look, once a call, whether torch's profiler is on, and hand over to their profiled variant then.

    run = compiled.probed(Timing())        times by node
    run = compiled.probed(Tap(after=f))    f(node, values) after each node
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from ferrata.ge.ir import Graph, Node


class Names(Protocol):
    """What a probe may ask of the program under construction."""

    def bind(self, value: Any, hint: str) -> str:
        """A global name for an object."""

    def variable(self, hint: str) -> str:
        """A local name that nothing else has."""

    def targets(self, node: Node) -> list[str]:
        """The variables of the node's outputs."""


class Probe(Protocol):
    """Lines around the lines of a node."""

    def around(self, node: Node, body: Sequence[str], reads: Sequence[str], names: Names) -> list[str]:
        """The lines in place of `body`, indented as those. reads: the variables that the node reads."""


@dataclass(frozen=True, slots=True)
class Profiling:
    """Each node is an operator to torch.profiler, by type and name, with its inputs' shapes and its source line."""

    def around(self, node: Node, body: Sequence[str], reads: Sequence[str], names: Names) -> list[str]:
        record = names.bind(torch._C._profiler._RecordFunctionFast, "record")
        facts = {"node": node.name, "line": node.where.line, "module": node.where.module, "fx_node": node.where.fx_node}
        known = names.bind({k: v for k, v in facts.items() if v}, f"{node.name}_facts")
        head = f"    with {record}({profile_name(node)!r}, [{', '.join(reads)}], {known}):"
        return [head, *(f"    {line}" for line in body)] if body else [head, "        pass"]


def profile_name(node: Node) -> str:
    """How torch.profiler calls a node: `MatMulV2/MatMulV2_3`."""
    return f"{node.type}/{node.name}"


def paths(graph: Graph) -> dict[int, str]:
    """A name for each node object, unique in the whole: its own, in subgraphs `<owner>/<branch>/<node>`."""
    found = {id(node): node.name for node in graph.nodes}
    for path, _, _, inner in graph.subgraphs():
        start = path.removeprefix(f"{graph.name}/")
        found.update({id(node): f"{start}/{node.name}" for node in inner.nodes})
    return found


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds and runs by node, summed over calls. The emulated device runs in the calling thread: nothing to wait for.

    names: as `paths` gives them, to tell the nodes of subgraphs from others of the same name.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    runs: Counter[str] = field(default_factory=Counter)

    def around(self, node: Node, body: Sequence[str], reads: Sequence[str], names: Names) -> list[str]:
        name = self.names.get(id(node), node.name)
        clock, began = names.bind(time.perf_counter, "clock"), names.variable("began")
        seconds, runs = names.bind(self.seconds, "seconds"), names.bind(self.runs, "runs")
        return [
            f"    {began} = {clock}()",
            *body,
            f"    {seconds}[{name!r}] += {clock}() - {began}; {runs}[{name!r}] += 1",
        ]


Watch = Callable[[Node, list[Any]], None]


@dataclass(frozen=True, slots=True)
class Tap:
    """Calls with the node and its values: `before` with what it reads, `after` with its outputs.

    The values are the program's own: who keeps one that a later node may write must copy it. wanted: which nodes.
    """

    before: Watch | None = None
    after: Watch | None = None
    wanted: Callable[[Node], bool] = lambda node: True

    def around(self, node: Node, body: Sequence[str], reads: Sequence[str], names: Names) -> list[str]:
        if not self.wanted(node):
            return list(body)
        it = names.bind(node, f"node_{node.name}")
        lines = list(body)
        if self.before is not None:
            lines.insert(0, f"    {names.bind(self.before, 'before')}({it}, [{', '.join(reads)}])")
        if self.after is not None:
            lines.append(f"    {names.bind(self.after, 'after')}({it}, [{', '.join(names.targets(node))}])")
        return lines
