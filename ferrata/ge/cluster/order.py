"""The order of a cluster's kernels that needs less memory, counted as the C++ of TorchInductor uses it.

Neighbours without a library's call between them become one C++ function: what each of them makes exists before it runs,
and what they read last is freed after it. TorchInductor's own choice of an order counts kernel by kernel, and may choose
one that needs more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch._inductor.custom_graph_pass import CustomSchedulerPass

EFFORT = 1_000_000  # steps that are looked at for one cluster: about a second
DEEPEST = 500  # nodes up to which TorchInductor's search in depth, which is recursive, is asked


@dataclass(slots=True)
class Step:
    """One kernel or call, by the numbers of the steps that it needs and of the buffers that it makes and reads."""

    alone: bool  # a library's call, no part of a C++ function
    after: set[int] = field(default_factory=set)
    made: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    instead: dict[int, list[int]] = field(default_factory=dict)  # a buffer that it makes: those whose memory may serve


@dataclass(slots=True)
class Work:
    """Steps in the program's order and, for every buffer, bytes made and freed, and how many steps read it."""

    steps: list[Step]
    made: list[int]
    freed: list[int]
    readers: list[int]
    kept: set[int]  # buffers that are results
    held: int = 0  # bytes of inputs that may be freed


class LeastMemory(CustomSchedulerPass):
    """TorchInductor's pass after fusion: the program's order, or that of a search in depth, improved."""

    def __call__(self, nodes: list[Any]) -> list[Any]:
        from torch._inductor.memory import topological_sort_dfs

        work = _work(nodes)
        index = {node: i for i, node in enumerate(nodes)}
        orders = [list(range(len(nodes)))]
        if len(nodes) <= DEEPEST:
            orders.append([index[n] for n in topological_sort_dfs(nodes)])
        tries = EFFORT // (len(orders) * max(len(nodes), 1))
        best = min((improved(work, order, tries) for order in orders), key=lambda order: peak(work, order))
        _forget(nodes)
        return [nodes[i] for i in best]

    def uuid(self) -> str:
        return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def peak(work: Work, order: Sequence[int]) -> int:
    """Bytes at the fullest moment."""
    return max(_held(work, order), default=work.held)


def improved(work: Work, order: list[int], tries: int) -> list[int]:
    """The order with steps moved away from the fullest moment as long as that makes it less full.

    tries: how many other orders to look at, at most.
    """
    held = _held(work, order)
    better = True
    while better and tries > 0:
        better = False
        for moved in _moves(work, order, held):
            now = _held(work, moved)
            better = _fullness(now) < _fullness(held)
            if better:
                order, held = moved, now
            tries -= 1
            if better or tries <= 0:
                break
    return order


def _held(work: Work, order: Iterable[int]) -> list[int]:
    """For each step the bytes that exist when the C++ function or call runs of which it is part."""
    live = work.held
    left = list(work.readers)
    dying: list[int] = []
    held: list[int] = []
    together = 0  # steps at the end of `held` that are one C++ function

    def run() -> None:
        nonlocal live, together
        held[len(held) - together :] = [live] * together
        live -= sum(work.freed[b] for b in dying)
        dying.clear()
        together = 0

    for number in order:
        step = work.steps[number]
        if step.alone:
            run()
        ends = [b for b in step.read if left[b] == 1 and b not in work.kept]
        for b in step.read:
            left[b] -= 1
        for b in step.made:
            taken = next((a for a in step.instead.get(b, ()) if a in ends), None)
            if taken is None:
                live += work.made[b]
            else:
                ends.remove(taken)
            if work.readers[b] == 0 and b not in work.kept:
                ends.append(b)
        dying += ends
        held.append(live)
        together += 1
        if step.alone:
            run()
    run()
    return held


def _fullness(held: list[int]) -> tuple[int, int]:
    most = max(held, default=0)
    return most, held.count(most)


def _moves(work: Work, order: list[int], held: list[int]) -> Iterable[list[int]]:
    """Orders in which something that waits at the fullest moment is made after it, then such with a later step before."""
    most = max(held, default=0)
    start = held.index(most) if held else 0
    stop = next((i for i in range(start, len(order)) if held[i] != most), len(order))
    place = {number: i for i, number in enumerate(order)}
    read_at: dict[int, int] = {}
    for i in range(len(order) - 1, -1, -1):
        read_at.update(dict.fromkeys(work.steps[order[i]].read, i))
    waiting = [
        (work.freed[b], number)
        for number in order[:stop]
        for b in work.steps[number].made
        if work.freed[b] and read_at.get(b, len(order)) >= stop
    ]
    for _, number in sorted(waiting, reverse=True):
        for group in dict.fromkeys((_only_for(work, order, number), (number,))):
            yield _later(work, order, group)
    for i in range(stop, len(order)):
        if all(place[a] < start for a in work.steps[order[i]].after):
            yield [*order[:start], order[i], *order[start:i], *order[i + 1 :]]


