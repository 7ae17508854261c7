"""The graph: frozen nodes in execution order, edges by name, provenance on every node.

A `Graph` is what the builder hands out, passes map to another `Graph`, the session compiles and the dumps print.
Nothing here computes; a node that runs on ATen carries the call it stands for in `Node.call`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ferrata.ge.attrs import AttrValue
from ferrata.ge.types import UNDEFINED, short_name

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]

Dim: TypeAlias = "int | sympy.Expr"  # -1: not known
Shape: TypeAlias = "tuple[Dim, ...]"


SELECTING = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})  # the first input selects a subgraph

CLUSTER = "PartitionedCall"  # its subgraph `f` runs as a whole, in place of the node
IN_PLACE = "_in_place"  # attribute: the node writes its result into the operand of this index


@dataclass(frozen=True, slots=True)
class Ref:
    """Output `index` of the node called `node`; index -1 is the control edge."""

    node: str
    index: int = 0

    def __hash__(self) -> int:  # asked some fifty times a node; the one that a dataclass has makes a tuple first
        return hash(self.node) ^ self.index

    def __str__(self) -> str:
        return f"{self.node}:{self.index}"


@dataclass(frozen=True, slots=True, repr=False)
class Desc:
    """What is known of a value.

    shape: None when even the rank is unknown. stride: None means contiguous. host: a Python number, not a tensor.
    """

    dtype: int = UNDEFINED
    shape: Shape | None = None
    stride: Shape | None = None
    host: bool = False
    placement: str = "NPU"
    format: int = 2

    def __str__(self) -> str:
        if self.host:
            return f"{short_name(self.dtype)}"
        dims = "..." if self.shape is None else ", ".join("?" if d == -1 else str(d) for d in self.shape)
        return f"{short_name(self.dtype)}[{dims}]"

    def __repr__(self) -> str:
        """As text, with what is not as usual."""
        unusual = {
            "strides": self.stride,
            "host": self.host or None,
            "on": None if self.placement == "NPU" else self.placement,
            "format": None if self.format == 2 else self.format,
        }
        return " ".join([str(self), *(f"{name}={value}" for name, value in unusual.items() if value is not None)])


@dataclass(frozen=True, slots=True)
class Where:
    """Provenance: the user's source line, the FX node, and who made the GE node."""

    line: str = ""  # "model.py:12"
    code: str = ""  # the text of that line
    fx_node: str = ""
    fx_target: str = ""
    made_by: str = ""  # "converter", "derived", "aten", or the name of a pass
    module: str = ""  # the path of the nn.Module the line ran in

    def __str__(self) -> str:
        return self.line or (f"FX node {self.fx_node}" if self.fx_node else "(no source line)")


@dataclass(frozen=True, slots=True)
class Port:
    """One data input: its instance name ("x", "xs0") and the value, None for an absent optional."""

    name: str
    ref: Ref | None


@dataclass(frozen=True, slots=True)
class Output:
    """One output: its instance name and description. `alias` names the input port whose memory it shares."""

    name: str
    desc: Desc
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """What an ATen node runs: `fn(*args, **kwargs)`, in which every `Ref` stands for a value of the graph.

    outputs: "one" (the result is the value), "many" (a flat list or tuple) or "none".
    """

    fn: Callable[..., Any]
    text: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    outputs: str = "one"


