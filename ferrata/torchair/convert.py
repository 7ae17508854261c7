"""From an FX graph to a GE graph: one walk in order, each node by its converter, or as an ATen node.

Who converts a node: the user's converter, one derived from a matching prototype, or the ATen node. An operator of a
custom namespace that has no prototype either runs as an ATen node does if it has a kernel for npu; else it is
collected, and all such nodes are reported together. Meta values are those that AOTAutograd left on the nodes; sizes
stay expressions and no guard is added.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from ferrata import errors
from ferrata.ge import infer
from ferrata.ge.attrs import AttrValue
from ferrata.ge.builder import GraphBuilder
from ferrata.ge.infer import Inferred
from ferrata.ge.ir import Call, Desc, Graph, Ref, Where
from ferrata.ge.prototype import find_prototype, settled
from ferrata.ge.purity import draws
from ferrata.ge.types import UNDEFINED, DataType, dtype_name, torch_dtype
from ferrata.ge.worlds import STATIC, dim_of, make_worlds, shape_of
from ferrata.torchair import build, converters, registry, scoped
from ferrata.torchair.aten import add_call, desc_of, is_number
from ferrata.torchair.converters import control
from ferrata.torchair.derive import Refusal, derive
from ferrata.torchair.functional import has_wrappers, restore_in_place
from ferrata.torchair.ge import Tensor, TensorSpec, own
from ferrata.torchair.meta import fill_meta
from ferrata.torchair.source import target_name, where_of
from ferrata.torchair.unconverted import is_missing, located, no_converter, raised_by

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]

# operators that draw random numbers through another one
_GENERATOR_STATE = (
    "run_and_save_rng_state",
    "run_with_rng_state",
    "graphsafe_run_with_rng_state",
    "run_dtensor_rng_op",
)

# Meta's numbers, and what a converter may give for them
_NUMBERS: tuple[tuple[Any, Any, str], ...] = (
    ((bool, torch.SymBool), bool, "a bool"),
    ((int, torch.SymInt), int, "an int"),
    ((float, torch.SymFloat), (int, float), "a float"),
)

# a converter may choose these types on its own: torch has no name for what it means
_OWN_TYPES = {
    int(DataType.DT_HIFLOAT8),
    int(DataType.DT_FLOAT8_E8M0),
    int(DataType.DT_FLOAT4_E2M1),
    int(DataType.DT_FLOAT4_E1M2),
}


def convert(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, direct: bool = False, name: str | None = None
) -> Graph:
    """The GE graph of `gm`. direct: every operator runs as its device kernel, nothing is converted.

    Raises NoConverter with all nodes that lack one; else the first failure of a converter, naming the others.
    """
    return _Conversion(gm, example_inputs, direct, name).run()


def convert_with_values(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, direct: bool = False, name: str | None = None
) -> tuple[Graph, dict[str, Any]]:
    """The graph, and by FX node what it became when it was met: a Ref, a plain value, None, or lists of these."""
    conversion = _Conversion(gm, example_inputs, direct, name)
    return conversion.run(), conversion.values


@dataclass
class _Conversion:
    gm: torch.fx.GraphModule
    example_inputs: Sequence[Any]
    direct: bool
    name: str | None
    env: dict[torch.fx.Node, Any] = field(default_factory=dict)
    fed: dict[torch.fx.Node, Ref] = field(default_factory=dict)  # the inputs; in `env` what was written to them last
    values: dict[str, Any] = field(default_factory=dict)  # by FX node; env is what later nodes read, after writes
    stayed: dict[str, str] = field(default_factory=dict)  # FX nodes that stay ATen calls, and why
    _first: int = 0  # the place of the first node of the converter at work
    _ours: bool = False  # whether that is one of PyTorch's own operators
    missing: list[tuple[Where, Any, str]] = field(default_factory=list)
    failures: list[errors.GraphError] = field(default_factory=list)
    outer: GraphBuilder | None = None  # of the graph that this one is a subgraph of

    def run(self) -> Graph:
        fill_meta(self.gm, self.example_inputs)
        placeholders = [n for n in self.gm.graph.nodes if n.op == "placeholder"]
        self.builder = GraphBuilder(self.name, self.outer.worlds if self.outer else self._worlds(placeholders))
        self.builder.device = self.outer.device if self.outer else graph_device(self.gm)
        outputs: Sequence[Any] = ()
        with self.builder, settled():
            for node in self.gm.graph.nodes:
                where = where_of(node)
                first = len(self.builder.nodes)
                with self.builder.at(where):
                    if node.op == "output":
                        outputs = self._values(node.args[0])
                    else:
                        self.env[node] = self.values[node.name] = self._node(node, where)
                if scoped.attributes(node):
                    self._in_scopes(node, first)
        if self.outer is None:
            self._report()
        if not isinstance(outputs, (list, tuple)):
            outputs = (outputs,)
        return self.builder.finish(outputs, self._symbols(placeholders))

    # ---- nodes ----

    def _in_scopes(self, node: torch.fx.Node, first: int) -> None:
        """The attributes of the user's scopes on what was made for the node."""
        for name in list(islice(self.builder.nodes, first, None)):
            for key, value in scoped.attributes(node).items():
                self.builder.set_attr(name, key if key.startswith("_") else f"_{key}", AttrValue("Str", value))

    def _node(self, node: torch.fx.Node, where: Where) -> Any:
        if node.op == "placeholder":
            self.fed[node] = self.builder.data(str(node.target), desc_of(node.meta.get("val")))
            return self._noted(node, self.fed[node])
        if node.op == "get_attr":
            value = operator.attrgetter(str(node.target))(self.gm)
            return self.builder.const(value.detach(), str(node.target)) if isinstance(value, torch.Tensor) else value
        target, args, kwargs = self._target(node)
        if target is operator.getitem and isinstance(args[0], (list, tuple)):
            return args[0][args[1]]
        if target is torch.ops.aten.copy_.default and args[0] == args[1]:
            return args[0]  # left over where an input was written in place
        if getattr(target, "_overloadpacket", None) is torch.ops._c10d_functional.wait_tensor and self._waited(args[0]):
            return args[0]
        converter: Callable[..., Any] | None = None if self.direct else registry.find(target)
        made_by = "converter"
        ours = None if self.direct or converter is not None else converters.find(target)
        if converter is None and ours is None and registry.is_custom(target) and not self.direct:
            found = derive(target)
            if not isinstance(found, Refusal):
                converter, made_by = found, "derived"
            elif is_missing(target, found):
                self.missing.append((where, target, found.reason + registry.near(target)))
                return self._stand_in(node)
        if ours is not None and not self._on_host(node):
            done, value = self._by_ours(node, where, ours, args, kwargs)
            if done:
                return value
        if converter is None and not self.direct and isinstance(target, torch._ops.HigherOrderOperator):
            flow = control.find(target)
            if flow is not None:
                done, value = self._control(node, where, flow, args, kwargs)
                if done:
                    return value
        if converter is None:
            return self._noted(
                node, add_call(self.builder, target, args, kwargs, node.meta.get("val"), _has_effect(node))
            )
        return self._converted(node, where, converter, made_by, args, kwargs)

    def _on_host(self, node: torch.fx.Node) -> bool:
        """Whether a graph of the device computes this on the host (`torch.tensor([n, 3], device=...)` does): GE's
        nodes, and the constants that converters make, are the device's."""
        if self.builder.device.type == "cpu":
            return False
        made = node.meta.get("val")
        values = made if isinstance(made, (list, tuple)) else (made,)
        on_cpu = any(isinstance(v, torch.Tensor) and v.device.type == "cpu" for v in values)
        return on_cpu

    def _waited(self, value: Any) -> bool:
        """Whether a value is the result of a collective that has waited for it."""
        made = self.builder.nodes[value.node].type if isinstance(value, Ref) else ""
        return made.startswith("Hcom") or (made == "Reshape" and self._waited(self.builder.nodes[value.node].refs[0]))

    def _target(self, node: torch.fx.Node) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        args = tuple(self._values(node.args))
        kwargs = self._values(node.kwargs)
        if node.op == "call_method":
            return getattr(torch.Tensor, str(node.target)), args, kwargs
        if node.op == "call_module":
            return self.gm.get_submodule(str(node.target)), args, kwargs
        return node.target, args, kwargs

    def _values(self, value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            return self.env[value]
        if isinstance(value, tuple):
            return tuple(self._values(v) for v in value)
        if isinstance(value, list):
            return [self._values(v) for v in value]
        if isinstance(value, Mapping):
            return {k: self._values(v) for k, v in value.items()}
        if isinstance(value, slice):
            return slice(self._values(value.start), self._values(value.stop), self._values(value.step))
        return value

    def _noted(self, node: torch.fx.Node, value: Any) -> Any:
        """Remember what a number on the host is, for shapes that are made of it."""
        meta = node.meta.get("val")
        if isinstance(value, Ref) and isinstance(meta, (int, torch.SymInt)) and not isinstance(meta, bool):
            self.builder.values[value] = dim_of(meta)
        return value

    # ---- converters ----

    def _by_ours(
        self, node: torch.fx.Node, where: Where, converter: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[bool, Any]:
        """Try the converter of a PyTorch operator; (False, None) where GE has nothing for this call."""
        meta = node.meta.get("val")
        mark = self.builder.mark()
        self._first, self._ours = len(self.builder.nodes), True
        try:
            with self.builder.at(_made(where, "converter")), build.converting(meta):
                sizes = not _takes_numbers(node.target)
                given = [build.known(self._argument(a, sizes)) for a in args]
                result = converter(*given, **{k: build.known(self._argument(v, sizes)) for k, v in kwargs.items()})
                value = self._result(node, where, result, meta)
            self._after_mutation(node, self._first)
            return True, value
        except (build.Unsupported, errors.DtypeNotAllowed) as why:
            self.builder.undo(mark)
            self.stayed[node.name] = str(why)
            return False, None
        except Exception as failure:
            failure.add_note(f"while converting {target_name(node.target)} (FX node {node.name}, {where})")
            raise
        finally:
            self._ours = False

    def _control(
        self, node: torch.fx.Node, where: Where, flow: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[bool, Any]:
        """Try the converter of a control flow operator; (False, None) where it stays PyTorch's."""
        meta = node.meta.get("val")
        metas = list(meta) if isinstance(meta, (list, tuple)) else [meta]
        mark = self.builder.mark()
        context = control.Context(self.builder, node.name, metas, functools.partial(self._subgraph, node))
        try:
            with self.builder.at(_made(where, "converter")):
                made = flow(context, *args, **kwargs)
                results = [self._branch_result(r, m) for r, m in zip(made, metas, strict=True)]
        except (build.Unsupported, errors.DtypeNotAllowed) as why:
            self.builder.undo(mark)
            self.stayed[node.name] = str(why)
            return False, None
        return True, results if isinstance(meta, (list, tuple)) else results[0]

    def _subgraph(self, node: torch.fx.Node, gm: torch.fx.GraphModule, branch: str) -> Graph:
        """The graph of a branch, converted as the one around it; what fails is reported with the rest."""
        if has_wrappers(gm):
            restore_in_place(gm)
        inner = _Conversion(gm, [n.meta.get("val") for n in gm.graph.nodes if n.op == "placeholder"], False, None)
        inner.name, inner.outer = f"{node.name}_{branch}", self.builder
        inner.missing, inner.failures = self.missing, self.failures
        return inner.run()

    def _branch_result(self, ref: Any, meta: Any) -> Any:
        """Meta's symbols and strides stand; its data type is that of the branches."""
        if meta is None or not isinstance(ref, Ref):
            return ref
        wanted, found = desc_of(meta), self.builder.inferred[ref]
        made = self.builder.nodes[ref.node]
        infer.compare(made, ref.index, found, wanted, self.builder.worlds, "PyTorch's trace of the subgraphs")
        self.builder.set_desc(ref, wanted)
        if wanted.host and not isinstance(meta, bool):
            self.builder.values[ref] = dim_of(meta)
        return ref

    def _converted(
        self,
        node: torch.fx.Node,
        where: Where,
        converter: Any,
        made_by: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        meta = node.meta.get("val")
        self._first = first = len(self.builder.nodes)
        call_args: list[Any] = []
        call_kwargs: dict[str, Any] = {}
        try:
            with self.builder.at(_made(where, made_by)):
                call_args = [self._argument(a) for a in args]
                call_kwargs = {k: self._argument(v) for k, v in kwargs.items()}
                if converter.wants_meta and "meta_outputs" not in call_kwargs:
                    call_kwargs["meta_outputs"] = _spec(meta)
                result = converter(*call_args, **call_kwargs)
                value = self._result(node, where, result, meta)
        except errors.GraphError as failure:
            self.failures.append(located(failure, failure, converter))
            return self._stand_in(node)
        except Exception as failure:  # noqa: BLE001  whatever the user's function raises is reported with its node
            self.failures.append(raised_by(converter, node, where, failure, call_args, call_kwargs))
            return self._stand_in(node)
        self._after_mutation(node, first)
        return value

    def _argument(self, value: Any, sizes: bool = True) -> Any:
        """A value as converters see it: tensors wrapped, size lists with symbols packed into one tensor."""
        if isinstance(value, Ref):
            return Tensor(self.builder, value)
        if isinstance(value, (list, tuple)):
            refs = [v for v in value if isinstance(v, Ref)] if sizes else []
            if refs and all(self.builder.descs[v].host if isinstance(v, Ref) else isinstance(v, int) for v in value):
                return self._packed(value)
            return type(value)(self._argument(v, sizes) for v in value)
        return value

    def _packed(self, sizes: Sequence[Any]) -> Tensor:
        parts = [
            s if isinstance(s, Ref) else self.builder.const(torch.tensor(s, device=self.builder.device)) for s in sizes
        ]
        attrs = {"N": AttrValue("Int", len(parts)), "axis": AttrValue("Int", 0)}
        packed = self.builder.add("Pack", {"x": parts}, attrs=attrs)[0]
        known = [self.builder.values.get(s) if isinstance(s, Ref) else s for s in sizes]
        if None not in known:
            self.builder.values[packed] = tuple(known)
        return Tensor(self.builder, packed)

    def _result(self, node: torch.fx.Node, where: Where, result: Any, meta: Any, which: str = "") -> Any:
        if meta is None or (isinstance(meta, (list, tuple)) and not meta):
            return None
        if isinstance(result, Mapping):
            result = tuple(result.values())
        if isinstance(meta, (list, tuple)):
            if not isinstance(result, (list, tuple)) or len(result) != len(meta):
                self._bad_result(node, where, f"{len(meta)} outputs, as Meta does", result)
            return [
                self._result(node, where, r, m, f" as output {i}")
                for i, (r, m) in enumerate(zip(result, meta, strict=True))
            ]
        if isinstance(result, (list, tuple)) and len(result) == 1:
            result = result[0]
        if isinstance(meta, torch.Tensor):
            if result is None and self._ours:
                return None  # a gradient that nobody asked for
            if not isinstance(result, Tensor):
                self._bad_result(node, where, f"a ge.Tensor{which}, because Meta gives one tensor", result)
            return self._checked(node, result, meta)
        if is_number(meta):
            return self._number(node, where, result, meta, which)
        return result

    def _number(self, node: torch.fx.Node, where: Where, result: Any, meta: Any, which: str) -> Any:
        """A number on the host: what the converter gave, or what its tensor of one number holds."""
        kind, name = next((k, n) for known, k, n in _NUMBERS if isinstance(meta, known))
        expected = f"{name} or a ge.Tensor of one{which}, because Meta gives a number"
        if not isinstance(result, Tensor):
            if not _fits(result, kind):
                self._bad_result(node, where, expected, result)
            return result
        ref = own(self.builder, target_name(node.target), result)
        desc, found = self.builder.descs[ref], self.builder.inferred.get(ref)
        if desc.host:
            return ref
        dtype, shapes = (desc.dtype, (desc.shape,)) if found is None else (found.dtype, found.shapes)
        sizes = [math.prod(s) for s in shapes if s is not None]
        zero = None if dtype == UNDEFINED else torch.zeros((), dtype=torch_dtype(dtype)).item()
        if any(n != 1 for n in sizes) or not (zero is None or _fits(zero, kind)):
            self._bad_result(node, where, expected, result)
        read = add_call(self.builder, torch.ops.aten._local_scalar_dense.default, (ref,), {}, meta, effect=False)
        return self._noted(node, read)

    def _checked(self, node: torch.fx.Node, result: Tensor, meta: torch.Tensor) -> Ref:
        """Compare with Meta, then let Meta's symbols and strides stand."""
        builder = self.builder
        ref = own(builder, target_name(node.target), result)
        made = builder.nodes[ref.node]
        if builder.order[made.name] < self._first or made.type == "Const":  # the operator promised a new tensor
            ref = builder.add("TensorMove", {"x": ref})[0]
            made = builder.nodes[ref.node]
        wanted = desc_of(meta)
        found = builder.inferred.get(ref)
        dtype = wanted.dtype
        if found is not None:
            if found.dtype in _OWN_TYPES:
                dtype = found.dtype
            else:
                self._compare(made, ref.index, found, wanted, f"the fake implementation of {target_name(node.target)}")
        self._allowed(made, ref, dtype)
        alias = made.outputs[ref.index].alias
        if self._ours and alias is not None and self._stride_of(made, alias) != wanted.stride:
            ref = builder.add("TensorMove", {"x": ref})[0]  # what was written lies otherwise than Meta promises
            made = builder.nodes[ref.node]
        if made.call is None:
            builder.set_desc(ref, Desc(dtype, wanted.shape, wanted.stride, placement=wanted.placement))
        result.meta = meta
        return ref

    def _compare(self, made: Any, index: int, found: Inferred, wanted: Desc, source: str) -> None:
        """Raises MetaMismatch. Where only sizes disagree that nothing relates to each other, ours stays an ATen node."""
        worlds = self.builder.worlds
        try:
            infer.compare(made, index, found, wanted, worlds, source)
        except errors.MetaMismatch as mismatch:
            if not self._ours or len(worlds) == 1:
                raise
            infer.compare(
                made, index, Inferred(found.dtype, found.shapes[:1], found.source), wanted, worlds[:1], source
            )
            raise build.Unsupported("sizes that nothing relates to each other") from mismatch

    def _stride_of(self, made: Any, port: str) -> Any:
        return next(
            (self.builder.descs[p.ref].stride for p in made.inputs if p.name == port and p.ref is not None), None
        )

    def _allowed(self, made: Any, ref: Ref, dtype: int) -> None:
        proto = find_prototype(made.type)
        if proto is None or dtype == UNDEFINED:
            return
        index = ref.index
        for spec, count in zip(proto.outputs, made.output_counts, strict=True):
            if index < count:
                if spec.dtypes is not None and dtype not in spec.dtypes:
                    raise errors.DtypeNotAllowed(
                        op=made.type,
                        where=str(made.where),
                        direction="output",
                        port=spec.name,
                        dtype=dtype_name(dtype),
                        allowed=spec.allowed(),
                        symbol="",
                        origin=proto.origin,
                    )
                return
            index -= count

    def _bad_result(self, node: torch.fx.Node, where: Where, expected: str, got: Any) -> None:
        shown = f"{len(got)} outputs" if isinstance(got, (list, tuple)) else repr(got)
        raise errors.BadResult(
            target=target_name(node.target), node=node.name, where=str(where), expected=expected, got=shown
        )

    def _after_mutation(self, node: torch.fx.Node, first: int) -> None:
        """Values that a mutating operator wrote are, from here on, its outputs of the same name."""
        schema = getattr(node.target, "_schema", None)
        if schema is None or not schema.is_mutable:
            return
        made = list(islice(self.builder.nodes, first, None))
        for i, arg in enumerate(schema.arguments):
            if arg.alias_info is None or not arg.alias_info.is_write:
                continue
            given = node.args[i] if i < len(node.args) else node.kwargs.get(arg.name)
            for fx_value in given if isinstance(given, (list, tuple)) else [given]:
                if isinstance(fx_value, torch.fx.Node):
                    self._rebind(fx_value, made)

    def _rebind(self, fx_value: torch.fx.Node, made: Sequence[str]) -> None:
        old = self.env[fx_value]
        for name in reversed(made):
            node = self.builder.nodes[name]
            reads = [p.name for p in node.inputs if p.ref == old]
            for i, output in enumerate(node.outputs):
                if output.alias in reads:
                    self.env[fx_value] = Ref(name, i)
                    self.builder.set_desc(Ref(name, i), self.builder.descs[old])
                    return
            if reads:
                self.builder.set_effect(name)
                return

    # ---- around ----

    def _stand_in(self, node: torch.fx.Node) -> Any:
        """Values for a node that failed, so that the walk finds the other failures."""
        meta = node.meta.get("val")
        nothing = Call(_stand_in, "stand_in")  # an input would change what a subgraph takes

        def made(value: Any) -> Ref:
            return self.builder.aten("host::stand_in", nothing, [("y", desc_of(value))], ports=[])[0]

        return _like(meta, made)

    def _report(self) -> None:
        if self.missing:
            raise no_converter(self.missing)
        if self.failures:
            first_failure, *others = self.failures
            if others:
                more = "\n".join(f"- {type(o).__name__}: {o}" for o in others)
                first_failure.args = (f"{first_failure}\n\n{len(others)} further node(s) failed:\n{more}",)
            raise first_failure

    def _worlds(self, placeholders: Sequence[torch.fx.Node]) -> Any:
        used: set[sympy.Symbol] = set()
        env = None
        for node in placeholders:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt):
                env = env or value.node.shape_env
                used |= value.node.expr.free_symbols
            elif isinstance(value, torch.Tensor):
                for dim in shape_of(value.shape):
                    used |= set() if isinstance(dim, int) else dim.free_symbols
                mode = getattr(value, "fake_mode", None)
                env = env or (mode.shape_env if mode is not None else None)
        return STATIC if env is None else make_worlds(env, used)

    def _symbols(self, placeholders: Sequence[torch.fx.Node]) -> dict[str, Any]:
        """Where each symbol's value comes from at run time."""
        found: dict[str, Any] = {}
        for node in placeholders:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt) and value.node.expr.is_Symbol:
                found[str(value.node.expr)] = self.fed[node]
        for node in placeholders:
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                for i, dim in enumerate(shape_of(value.shape)):
                    if not isinstance(dim, int) and dim.is_Symbol:
                        found.setdefault(str(dim), (self.fed[node], i))
        return found


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is a number of this kind; a bool is no int."""
    return isinstance(value, kind) and isinstance(value, bool) == (kind is bool)


def graph_device(gm: torch.fx.GraphModule) -> torch.device:
    """The device of the graph: that of the first tensor off the CPU, else the CPU."""
    for node in gm.graph.nodes:
        value = node.meta.get("val")
        for v in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(v, torch.Tensor) and v.device.type not in ("cpu", "meta"):
                return v.device
    return torch.device("cpu")


def _made(where: Where, by: str) -> Where:
    return Where(where.line, where.code, where.fx_node, where.fx_target, by, where.module)


@functools.cache
def _takes_numbers(target: Any) -> bool:
    """Whether the lists of numbers that it takes are one for each tensor, not sizes."""
    schema = getattr(target, "_schema", None)
    return schema is not None and any(str(a.type) == "List[number]" for a in schema.arguments)


def _stand_in() -> None:
    """What stands for a node that has no converter; a graph with one is never compiled."""


def _has_effect(node: torch.fx.Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    talks = getattr(node.target, "namespace", "") in ("_c10d_functional", "_c10d_functional_autograd", "c10d")
    saves = getattr(node.target, "_name", "") in _GENERATOR_STATE
    random = draws(node.target, node.args, node.kwargs)
    mutable = schema is not None and schema.is_mutable
    return bool(mutable or saves or talks or node.is_impure(impure_random=random))


def _spec(meta: Any) -> Any:
    if isinstance(meta, torch.Tensor):
        desc = desc_of(meta)
        return TensorSpec(desc.dtype, len(desc.shape or ()), desc.shape or ())
    if isinstance(meta, (list, tuple)):
        return [_spec(m) for m in meta]
    return meta


def _like(meta: Any, make: Callable[[Any], Any]) -> Any:
    if isinstance(meta, (list, tuple)):
        return [_like(m, make) for m in meta]
    return None if meta is None else make(meta)
