"""Control flow: nodes that hold subgraphs, `If`, `Case`, `While` and `PartitionedCall`.

The builder asks `check` and `infer` here when such a node is added; `ControlEngine` writes its execution. A subgraph is
a function of its own in the generated program; what selects a branch is read on the host. A branch hands out memory of
its own: a value that only passes through an `If` is copied, as PyTorch's `cond` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ferrata import errors
from ferrata.ge.infer import Inferred
from ferrata.ge.ir import Desc, Graph, Node, Ref
from ferrata.ge.nearest import near
from ferrata.ge.prototype import Prototype
from ferrata.ge.types import UNDEFINED, DataType, dtype_name
from ferrata.ge.worlds import World

if TYPE_CHECKING:
    from ferrata.ge.engines import Emitter

GRAPH_KINDS = frozenset({"VT_GRAPH", "VT_DYNAMICGRAPH"})
CONDITIONAL = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
LOOPS = frozenset({"While", "StatelessWhile"})
TYPES = CONDITIONAL | LOOPS | {"PartitionedCall"}


def check(proto: Prototype, graphs: Mapping[str, Graph], where: Any) -> None:
    """Raises MissingAttr or UnknownAttr unless `graphs` has the subgraphs of the prototype, and nothing else."""
    declared = [a for a in proto.attrs if a.type in GRAPH_KINDS]
    known = {a.name for a in declared if a.type == "VT_GRAPH"}
    for attr in declared:
        if attr.type == "VT_DYNAMICGRAPH":
            count = sum(name.startswith(attr.name) for name in graphs)
            known |= {f"{attr.name}{i}" for i in range(max(count, 1))}
    listed = ", ".join(sorted(known)) or "no subgraphs"
    for name in graphs:
        if name not in known:
            raise errors.UnknownAttr(
                op=proto.op_type, where=str(where), attr=name, near=near(name, known), known=listed
            )
    for name in sorted(known):
        if name not in graphs:
            raise errors.MissingAttr(op=proto.op_type, where=str(where), attr=name, kind="Graph", known=listed)


def infer(node: Node, fed: Sequence[Desc], worlds: Sequence[World]) -> list[Inferred]:
    """The outputs of a node with subgraphs. fed: what `node.passed` holds.

    Branches merge: sizes that differ are unknown, ranks that differ leave the rank unknown. A loop hands on what it is
    fed, unless its body changes a size. Raises BranchMismatch where numbers or data types do not fit together.
    """
    for branch, graph in node.graphs.items():
        _check_feeds(node, branch, graph, fed)
    count = len(node.outputs)
    if node.type in LOOPS:
        _check_condition(node)
        body = _results(node.graphs["body"])
        _check_results(node, "body", body, [(d, f"the loop value {i} that it is fed") for i, d in enumerate(fed)])
        _check_results(node, "body", body, [(o.desc, "output") for o in node.outputs], count_only=True)
        descs = [_merge(a, b) for a, b in zip(fed, body, strict=True)]
    else:
        (first, graph), *others = node.graphs.items()
        descs = _results(graph)
        if len(descs) != count:
            _mismatch(node, first, "the results", f"{count}, as the node has outputs", str(len(descs)))
        for branch, other in others:
            results = _results(other)
            _check_results(node, branch, results, [(d, f"result {i} of {first}") for i, d in enumerate(descs)])
            descs = [_merge(a, b) for a, b in zip(descs, results, strict=True)]
    source = f"the subgraphs {', '.join(node.graphs)}"
    return [
        Inferred(d.dtype, tuple(None if d.shape is None else w.shape(d.shape) for w in worlds), source) for d in descs
    ]


def on_host(node: Node) -> list[bool]:
    """Which outputs are Python numbers."""
    if node.type in LOOPS:
        return [feed.outputs[0].desc.host for feed in node.graphs["body"].feeds]
    results = [_results(graph) for graph in node.graphs.values()]
    return [all(d.host for d in descs) for descs in zip(*results, strict=True)]


def _check_feeds(node: Node, branch: str, graph: Graph, fed: Sequence[Desc]) -> None:
    feeds = graph.feeds
    if len(feeds) != len(fed):
        names = ", ".join(f.name for f in feeds)
        _mismatch(node, branch, "the inputs", f"{len(fed)}, as the node is fed", f"{len(feeds)} ({names})")
    for feed, desc in zip(feeds, fed, strict=True):
        wanted = feed.outputs[0].desc
        if UNDEFINED not in (wanted.dtype, desc.dtype) and wanted.dtype != desc.dtype:
            _mismatch(node, branch, f"input {feed.name}", f"{desc}, which it is fed", f"{wanted}")


def _check_condition(node: Node) -> None:
    results = _results(node.graphs["cond"])
    if len(results) != 1:
        _mismatch(node, "cond", "the results", "one, the condition", str(len(results)))
    if results[0].shape not in ((), None) or results[0].dtype not in (int(DataType.DT_BOOL), UNDEFINED):
        _mismatch(node, "cond", "the condition", "a bool without dimensions", str(results[0]))


def _check_results(
    node: Node, branch: str, got: Sequence[Desc], wanted: Sequence[tuple[Desc, str]], *, count_only: bool = False
) -> None:
    if len(got) != len(wanted):
        _mismatch(node, branch, "the results", str(len(wanted)), str(len(got)))
    for i, (result, (desc, what)) in enumerate(zip(got, wanted, strict=True)):
        if not count_only and UNDEFINED not in (result.dtype, desc.dtype) and result.dtype != desc.dtype:
            _mismatch(node, branch, f"result {i}", f"{dtype_name(desc.dtype)}, as {what}", dtype_name(result.dtype))


def _mismatch(node: Node, branch: str, port: str, expected: str, got: str) -> None:
    raise errors.BranchMismatch(
        op=node.type, node=node.name, where=str(node.where), branch=branch, port=port, expected=expected, got=got
    )


def _results(graph: Graph) -> list[Desc]:
    return [_result(graph, value) for value in graph.outputs]


def _result(graph: Graph, value: Any) -> Desc:
    if isinstance(value, Ref):
        return graph.desc(value)
    if value is None:
        return Desc()
    kind = DataType.DT_BOOL if isinstance(value, bool) else DataType.DT_DOUBLE if isinstance(value, float) else None
    return Desc(int(kind or DataType.DT_INT64), (), host=True, placement="CPU")


def _merge(a: Desc, b: Desc) -> Desc:
    dtype = b.dtype if a.dtype == UNDEFINED else a.dtype
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return Desc(dtype, None, host=a.host and b.host)
    return Desc(dtype, tuple(m if m == n else -1 for m, n in zip(a.shape, b.shape, strict=True)), host=a.host)


@dataclass(frozen=True, slots=True)
class ControlEngine:
    """Nodes with subgraphs."""

    name: str = "control"

    def refuses(self, node: Node) -> str | None:
        if node.type not in TYPES:
            return "not a control flow node"
        return None if node.graphs else "it holds no subgraph"

    def emit(self, node: Node, out: Emitter) -> None:
        if node.type in LOOPS:
            _loop(node, out)
            return
        results = [o.desc for o in node.outputs]
        alone = node.type in CONDITIONAL
        functions = {b: out.function(g, f"{node.name}_{b}", results, own=alone) for b, g in node.graphs.items()}
        args = f"([{', '.join(_arguments(node, out))}])"
        if node.type == "PartitionedCall":
            text = f"{functions['f']}{args}"
        elif node.type in ("If", "StatelessIf"):
            condition = out.host_value(node.refs[0])
            text = f"{functions['then_branch']}{args} if {condition} else {functions['else_branch']}{args}"
        else:
            pick = out.bind(_picker(node), f"{node.name}_pick")
            text = f"{pick}({out.host_value(node.refs[0])}, ({', '.join(functions.values())},)){args}"
        out.assign(node, text, many=True)


def _arguments(node: Node, out: Emitter) -> list[str]:
    """What the node passes to its subgraphs: tensors with their strides, numbers as numbers."""
    feeds = next(iter(node.graphs.values())).feeds
    texts = []
    for port, feed in zip(node.passed, feeds, strict=True):
        assert port.ref is not None
        texts.append(out.host_value(port.ref) if feed.outputs[0].desc.host else out.strided(port.ref))
    return texts


def _loop(node: Node, out: Emitter) -> None:
    """Values that the body hands on untouched are no variables of the loop."""
    body = node.graphs["body"]
    cond = out.function(node.graphs["cond"], f"{node.name}_cond", None)
    step = out.function(body, f"{node.name}_body", [o.desc for o in node.outputs])
    given, targets = _arguments(node, out), out.targets(node)
    feeds = [Ref(f.name, 0) for f in body.feeds]
    moving = [i for i, result in enumerate(body.outputs) if result != feeds[i]]
    for i in moving:
        out.line(f"{targets[i]} = {given[i]}")
    now = ", ".join(targets[i] if i in moving else given[i] for i in range(len(given)))
    stepped = ", ".join(targets[i] if i in moving else "_" for i in range(len(given)))
    out.line(f"while {cond}([{now}])[0]:")
    out.line(f"    {stepped}{',' if len(given) == 1 else ''} = {step}([{now}])")
    own = node.attrs.get("_own")  # values that nobody else sees, so that they may be handed out as they are
    mine = () if own is None else own.value
    for i, (target, text, output) in enumerate(zip(targets, given, node.outputs, strict=True)):
        if i not in moving:
            out.line(f"{target} = {text}")
        elif i not in mine and not output.desc.host:  # no step was made, or it went through untouched
            out.line(f"if {target} is {text}: {target} = {target}.clone()")


def _picker(node: Node) -> Callable[[Any, Sequence[Any]], Any]:
    def pick(index: Any, branches: Sequence[Any]) -> Any:
        number = int(index)
        if not 0 <= number < len(branches):
            raise errors.BranchIndex(
                op=node.type, node=node.name, where=str(node.where), index=number, last=len(branches) - 1
            )
        return branches[number]

    return pick
