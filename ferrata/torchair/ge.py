"""What converters write with: Tensor, custom_op, Const, Cast, Clone, attr (the module `torchair.ge`).

Every function adds nodes to the graph that is being built; called outside a converter they raise NotInConverter.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.attrs import KINDS, AttrValue, Kind
from ferrata.ge.builder import GraphBuilder, current
from ferrata.ge.ir import Desc, Node, Ref
from ferrata.ge.prototype import PortSpec, Prototype, require_prototype
from ferrata.ge.types import DataType, Format, ge_dtype, torch_dtype
from ferrata.torchair.arithmetic import without

__all__ = ["Cast", "Clone", "Const", "DataType", "Format", "Tensor", "TensorSpec", "attr", "custom_op"]


@without
class Tensor:
    """A value of the graph under construction: output `index` of `node`. Python arithmetic is not defined on it."""

    __slots__ = ("_builder", "_ref", "meta")

    def __init__(self, builder: GraphBuilder, ref: Ref, meta: Any = None) -> None:
        self._builder, self._ref, self.meta = builder, ref, meta

    @property
    def ref(self) -> Ref:
        """The edge in the IR."""
        return self._ref

    @property
    def index(self) -> int:
        return self._ref.index

    @property
    def node(self) -> Node:
        """The node, with `name`, `type`, `attrs`."""
        return self._builder.nodes[self._ref.node]

    @property
    def desc(self) -> Desc:
        return self._builder.descs[self._ref]

    @property
    def dtype(self) -> int:
        """The GE number of the type; DT_UNDEFINED when nothing infers it before the converter returns."""
        return self.desc.dtype

    @property
    def rank(self) -> int:
        """The number of dimensions; -1 when it is not known."""
        shape = () if self.desc.host else self.desc.shape
        return -1 if shape is None else len(shape)

    @property
    def tensor(self) -> str:
        """The edge as text, "name:index"."""
        return str(self._ref)

    @property
    def controller(self) -> str:
        """The control edge as text, "name:-1"."""
        return f"{self._ref.node}:-1"

    @property
    def symsize(self) -> tuple[Any, ...] | None:
        """The dimensions, symbols as expressions; None for an unknown rank."""
        return self.desc.shape

    def __repr__(self) -> str:
        return f"Tensor({self.tensor}, {self.desc})"


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """What Meta says of one output: GE dtype, rank, and `size` when it is static."""

    dtype: int
    rank: int
    shape: tuple[Any, ...]

    @property
    def size(self) -> list[int]:
        """The dimensions. AssertionError when one is symbolic."""
        assert all(isinstance(d, int) for d in self.shape), f"the size {self.shape} is dynamic"
        return [int(d) for d in self.shape]


class _Builder:
    """`attr.Int`: calling it with a value gives an attribute; `Int.get(x)` reads one back."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __call__(self, value: Any) -> AttrValue:
        name = f"ge.attr.{self.kind.name}"
        if isinstance(value, AttrValue):
            if value.kind != self.kind.name:
                raise errors.BadAttr(op=name, where=_where(), attr="value", expected=self.kind.wants, got=str(value))
            return value
        try:
            return self.kind.make(value)
        except TypeError as bad:
            got = f"{value!r} ({type(value).__name__})"
            if isinstance(value, Tensor):
                got = "a ge.Tensor; an attribute is a constant, feed what changes from call to call as an input"
            raise errors.BadAttr(op=name, where=_where(), attr="value", expected=self.kind.wants, got=got) from bad

    def get(self, value: AttrValue) -> Any:
        return value.value

    def __repr__(self) -> str:
        return f"ge.attr.{self.kind.name}"


class _Attr:
    """Attribute builders by kind: `attr.Int(3)`, `attr.ListFloat([0.5])`, `attr.DataType(torch.float16)`."""

    Int = _Builder(KINDS["Int"])
    Float = _Builder(KINDS["Float"])
    Bool = _Builder(KINDS["Bool"])
    Str = _Builder(KINDS["Str"])
    DataType = _Builder(KINDS["DataType"])
    ListInt = _Builder(KINDS["ListInt"])
    ListFloat = _Builder(KINDS["ListFloat"])
    ListBool = _Builder(KINDS["ListBool"])
    ListStr = _Builder(KINDS["ListStr"])
    ListDataType = _Builder(KINDS["ListDataType"])
    ListListInt = _Builder(KINDS["ListListInt"])
    ListListFloat = _Builder(KINDS["ListListFloat"])


attr = _Attr()


