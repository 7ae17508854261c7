"""When each value of a graph lives, and where it would lie in one block of memory: peak, lower bound, a report.

The graph is what the program runs, so a value lives from its node to the last node that reads it or a view of it. Inputs,
constants and what views of them make are not planned. Sizes that are symbols count as the hints say.

    plan = compiled.memory
    print(plan)                    the report
    plan.intervals                 for each piece of memory: values, steps, bytes, offset
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrata.ge.ir import Graph, Node, Ref, iter_refs
from ferrata.ge.passes.lives import Sizes, is_list, owner_of
from ferrata.ge.placing import Piece, offsets
from ferrata.ge.types import UNDEFINED, torch_dtype


@dataclass(frozen=True, slots=True)
class Interval:
    """A piece of memory: alive in steps start..end (both included), at `offset` of the plan.

    value: the value that was made in it, `node` or `node.output`; shared: the further values that lie in it.
    """

    value: str
    node: str
    type: str
    dtype: str
    shape: str
    line: str
    nbytes: int
    start: int
    end: int
    offset: int = 0
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The plan of a graph. steps: the nodes in order; guessed: symbols (or values) whose size is a guess."""

    graph: str
    steps: tuple[str, ...]
    intervals: tuple[Interval, ...]
    hints: Mapping[str, int]
    guessed: tuple[str, ...] = ()

    @property
    def peak(self) -> int:
        """Bytes of the block that holds every value at its offset."""
        return max((i.offset + i.nbytes for i in self.intervals), default=0)

    @property
    def live(self) -> list[int]:
        """Bytes alive during each step."""
        change = [0] * (len(self.steps) + 1)
        for i in self.intervals:
            change[i.start] += i.nbytes
            change[i.end + 1] -= i.nbytes
        total, out = 0, []
        for c in change[:-1]:
            total += c
            out.append(total)
        return out

    @property
    def lower_bound(self) -> int:
        """No plan of this order of nodes needs less: the most that is alive at once."""
        return max(self.live, default=0)

    @property
    def without_reuse(self) -> int:
        """Bytes if every value had memory of its own."""
        return sum(i.nbytes for i in self.intervals)

    @property
    def fullest(self) -> int:
        """The step at which most is alive."""
        live = self.live
        return live.index(max(live)) if live else 0

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int = 12) -> list[str]:
        """The report: the three figures, then what is alive at the fullest step, the largest first."""
        bound = self.lower_bound
        ratio = f" ({self.peak / bound:.3f} of the lower bound)" if bound else ""
        out = [
            f"memory of {self.graph}: {len(self.intervals)} values in {len(self.steps)} nodes",
            f"  planned peak    {_size(self.peak)}{ratio}",
            f"  lower bound     {_size(bound)}",
            f"  without reuse   {_size(self.without_reuse)}",
        ]
        if self.hints:
            out.append("  sizes           " + ", ".join(f"{k} = {v}" for k, v in self.hints.items()))
        if self.guessed:
            out.append(f"  guessed         {', '.join(self.guessed[:8])}")
        if not self.intervals:
            return out
        at = self.fullest
        alive = sorted((i for i in self.intervals if i.start <= at <= i.end), key=lambda i: -i.nbytes)
        out.append(f"  fullest at step {at}, {self.steps[at]}:")
        for i in alive[:most]:
            where = f"  {i.line}" if i.line else ""
            out.append(f"    {_size(i.nbytes):>10}  {i.value} {i.dtype}{i.shape}, steps {i.start}..{i.end}{where}")
        if len(alive) > most:
            out.append(f"    and {len(alive) - most} more")
        return out


def plan_memory(graph: Graph, hints: Mapping[str, int] | None = None) -> MemoryPlan:
    """Liveness and offsets of the graph's intermediate values."""
    sizes = Sizes(hints or {})
    steps = [n for n in graph.nodes if n.type not in ("Data", "RefData", "Const", "NetOutput")]
    place = {n.name: i for i, n in enumerate(steps)}
    nodes = graph.by_name()
    root: dict[Ref, Ref] = {}
    last: dict[Ref, int] = {}
    shared: dict[Ref, list[str]] = {}
    for node in steps:
        for ref in node.refs:
            owner = root.get(ref, ref)
            last[owner] = place[node.name]
        for i, output in enumerate(node.outputs):
            ref = Ref(node.name, i)
            held = owner_of(node, i, root, nodes)
            root[ref] = ref if held is None else held
            if held is not None:
                shared.setdefault(held, []).append(value_name(node, i))
                last[held] = place[node.name]
            elif not output.desc.host:
                last.setdefault(ref, place[node.name])
    for ref in iter_refs(graph.outputs):
        if steps:
            last[root.get(ref, ref)] = len(steps) - 1
    found = []
    for node in steps:
        for i, output in enumerate(node.outputs):
            ref = Ref(node.name, i)
            if root[ref] != ref or output.desc.host or is_list(node, nodes):
                continue
            found.append(_interval(node, i, place[node.name], last[ref], sizes, tuple(shared.get(ref, ()))))
    used = {k: v for k, v in (hints or {}).items() if k in sizes.used}
    guessed = tuple(dict.fromkeys(sizes.guessed))
    return MemoryPlan(graph.name, tuple(n.name for n in steps), tuple(place_all(found)), used, guessed)


def value_name(node: Node, index: int) -> str:
    """How the report calls a value."""
    return node.name if len(node.outputs) == 1 else f"{node.name}.{node.outputs[index].name}"


def place_all(intervals: Sequence[Interval]) -> list[Interval]:
    """The intervals with offsets of one block, as placing.py finds them."""
    found = offsets([Piece(i.nbytes, i.start, i.end) for i in intervals])
    return [dataclasses.replace(i, offset=at) for i, at in zip(intervals, found, strict=True)]


def _interval(node: Node, index: int, start: int, end: int, sizes: Sizes, shared: tuple[str, ...]) -> Interval:
    desc = node.outputs[index].desc
    name = value_name(node, index)
    dtype = "?" if desc.dtype == UNDEFINED else str(torch_dtype(desc.dtype)).removeprefix("torch.")
    dims = "?" if desc.shape is None else ", ".join("?" if d == -1 else str(d) for d in desc.shape)
    nbytes = sizes.nbytes(desc, name)
    return Interval(name, node.name, node.type, dtype, f"[{dims}]", node.where.line, nbytes, start, end, 0, shared)


def _size(nbytes: int) -> str:
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= scale:
            return f"{nbytes / scale:.2f} {unit}"
    return f"{nbytes} B"
