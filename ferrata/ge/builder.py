"""Build a graph node by node, each validated against its prototype and inferred as it is added.

The TorchAir front end drives a builder while it walks the FX graph; converters reach it through `current()`. It is the
only mutable stage: `finish()` freezes everything into a `Graph`.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.ge import control
from ferrata.ge import infer as inference
from ferrata.ge.attrs import KINDS, AttrValue, compatible
from ferrata.ge.builtin import BUILTINS
from ferrata.ge.infer import Inferred
from ferrata.ge.ir import Call, Desc, Graph, Node, Output, Port, Ref, Shape, Where, map_structure
from ferrata.ge.library import rules
from ferrata.ge.prototype import PortSpec, Prototype, near, registered_prototype, require_prototype
from ferrata.ge.types import UNDEFINED, ge_dtype
from ferrata.ge.worlds import STATIC, World, shape_of

_current: contextvars.ContextVar[GraphBuilder | None] = contextvars.ContextVar("ferrata_graph", default=None)
_numbers = itertools.count()


def current(what: str) -> GraphBuilder:
    """The builder of the graph under construction. Raises NotInConverter outside one."""
    builder = _current.get()
    if builder is None:
        raise errors.NotInConverter(what=what)
    return builder


class GraphBuilder:
    """A graph under construction.

    worlds: the assignments under which shapes are inferred. Use as a context manager to make it `current()`.

    >>> with GraphBuilder("demo") as g:
    ...     x = g.data("x", Desc(0, (8, 2048)))
    ...     y = g.add("Cast", {"x": x}, attrs={"dst_type": AttrValue("Int", 1)})
    ...     graph = g.finish([y[0]])
    """

    def __init__(self, name: str | None = None, worlds: Sequence[World] = STATIC) -> None:
        self.name = name if name is not None else f"graph_{next(_numbers)}"
        self.worlds = tuple(worlds)
        self.where = Where()
        self.nodes: dict[str, Node] = {}
        self.order: dict[str, int] = {}  # place of each node
        self.descs: dict[Ref, Desc] = {}
        self.inferred: dict[Ref, Inferred] = {}
        self.values: dict[Ref, Any] = {}  # numbers on the host and lists of them: an int, an expression, or a tuple
        self.device = torch.device("cpu")  # where constants live
        self._feeds = 0
        self._counters: dict[str, int] = {}
        self._last_effect: str | None = None
        self._tokens: list[contextvars.Token[GraphBuilder | None]] = []

    def __enter__(self) -> GraphBuilder:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *exc: object) -> None:
        _current.reset(self._tokens.pop())

    @contextlib.contextmanager
    def at(self, where: Where) -> Iterator[None]:
        """Nodes added inside carry this provenance."""
        before, self.where = self.where, where
        try:
            yield
        finally:
            self.where = before

    # ---- adding nodes ----

    def data(self, name: str, desc: Desc) -> Ref:
        """The next graph input."""
        index, self._feeds = self._feeds, self._feeds + 1
        node = Node(
            self._fresh(name),
            "Data",
            (),
            (Output("y", desc),),
            {"index": AttrValue("Int", index)},
            where=self.where,
            output_counts=(1,),
        )
        return self._append(node)[0]

    def const(
        self,
        value: torch.Tensor,
        name: str | None = None,
        readable: str | None = None,
        number: AttrValue | None = None,
    ) -> Ref:
        """A constant; `value` is kept as it is. number: what it is in Python, for operators that take numbers."""
        desc = Desc(
            ge_dtype(value.dtype), shape_of(value.shape), placement="CPU" if value.device.type == "cpu" else "NPU"
        )
        attrs = {} if readable is None else {"_readable_value": AttrValue("Str", readable)}
        if number is not None:
            attrs["_number"] = number
        node = Node(
            self._fresh(name or "Const"),
            "Const",
            (),
            (Output("y", desc),),
            attrs,
            where=self.where,
            output_counts=(1,),
            value=value,
        )
        return self._append(node)[0]

    def add(
        self,
        op_type: str,
        inputs: Mapping[str, Ref | Sequence[Ref] | None],
        outputs: Sequence[str | tuple[str, int]] | None = None,
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        name: str | None = None,
        controls: Sequence[str] = (),
        host_outputs: bool = False,
        graphs: Mapping[str, Graph] | None = None,
        effect: bool = False,
    ) -> list[Ref]:
        """A node of a prototyped type; the order of `inputs` and `attrs` does not matter.

        inputs: port -> value, None (absent optional) or list (dynamic). outputs: names, (name, count) for dynamic ones;
        None takes all of the prototype, each single. graphs: the subgraphs of a control flow node. effect: it is kept, and
        in order, whatever its type; so it is if something inside has an effect. Returns the outputs, one after another.
        Raises NoPrototype, UnknownPort, MissingPort, BadInput, UnknownAttr, MissingAttr, BadAttr, WrongOutputCount,
        DtypeNotAllowed, InferFailed.
        """
        proto = require_prototype(op_type, self.where)
        ports, counts = self._ports(proto, inputs)
        out_names, out_counts = self._outputs(proto, outputs)
        checked = self._attrs(proto, attrs or {})
        control.check(proto, graphs or {}, self.where)
        in_place = set(proto.in_place)
        ours = rules.find(op_type) if registered_prototype(op_type) is None else None
        shares = [spec.name in in_place for spec, n in zip(proto.outputs, out_counts, strict=True) for _ in range(n)]
        aliases = [n if s else None for n, s in zip(out_names, shares, strict=True)]
        placement = "CPU" if host_outputs else "NPU"
        node = Node(
            self._fresh(name or op_type),
            op_type,
            tuple(ports),
            tuple([Output(n, Desc(placement=placement), a) for n, a in zip(out_names, aliases, strict=True)]),
            checked,
            tuple(controls),
            self._made_by("builder"),
            counts=counts,
            output_counts=out_counts,
            effect=effect
            or (ours is not None and ours.effect)
            or bool(in_place)
            or any(inner.effect for g in (graphs or {}).values() for inner in g.every_node())
            or (op_type in BUILTINS and BUILTINS[op_type].effect),
            graphs=graphs or {},
        )
        present = node.refs
        descs = [self.descs[r] for r in present]
        inference.check_dtypes(node, proto, [d.dtype for d in descs])
        values: dict[int, Any] = {}
        if graphs:
            fed = [self.descs[p.ref] for p in node.passed if p.ref is not None]
            found = control.infer(node, fed, self.worlds)
        else:
            consts = {}
            for i, ref in enumerate(present):
                made = self.nodes[ref.node]
                if made.type == "Const":
                    consts[i] = made.value
            values = {i: self.values[r] for i, r in enumerate(present) if r in self.values}
            inputs_known = [self._inferred_input(r, d) for r, d in zip(present, descs, strict=True)]
            found = inference.infer(node, proto, inputs_known, self.worlds, consts, values)
        sizes = [v if isinstance(v, tuple) else (v,) for v in values.values()]  # what a list of sizes says counts too
        known = inference.explanations([*[d.shape for d in descs if d.shape is not None], *sizes], self.worlds)
        described = []
        on_host = control.on_host(node) if graphs else [False] * len(found)
        for out_name, alias, result, host in zip(out_names, aliases, found, on_host, strict=True):
            shape = inference.symbolic(result.shapes, known)
            desc = Desc(result.dtype, shape, None, host, "CPU" if host else placement)
            described.append(Output(out_name, desc, alias))
        node = _with_outputs(node, tuple(described))
        refs = self._append(node)
        self.inferred.update(zip(refs, found, strict=True))
        return refs

    def aten(
        self,
        op_type: str,
        call: Call,
        outputs: Sequence[tuple[str, Desc]],
        *,
        ports: Sequence[tuple[str, Ref]],
        effect: bool = False,
        name: str | None = None,
    ) -> list[Ref]:
        """A node that runs as a call of ATen (or of a Python function on sizes); it has no prototype."""
        node = Node(
            self._fresh(name or self.where.fx_node or op_type.rsplit("::", 1)[-1].replace(".", "_")),
            op_type,
            tuple(Port(n, r) for n, r in ports),
            tuple(Output(n, d) for n, d in outputs),
            {},
            (),
            self._made_by("aten"),
            call,
            effect=effect,
        )
        return self._append(node)

    def inline(self, graph: Graph, fed: Sequence[Ref]) -> list[Any]:
        """Add the nodes of a graph, its inputs replaced by `fed`; its outputs as values of this one."""
        to = {Ref(feed.name, 0): ref for feed, ref in zip(graph.feeds, fed, strict=True)}
        names: dict[str, str] = {}
        for node in graph.nodes:
            if node.type in ("Data", "RefData"):
                continue
            names[node.name] = name = self._fresh(node.name)
            controls = tuple(names[c] for c in node.controls if c in names)
            refs = self._append(dataclasses.replace(node.map_refs(to.__getitem__), name=name, controls=controls))
            to.update({Ref(node.name, i): ref for i, ref in enumerate(refs)})
        return [map_structure(o, to.__getitem__) for o in graph.outputs]

    # ---- what converters and the front end change afterwards ----

    def set_desc(self, ref: Ref, desc: Desc) -> None:
        """Overwrite what is known of a value: Meta knows symbols and strides."""
        node = self.nodes[ref.node]
        outputs = list(node.outputs)
        outputs[ref.index] = Output(outputs[ref.index].name, desc, outputs[ref.index].alias)
        self.nodes[ref.node] = _with_outputs(node, tuple(outputs))
        self.descs[ref] = desc

    def set_controls(self, name: str, controls: Sequence[str]) -> None:
        """Order node `name` after the nodes `controls`."""
        node = self.nodes[name]
        merged = tuple(dict.fromkeys((*node.controls, *controls)))
        self.nodes[name] = dataclasses.replace(node, controls=merged)

    def set_attr(self, name: str, key: str, value: AttrValue) -> None:
        node = self.nodes[name]
        self.nodes[name] = dataclasses.replace(node, attrs={**node.attrs, key: value})

    def set_effect(self, name: str) -> None:
        """Keep node `name`, and in order: it writes memory that it was given."""
        self.nodes[name] = dataclasses.replace(self.nodes[name], effect=True)

    def mark(self) -> Any:
        """Where the graph stands, for `undo`."""
        return len(self.nodes), dict(self._counters), self._last_effect

    def undo(self, mark: Any) -> None:
        """Take back the nodes added since `mark`."""
        count, self._counters, self._last_effect = mark
        while len(self.nodes) > count:
            name, node = self.nodes.popitem()
            for i in range(len(node.outputs)):
                for table in (self.descs, self.inferred, self.values):
                    table.pop(Ref(name, i), None)

    def check_name(self, op_type: str, name: str) -> None:
        """Raises BadNodeName unless `name` is non-blank and unused."""
        problem = ""
        if not isinstance(name, str):
            problem = "not a string"
        elif not name.strip():
            problem = "blank"
        elif name in self.nodes:
            problem = "in use"
        if problem:
            raise errors.BadNodeName(op=op_type, where=str(self.where), name=name, problem=problem)

    def finish(self, outputs: Sequence[Any], symbols: Mapping[str, Any] | None = None) -> Graph:
        """The frozen graph."""
        return Graph(self.name, tuple(self.nodes.values()), tuple(outputs), dict(symbols or {}))

    # ---- validation ----

    def _ports(
        self, proto: Prototype, inputs: Mapping[str, Ref | Sequence[Ref] | None]
    ) -> tuple[list[Port], tuple[int, ...]]:
        known = [p.name for p in proto.inputs]
        for name in inputs:
            if name not in known:
                raise errors.UnknownPort(
                    op=proto.op_type,
                    where=str(self.where),
                    direction="input",
                    port=name,
                    near=near(name, known),
                    known=proto.signature(),
                )
        ports: list[Port] = []
        counts: list[int] = []
        for spec in proto.inputs:
            value = inputs.get(spec.name)
            many = (
                [Port(f"{spec.name}{i}", r) for i, r in enumerate(value)] if isinstance(value, (list, tuple)) else None
            )
            if spec.kind == "dynamic":
                if many is None:
                    self._missing_or_bad(proto, spec, value, "a list of tensors (the port is dynamic)")
                ports += many or []
                counts.append(len(many or []))
                continue
            if many is not None:
                self._bad_input(proto, spec, value, f"one tensor (the port is {spec.kind}, not dynamic)")
            if value is None and spec.kind == "required":
                self._missing_or_bad(proto, spec, value, "a tensor")
            assert value is None or isinstance(value, Ref)
            ports.append(Port(spec.name, value))
            counts.append(0 if value is None else 1)
        return ports, tuple(counts)

    def _missing_or_bad(self, proto: Prototype, spec: PortSpec, value: Any, expected: str) -> None:
        if value is not None:
            self._bad_input(proto, spec, value, expected)
        raise errors.MissingPort(
            op=proto.op_type, where=str(self.where), direction="input", port=spec.name, known=proto.signature()
        )

    def _bad_input(self, proto: Prototype, spec: PortSpec, value: Any, expected: str) -> None:
        raise errors.BadInput(
            op=proto.op_type, where=str(self.where), port=spec.name, expected=expected, got=type(value).__name__
        )

    def _outputs(
        self, proto: Prototype, outputs: Sequence[str | tuple[str, int]] | None
    ) -> tuple[list[str], tuple[int, ...]]:
        every = [p.name for p in proto.outputs if p.kind != "dynamic"]
        if len(every) == len(proto.outputs) and (outputs is None or list(outputs) == every):
            return every, (1,) * len(every)
        asked: dict[str, int | None] = {}
        for item in outputs if outputs is not None else [p.name for p in proto.outputs]:
            name, count = (item, None) if isinstance(item, str) else item
            if proto.output(name) is None:
                known = [p.name for p in proto.outputs]
                raise errors.UnknownPort(
                    op=proto.op_type,
                    where=str(self.where),
                    direction="output",
                    port=name,
                    near=near(name, known),
                    known=proto.signature(),
                )
            asked[name] = count
        names: list[str] = []
        counts: list[int] = []
        for spec in proto.outputs:
            if spec.name not in asked:
                raise errors.MissingPort(
                    op=proto.op_type, where=str(self.where), direction="output", port=spec.name, known=proto.signature()
                )
            count = asked[spec.name]
            if spec.kind == "dynamic":
                if count is None:
                    raise errors.WrongOutputCount(
                        op=proto.op_type,
                        where=str(self.where),
                        got=f"one {spec.name!r}",
                        expected=f"a count for the dynamic output {spec.name!r}",
                        hint=f" Write outputs=[..., ({spec.name!r}, n)].",
                    )
                names += [f"{spec.name}{i}" for i in range(count)]
                counts.append(count)
            elif count not in (None, 1):
                raise errors.WrongOutputCount(
                    op=proto.op_type, where=str(self.where), got=f"{count} {spec.name!r}", expected="one", hint=""
                )
            else:
                names.append(spec.name)
                counts.append(1)
        return names, tuple(counts)

    def _attrs(self, proto: Prototype, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
        out: dict[str, AttrValue] = {}
        for name, value in attrs.items():
            if name.startswith("_"):  # framework attributes are not declared
                out[name] = value
                continue
            spec = proto.attr(name)
            if spec is None:
                known = [a.name for a in proto.attrs]
                raise errors.UnknownAttr(
                    op=proto.op_type,
                    where=str(self.where),
                    attr=name,
                    near=near(name, known),
                    known=", ".join(f"{a.name}: {a.type}" for a in proto.attrs) or "no attributes",
                )
            kind = KINDS.get(spec.type)
            fitted = value if kind is None else compatible(value, kind)
            if fitted is None:
                raise errors.BadAttr(
                    op=proto.op_type,
                    where=str(self.where),
                    attr=name,
                    expected=f"{spec.type}",
                    got=f"{value.kind}({value.value!r})",
                )
            out[name] = fitted
        for spec in proto.attrs:
            if spec.required and spec.name not in out and spec.type not in control.GRAPH_KINDS:
                raise errors.MissingAttr(
                    op=proto.op_type,
                    where=str(self.where),
                    attr=spec.name,
                    kind=spec.type,
                    known=", ".join(f"{a.name}: {a.type}" for a in proto.attrs),
                )
        return out

    # ---- bookkeeping ----

    def _made_by(self, who: str) -> Where:
        return self.where if self.where.made_by else dataclasses.replace(self.where, made_by=who)

    def _inferred_input(self, ref: Ref, desc: Desc) -> tuple[int, tuple[list[int] | None, ...]]:
        if desc.host:  # a number fed to a port becomes a tensor without dimensions
            return desc.dtype, ([],) * len(self.worlds)
        if desc.shape is not None and -1 not in desc.shape:
            return desc.dtype, tuple([w.shape(desc.shape) for w in self.worlds])
        found = self.inferred.get(ref)
        if found is not None:
            return desc.dtype, found.shapes
        return desc.dtype, tuple(None if desc.shape is None else w.shape(desc.shape) for w in self.worlds)

    def _fresh(self, base: str) -> str:
        name = base
        while name in self.nodes:
            self._counters[base] = self._counters.get(base, 0) + 1
            name = f"{base}_{self._counters[base]}"
        return name

    def _append(self, node: Node) -> list[Ref]:
        for ref in node.refs:
            if ref not in self.descs:
                raise errors.DanglingEdge(node=node.name, where=str(node.where), edge=str(ref), graph=self.name)
        if node.effect:  # effects keep their order among themselves
            if self._last_effect is not None and self._last_effect not in node.controls:
                node = dataclasses.replace(node, controls=(*node.controls, self._last_effect))
            self._last_effect = node.name
        self.order[node.name] = len(self.nodes)
        self.nodes[node.name] = node
        refs = [Ref(node.name, i) for i in range(len(node.outputs))]
        self.descs.update((r, o.desc) for r, o in zip(refs, node.outputs, strict=True))
        return refs


def _with_outputs(node: Node, outputs: tuple[Output, ...]) -> Node:
    """dataclasses.replace costs more than the rest of adding a node."""
    return Node(
        node.name, node.type, node.inputs, outputs, node.attrs, node.controls, node.where, node.call, node.counts,
        node.output_counts, node.effect, node.value, node.graphs,
    )  # fmt: skip


def describe(value: torch.Tensor) -> Desc:
    """What Meta knows of a tensor, symbols as expressions; adds no guard."""
    shape = shape_of(value.shape)
    stride: Shape | None = None
    if value.layout is torch.strided:
        actual = shape_of(value.stride())
        stride = None if is_contiguous(shape, actual) else actual
    try:
        dtype = ge_dtype(value.dtype)
    except errors.DtypeUnknown:
        dtype = UNDEFINED
    return Desc(dtype, shape, stride, placement="CPU" if value.device.type == "cpu" else "NPU")


def is_contiguous(shape: Shape, stride: Shape) -> bool:
    """Whether these strides are, as expressions, those of a contiguous tensor."""
    if 0 in shape:
        return True
    expected: Any = 1
    for size, step in zip(reversed(shape), reversed(stride), strict=True):
        if step is not expected and size != 1 and step != expected:
            return False
        expected = size if expected == 1 else expected * size
    return True