def custom_op(
    op_type: str,
    *args: Any,
    inputs: Mapping[str, Tensor | Sequence[Tensor] | None] | None = None,
    outputs: Sequence[str | tuple[str, int]] | None = None,
    attrs: Mapping[str, AttrValue] | None = None,
    node_name: str | None = None,
) -> Any:
    """Add a node of GE operator `op_type`.

    Named form: `inputs` maps port names to a Tensor, None (absent optional) or a list (dynamic port); `outputs` lists
    names or (name, count); `attrs` maps names to `ge.attr` objects. The order does not matter; names are checked.
    Positional form: a value for every input, then for every attribute of the prototype, in its order. It wins when both
    are given.
    Returns None, a Tensor (a list for a counted output), or a tuple of these, in the order of `outputs`.

    >>> ge.custom_op("AddCustom", inputs={"x": x, "y": y}, outputs=["z"])
    >>> ge.custom_op("AddCustom", x, y)
    Raises NoPrototype, UnknownPort, MissingPort, BadInput, UnknownAttr, MissingAttr, BadAttr, BadNodeName,
    WrongInputCount, WrongOutputCount, DtypeNotAllowed, InferFailed, ForeignTensor, BadCall.
    """
    builder = current(f"ge.custom_op({op_type!r})")
    _check_call(op_type, inputs, outputs, attrs)
    if args:
        return _positional(builder, op_type, args, node_name)
    if node_name is not None:
        builder.check_name(op_type, node_name)
    ports = {name: _value(builder, op_type, name, v) for name, v in (inputs or {}).items()}
    for name, value in (attrs or {}).items():
        if not isinstance(value, AttrValue):
            raise errors.BadAttr(
                op=op_type,
                where=_where(),
                attr=name,
                expected="a ge.attr object, such as ge.attr.Int(1)",
                got=repr(value),
            )
    asked = list(outputs or ())
    refs = builder.add(op_type, ports, asked, attrs, name=node_name)
    proto = require_prototype(op_type, builder.where)
    return _results(builder, proto, asked, refs)


def _check_call(op_type: Any, inputs: Any, outputs: Any, attrs: Any) -> None:
    """The kinds of the arguments of custom_op. Raises BadCall."""
    op = f"ge.custom_op({op_type!r})"
    if not isinstance(op_type, str):
        raise errors.BadCall(op=op, where=_where(), argument="op_type", expected="a GE type name", got=repr(op_type))
    for argument, given in (("inputs", inputs), ("attrs", attrs)):
        if given is not None and not isinstance(given, Mapping):
            raise errors.BadCall(
                op=op, where=_where(), argument=argument, expected="a dictionary by name", got=repr(given)
            )
    if outputs is None:
        return
    names = [_output_name(o) for o in outputs] if isinstance(outputs, (list, tuple)) else [None]
    if None in names or len(set(names)) < len(names):
        raise errors.BadCall(
            op=op,
            where=_where(),
            argument="outputs",
            expected="a list whose items are a port's name, or (name, count) for a dynamic port, each port once",
            got=repr(outputs),
        )


def _output_name(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    fits = isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) and type(item[1]) is int
    return item[0] if fits else None


def own(builder: GraphBuilder, op_type: str, tensor: Tensor) -> Ref:
    """The edge of a tensor of this graph. Raises ForeignTensor for one kept from another."""
    if tensor._builder is not builder:
        raise errors.ForeignTensor(
            op=op_type, where=_where(), tensor=repr(tensor), theirs=tensor._builder.name, ours=builder.name
        )
    return tensor.ref


def _positional(builder: GraphBuilder, op_type: str, args: Sequence[Any], node_name: str | None) -> Any:
    proto = require_prototype(op_type, builder.where)
    if node_name is not None:
        builder.check_name(op_type, node_name)
    if len(args) != len(proto.inputs) + len(proto.attrs):
        raise errors.WrongInputCount(
            op=op_type,
            where=_where(),
            got=f"{len(args)} positional value(s)",
            expected=f"{len(proto.inputs)} input(s) and {len(proto.attrs)} attribute(s)",
            signature=proto.signature(),
        )
    ports = {p.name: _port_value(builder, op_type, p, v) for p, v in zip(proto.inputs, args, strict=False)}
    attrs: dict[str, AttrValue] = {}
    for spec, value in zip(proto.attrs, args[len(proto.inputs) :], strict=True):
        if value is None:
            continue
        attrs[spec.name] = value if isinstance(value, AttrValue) else plain_attr(op_type, spec.name, spec.type, value)
    names = [p.name for p in proto.outputs]
    refs = builder.add(op_type, ports, names, attrs, name=node_name)
    return _results(builder, proto, names, refs)


def plain_attr(op_type: str, name: str, tag: str, value: Any) -> AttrValue:
    """A plain Python value as an attribute of the prototype's kind. Raises BadAttr."""
    kind = KINDS.get(tag)
    if isinstance(value, torch.dtype) and tag == "VT_INT":
        value = ge_dtype(value)
    try:
        if kind is None:
            raise TypeError(f"attributes of kind {tag} cannot be given as a Python value")
        return kind.make(value)
    except TypeError as bad:
        got = "a value that changes from call to call" if isinstance(value, Tensor) else f"{value!r}"
        raise errors.BadAttr(
            op=op_type, where=_where(), attr=name, expected=kind.wants if kind else tag, got=got
        ) from bad


