"""Engines: who executes a node. Each is asked in turn; the first that does not refuse emits the node's code.

Built-in nodes and ATen nodes run on ATen, custom ones on their implementation in C++ or Python. The session writes
what `emit` returns into the generated program; `Emitter` gives engines names for values and objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from ferrata import errors
from ferrata.ge.builtin import BUILTINS
from ferrata.ge.control import ControlEngine
from ferrata.ge.impl import Plan, Runner, check_output, find_implementation
from ferrata.ge.infer import input_instances, node_info
from ferrata.ge.ir import CLUSTER, Desc, Graph, Node, Ref, Shape
from ferrata.ge.library import rules
from ferrata.ge.passes.inplace import call_text, overload_in_place
from ferrata.ge.prototype import find_prototype, registered_prototype, require_prototype
from ferrata.ge.types import UNDEFINED, dtype_name, torch_dtype


class Emitter(Protocol):
    """What an engine may ask of the program under construction."""

    device: torch.device

    def bind(self, value: Any, hint: str) -> str:
        """A global name for an object."""

    def desc(self, ref: Ref) -> Desc:
        """What is known of a value."""

    def tensor(self, ref: Ref) -> str:
        """An expression for a value as a contiguous tensor."""

    def strided(self, ref: Ref) -> str:
        """An expression for a value as a tensor of any strides."""

    def host(self, ref: Ref) -> str:
        """An expression for a value as Python numbers: a list, or a number where it has no dimensions."""

    def number(self, ref: Ref) -> str | None:
        """A value that is a Python number, as text; None for a tensor."""

    def literal(self, value: Any) -> str:
        """An expression for a constant or a value, nested structures included."""

    def host_value(self, ref: Ref) -> str:
        """An expression for a value without dimensions: a number, or a tensor that turns into one when tested."""

    def function(self, graph: Graph, hint: str, results: Sequence[Desc] | None, *, own: bool = False) -> str:
        """Write a subgraph as a function; its name. results: how the node describes them; own: never an input."""

    def dims(self, shape: Shape) -> list[str | None]:
        """Each dimension as an expression; None where it is not known before the node has run."""

    def targets(self, node: Node) -> list[str]:
        """The variables of the node's outputs."""

    def line(self, text: str) -> None:
        """Append a line."""

    def variable(self, hint: str) -> str:
        """A local name that nothing else has."""

    def in_place(self, node: Node) -> bool:
        """Whether the node is to write into the operand that it is marked with."""

    def release(self, node: Node) -> None:
        """Delete now, before the node's own line, the variables that it reads as the last."""

    def assign(self, node: Node, expression: str, *, many: bool) -> None:
        """Append the node's own line, with its source line as a comment. many: the expression is a list."""


class Engine(Protocol):
    """One way of executing nodes."""

    @property
    def name(self) -> str:
        """How errors call it."""

    def refuses(self, node: Node) -> str | None:
        """Why this engine cannot execute the node; None if it can."""

    def emit(self, node: Node, out: Emitter) -> None:
        """Append the code of the node."""


@dataclass(frozen=True, slots=True)
class AtenEngine:
    """Nodes that are a call: ATen operators and arithmetic on sizes."""

    name: str = "aten"

    def refuses(self, node: Node) -> str | None:
        return None if node.call is not None else "not an ATen call"

    def emit(self, node: Node, out: Emitter) -> None:
        call = node.call
        assert call is not None
        size = self._size(node)
        if size is not None:
            ref, dim = size
            out.assign(node, f"{out.literal(ref)}.size({dim})", many=False)
            return
        function: Any = call.fn
        text = call.text
        if out.in_place(node):
            function, text = overload_in_place(node), f"{call.text}_"
        fn = out.bind(getattr(function, "_op", function), text)  # _op: the C++ entry, without the Python wrapper
        args = [out.literal(a) for a in call.args] + [f"{k}={out.literal(v)}" for k, v in call.kwargs.items()]
        out.assign(node, f"{fn}({', '.join(args)})", many=call.outputs == "many")

    @staticmethod
    def _size(node: Node) -> tuple[Ref, int] | None:
        call = node.call
        if call is None or call.text != "aten.sym_size.int" or call.kwargs:
            return None
        return call.args[0], call.args[1]


