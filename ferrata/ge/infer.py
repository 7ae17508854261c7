"""Shape and dtype inference of one GE node, in every world of its graph, and its comparison with PyTorch's Meta.

The builder calls `infer` as soon as a node is added, so that a converter sees the dtype and rank of intermediate
results. `compare` is called when a converter returns. Types follow: the implementation's function, else the prototype's
symbols, else what Meta says; shapes likewise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferrata import errors
from ferrata.ge.builtin import BUILTINS
from ferrata.ge.impl import Implementation, NodeInfo, find_implementation
from ferrata.ge.ir import Desc, Dim, Node, Port, Shape
from ferrata.ge.library import rules
from ferrata.ge.prototype import PortSpec, Prototype, registered_prototype
from ferrata.ge.types import UNDEFINED, dtype_name, torch_dtype
from ferrata.ge.worlds import World

UNKNOWN_RANK = [-2]


@dataclass(frozen=True, slots=True)
class Inferred:
    """What inference knows of one output: its type, its shape per world (None: unknown), and who said so."""

    dtype: int
    shapes: tuple[list[int] | None, ...]
    source: str


def node_info(node: Node, proto: Prototype, consts: Mapping[int, Any] | None = None) -> NodeInfo:
    """The node as implementations see it, attributes completed by the prototype's defaults."""
    attrs = {a.name: node.attrs[a.name].value if a.name in node.attrs else a.default for a in proto.attrs}
    return NodeInfo(node.type, node.name, proto, node.counts, node.output_counts, attrs, str(node.where), consts or {})


def infer(
    node: Node,
    proto: Prototype,
    inputs: Sequence[tuple[int, tuple[list[int] | None, ...]]],
    worlds: Sequence[World],
    consts: Mapping[int, Any] | None = None,
    values: Mapping[int, Any] | None = None,
) -> list[Inferred]:
    """Outputs of `node`. inputs: per present input its dtype and its shape in each world; consts: known values;
    values: for lists of sizes and numbers, what they are, symbols as expressions.

    Raises InferFailed; DtypeNotAllowed when a symbol stands for two types.
    """
    found = rules.find(node.type) if registered_prototype(node.type) is None else None
    builtin = BUILTINS.get(node.type)
    if found is not None and builtin is None:  # most nodes
        return _by_rule(found, node, proto, inputs, worlds, consts or {}, values or {})
    info = node_info(node, proto, consts)
    count = sum(node.output_counts)
    dtypes = [d for d, _ in inputs]
    if builtin is not None:
        if builtin.infer is None:
            return [Inferred(UNDEFINED, (None,) * len(worlds), "built in")] * count
        rows = (
            [builtin.infer(dtypes, _known(inputs, w), info.attrs) for w in range(len(worlds))]
            if _ranked(inputs)
            else []
        )
        if not rows:
            return [Inferred(UNDEFINED, (None,) * len(worlds), "built in")] * count
        return [Inferred(rows[0][i][0], tuple(r[i][1] for r in rows), "built in") for i in range(count)]

    impl = find_implementation(node.type)
    by_symbol = _symbol_dtypes(node, proto, dtypes)
    out_dtypes, dtype_source = by_symbol, f"the symbols of the prototype ({proto.origin})"
    if impl is not None and impl.infers_dtype:
        out_dtypes = _guard(impl, "InferDataType", info, inputs, lambda: impl.dtypes(info, dtypes))
        dtype_source = f"InferDataType ({impl.origin})"
    shapes: list[tuple[list[int] | None, ...]] = [(None,) * len(worlds)] * count
    source = dtype_source
    if impl is not None and impl.infers_shape and _ranked(inputs) and not impl.reads_values(info):
        per_world = [
            _guard(impl, "InferShape", info, inputs, lambda w=w: impl.shapes(info, _known(inputs, w), dtypes))
            for w in range(len(worlds))
        ]
        shapes = [tuple(None if s[i] == UNKNOWN_RANK else s[i] for s, _ in per_world) for i in range(count)]
        settled = per_world[0][1]
        out_dtypes = [settled[i] if d == UNDEFINED else d for i, d in enumerate(out_dtypes)]
        source = f"InferShape and InferDataType ({impl.origin})" if impl.infers_dtype else f"InferShape ({impl.origin})"
    return [Inferred(out_dtypes[i], shapes[i], source) for i in range(count)]