def _port_value(builder: GraphBuilder, op_type: str, spec: PortSpec, value: Any) -> Ref | list[Ref] | None:
    wanted = {"required": "a ge.Tensor", "optional": "a ge.Tensor or None", "dynamic": "a list of ge.Tensor"}[spec.kind]
    fits = {
        "required": isinstance(value, Tensor),
        "optional": value is None or isinstance(value, Tensor),
        "dynamic": isinstance(value, (list, tuple)),
    }[spec.kind]
    if not fits:
        raise errors.BadInput(op=op_type, where=_where(), port=spec.name, expected=wanted, got=repr(value))
    return _value(builder, op_type, spec.name, value)


def _value(builder: GraphBuilder, op_type: str, port: str, value: Any) -> Ref | list[Ref] | None:
    if value is None:
        return None
    if isinstance(value, Tensor):
        return own(builder, op_type, value)
    if isinstance(value, (list, tuple)) and all(isinstance(v, Tensor) for v in value):
        return [own(builder, op_type, v) for v in value]
    raise errors.BadInput(
        op=op_type, where=_where(), port=port, expected="a ge.Tensor, None or a list of ge.Tensor", got=repr(value)
    )


def _results(builder: GraphBuilder, proto: Prototype, asked: Sequence[Any], refs: Sequence[Ref]) -> Any:
    by_port: dict[str, list[Tensor]] = {p.name: [] for p in proto.outputs}
    node = builder.nodes[refs[0].node] if refs else None
    start = 0
    for spec, count in zip(proto.outputs, node.output_counts if node else (), strict=False):
        by_port[spec.name] = [Tensor(builder, r) for r in refs[start : start + count]]
        start += count
    results = [by_port[a][0] if isinstance(a, str) else by_port[a[0]] for a in asked]
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)


def Const(v: Any, dtype: Any = None, node_name: str | None = None, readable: bool = True) -> Tensor:
    """A constant. dtype: torch or GE; else int -> INT64, float -> FLOAT, bool -> BOOL, empty list -> INT32.

    v: a number, a nested list of numbers, or a NumPy array. Raises ValueError for anything else, such as a ge.Tensor or
    a torch.Tensor.
    """
    builder = current("ge.Const")
    if isinstance(v, (Tensor, torch.Tensor)):
        raise ValueError(f"ge.Const takes Python numbers and lists of them, got {type(v).__name__}")
    if node_name is not None:
        builder.check_name("Const", node_name)
    empty = isinstance(v, (list, tuple)) and not v
    target = torch_dtype(ge_dtype(dtype)) if dtype is not None else torch.int32 if empty else None
    try:
        value = torch.tensor(v, dtype=target)
    except (TypeError, ValueError, RuntimeError) as bad:
        raise ValueError(f"ge.Const cannot make a constant of {v!r}: {bad}") from bad
    if dtype is None and value.is_floating_point():
        value = value.to(torch.float32)
    ref = builder.const(value.to(builder.device), node_name, str(v) if readable else None)
    return Tensor(builder, ref)


def Cast(x: Any, *, dst_type: Any, dependencies: Sequence[Tensor] = (), node_name: str | None = None) -> Tensor:
    """x in another dtype (torch or GE). A Python number becomes a constant of that dtype."""
    builder = current("ge.Cast")
    target = ge_dtype(dst_type)
    if isinstance(x, Tensor):
        own(builder, "ge.Cast", x)
    else:
        return Const(x, dtype=target, node_name=node_name)
    if x.dtype == target and not dependencies:
        return x
    return _unary(builder, "Cast", x, {"dst_type": AttrValue("Int", target)}, dependencies, node_name)


def Clone(x: Tensor, *, dependencies: Sequence[Tensor] = (), node_name: str | None = None) -> Tensor:
    """A copy of x (TensorMove)."""
    builder = current("ge.Clone")
    if not isinstance(x, Tensor):
        raise errors.BadInput(op="ge.Clone", where=_where(), port="x", expected="a ge.Tensor", got=repr(x))
    return _unary(builder, "TensorMove", x, {}, dependencies, node_name)


def _unary(
    builder: GraphBuilder,
    op_type: str,
    x: Tensor,
    attrs: Mapping[str, AttrValue],
    dependencies: Sequence[Tensor],
    node_name: str | None,
) -> Tensor:
    if node_name is not None:
        builder.check_name(op_type, node_name)
    controls = [own(builder, op_type, d).node for d in dependencies]
    ref = own(builder, op_type, x)
    return Tensor(builder, builder.add(op_type, {"x": ref}, None, attrs, name=node_name, controls=controls)[0])


def _where() -> str:
    from ferrata.ge.builder import _current

    builder = _current.get()
    return "(outside a converter)" if builder is None else str(builder.where)