@dataclass(frozen=True, slots=True)
class ClusterEngine:
    """Compiled clusters: one call with a list that it empties, so that it may free each input when it has read it."""

    name: str = "cluster"

    def refuses(self, node: Node) -> str | None:
        return None if node.type == CLUSTER and node.call is not None else "not a compiled cluster"

    def emit(self, node: Node, out: Emitter) -> None:
        assert node.call is not None
        run, values = out.bind(node.call.fn, f"run_{node.name}"), out.variable(f"{node.name}_inputs")
        out.line(f"{values} = [{', '.join(out.literal(r) for r in node.refs)}]")
        out.release(node)
        out.assign(node, f"{run}({values})", many=True)


@dataclass(frozen=True, slots=True)
class BuiltinEngine:
    """Structure nodes of GE that compute: assignment."""

    name: str = "builtin"

    def refuses(self, node: Node) -> str | None:
        row = BUILTINS.get(node.type)
        return None if row is not None and row.run is not None else "not a built-in operator"

    def emit(self, node: Node, out: Emitter) -> None:
        proto = require_prototype(node.type, node.where)
        attrs = out.bind(node_info(node, proto).attrs, f"{node.name}_attrs")
        run = out.bind(BUILTINS[node.type].run, node.type)
        inputs = ", ".join(out.strided(r) for r in node.refs)  # a copy of what is written would keep the values
        out.assign(node, f"{run}([{inputs}], {attrs})", many=True)
        for target, output in zip(out.targets(node), node.outputs, strict=True):
            if output.alias is None:
                restride(target, output.desc, out)


@dataclass(frozen=True, slots=True)
class LibraryEngine:
    """GE's own operators, by their rules on ATen. A type that the user registered is the user's."""

    name: str = "library"

    def refuses(self, node: Node) -> str | None:
        if registered_prototype(node.type) is not None or node.call is not None or node.type in BUILTINS:
            return "not an operator of GE's library"
        found = rules.find(node.type)
        if found is None:
            return "no rule executes this type here"
        try:
            self._keywords(node, found)
        except KeyError as missing:
            return f"its rule does not know the attribute {missing} with this value"
        return None

    @staticmethod
    def _keywords(node: Node, found: rules.Rule) -> dict[str, Any]:
        proto = require_prototype(node.type, node.where)
        given = {n: v.value for n, v in node.attrs.items() if not n.startswith("_")}
        return found.keywords(given, {a.name: a.default for a in proto.attrs})

    def emit(self, node: Node, out: Emitter) -> None:
        found = rules.find(node.type)
        assert found is not None
        proto = require_prototype(node.type, node.where)
        parts: list[str] = []
        # so are the outputs, if the inputs are
        contiguous = (
            not found.view and all(o.desc.stride is None for o in node.outputs) and not _may_reorder(node, found)
        )
        for spec, ports in input_instances(proto, node):
            texts = []
            for port in ports:
                texts.append("None" if port.ref is None else self._operand(port.ref, spec.name, found, out))
                contiguous = contiguous and (port.ref is None or out.desc(port.ref).stride is None)
            parts.append(f"[{', '.join(texts)}]" if spec.kind == "dynamic" else texts[0])
        while parts and parts[-1] == "None":
            parts.pop()
        keywords = self._keywords(node, found)
        text = call_text(node, parts) if out.in_place(node) else found.expression(parts, keywords)
        if text is None and found.ranked is not None:
            text = found.ranked([out.strided(r) for r in node.refs], [_rank(out.desc(r)) for r in node.refs], keywords)
        if text is None:
            ours = ("dtype",) if found.creates else ()
            parts += [f"{k}={out.literal(v)}" for k, v in keywords.items() if k not in ours]
            if found.creates:
                made = torch_dtype(node.outputs[0].desc.dtype)
                parts += [f"dtype={made}", f"device={out.bind(out.device, 'device')}"]
            text = f"{out.bind(found.function, node.type)}({', '.join(parts)})"
        many = len(proto.outputs) > 1 or any(p.kind == "dynamic" for p in proto.outputs)
        out.assign(node, text, many=many)
        if contiguous:
            return
        for target, output in zip(out.targets(node), node.outputs, strict=True):
            if output.alias is None and output.desc.dtype != UNDEFINED:  # undefined: a gradient that nobody asked for
                restride(target, output.desc, out, always=True)

    def _operand(self, ref: Ref, port: str, found: rules.Rule, out: Emitter) -> str:
        if port in found.host:
            return out.host(ref)
        return (out.number(ref) if port in found.numbers else None) or out.strided(ref)