def _only_for(work: Work, order: list[int], number: int) -> tuple[int, ...]:
    """The step and those before it that nothing but it and them needs, in order."""
    needed: dict[int, set[int]] = {}
    for other in order:
        for a in work.steps[other].after:
            needed.setdefault(a, set()).add(other)
    chosen = {number}
    for other in reversed(order[: order.index(number)]):
        if other in needed and needed[other] <= chosen:
            chosen.add(other)
    return tuple(o for o in order if o in chosen)


def _later(work: Work, order: list[int], group: tuple[int, ...]) -> list[int]:
    """The group right before the first step that needs one of it."""
    inside = set(group)
    first = next((i for i, o in enumerate(order) if o not in inside and work.steps[o].after & inside), len(order))
    before, after = ([o for o in part if o not in inside] for part in (order[:first], order[first:]))
    return [*before, *group, *after]


def _work(nodes: list[Any]) -> Work:
    """What the estimate needs of the nodes of TorchInductor's scheduler."""
    from torch._inductor import memory
    from torch._inductor.virtualized import V
    from torch.utils._ordered_set import OrderedSet

    scheduler = V.graph.scheduler
    results = OrderedSet(V.graph.get_output_names())
    inputs = OrderedSet(V.graph.graph_inputs)
    _, freeable = memory.prepare_planning_info(
        nodes, scheduler.name_to_buf, scheduler.name_to_fused_node, inputs, results
    )
    buffers = [b for n in nodes for b in n.get_outputs()] + list(freeable.values())
    number = {b: i for i, b in enumerate(buffers)}
    index = {n: i for i, n in enumerate(nodes)}
    sizes = [b.mpi_buffer for b in buffers]
    work = Work(
        steps=[],
        made=[s.size_alloc for s in sizes],
        freed=[s.size_free for s in sizes],
        readers=[0] * len(buffers),
        kept={i for i, b in enumerate(buffers) if b.get_name() in results},
        held=sum(b.mpi_buffer.size_free for b in freeable.values()),
    )
    for node in nodes:
        step = Step(node.is_extern() or node.is_template(), {index[n] for n in node.mpi_node.pred_nodes})
        step.made = [number[b] for b in node.get_outputs()]
        step.read = [number[b] for b in node.mpi_node.pred_buffers if b in number]
        for b in step.read:
            work.readers[b] += 1
        for b in step.made:
            if not step.alone and b not in work.kept and _stays_inside(buffers[b], node, scheduler):
                work.made[b] = work.freed[b] = 0
        for part in node.get_nodes():
            _may_serve(part, step, number, scheduler)
        work.steps.append(step)
    return work


def _stays_inside(buffer: Any, node: Any, scheduler: Any) -> bool:
    """Whether a fused kernel alone reads what it makes, which then needs no memory."""
    from torch._inductor.scheduler import BaseSchedulerNode

    users = [u.node for u in buffer.users if isinstance(u.node, BaseSchedulerNode)]
    return bool(users) and all(scheduler.get_fused_node(u) is scheduler.get_fused_node(node) for u in users)


def _may_serve(part: Any, step: Step, number: dict[Any, int], scheduler: Any) -> None:
    """Notes which buffers that a kernel reads last may become its results."""
    from torch._inductor.codegen.wrapper import can_match_buffer_size
    from torch._inductor.scheduler import NopKernelSchedulerNode, SchedulerNode

    if not isinstance(part, SchedulerNode):
        return
    for made in part.get_outputs():
        if not made.node.should_allocate():
            continue
        for dep in part.read_writes.reads:
            read = scheduler.name_to_buf.get(dep.name)
            if read not in number or isinstance(read.defining_op, NopKernelSchedulerNode):
                continue
            elementwise = any(u.can_inplace and u.node is part for u in read.users)
            if elementwise and can_match_buffer_size(read.node, made.node):
                step.instead.setdefault(number[made], []).append(number[read])


def _forget(nodes: list[Any]) -> None:
    """Sizes go: with them TorchInductor would keep freed buffers for later kernels where its own estimate has room."""
    for node in nodes:
        for buffer in node.get_outputs():
            buffer.mpi_buffer.size_alloc = buffer.mpi_buffer.size_free = 0
