"""Control flow of PyTorch to GE: `cond` is If, `while_loop`, `scan` and `map` are While, a compiled region is a
PartitionedCall.

Each function gets a `Context`: how to convert a subgraph with the converters of the graph around it, and what Meta says
of the results. A call that has no form here raises Unsupported and stays a call of PyTorch's operator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.builder import GraphBuilder
from ferrata.ge.ir import Desc, Graph, Ref
from ferrata.ge.types import UNDEFINED, DataType, torch_dtype
from ferrata.torchair.aten import add_call, desc_of
from ferrata.torchair.build import Unsupported, add, const, require
from ferrata.torchair.ge import Tensor

Value = Any  # a Ref, a number, None


@dataclass(frozen=True)
class Context:
    """What a control flow operator needs of the conversion around it.

    subgraph: (module, branch) -> its graph, converted. meta: what Meta says of the results, as a list.
    """

    builder: GraphBuilder
    name: str
    meta: Sequence[Any]
    subgraph: Callable[[torch.fx.GraphModule, str], Graph]

    def fed(self, values: Sequence[Value]) -> list[Ref]:
        """Operands as values of the graph: numbers become constants."""
        return [self._fed(v) for v in values]

    def _fed(self, value: Value) -> Ref:
        if isinstance(value, Ref):
            return value
        require(isinstance(value, (bool, int, float)), f"an operand of type {type(value).__name__}")
        kind = "Bool" if isinstance(value, bool) else "Int" if isinstance(value, int) else "Float"
        tensor = torch.tensor(value, device=self.builder.device)
        ref = self.builder.const(tensor, None, str(value), AttrValue(kind, value))
        self.builder.values[ref] = value
        return ref

    def node(
        self, op_type: str, inputs: dict[str, Any], count: int, graphs: dict[str, Graph], **attrs: AttrValue
    ) -> list[Ref]:
        return self.builder.add(op_type, inputs, [("output", count)], attrs, name=self.name, graphs=graphs)


def find(target: Any) -> Callable[..., list[Value]] | None:
    """Who converts a higher-order operator, None for those that stay what they are."""
    return _TABLE.get(getattr(target, "_name", ""))


def cond(at: Context, pred: Value, true_fn: Any, false_fn: Any, operands: Sequence[Value] = ()) -> list[Value]:
    inputs = {"cond": at.fed([pred])[0], "input": at.fed(operands)}
    graphs = {"then_branch": at.subgraph(true_fn, "then_branch"), "else_branch": at.subgraph(false_fn, "else_branch")}
    return list(at.node("If", inputs, len(at.meta), graphs))


def while_loop(
    at: Context, cond_fn: Any, body_fn: Any, carried: Sequence[Value], additional: Sequence[Value] = ()
) -> list[Value]:
    """GE's loop hands on everything that it is fed: what the body only reads are loop values that do not change."""
    given = at.fed([*carried, *additional])
    body = at.subgraph(body_fn, "body")
    passed = tuple(Ref(feed.name, 0) for feed in body.feeds[len(carried) :])
    body = Graph(body.name, body.nodes, (*body.outputs, *passed), body.symbols)
    graphs = {"cond": at.subgraph(cond_fn, "cond"), "body": body}
    return list(at.node("While", {"input": given}, len(given), graphs))[: len(carried)]


def scan(
    at: Context, combine_fn: Any, init: Sequence[Value], xs: Sequence[Value], additional: Sequence[Value] = ()
) -> list[Value]:
    """A loop over a counter: it picks a slice of each x, and writes what a step gives into the rows of the results."""
    inner = at.subgraph(combine_fn, "body")
    return _counted(at, inner, list(init), list(xs), list(additional))


def map_impl(at: Context, f: Any, xs: Sequence[Value], additional: Sequence[Value] = ()) -> list[Value]:
    """A scan that carries nothing."""
    return _counted(at, at.subgraph(f, "body"), [], list(xs), list(additional))


