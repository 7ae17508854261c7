"""Coverage: which nodes of a model convert, are derived, stay ATen calls, or fail, before anything is compiled.

    report = coverage(model, (x,))         capture and look; the model runs eagerly
    with surveying() as report: ...        every graph that is captured inside, none compiled

Each captured graph goes through the conversion with all failures collected, so that everything that is missing is
listed at once, with the user's line and what to do about it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import errors
from ferrata.ge.engines import place
from ferrata.ge.ir import Where
from ferrata.torchair import backend, decompose, registry, watch
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.convert import _Conversion
from ferrata.torchair.eager import running
from ferrata.torchair.source import shorten, target_name, where_of

# in the order of the table: what it means, and whether the model cannot be compiled because of it
STATUSES = {
    "missing": ("no converter, no matching prototype, no kernel for npu", True),
    "failed": ("its converter raised an error", True),
    "not executable": ("its GE type has nothing that executes it here", True),
    "graph break": ("Dynamo splits the graph here", False),
    "aten": ("stays an ATen call: runs, not portable", False),
    "derived": ("converter derived from the prototype", False),
    "converted": ("has a converter", False),
    "size": ("arithmetic on sizes", False),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One FX node, or one graph break."""

    status: str
    op: str
    node: str = ""
    ge: tuple[str, ...] = ()
    line: str = ""
    code: str = ""
    reason: str = ""
    suggestion: str = ""
    graph: int = 0
    inside: bool = False  # in a branch or a loop of `node`


@dataclass
class Coverage:
    """The rows in order of the graphs' nodes."""

    rows: list[Row] = field(default_factory=list)
    graphs: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def missing(self) -> list[Row]:
        """What keeps the model from being compiled."""
        return [row for row in self.rows if STATUSES[row.status][1]]

    def counts(self) -> dict[str, int]:
        """Rows by status, in the order of `STATUSES`."""
        found = [row.status for row in self.rows]
        return {status: found.count(status) for status in STATUSES if status in found}

    def grouped(self) -> list[tuple[Row, int, list[str]]]:
        """A row for each status, operator and reason; how often; the lines."""
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row.status, row.op, row.reason), []).append(row)
        order = list(STATUSES)
        ranked = sorted(groups.values(), key=lambda rows: (order.index(rows[0].status), -len(rows)))
        return [(rows[0], len(rows), list(dict.fromkeys(r.line for r in rows if r.line))) for rows in ranked]

    def as_json(self) -> dict[str, Any]:
        """For tools: {"graphs", "counts", "complete", "rows", "notes"}."""
        return {
            "graphs": self.graphs,
            "counts": self.counts(),
            "complete": not self.missing,
            "rows": [asdict(row) for row in self.rows],
            "notes": self.notes,
        }

    def __str__(self) -> str:
        lines = [f"{self.graphs} graph(s): {', '.join(f'{n} {s}' for s, n in self.counts().items()) or 'empty'}"]
        for row, count, where in self.grouped():
            if row.status in ("converted", "derived", "size"):
                continue
            lines.append(f"{row.status}: {row.op} x{count}  {', '.join(where[:3])}  {row.code}".rstrip())
            lines += [f"    {text}" for text in (row.reason, row.suggestion) if text]
        return "\n".join([*lines, *(f"note: {n}" for n in self.notes)])


def coverage(
    model: Callable[..., Any],
    inputs: Any,
    *,
    config: CompilerConfig | None = None,
    dynamic: bool | None = None,
    backward: bool = False,
) -> Coverage:
    """What would happen to each node of the model. inputs: a tensor, a tuple of arguments, or a dictionary of keywords.

    Nothing is compiled; the model runs once, eagerly. backward: also the graph of gradients.
    """
    args = inputs if isinstance(inputs, (tuple, list)) else () if isinstance(inputs, Mapping) else (inputs,)
    kwargs = dict(inputs) if isinstance(inputs, Mapping) else {}
    made = backend.get_npu_backend(compiler_config=config)
    with surveying() as report:
        try:
            outputs = torch.compile(model, backend=made, dynamic=dynamic)(*args, **kwargs)
            if backward:
                from ferrata.torchair.compare import loss_of

                torch.autograd.backward(loss_of(outputs))
        except NotImplementedError as failure:
            if not report.graphs:
                raise
            report.notes.append(f"the run stopped, so later graphs are not seen: {str(failure).splitlines()[0]}")
    if not report.graphs:
        raise errors.NothingCaptured(what="coverage", where=getattr(model, "__name__", type(model).__name__))
    return report