def _by_rule(
    found: rules.Rule,
    node: Node,
    proto: Prototype,
    inputs: Sequence[tuple[int, tuple[list[int] | None, ...]]],
    worlds: Sequence[World],
    consts: Mapping[int, Any],
    values: Mapping[int, Any],
) -> list[Inferred]:
    """An operator of GE's library: its rule on meta tensors, in every world in which its inputs are known."""
    count = sum(node.output_counts)
    given = {n: v.value for n, v in node.attrs.items() if not n.startswith("_")}
    try:
        attrs = found.keywords(given, {a.name: a.default for a in proto.attrs})
    except KeyError:
        attrs = None
    spread = input_instances(proto, node)
    per_world: list[list[tuple[int, list[int] | None]] | None] = []
    for w, world in enumerate(worlds):
        operands = None if attrs is None else _operands(found, spread, inputs, w, world, consts, values)
        if operands is None or attrs is None or (found.dynamic and found.infer is None):
            per_world.append(None)
            continue
        extra = dict(attrs)
        if found.creates:
            extra |= {"dtype": torch_dtype(_created(found, node, proto, inputs, attrs)), "device": "meta"}
        try:
            per_world.append(rules.outputs(found, operands, extra))
        except (RuntimeError, ValueError, IndexError):
            if w == 0:
                raise
            per_world.append(None)  # sizes that the operands cannot have together, which no guard says
    first = next((rows for rows in per_world if rows is not None), None)
    if first is None:
        return [Inferred(UNDEFINED, (None,) * len(worlds), "its rule")] * count
    rows = [
        Inferred(first[i][0], tuple(None if r is None else r[i][1] for r in per_world), "its rule")
        for i in range(min(count, len(first)))
    ]
    return rows + [Inferred(UNDEFINED, (None,) * len(worlds), "its rule")] * (count - len(rows))


def _operands(
    found: rules.Rule,
    spread: Sequence[tuple[PortSpec, Sequence[Port]]],
    inputs: Sequence[tuple[int, tuple[list[int] | None, ...]]],
    w: int,
    world: World,
    consts: Mapping[int, Any],
    values: Mapping[int, Any],
) -> list[Any] | None:
    """The rule's arguments in one world; None if something that it needs is not known."""
    operands: list[Any] = []
    at = 0
    for spec, ports in spread:
        here: list[Any] = []
        for port in ports:
            if port.ref is None:
                here.append(None)
                continue
            dtype, shapes = inputs[at]
            if spec.name in found.host:
                value = _host_value(consts.get(at), values.get(at), world)
                if value is None:
                    return None
                here.append(value)
            else:
                shape = shapes[w]
                if shape is None or -1 in shape or dtype == UNDEFINED:
                    return None
                here.append(rules.Shaped(torch_dtype(dtype), tuple(shape)))
            at += 1
        operands.append(here if spec.kind == "dynamic" else here[0])
    while operands and operands[-1] is None:
        operands.pop()
    return operands


def _host_value(const: Any, value: Any, world: World) -> Any:
    if const is not None:
        return const.tolist()
    if value is None:
        return None
    if isinstance(value, tuple):
        numbers = [world.dim(v) for v in value]
        return None if any(n == -1 and not isinstance(v, int) for n, v in zip(numbers, value, strict=True)) else numbers
    number = world.dim(value)
    return None if number == -1 and not isinstance(value, int) else number


def _created(found: rules.Rule, node: Node, proto: Prototype, inputs: Any, attrs: Mapping[str, Any]) -> int:
    """The data type of what a rule creates: that of the port or attribute that it names."""
    if found.creates in attrs:
        return int(attrs[found.creates])
    at = 0
    for spec, ports in input_instances(proto, node):
        if spec.name == found.creates:
            return int(inputs[at][0])
        at += sum(p.ref is not None for p in ports)
    return UNDEFINED


def check_dtypes(node: Node, proto: Prototype, dtypes: Sequence[int]) -> None:
    """Compare the types of the present inputs with the prototype; undefined ones are skipped. Raises DtypeNotAllowed."""
    given = iter(dtypes)
    for spec, ports in input_instances(proto, node):
        for port in ports:
            dtype = UNDEFINED if port.ref is None else next(given)
            if dtype != UNDEFINED and spec.dtypes is not None and dtype not in spec.dtypes:
                raise errors.DtypeNotAllowed(
                    op=node.type,
                    where=str(node.where),
                    direction="input",
                    port=port.name,
                    dtype=dtype_name(dtype),
                    allowed=spec.allowed(),
                    symbol="",
                    origin=proto.origin,
                )


def input_instances(proto: Prototype, node: Node) -> list[tuple[PortSpec, Sequence[Port]]]:
    """Prototype inputs with their ports in `node`."""
    out: list[tuple[PortSpec, Sequence[Port]]] = []
    start = 0
    for spec, count in zip(proto.inputs, node.counts, strict=True):
        slots = count if spec.kind == "dynamic" else 1
        out.append((spec, node.inputs[start : start + slots]))
        start += slots
    return out


def instances(proto: Prototype, node: Node) -> list[tuple[Any, list[str]]]:
    """Prototype inputs with the names of their instances in `node`."""
    return [(spec, [p.name for p in ports]) for spec, ports in input_instances(proto, node)]