def while_loop_stack_output(
    at: Context, cond_fn: Any, body_fn: Any, carried: Sequence[Value], additional: Sequence[Value] = ()
) -> list[Value]:
    """A loop that gives the carried values of every step, one behind the other; those it is fed if it makes none."""
    require(all(isinstance(c, Ref) for c in carried), "numbers carried through a loop that is differentiated")
    body, test = at.subgraph(body_fn, "body"), at.subgraph(cond_fn, "cond")
    count, builder = len(carried), at.builder
    descs = [body.feeds[i].outputs[0].desc for i in range(count)]
    stacks = [_no_rows(builder, c) for c in carried]
    given = [*at.fed(carried), *at.fed(additional), *stacks, at.fed([False])[0]]
    growing = [Desc(d.dtype, (-1, *(d.shape or ())), placement=d.placement) for d in descs]
    before = [f.outputs[0].desc for f in body.feeds]
    feeds = [*before, *growing, Desc(int(DataType.DT_BOOL), (), host=True, placement="CPU")]

    def around(what: str, inner: Graph, results: Callable[[GraphBuilder, list[Ref]], list[Any]]) -> Graph:
        with GraphBuilder(f"{at.name}_{what}", builder.worlds) as made:
            made.device = builder.device
            fed = [made.data(f.name, d) for f, d in zip(body.feeds, before, strict=True)]
            fed += [made.data(f"stack{i}", d) for i, d in enumerate(feeds[len(before) :])]
            symbols = {s: _moved(v, inner, fed) for s, v in inner.symbols.items()}
            return made.finish(results(made, fed), symbols)

    def step(made: GraphBuilder, fed: list[Ref]) -> list[Any]:
        carry = made.inline(body, fed[: len(before)])
        rows = [add("Unsqueeze", (Tensor(made, c),), {"axes": [0]}, None) for c in carry]
        pairs = zip(fed[len(before) :], rows, strict=False)
        longer = [add("ConcatV2", ([Tensor(made, s), row], 0), {"N": 2}, None).ref for s, row in pairs]
        return [*carry, *fed[count : len(before)], *longer, True]

    graphs = {
        "cond": around("cond", test, lambda made, fed: made.inline(test, fed[: len(before)])),
        "body": around("body", body, step),
    }
    made = at.node("While", {"input": given}, len(given), graphs)
    stacked = made[len(before) : len(before) + count]
    for ref, desc in zip(stacked, growing, strict=True):
        builder.set_desc(ref, desc)

    def chosen(what: str, pick: Callable[[GraphBuilder, list[Ref], list[Ref]], list[Any]]) -> Graph:
        with GraphBuilder(f"{at.name}_{what}", builder.worlds) as inner:
            inner.device = builder.device
            grown = [inner.data(f"stack{i}", d) for i, d in enumerate(growing)]
            first = [inner.data(f"carry{i}", d) for i, d in enumerate(descs)]
            return inner.finish(pick(inner, grown, first))

    branches = {
        "then_branch": chosen("then_branch", lambda inner, grown, first: grown),
        "else_branch": chosen(
            "else_branch",
            lambda inner, grown, first: [add("Unsqueeze", (Tensor(inner, c),), {"axes": [0]}, None).ref for c in first],
        ),
    }
    return list(at.node("If", {"cond": made[-1], "input": [*stacked, *at.fed(carried)]}, count, branches))


def _no_rows(builder: GraphBuilder, value: Ref) -> Ref:
    """Nothing of a value, as the beginning of a stack: on its device, of its type."""
    row = add("Unsqueeze", (Tensor(builder, value),), {"axes": [0]}, None)
    made: Ref = add("StridedSliceV2", (row, [0], [0], [0], [1]), {}, None).ref
    return made


def _moved(source: Any, inner: Graph, fed: Sequence[Ref]) -> Any:
    """Where a symbol comes from, for a graph with more inputs than `inner`."""
    to = {feed.name: ref for feed, ref in zip(inner.feeds, fed, strict=False)}
    return to[source.node] if isinstance(source, Ref) else (to[source[0].node], source[1])


def invoke_subgraph(at: Context, subgraph: Any, identifier: Any, *operands: Value) -> list[Value]:
    graphs = {"f": at.subgraph(subgraph, "f")}
    return list(at.node("PartitionedCall", {"args": at.fed(operands)}, len(at.meta), graphs))