@contextlib.contextmanager
def surveying() -> Iterator[Coverage]:
    """Collect coverage of every graph that is captured inside; the graphs run eagerly."""
    report = Coverage()

    def watcher(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> Any:
        direct = config.raw("mode") != "max-autotune"
        with _disable_current_modes():
            report.rows += survey(gm, example_inputs, direct=direct, graph=report.graphs)
        report.graphs += 1
        return running(gm)

    with watch.watching(watcher), _breaks(report):
        yield report


def survey(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, direct: bool = False, graph: int = 0
) -> list[Row]:
    """The rows of one captured graph."""
    return _Survey(gm, example_inputs, direct, None).rows(graph)


class _Survey(_Conversion):
    """A conversion that goes on after each failure and keeps a row for each node."""

    def rows(self, graph: int) -> list[Row]:
        self.troubles: dict[str, tuple[str, str]] = {}
        self.inside: dict[str, list[Row]] = {}  # by node with subgraphs: what is missing or fails in these
        self.number = graph
        try:
            self.run()
        except Exception as failure:  # noqa: BLE001  after a failed node the end may not fit together; it is told
            if not self.troubles:
                self.troubles[""] = ("failed", f"{type(failure).__name__}: {failure}")
        made: dict[str, list[Any]] = {}
        for node in self.builder.nodes.values():
            if node.where.fx_node and node.type not in ("Data", "RefData", "Const"):
                made.setdefault(node.where.fx_node, []).append(node)
        found: list[Row | None] = []
        for node in self.gm.graph.nodes:
            if node.op == "call_function":
                found += [*self.inside.get(node.name, ()), self._row(node, made.get(node.name, []), graph)]
        if "" in self.troubles:
            found.append(Row("failed", "(the graph)", reason=self.troubles[""][1], graph=graph))
        return [row for row in found if row is not None]

    def _report(self) -> None:
        pass

    def _node(self, node: torch.fx.Node, where: Where) -> Any:
        missing, failures = len(self.missing), len(self.failures)
        try:
            value = super()._node(node, where)
        except Exception as failure:  # noqa: BLE001  whatever a converter raises is a row
            self.troubles[node.name] = ("failed", f"{type(failure).__name__}: {failure}")
            return self._stand_in(node)
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            self.inside[node.name] = self._in_subgraphs(node, self.missing[missing:], self.failures[failures:])
        elif len(self.missing) > missing:
            self.troubles[node.name] = ("missing", self.missing[-1][2])
        elif len(self.failures) > failures:
            self.troubles[node.name] = ("failed", str(self.failures[-1]))
        return value

    def _in_subgraphs(self, node: torch.fx.Node, missing: Sequence[Any], failures: Sequence[Any]) -> list[Row]:
        rows = [
            Row(
                "missing", target_name(t), node.name, (), w.line, w.code, why, _suggest("missing", t), self.number, True
            )
            for w, t, why in missing
        ]
        for failure in failures:
            op, line = failure.fields.get("target") or failure.fields.get("op", ""), failure.fields.get("where", "")
            rows.append(Row("failed", str(op), node.name, (), str(line), "", str(failure), "", self.number, True))
        return rows

    def _row(self, node: torch.fx.Node, made: list[Any], graph: int) -> Row | None:
        where = where_of(node)
        op = target_name(node.target)
        types = tuple(dict.fromkeys(n.type for n in made))
        if node.name in self.troubles:
            status, reason = self.troubles[node.name]
            return Row(
                status, op, node.name, types, where.line, where.code, reason, _suggest(status, node.target), graph
            )
        for ge_node in made:
            try:
                place(ge_node)
            except errors.NoImplementation as failure:
                reason = str(failure).splitlines()[0]
                how = f"implement it: @ferrata.ge.register_op_impl({ge_node.type!r}), or Execute in C++"
                return Row("not executable", op, node.name, types, where.line, where.code, reason, how, graph)
        calls = [n for n in made if n.call is not None]
        if not made:
            return None
        if calls and all(n.type.startswith("host::") or (n.outputs and n.outputs[0].desc.host) for n in calls):
            return Row("size", op, node.name, types, where.line, where.code, graph=graph)
        if calls:
            kept = decompose.WHOLE.get(getattr(node.target, "_name", ""), ("no converter for this overload", ""))
            why = self.stayed.get(node.name, "") or kept[0]
            return Row("aten", op, node.name, types, where.line, where.code, why, _suggest("aten", node.target), graph)
        status = "derived" if any(n.where.made_by == "derived" for n in made) else "converted"
        return Row(status, op, node.name, types, where.line, where.code, graph=graph)


def _suggest(status: str, target: Any) -> str:
    """What the user can do."""
    name = target_name(target)
    if status == "aten" and getattr(target, "_name", "") in decompose.WHOLE:
        return decompose.WHOLE[target._name][1]
    if status == "missing":
        return (
            f"register a converter with @torchair.register_fx_node_ge_converter(torch.ops.{name}), "
            "or a GE prototype whose type, ports and attributes match the schema"
        )
    if status == "aten" and not registry.is_custom(target) and target in _decomposable():
        return "PyTorch can break it up: custom_decompositions=torch._decomp.core_aten_decompositions()"
    if status == "aten" and registry.is_custom(target):
        return "a converter or a matching prototype would make it a GE node"
    return ""


def _decomposable() -> Mapping[Any, Any]:
    from torch._decomp import core_aten_decompositions

    return core_aten_decompositions()


@contextlib.contextmanager
def _breaks(report: Coverage) -> Iterator[None]:
    """Graph breaks, as rows: Dynamo keeps each with the user's stack."""
    from torch._dynamo.utils import graph_break_reasons

    graph_break_reasons.clear()
    yield
    for found in graph_break_reasons:
        if not found.graph_break:
            continue
        texts = [text.strip() for text in found.reason.splitlines() if text.strip()]
        why, how = (next((t.removeprefix(f"{k}:").strip() for t in texts if t.startswith(k)), "") for k in _PARTS)
        frame = found.user_stack[-1] if found.user_stack else None
        line = f"{shorten(frame.filename)}:{frame.lineno}" if frame is not None else ""
        code = (frame.line or "") if frame is not None else ""
        report.rows.append(Row("graph break", texts[0] if texts else "", "", (), line, code, why, how, report.graphs))


_PARTS = ("Explanation", "Hint")
