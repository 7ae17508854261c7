"""The order of nodes, changed where less memory is alive at the fullest moment; runs before operands are reused.

Only nodes that are known to compute and nothing else move, and none moves across an effect. A few orders are tried: each
node as late as its first reader allows, if that keeps fewer bytes alive meanwhile; the node that frees most first; both.
Between two effects the order with the lowest peak stays, the given one unless another is lower. Inputs that the caller
gives up count as well: neither the peak with them nor the one without may rise.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from ferrata.ge.ir import Graph, Node, Ref, iter_refs
from ferrata.ge.passes.edit import library_rule
from ferrata.ge.passes.inplace import candidates, fits, fresh
from ferrata.ge.passes.lives import Sizes, is_list, owner_of

_STILL = ("Data", "RefData", "Const")


def order_for_peak(graph: Graph, hints: Mapping[str, int] | None = None, given_up: bool = False) -> Graph:
    """hints: the sizes of symbols. given_up: the caller keeps no input, so that it is free after its last reader: a
    backward is fed what the forward saved.
    """
    lives = _Lives(graph, hints or {}, given_up)
    chosen: list[int] = []
    state = _State(lives)
    changed = False
    for part in lives.parts:
        best, lowest = part, state.peaks(part)
        if lowest[0] > lives.floor:
            for order in _orders(lives, part, state):
                found = state.peaks(order)
                if found != lowest and found[0] <= lowest[0] and found[1] <= lowest[1]:
                    best, lowest = order, found
        changed = changed or best is not part
        state.run(best)
        chosen += best
    if not changed:
        return graph
    still = [n for n in graph.nodes if n.type in _STILL]
    return dataclasses.replace(graph, nodes=(*still, *(lives.nodes[i] for i in chosen)))


@dataclass(slots=True)
class _Item:
    """A node as numbers. A root is a piece of memory.

    reads: roots that it reads, each once; makes: (root, bytes) that begin here; over: roots that it may write over.
    """

    reads: tuple[int, ...]
    makes: tuple[tuple[int, int], ...]
    over: tuple[int, ...]
    moves: bool
    after: list[int] = field(default_factory=list)  # nodes of the same part that must come before it
    then: list[int] = field(default_factory=list)  # and behind it


class _Lives:
    """The graph as numbers: nodes in order, the memory that each reads and makes, and the parts between effects."""

    def __init__(self, graph: Graph, hints: Mapping[str, int], given_up: bool) -> None:
        self.nodes = [n for n in graph.nodes if n.type not in _STILL]
        self.nbytes: list[int] = []  # by root
        self.readers: list[list[int]] = []  # by root: the nodes that read it or a view of it
        self.fed: set[int] = set()  # roots that are inputs
        self.items: list[_Item] = []
        by_name = graph.by_name()
        sizes = Sizes(hints)
        owner: dict[Ref, Ref] = {}
        root: dict[Ref, int] = {}
        for node in graph.nodes:
            if given_up and node.type in ("Data", "RefData") and not node.outputs[0].desc.host:
                ref = Ref(node.name, 0)
                root[ref] = self._root(sizes.nbytes(node.outputs[0].desc, node.name))
                self.fed.add(root[ref])
            if node.type not in _STILL:
                self._add(node, by_name, sizes, owner, root)
        self.kept = {root[owner.get(r, r)] for r in iter_refs(graph.outputs) if owner.get(r, r) in root}
        self.parts = self._depend(graph)
        self.floor = max((self._least(item) for item in self.items), default=0)

    def _root(self, nbytes: int) -> int:
        self.nbytes.append(nbytes)
        self.readers.append([])
        return len(self.nbytes) - 1

    def _add(
        self, node: Node, by_name: Mapping[str, Node], sizes: Sizes, owner: dict[Ref, Ref], root: dict[Ref, int]
    ) -> None:
        place = len(self.items)
        reads = dict.fromkeys(root[o] for r in node.refs if (o := owner.get(r, r)) in root)
        for r in reads:
            self.readers[r].append(place)
        makes = []
        for i, output in enumerate(node.outputs):
            ref = Ref(node.name, i)
            held = owner_of(node, i, owner, by_name)
            if held is not None:
                owner[ref] = held
            elif not output.desc.host and not is_list(node, by_name):
                root[ref] = self._root(sizes.nbytes(output.desc, node.name))
                makes.append((root[ref], self.nbytes[root[ref]]))
        over = []
        if len(makes) == 1:
            for index in candidates(node):
                ref = node.refs[index]
                base = owner.get(ref, ref)
                views = [r for r in node.refs if r != ref and owner.get(r, r) == base]
                if base in root and not views and fits(node, index, by_name) and fresh(by_name[base.node]):
                    over.append(root[base])
        self.items.append(_Item(tuple(reads), tuple(makes), tuple(over), _moves(node)))

    def _depend(self, graph: Graph) -> list[list[int]]:
        """What comes before what, and the parts: an effect is one of its own."""
        place = {n.name: i for i, n in enumerate(self.nodes)}
        guards = {c for n in graph.nodes for c in n.controls}
        parts: list[list[int]] = [[]]
        begin, fixed = 0, -1
        for i, node in enumerate(self.nodes):
            item = self.items[i]
            if node.effect or node.graphs:
                parts += [[i], []]
                begin, fixed = i + 1, -1
                continue
            item.moves = item.moves and node.name not in guards
            item.after = sorted({p for r in node.refs if (p := place.get(r.node, -1)) >= begin})
            if not item.moves:
                if fixed >= 0:
                    item.after = sorted({*item.after, fixed})  # these keep their order among each other
                fixed = i
            for before in item.after:
                self.items[before].then.append(i)
            parts[-1].append(i)
        return [p for p in parts if p]

    def _least(self, item: _Item) -> int:
        """No order needs less while this node runs."""
        made = sum(nbytes for _, nbytes in item.makes)
        return sum(self.nbytes[r] for r in item.reads) + (0 if item.over else made)


def _moves(node: Node) -> bool:
    """Whether it is known to compute and nothing else."""
    if node.effect or node.graphs or node.controls:
        return False
    if node.call is not None:
        fn = node.call.fn
        return isinstance(fn, torch._ops.OpOverload) and fn.namespace == "aten" and not fn._schema.is_mutable
    return library_rule(node) is not None


class _State:
    """What is alive between two parts, and what happens to it when nodes run."""

    def __init__(self, lives: _Lives) -> None:
        self._lives = lives
        self.left = [len(r) for r in lives.readers]  # readers that have not run
        for r in lives.kept:
            self.left[r] += 1
        self.alive = 0  # bytes, without inputs
        self.inputs = sum(lives.nbytes[r] for r in lives.fed)

    def peaks(self, order: Sequence[int]) -> tuple[int, int]:
        """What `run` would give."""
        trial = _State.__new__(_State)
        trial._lives, trial.left, trial.alive, trial.inputs = self._lives, list(self.left), self.alive, self.inputs
        return trial.run(order)

    def run(self, order: Sequence[int]) -> tuple[int, int]:
        """Run them; the most that is alive meanwhile, without the inputs and with those that are still read."""
        lives, left = self._lives, self.left
        alive, inputs, most, both = self.alive, self.inputs, 0, 0
        for i in order:
            item = lives.items[i]
            taken = next((r for r in item.over if left[r] == 1), -1)  # this node is the last that reads it
            if taken < 0:
                alive += sum(nbytes for _, nbytes in item.makes)
            most, both = max(most, alive), max(both, alive + inputs)
            for r in item.reads:
                left[r] -= 1
                if left[r] == 0 and r != taken:
                    if r in lives.fed:
                        inputs -= lives.nbytes[r]
                    else:
                        alive -= lives.nbytes[r]
            for r, nbytes in item.makes:
                if left[r] == 0:
                    alive -= nbytes
        self.alive, self.inputs = alive, inputs
        return most, both


# ---- orders ----


def _orders(lives: _Lives, part: Sequence[int], state: _State) -> Iterator[list[int]]:
    """Orders to try, each with every node behind those that it needs."""
    yield _sunk(lives, part)
    greedy = _greedy(lives, part, state.left)
    yield greedy
    yield _sunk(lives, greedy)


def _sunk(lives: _Lives, order: Sequence[int]) -> list[int]:
    """Each node directly before its first reader, if it makes no fewer bytes than it then keeps alive longer."""
    place = {i: k for k, i in enumerate(order)}
    at = dict(place)
    low, high = min(order), max(order)
    for i in reversed(order):
        item = lives.items[i]
        if not item.moves or not item.then:
            continue
        target = min(at[j] for j in item.then)
        gain = sum(nbytes for _, nbytes in item.makes)
        for r in item.reads:
            readers = reversed(lives.readers[r])
            if r not in lives.kept and not any(u > high or (u >= low and u != i and at[u] >= target) for u in readers):
                gain -= lives.nbytes[r]
        if gain >= 0:
            at[i] = target
    return sorted(order, key=lambda i: (at[i], place[i]))


def _greedy(lives: _Lives, part: Sequence[int], left: Sequence[int]) -> list[int]:
    """At each step the node after which least is alive."""
    left = list(left)
    needs = {i: len(lives.items[i].after) for i in part}
    done: set[int] = set()
    cost: dict[int, int] = {}
    heap: list[tuple[int, int]] = []

    def offer(i: int) -> None:
        item = lives.items[i]
        made = sum(nbytes for _, nbytes in item.makes)
        freed = sum(lives.nbytes[r] for r in item.reads if left[r] == 1)
        if cost.get(i) != made - freed:
            cost[i] = made - freed
            heapq.heappush(heap, (cost[i], i))

    for i in part:
        if not needs[i]:
            offer(i)
    order: list[int] = []
    while heap:
        found, i = heapq.heappop(heap)
        if i in done or found != cost[i]:
            continue
        done.add(i)
        order.append(i)
        for j in lives.items[i].then:
            needs[j] -= 1
            if not needs[j]:
                offer(j)
        for r in lives.items[i].reads:
            left[r] -= 1
            if left[r] == 1:  # it is now freed by the one that is left
                for j in reversed(lives.readers[r]):
                    if j in needs and j not in done:
                        if not needs[j]:
                            offer(j)
                        break
    return order