_TABLE: dict[str, Callable[..., list[Value]]] = {
    "cond": cond,
    "while_loop": while_loop,
    "while_loop_stack_output": while_loop_stack_output,
    "scan": scan,
    "map_impl": map_impl,
    "invoke_subgraph": invoke_subgraph,
}

# ---- loops over a counter ----


def _counted(at: Context, inner: Graph, init: list[Value], xs: list[Value], additional: list[Value]) -> list[Value]:
    """While over [counter, count, carries, results, xs, additional]; `inner` maps (carries, one of xs, additional)."""
    require(bool(xs) and all(isinstance(x, Ref) for x in xs), "nothing to go through")
    carries = len(init)
    stacked = [m for m in at.meta[carries:] if m is not None]
    require(all(isinstance(m, torch.Tensor) for m in stacked), "a step that gives numbers")
    carried, rest, walked = at.fed(init), at.fed(additional), [x for x in xs if isinstance(x, Ref)]
    sizes = _Sizes(at, [*walked, *carried, *rest])
    count = sizes.ref(desc_of(stacked[0]).shape[0]) if stacked else sizes.of(walked[0], 0)  # type: ignore[index]
    rows = [_filled(at, sizes, _contiguous(meta)) for meta in stacked]
    given = [at.fed([0])[0], count, *carried, *rows, *walked, *rest]
    loop = _Loop(at, inner, given, carries, len(rows), len(walked))
    graphs = {"cond": loop.condition(), "body": loop.body()}
    own = range(2 + carries, 2 + carries + len(rows))
    made = at.node("While", {"input": given}, len(given), graphs, _own=AttrValue("ListInt", list(own)))
    results = iter(made[2 + carries :])
    return [*made[2 : 2 + carries], *(None if m is None else next(results) for m in at.meta[carries:])]


@dataclass(frozen=True)
class _Loop:
    """The subgraphs of a counted loop, built around the converted step."""

    at: Context
    inner: Graph
    given: Sequence[Ref]
    carries: int
    rows: int
    walked: int

    def condition(self) -> Graph:
        with GraphBuilder(f"{self.at.name}_cond", self.at.builder.worlds) as builder:
            feeds = self._feeds(builder)
            less = _host(builder, operator.lt, torch.SymBool, feeds[0], feeds[1])
            return builder.finish([less], self._symbols(feeds))

    def body(self) -> Graph:
        """One step: the inner graph's nodes, fed the carries, a slice of each x, and the rest."""
        builder = GraphBuilder(f"{self.at.name}_body", self.at.builder.worlds)
        builder.device = self.at.builder.device
        with builder:
            feeds = self._feeds(builder)
            index = feeds[0]
            first_row, first_x = 2 + self.carries, 2 + self.carries + self.rows
            rest = first_x + self.walked
            slices = [
                add("GatherV2", (Tensor(builder, x), Tensor(builder, index), 0), {}, None).ref
                for x in feeds[first_x:rest]
            ]
            step = builder.inline(self.inner, [*feeds[2:first_row], *slices, *feeds[rest:]])
            carried, made = step[: self.carries], [v for v in step[self.carries :] if v is not None]
            rows = [self._store(builder, r, index, v) for r, v in zip(feeds[first_row:first_x], made, strict=True)]
            later = _host(builder, operator.add, torch.SymInt, index, 1)
            results = [later, feeds[1], *carried, *rows, *feeds[first_x:]]
            return builder.finish(results, self._symbols(feeds))

    def _store(self, builder: GraphBuilder, rows: Ref, index: Ref, value: Ref) -> Ref:
        """The row of the counter, written in place: nobody else has these rows."""
        at = add("Reshape", (Tensor(builder, index), [1, 1]), {}, None)
        row = add("Unsqueeze", (Tensor(builder, value),), {"axes": [0]}, None)
        out: Ref = add("ScatterNdUpdate", (Tensor(builder, rows), at, row), {}, None).ref
        return out

    def _feeds(self, builder: GraphBuilder) -> list[Ref]:
        names = ["index", "count", *(f"carry{i}" for i in range(self.carries))]
        names += [*(f"rows{i}" for i in range(self.rows)), *(f"xs{i}" for i in range(self.walked))]
        names += [f"given{i}" for i in range(len(self.given) - len(names))]
        descs = self.at.builder.descs
        host = desc_of(0)
        feeds = [
            builder.data(name, host if i < 2 else descs[ref])
            for i, (name, ref) in enumerate(zip(names, self.given, strict=True))
        ]
        for feed, ref in zip(feeds[1:], self.given[1:], strict=True):
            if ref in self.at.builder.values:
                builder.values[feed] = self.at.builder.values[ref]
        return feeds

    def _symbols(self, feeds: Sequence[Ref]) -> dict[str, Any]:
        """Where the sizes of the loop's inputs come from."""
        found: dict[str, Any] = {}
        for i, (feed, ref) in enumerate(zip(feeds, self.given, strict=True)):
            value = self.at.builder.values.get(ref)
            if i >= 1 and getattr(value, "is_Symbol", False):
                found.setdefault(str(value), feed)
        for feed, ref in zip(feeds, self.given, strict=True):
            desc = self.at.builder.descs[ref]
            for d, size in enumerate(desc.shape or ()):
                if getattr(size, "is_Symbol", False):
                    found.setdefault(str(size), (feed, d))
        return found