def _rank(desc: Desc) -> int | None:
    return None if desc.shape is None else len(desc.shape)


def _may_reorder(node: Node, found: rules.Rule) -> bool:
    """Whether a contiguous picture may give one with channels last: of one channel, or one pixel, it is both."""
    if found.function.__module__.rsplit(".", 1)[-1] not in ("nn", "grad", "spatial", "signal"):
        return False
    return any(o.desc.shape is None or len(o.desc.shape) in (4, 5) for o in node.outputs)


@dataclass(frozen=True, slots=True)
class CustomEngine:
    """Custom operators, by their implementation in C++ or Python; each run compares planned with actual outputs."""

    name: str = "custom"

    def refuses(self, node: Node) -> str | None:
        impl = find_implementation(node.type)
        if impl is None:
            return "no implementation is registered under this type"
        if not impl.executes:
            return f"the implementation ({impl.origin}) has no Execute"
        return None

    def emit(self, node: Node, out: Emitter) -> None:
        proto = require_prototype(node.type, node.where)
        impl = find_implementation(node.type)
        assert impl is not None
        info = node_info(node, proto)
        shapes = [out.dims(o.desc.shape) if o.desc.shape is not None else None for o in node.outputs]
        plan = _plan(node, out)
        if plan.static and node.outputs and not node.effect and all(0 in s for _, s in plan.outputs):
            device = out.bind(out.device, "device")  # nothing to compute: launch nothing
            empties = [f"torch.empty({s!r}, dtype={torch_dtype(d)}, device={device})" for d, s in plan.outputs]
            out.assign(node, f"[{', '.join(empties)}]", many=True)
            return
        runner, checks_itself = impl.runner(info, plan)
        if impl.native and out.device.type == "cpu":
            runner = _through_device(runner, _aliases(node))
        run = out.bind(runner, f"run_{node.name}")
        names = [self._input(node, i, out, impl.native) for i in range(len(node.inputs))]
        out.assign(node, f"{run}([{', '.join(names)}])", many=True)
        for i, (target, output) in enumerate(zip(out.targets(node), node.outputs, strict=True)):
            if output.alias is not None:
                self._write_back(node, target, output.alias, out)
                continue
            if not checks_itself:
                self._compare(node, i, target, shapes[i], info, out)
            restride(target, output.desc, out)

    def _input(self, node: Node, i: int, out: Emitter, native: bool) -> str:
        """The input as the kernel gets it. A non-contiguous one that is written keeps its copy for the way back."""
        port = node.inputs[i]
        if port.ref is None:
            return "None"
        text, desc = out.tensor(port.ref), out.desc(port.ref)
        if native and desc.placement == "CPU" and not desc.host and out.device.type != "cpu":
            return f"{text}.to({out.bind(out.device, 'device')})"
        if text.endswith(".contiguous()") and any(o.alias == port.name for o in node.outputs):
            out.line(f"{node_variable(node, port.name)} = {text}")
            return node_variable(node, port.name)
        return text

    def _write_back(self, node: Node, target: str, port: str, out: Emitter) -> None:
        ref = next(p.ref for p in node.inputs if p.name == port)
        if ref is None:  # an absent optional input
            out.line(f"{target} = None")
            return
        original = out.literal(ref)
        if out.tensor(ref).endswith(".contiguous()"):
            copy = node_variable(node, port)
            out.line(f"if {copy} is not {original}: {original}.copy_({copy})")
        out.line(f"{target} = {original}")

    def _compare(self, node: Node, i: int, target: str, dims: list[str | None] | None, info: Any, out: Emitter) -> None:
        desc = node.outputs[i].desc
        tests = []
        if dims is not None and None not in dims:
            tests.append(f"{target}.shape != {tuple_text(dims)}")
        elif dims is not None:
            tests.append(f"{target}.dim() != {len(dims)}")
            tests += [f"{target}.size({j}) != {d}" for j, d in enumerate(dims) if d is not None]
        if desc.dtype != UNDEFINED:
            tests.append(f"{target}.dtype is not {torch_dtype(desc.dtype)}")
        if not tests:
            return
        fail = out.bind(_failure(info, i, desc.dtype), f"mismatch_{node.name}_{i}")
        shown = tuple_text(dims) if dims is not None else repr("[...]")
        out.line(f"if {' or '.join(tests)}: {fail}({target}, {shown})")