@dataclass(frozen=True, slots=True)
class Node:
    """One operator instance."""

    name: str
    type: str
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Output, ...] = ()
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    where: Where = field(default_factory=Where)
    call: Call | None = None
    counts: tuple[int, ...] = ()  # instances per prototype input: 0 absent optional, n dynamic
    output_counts: tuple[int, ...] = ()
    effect: bool = False  # writes memory it was given, prints, ...: never removed, never reordered
    value: Any = None  # Const: the tensor
    # branch ("then_branch", "body", "branches0", "f") -> what runs inside; it reads nothing but what the node is fed
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    _refs: tuple[Ref, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """Every value that the node reads, in port order."""
        known = self._refs
        if known is None:
            known = tuple([p.ref for p in self.inputs if p.ref is not None])
            object.__setattr__(self, "_refs", known)
        return known

    @property
    def passed(self) -> tuple[Port, ...]:
        """The ports that its subgraphs are fed: all but the value that selects a branch."""
        return self.inputs[1:] if self.type in SELECTING else self.inputs

    @property
    def portable(self) -> bool:
        """False for a node that exists here only, as an ATen call."""
        return "::" not in self.type

    def map_refs(self, change: Callable[[Ref], Ref]) -> Node:
        """The node with each read value replaced."""
        inputs = tuple(Port(p.name, None if p.ref is None else change(p.ref)) for p in self.inputs)
        call = self.call
        if call is not None:
            args, kwargs = map_structure(call.args, change), map_structure(call.kwargs, change)
            call = Call(call.fn, call.text, args, kwargs, call.outputs)
        return Node(
            self.name, self.type, inputs, self.outputs, self.attrs, self.controls, self.where, call, self.counts,
            self.output_counts, self.effect, self.value, self.graphs,
        )  # fmt: skip

    def map_graphs(self, change: Callable[[Graph], Graph]) -> Node:
        """The node with each subgraph replaced; the same object if none changes."""
        changed = {branch: change(graph) for branch, graph in self.graphs.items()}
        if all(changed[branch] is graph for branch, graph in self.graphs.items()):
            return self
        return dataclasses.replace(self, graphs=changed)


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in execution order; `outputs` holds values, plain constants, None or (nested) lists of these."""

    name: str
    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]
    symbols: Mapping[str, Ref | tuple[Ref, int]] = field(default_factory=dict)  # symbol -> host value or (tensor, dim)

    def node(self, name: str) -> Node:
        """The node of that name."""
        return self.by_name()[name]

    def by_name(self) -> dict[str, Node]:
        return {n.name: n for n in self.nodes}

    def desc(self, ref: Ref) -> Desc:
        return self.node(ref.node).outputs[ref.index].desc

    @property
    def feeds(self) -> tuple[Node, ...]:
        """The Data nodes in feeding order."""
        return tuple(n for n in self.nodes if n.type in ("Data", "RefData"))

    def map_graphs(self, change: Callable[[Graph], Graph]) -> Graph:
        """The graph with each direct subgraph of its nodes replaced; the same object if none changes."""
        if not any(n.graphs for n in self.nodes):
            return self
        nodes = tuple(n.map_graphs(change) for n in self.nodes)
        if all(a is b for a, b in zip(nodes, self.nodes, strict=True)):
            return self
        return dataclasses.replace(self, nodes=nodes)

    def subgraphs(self, path: str = "") -> Iterator[tuple[str, Node, str, Graph]]:
        """Every graph inside, at any depth: its path, the node that owns it, the branch, the graph.

        A path is `<graph>/<node>/<branch>` and so on inwards: unique in the whole, and the same in every dump.
        """
        path = path or self.name
        for node in self.nodes:
            for branch, graph in node.graphs.items():
                inner = f"{path}/{node.name}/{branch}"
                yield inner, node, branch, graph
                yield from graph.subgraphs(inner)

    def every_node(self) -> Iterator[Node]:
        """The nodes, those of subgraphs after the node that owns them."""
        for node in self.nodes:
            yield node
            for graph in node.graphs.values():
                yield from graph.every_node()

    def users(self) -> dict[str, int]:
        """How many reads each node's outputs have, the graph's own result included."""
        count = dict.fromkeys((n.name for n in self.nodes), 0)
        for node in self.nodes:
            for ref in node.refs:
                count[ref.node] += 1
            for control in node.controls:
                count[control] += 1
        for ref in iter_refs(self.outputs):
            count[ref.node] += 1
        return count

    def __str__(self) -> str:
        from ferrata.ge.dump.text import to_text

        return to_text(self)


def map_structure(value: Any, change: Callable[[Ref], Any]) -> Any:
    """Replace every Ref in nested tuples, lists, dicts and slices."""
    if isinstance(value, Ref):
        return change(value)
    if isinstance(value, tuple):
        return tuple(map_structure(v, change) for v in value)
    if isinstance(value, list):
        return [map_structure(v, change) for v in value]
    if isinstance(value, Mapping):
        return {k: map_structure(v, change) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*(map_structure(v, change) for v in (value.start, value.stop, value.step)))
    return value


def iter_refs(value: Any) -> Iterator[Ref]:
    """Every Ref in a nested structure, in order."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from iter_refs(v)
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from iter_refs(v)
    elif isinstance(value, slice):
        yield from iter_refs((value.start, value.stop, value.step))
