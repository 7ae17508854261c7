"""Eager against graph, node by node: which is the first node that differs?

    report = compare(model, (x,))          the report; `print(report)`, `report.first`, `report.same`
    with comparing() as report: ...        every graph that is compiled and called inside

Each call of a captured graph runs twice on equal inputs: compiled, with every node's outputs kept, and as the FX graph
on PyTorch's own kernels. An FX node outside tolerance is then run alone on the graph's inputs, so that rounding that
grows from node to node is told from a node that is wrong.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import errors
from ferrata.ge.ir import CLUSTER, Graph, Node, Ref, Where
from ferrata.ge.probe import Tap
from ferrata.ge.session import CompiledGraph
from ferrata.torchair import backend, watch
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.convert import convert_with_values, graph_device
from ferrata.torchair.difference import Difference, Measure, check_tolerances, copied, measure
from ferrata.torchair.source import target_name, where_of

_SHOWN = 10  # of what is missing


@dataclass
class Report:
    """What was compared. first: the first node that is wrong, or else the first outside tolerance; None if none is."""

    calls: int = 0
    compared: int = 0
    removed: int = 0  # FX nodes whose value the optimised graph no longer has
    first: Difference | None = None
    missing: list[str] = field(default_factory=list)  # what only one of two dumps has
    notes: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether all values that were compared agree, and none is missing."""
        return self.first is None and not self.missing

    def __str__(self) -> str:
        did = f"{self.calls} call(s) of graphs, {self.compared} values compared"
        did += f", {self.removed} not in the optimised graph" if self.removed else ""
        notes = "".join(f"\nmissing: {m}" for m in self.missing[:_SHOWN])
        notes += f"\nmissing: {len(self.missing) - _SHOWN} more" if len(self.missing) > _SHOWN else ""
        notes += "".join(f"\nnote: {n}" for n in dict.fromkeys(self.notes))
        if self.first is None and self.missing:
            return f"What both dumps have agrees, but {len(self.missing)} of it only one has: {did}.{notes}"
        if self.first is None:
            return f"Eager and graph agree: {did}.{notes}"
        return f"The first node that differs, in {self.first.graph}: {self.first}\n({did}){notes}"