ENGINES: tuple[Engine, ...] = (
    ClusterEngine(),
    AtenEngine(),
    BuiltinEngine(),
    ControlEngine(),
    LibraryEngine(),
    CustomEngine(),
)


def place(node: Node) -> Engine:
    """The engine that executes the node. Raises NoImplementation with every engine's reason."""
    refusals = []
    for engine in ENGINES:
        reason = engine.refuses(node)
        if reason is None:
            return engine
        refusals.append(f"{engine.name}: {reason}")
    proto = find_prototype(node.type)
    raise errors.NoImplementation(
        op=node.type,
        node=node.name,
        where=str(node.where),
        refusals="; ".join(refusals),
        origin=proto.origin if proto is not None else "nowhere",
    )


def restride(target: str, desc: Desc, out: Emitter, *, always: bool = False) -> None:
    """Give an output the strides that Meta promised: the rest of the graph was captured for them.

    always: also where they are those of a contiguous tensor, which the operator may not give.
    """
    if always and desc.stride is None:
        out.line(f"if not {target}.is_contiguous(): {target} = {target}.contiguous()")
        return
    if desc.stride is None or desc.shape is None:
        return
    steps = out.dims(desc.stride)
    if always and None not in steps:
        copied = f"{out.bind(_copy_strided, 'copy_strided')}({target}, {tuple_text(steps)})"
        out.line(f"if {target}.stride() != {tuple_text(steps)}: {target} = {copied}")
        return
    if None not in steps:
        out.line(f"{target} = {out.bind(_copy_strided, 'copy_strided')}({target}, {tuple_text(steps)})")


def tuple_text(items: Sequence[str | None]) -> str:
    """The text of a tuple of expressions; what is not known shows as '?'."""
    texts = [repr("?") if i is None else i for i in items]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def node_variable(node: Node, port: str) -> str:
    """The variable for a contiguous copy of an input."""
    return f"{''.join(c if c.isalnum() else '_' for c in node.name)}_{port}_copy"


def _plan(node: Node, out: Emitter) -> Plan:
    def numbers(shape: Shape | None) -> list[int]:
        return [-2] if shape is None else [d if isinstance(d, int) else -1 for d in shape]

    inputs = [numbers(out.desc(r).shape if not out.desc(r).host else ()) for r in node.refs]
    return Plan(inputs, [(o.desc.dtype, numbers(o.desc.shape)) for o in node.outputs])


def _aliases(node: Node) -> list[tuple[int, int]]:
    """(output, input) index pairs that share memory."""
    ports = [p.name for p in node.inputs]
    return [(i, ports.index(o.alias)) for i, o in enumerate(node.outputs) if o.alias is not None]


def _through_device(run: Runner, aliases: Sequence[tuple[int, int]]) -> Runner:
    """Run a device kernel for a graph on the CPU: copy in, execute, copy out."""

    def moved(inputs: list[Any]) -> list[Any]:
        device = [None if i is None else i.to("npu") for i in inputs]
        outputs = [None if o is None else o.cpu() for o in run(device)]
        for output, source in aliases:
            if inputs[source] is not None:
                inputs[source].copy_(outputs[output])
        return outputs

    return moved


def _failure(info: Any, index: int, dtype: int) -> Any:
    def fail(actual: torch.Tensor, planned: Any) -> None:
        shape = planned if isinstance(planned, str) else f"[{', '.join(map(str, planned))}]"
        check_output(info, index, f"{dtype_name(dtype)} {shape}", actual, "Meta and GE inference, which agree")

    return fail


def strided_as(tensor: torch.Tensor, stride: tuple[int, ...]) -> torch.Tensor:
    """The tensor if its elements lie so, else a copy whose elements do."""
    if all(n == 1 or a == b for n, a, b in zip(tensor.shape, tensor.stride(), stride, strict=True)):
        return tensor
    return _copy_strided(tensor, stride)


def _copy_strided(tensor: torch.Tensor, stride: tuple[int, ...]) -> torch.Tensor:
    out = torch.empty_strided(tensor.shape, stride, dtype=tensor.dtype, device=tensor.device)
    target = out
    for dim, step in enumerate(stride):  # a broadcast dimension is written once
        if step == 0 and target.size(dim) > 1:
            target, tensor = target.narrow(dim, 0, 1), tensor.narrow(dim, 0, 1)
    target.copy_(tensor)
    return out