def explanations(known: Sequence[Shape], worlds: Sequence[World]) -> dict[tuple[int, ...], Dim]:
    """By its numbers in the worlds, the expression of each dimension of these shapes that has one; the first stands."""
    found: dict[tuple[int, ...], Dim] = {}
    for shape in known:
        if all([isinstance(d, int) for d in shape]):
            continue
        for dim, *numbers in zip(shape, *[w.shape(shape) for w in worlds], strict=True):
            if not isinstance(dim, int) and -1 not in numbers:
                found.setdefault(tuple(numbers), dim)
    return found


def symbolic(shapes: tuple[list[int] | None, ...], known: Mapping[tuple[int, ...], Dim]) -> Shape | None:
    """The shape that explains every world: dimensions that are known by their expression, else a constant, else -1.

    known: from `explanations`.
    """
    first = shapes[0]
    if first is None:
        return None
    if len(shapes) == 1 and not known:
        return tuple(first)
    if any(s is None or len(s) != len(first) for s in shapes):
        return None
    columns = zip(*[s for s in shapes if s is not None], strict=True)
    return tuple([known.get(c, c[0] if c.count(c[0]) == len(c) else -1) for c in columns])


def compare(node: Node, index: int, inferred: Inferred, meta: Desc, worlds: Sequence[World], meta_source: str) -> None:
    """Raise MetaMismatch if GE infers another dtype or, in any world, another shape than Meta says."""

    def fail(meta_text: str, ge_text: str, assignment: str) -> None:
        raise errors.MetaMismatch(
            op=node.type,
            node=node.name,
            where=str(node.where),
            port=node.outputs[index].name,
            meta=meta_text,
            ge=ge_text,
            assignment=assignment,
            meta_source=meta_source,
            ge_source=inferred.source,
        )

    if UNDEFINED not in (inferred.dtype, meta.dtype) and inferred.dtype != meta.dtype:
        fail(dtype_name(meta.dtype), dtype_name(inferred.dtype), "")
    if meta.shape is None:
        return
    for world, shape in zip(worlds, inferred.shapes, strict=True):
        if shape is None:
            continue
        expected = world.shape(meta.shape)
        same = len(shape) == len(expected) and all(a == b or -1 in (a, b) for a, b in zip(shape, expected, strict=True))
        if not same:
            fail(f"{meta} = {expected}" if world.values else f"{expected}", f"{shape}", str(world))


def described(desc: Desc, inferred: Inferred, shape: Shape | None) -> Desc:
    """`desc` with what was inferred filled in."""
    return dataclasses.replace(desc, dtype=inferred.dtype, shape=shape)


def _ranked(inputs: Sequence[tuple[int, tuple[list[int] | None, ...]]]) -> bool:
    return all(s is not None for _, shapes in inputs for s in shapes)


def _known(inputs: Sequence[tuple[int, tuple[list[int] | None, ...]]], world: int) -> list[list[int]]:
    return [list(shapes[world] or []) for _, shapes in inputs]


def _guard(impl: Implementation, what: str, info: NodeInfo, inputs: Any, run: Any) -> Any:
    try:
        return run()
    except errors.GraphError:
        raise
    except Exception as failure:
        shown = ", ".join(f"{dtype_name(d)} {s[0] if s[0] is not None else '[?]'}" for d, s in inputs)
        raise errors.InferFailed(
            op=info.op_type,
            node=info.name,
            where=info.where,
            reason=f"{what}: {failure}",
            inputs=shown or "none",
            origin=impl.origin,
        ) from failure


def _symbol_dtypes(node: Node, proto: Prototype, dtypes: list[int]) -> list[int]:
    """Output types by the prototype's symbols, by single allowed types; undefined otherwise."""
    bound: dict[str, tuple[int, str]] = {}
    by_name = {p.name: d for p, d in zip([p for p in node.inputs if p.ref is not None], dtypes, strict=True)}
    for spec, names in instances(proto, node):
        for name in names:
            dtype = by_name.get(name, UNDEFINED)
            if spec.symbol is None or dtype == UNDEFINED:
                continue
            first = bound.setdefault(spec.symbol, (dtype, name))
            if first[0] != dtype:
                raise errors.DtypeNotAllowed(
                    op=node.type,
                    where=str(node.where),
                    direction="input",
                    port=name,
                    dtype=dtype_name(dtype),
                    allowed=dtype_name(first[0]),
                    symbol=f" because it shares the symbol {spec.symbol} with {first[1]!r}",
                    origin=proto.origin,
                )
    out: list[int] = []
    for spec, count in zip(proto.outputs, node.output_counts, strict=True):
        if spec.symbol in bound:
            dtype = bound[spec.symbol][0]
        elif spec.dtypes is not None and len(spec.dtypes) == 1:
            dtype = spec.dtypes[0]
        elif spec.name in by_name:
            dtype = by_name[spec.name]
        else:
            dtype = UNDEFINED
        out += [dtype] * count
    return out