def compare(
    model: Callable[..., Any],
    inputs: Any,
    *,
    config: CompilerConfig | None = None,
    dynamic: bool | None = None,
    backward: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> Report:
    """Run the model as FX graphs on eager kernels and compiled, on equal inputs, and name the first node that differs.

    inputs: a tensor, a tuple of arguments, or a dictionary of keywords. backward: also the gradient of the outputs' sum.
    rtol, atol: in place of torch.testing's tolerances. The model runs once: buffers that it updates are updated.
    """
    args = inputs if isinstance(inputs, (tuple, list)) else () if isinstance(inputs, Mapping) else (inputs,)
    kwargs = dict(inputs) if isinstance(inputs, Mapping) else {}
    made = backend.get_npu_backend(compiler_config=config)
    with comparing(rtol=rtol, atol=atol) as report:
        outputs = torch.compile(model, backend=made, dynamic=dynamic)(*args, **kwargs)
        if backward:
            torch.autograd.backward(loss_of(outputs))
    if not report.calls:
        raise errors.NothingCaptured(what="compare", where=getattr(model, "__name__", type(model).__name__))
    return report


@contextlib.contextmanager
def comparing(*, rtol: float | None = None, atol: float | None = None) -> Iterator[Report]:
    """Compare every graph that is captured and called inside; what the program gets are the compiled results."""
    check_tolerances(rtol, atol)
    report = Report()

    def watcher(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> Any:
        with _disable_current_modes():
            direct = config.raw("mode") != "max-autotune"
            graph, values = convert_with_values(gm, example_inputs, direct=direct)
            compiled = backend.session_of(config).compile(graph, graph_device(gm))
        pair = _Pair(gm, compiled, values, report, (rtol, atol))

        def run(args: list[Any]) -> Any:
            inputs = list(args)
            args.clear()
            return pair.run(inputs)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    with watch.watching(watcher):
        yield report


@dataclass
class _Pair:
    """A captured graph, both ways."""

    gm: torch.fx.GraphModule
    compiled: CompiledGraph
    values: Mapping[str, Any]
    report: Report
    tolerance: tuple[float | None, float | None]

    def run(self, inputs: list[Any]) -> Any:
        self.report.calls += 1
        copies, spare = copied(inputs), copied(inputs)
        found: dict[Ref, Any] = {Ref(n.name): n.value for n in self.compiled.graph.nodes if n.type == "Const"}

        def keep(node: Node, outputs: list[Any]) -> None:
            if node.call is not None and _unwritten(node.call.fn):
                _zero(outputs)
            found.update({Ref(node.name, i): copied(v) for i, v in enumerate(outputs)})
            if node.type == CLUSTER:  # what a cluster gives are the values of nodes inside it
                results = next(iter(node.graphs.values())).outputs
                found.update({r: found[Ref(node.name, i)] for i, r in enumerate(results) if isinstance(r, Ref)})

        own = {id(node) for node in self.compiled.graph.nodes}  # nodes of subgraphs may have the same names
        random = _random_state()
        try:
            results = self.compiled.probed(Tap(after=keep, wanted=lambda node: id(node) in own))(list(inputs))
        except Exception as failure:
            self._stopped(found, failure)
            raise
        _restore(random)
        _Eager(self, found, spare).run(*copies)
        return results

    def ref(self, value: Any, found: Mapping[Ref, Any]) -> tuple[bool, Any]:
        """The graph's value for what an FX node became; (False, None) where a pass removed it."""
        if isinstance(value, Ref):
            return value in found, found.get(value)
        if isinstance(value, (list, tuple)):
            parts = [self.ref(v, found) for v in value]
            return all(ok for ok, _ in parts), [v for _, v in parts]
        return True, value

    def _stopped(self, found: Mapping[Ref, Any], failure: Exception) -> None:
        """The compiled run ended early: name the node after the last that gave its values."""
        done = {ref.node for ref in found}
        skipped = ("Data", "RefData", "NetOutput", "Const", "Pack")
        node = next((n for n in self.compiled.graph.nodes if n.name not in done and n.type not in skipped), None)
        if self.report.first is None and node is not None:
            problem = Measure(f"the graph stops here: {type(failure).__name__}: {failure}")
            self.report.first = Difference(
                self.compiled.graph.name, node.where.fx_node, node.where.fx_target, node.name, node.type, node.where, 0,
                problem,
            )  # fmt: skip


class _Eager(torch.fx.Interpreter):
    """The FX graph on eager kernels, comparing each node with the graph's value as it goes."""

    def __init__(self, pair: _Pair, found: Mapping[Ref, Any], inputs: Sequence[Any]) -> None:
        super().__init__(pair.gm)
        self.pair, self.found, self.report = pair, found, pair.report
        holders = [n for n in pair.gm.graph.nodes if n.op == "placeholder"]
        self.known: dict[torch.fx.Node, Any] = dict(zip(holders, inputs, strict=True))  # the graph's inputs, unwritten
        self.settled = pair.report.first is not None and pair.report.first.local

    def run_node(self, n: torch.fx.Node) -> Any:
        if n.op != "call_function" or self.settled:
            return super().run_node(n)
        ok, got = self.pair.ref(self.pair.values.get(n.name), self.found)
        try:
            result = super().run_node(n)
            if _unwritten(n.target):
                _zero(result)
        except NotImplementedError as failure:
            if not ok:
                raise
            reason = str(failure).splitlines()[0] if str(failure) else "no kernel"
            self.report.notes.append(
                f"{target_name(n.target)} has no eager kernel; the graph's value is used ({reason})"
            )
            return got
        if not ok:
            self.report.removed += 1
            return result
        if torch.Tag.nondeterministic_seeded in getattr(n.target, "tags", ()) and self._worst(result, got):
            self.report.notes.append(f"{target_name(n.target)} draws other numbers than eager; not compared")
            return copied(got)
        self._check(n, result, got)
        return result

    def _check(self, node: torch.fx.Node, result: Any, got: Any) -> None:
        self.report.compared += 1
        worst = self._worst(result, got)
        if worst is None:
            return
        alone = self._worst(self._alone(node), got)
        if alone is None and self.report.first is not None:
            return  # rounding that grew, and it has been told
        index, by = worst if alone is None else alone
        ref = pytree.tree_leaves(self.pair.values[node.name])[index]
        graph = self.pair.compiled.graph
        nodes = {n.name: n for n in reversed([*graph.every_node()])}  # those of clusters, behind the graph's own
        made = nodes[ref.node] if isinstance(ref, Ref) else _nothing(node, graph)
        where = where_of(node)
        where = Where(where.line, where.code, where.fx_node, where.fx_target, made.where.made_by, where.module)
        self.report.first = Difference(
            graph.name, node.name, target_name(node.target), made.name, made.type, where, index, by, alone is not None
        )
        self.settled = alone is not None

    def _worst(self, expected: Any, got: Any) -> tuple[int, Measure] | None:
        """The first output that differs."""
        left, right = pytree.tree_leaves(expected), pytree.tree_leaves(got)
        if len(left) != len(right):
            return 0, Measure(f"{len(left)} outputs in eager, {len(right)} in the graph")
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            by = measure(a, b, *self.pair.tolerance)
            if by is not None:
                return i, by
        return None

    def _alone(self, node: torch.fx.Node) -> Any:
        """Eager's result of this node from the graph's values; what a pass removed is computed from what is left."""
        needed: set[torch.fx.Node] = set()
        open_ = list(node.all_input_nodes)
        while open_:
            n = open_.pop()
            if n in needed or n in self.known:
                continue
            needed.add(n)
            ok, value = (
                (False, None) if n.op != "call_function" else self.pair.ref(self.pair.values[n.name], self.found)
            )
            if ok:
                self.known[n] = value
            else:
                open_ += n.all_input_nodes
        for n in self.pair.gm.graph.nodes:
            if n in needed and n not in self.known:
                self.known[n] = self._one(n)
        return self._one(node)

    def _one(self, node: torch.fx.Node) -> Any:
        if node.op == "get_attr":
            return self.fetch_attr(str(node.target))
        args, kwargs = pytree.tree_map(
            lambda v: copied(self.known[v]) if isinstance(v, torch.fx.Node) else v, (node.args, node.kwargs)
        )
        result = getattr(self, node.op)(node.target, args, kwargs)
        if _unwritten(node.target):
            _zero(result)
        return result


def _unwritten(target: Any) -> bool:
    """Whether the operator gives memory that nobody has written: both sides fill it with zeros, as converters do."""
    return isinstance(target, torch._ops.OpOverload) and "empty" in target._schema.name


def _zero(value: Any) -> None:
    for tensor in pytree.tree_leaves(value):
        if isinstance(tensor, torch.Tensor):
            tensor.zero_()


def _random_state() -> list[tuple[Callable[..., Any], Any]]:
    states: list[tuple[Callable[..., Any], Any]] = [(torch.set_rng_state, torch.get_rng_state())]
    device = getattr(torch, "npu", None)
    if device is not None and device.is_initialized():
        states.append((device.set_rng_state, device.get_rng_state()))
    return states


def _restore(states: list[tuple[Callable[..., Any], Any]]) -> None:
    for restore, state in states:
        restore(state)


def _nothing(node: torch.fx.Node, graph: Graph) -> Node:
    """For an FX node that became a plain value."""
    return Node(node.name, f"(no node of {graph.name})")


def loss_of(outputs: Any) -> torch.Tensor:
    """The sum of all outputs that have a gradient."""
    leaves = [v for v in pytree.tree_leaves(outputs) if isinstance(v, torch.Tensor) and v.requires_grad]
    return torch.stack([v.float().sum() for v in leaves]).sum()