def _host(builder: GraphBuilder, fn: Any, kind: Any, *args: Any) -> Ref:
    """Arithmetic on sizes, on the host."""
    meta = 0 if kind is torch.SymInt else True
    return add_call(builder, fn, args, {}, meta, False)  # type: ignore[no-any-return]


def _contiguous(meta: torch.Tensor) -> Desc:
    desc = desc_of(meta)
    return Desc(desc.dtype, desc.shape, placement=desc.placement)


def _filled(at: Context, sizes: _Sizes, desc: Desc) -> Ref:
    """Memory for the rows of a result."""
    require(desc.dtype != UNDEFINED and desc.shape is not None, "a result of unknown type")
    shape = desc.shape or ()
    where: Any = list(shape) if all(isinstance(d, int) for d in shape) else Tensor(at.builder, sizes.pack(shape))
    made: Ref = add("Fill", (where, const(0, torch_dtype(desc.dtype))), {}, None).ref
    at.builder.set_desc(made, Desc(desc.dtype, desc.shape, placement=desc.placement))
    return made


@dataclass(frozen=True)
class _Sizes:
    """Sizes as values of the graph, found in what the operator is fed."""

    at: Context
    operands: Sequence[Ref]

    def ref(self, dim: Any) -> Ref:
        if isinstance(dim, int):
            return self.at.fed([dim])[0]
        builder = self.at.builder
        for ref in self.operands:
            if builder.values.get(ref) == dim:
                return ref
        for ref in self.operands:
            for d, size in enumerate(builder.descs[ref].shape or ()):
                if size == dim:
                    return self.of(ref, d)
        if getattr(dim, "is_Integer", False):
            return self.at.fed([int(dim)])[0]
        fold = (
            operator.add if getattr(dim, "is_Add", False) else operator.mul if getattr(dim, "is_Mul", False) else None
        )
        if fold is None:
            raise Unsupported("a size that is not made of those that the operator is fed")
        first, *others = [self.ref(part) for part in dim.args]
        for other in others:
            first = _host(builder, fold, torch.SymInt, first, other)
        builder.values[first] = dim
        return first

    def of(self, ref: Ref, dim: int) -> Ref:
        """The size of a tensor."""
        builder = self.at.builder
        size = (builder.descs[ref].shape or (-1,) * (dim + 1))[dim]
        if isinstance(size, int) and size >= 0:
            return self.at.fed([size])[0]
        made: Ref = add_call(builder, torch.ops.aten.sym_size.int, (ref, dim), {}, 0, False)
        builder.values[made] = size
        return made

    def pack(self, shape: Sequence[Any]) -> Ref:
        parts = [self.ref(d) for d in shape]
        attrs = {"N": AttrValue("Int", len(parts)), "axis": AttrValue("Int", 0)}
        packed = self.at.builder.add("Pack", {"x": parts}, attrs=attrs)[0]
        self.at.builder.values[packed] = tuple(shape)
        return packed
