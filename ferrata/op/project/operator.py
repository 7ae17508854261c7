"""One operator of a project: the callable, the torch operator, the fake, and the converter to GE.

The kernel runs through the GE executor in C++ (native/src/ge/tiling.cpp): infer shapes, allocate, tile, launch. A call
in eager mode and a node of a compiled graph take that same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.errors import (
    BadOpArgument,
    DtypeNotInOpDef,
    InferShapeFailed,
    NativeCallFailed,
    NoInferShape,
    ShapeNotInferred,
)
from ferrata.ge import native
from ferrata.ge.prototype import Prototype, natives
from ferrata.ge.types import dtype_name, ge_dtype, torch_dtype
from ferrata.op.project import numbers, shapes
from ferrata.op.project.kernel import CPP_TYPES, Kernels
from ferrata.op.project.schema import schema, torch_name
from ferrata.op.project.sources import Sources, tiling_place
from ferrata.torchair import registry
from ferrata.torchair.derive import derive_from

_Frozen = tuple[Any, ...]
_MOST_NODES = 256  # kept; attributes that change with each call would fill the memory
_TYPES = frozenset(CPP_TYPES)


class Operator:
    """An operator of a loaded project; call it with torch tensors.

    Inputs by position or name, in the OpDef's order; None for an absent optional one, a list for a dynamic one; for one
    that is declared with Scalar or ScalarList also a number or a list of numbers.
    Attributes by name. Tensors on the CPU are copied to the device and results back. One output comes alone, several as
    a tuple; an output that is also an input is written in place and returned. `without=["mask"]` leaves optional
    outputs out: the kernel gets a null address, the result is None.
    `op` is the same as a torch operator (`torch.ops.<namespace>.<name>`), for models and torch.compile.
    """

    def __init__(self, definition: dict[str, Any], sources: Sources, namespace: str) -> None:
        self.op_type: str = definition["op_type"]
        self.definition = definition
        self.sources = sources
        self.proto: Prototype = natives()[self.op_type]
        # outputs whose shape only the kernel knows
        self._computed = {port["name"] for port in definition["outputs"] if port["by_compute"]}
        self.kernels = Kernels.of(definition, sources)
        self.name = self.kernels.entry.name
        self.schema = schema(self.proto)
        self._nodes: dict[_Frozen, tuple[Any, Any]] = {}
        native.set_kernels(self.op_type, lambda _type, dtypes, key: self.kernels.launch(dtypes, key), self.tiling_place)
        self._library: Any = torch.library.Library(namespace, "FRAGMENT")  # type: ignore[no-untyped-call]  # owns the registrations below
        self._register(namespace)

    @property
    def tiling_place(self) -> str:
        return tiling_place(self.sources, self.op_type)

    def __repr__(self) -> str:
        return f"<operator {self.op_type}: {self.op}{self.schema}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        without = kwargs.pop("without", ())
        bound = self._bind(args, kwargs)
        if without:
            return self._call_without((without,) if isinstance(without, str) else tuple(without), bound)
        attrs = {torch_name(self.proto, a.name): bound[a.name] for a in self.proto.attrs}
        result = self.op(*[bound[p.name] for p in self.proto.inputs], **attrs)
        written = [bound[name] for name in self.proto.in_place]
        if not written:
            return result
        rest = iter(() if result is None else result if isinstance(result, tuple) else (result,))
        every = [bound[p.name] if p.name in self.proto.in_place else next(rest) for p in self.proto.outputs]
        return every[0] if len(every) == 1 else tuple(every)

    def _call_without(self, absent: tuple[str, ...], bound: dict[str, Any]) -> Any:
        """The same, directly: the torch operator always returns all its outputs."""
        optional = [p.name for p in self.proto.outputs if p.kind == "optional" and p.name not in self.proto.in_place]
        for name in absent:
            if name not in optional:
                self._bad(f"without names {name!r}; optional outputs are: {', '.join(optional) or 'none'}")
        inputs = [bound[p.name] for p in self.proto.inputs]
        there = [_map(value, lambda t: t.to("npu")) for value in inputs]
        attrs = {a.name: bound[a.name] for a in self.proto.attrs}
        result = self._launch(there, attrs, absent)
        on_host = all(t.device.type == "cpu" for t in self._flatten(inputs)[0])
        if not on_host:
            return result
        for port, original, copy in zip(self.proto.inputs, inputs, there, strict=True):
            if port.name in self.proto.in_place and original is not None:
                original.copy_(copy)
        return _map(result, lambda t: t.to("cpu"))

    def tiling(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """What the tiling function says for these arguments: key, blocks, workspaces, data and more; nothing runs."""
        bound = self._bind(args, kwargs)
        tensors, counts = self._flatten([bound[p.name] for p in self.proto.inputs])
        node, _ = self._node(counts, {a.name: bound[a.name] for a in self.proto.attrs}, tensors)
        for i, tensor in enumerate(tensors):
            if tensor.device.type != "meta":
                node.set_const(i, bytes(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).tolist()))
        given = [list(t.shape) for t in tensors]
        result: dict[str, Any] = node.tile(given, self._infer(node, given, counts))
        return result

    # --- registration with torch ---

    def _register(self, namespace: str) -> None:
        self._library.define(self.name + self.schema)
        self._library.impl(self.name, self._run, "PrivateUse1")
        self._library.impl(self.name, self._run_on_copies, "CPU")
        qualified = f"{namespace}::{self.name}"
        torch.library.register_fake(qualified, self._fake, lib=self._library)
        self.op: Any = getattr(getattr(torch.ops, namespace), self.name).default
        registry.register_fx_node_ge_converter(self.op)(derive_from(self.op, self.proto))

    def close(self) -> None:
        """Take the registrations with torch back; the project loads this operator anew."""
        registry.unregister(self.op)
        self._library._destroy()

    # --- running ---

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self._launch(*self._split(args, kwargs))

    def _launch(self, inputs: list[Any], attrs: dict[str, Any], absent: tuple[str, ...] = ()) -> Any:
        tensors, counts = self._flatten(inputs)
        device = next((t.device for t in tensors if t.device.type == "npu"), None)
        here = [t if t.device.type == "npu" else t.to(device or "npu") for t in tensors]
        _, executor = self._node(counts, attrs, here, absent=absent)
        flat: list[Any] = []
        rest = iter(here)
        for count in counts:
            flat += [next(rest) for _ in range(count)]
        return self._results(executor.run(flat), counts, absent)

    def _run_on_copies(self, *args: Any, **kwargs: Any) -> Any:
        inputs, attrs = self._split(args, kwargs)
        there = [_map(value, lambda t: t.to("npu")) for value in inputs]
        result = self._run(*there, **attrs)
        for port, original, copy in zip(self.proto.inputs, inputs, there, strict=True):
            if port.name in self.proto.in_place and original is not None:
                original.copy_(copy)
        return _map(result, lambda t: t.to("cpu"))

    def _fake(self, *args: Any, **kwargs: Any) -> Any:
        inputs, attrs = self._split(args, kwargs)
        tensors, counts = self._flatten(inputs)
        node, _ = self._node(counts, attrs, tensors, execute=False)
        found = shapes.infer(lambda given: self._infer(node, given, counts), [list(t.shape) for t in tensors])
        device = tensors[0].device if tensors else torch.device("npu")
        types = [torch_dtype(d) for d in node.output_dtypes()]
        for i in self._computed_outputs(counts):
            found[i] = [shapes.unknown() if isinstance(size, int) and size < 0 else size for size in found[i]]
        made = [torch.empty(shape, dtype=t, device=device) for shape, t in zip(found, types, strict=True)]
        return self._results(made, counts)

    def _infer(self, node: Any, given: list[list[int]], counts: Sequence[int]) -> list[list[int]]:
        implementation = native.implementation(self.op_type)
        if implementation is None or not implementation.infer_shape:
            raise NoInferShape(op=self.op_type)
        try:
            found: list[list[int]] = node.infer_shapes(given)
        except NativeCallFailed as error:
            printed = str(error.printed).strip() or "It printed nothing."
            raise InferShapeFailed(op=self.op_type, how=error.text, printed=printed) from None
        computed = self._computed_outputs(counts)
        for i, shape in enumerate(found):
            if any(d < (-1 if i in computed else 0) for d in shape):
                raise ShapeNotInferred(op=self.op_type, port=i, why=self._why(implementation))
        return found

    def _computed_outputs(self, counts: Sequence[int]) -> set[int]:
        """Places of the output tensors whose shape the kernel computes: infer_shapes leaves their sizes open."""
        names = [p.name for p in self.proto.outputs for _ in range(self._dynamic(counts) if p.kind == "dynamic" else 1)]
        return {i for i, name in enumerate(names) if name in self._computed}

    def _why(self, implementation: native.NativeImpl) -> str:
        read = [self.proto.inputs[i].name for i in implementation.data_dependency if i < len(self.proto.inputs)]
        if not read:
            return "though all input shapes are known"
        return f"since it reads the values of {', '.join(read)}, which are not known while a graph is traced"

    def _node(
        self,
        counts: Sequence[int],
        attrs: dict[str, Any],
        tensors: Sequence[Any],
        execute: bool = True,
        absent: tuple[str, ...] = (),
    ) -> tuple[Any, Any]:
        """The node for these counts, attributes and data types, and its executor."""
        dtypes = [int(ge_dtype(t.dtype)) for t in tensors]
        key = (tuple(counts), _freeze(attrs), tuple(dtypes), execute, absent)
        found = self._nodes.get(key)
        if found is None:
            outputs = [self._output_count(p, counts, absent) for p in self.proto.outputs]
            given = {name: value for name, value in attrs.items() if value is not None}
            node = native.NativeNode(self.op_type, self.name, counts, outputs, given)
            node.infer_dtypes(dtypes)
            self._check_types(node)
            if len(self._nodes) >= _MOST_NODES:
                self._nodes.clear()
            found = self._nodes[key] = (node, node.executor("an eager call") if execute else None)
        return found

    def _output_count(self, port: Any, counts: Sequence[int], absent: tuple[str, ...]) -> int:
        return 0 if port.name in absent else self._dynamic(counts) if port.kind == "dynamic" else 1

    def _check_types(self, node: Any) -> None:
        for port, dtype in zip(self.proto.outputs, node.output_dtypes(), strict=False):
            if dtype not in _TYPES:
                raise DtypeNotInOpDef(
                    op=self.op_type,
                    given=f"output {port.name} {dtype_name(dtype)}",
                    columns=" no data type is declared",
                )

    def _dynamic(self, counts: Sequence[int]) -> int:
        """Tensors of a dynamic output: as many as the first dynamic input has."""
        return next((c for p, c in zip(self.proto.inputs, counts, strict=True) if p.kind == "dynamic"), 1)

    def _results(self, flat: Sequence[Any], counts: Sequence[int], absent: tuple[str, ...] = ()) -> Any:
        """Tensors in output order as the schema returns them, without those that are written inputs."""
        rest = iter(flat)
        out: list[Any] = []
        for port in self.proto.outputs:
            if port.name in absent:
                out.append(None)
                continue
            value: Any = [next(rest) for _ in range(self._dynamic(counts))] if port.kind == "dynamic" else next(rest)
            if port.name not in self.proto.in_place:
                out.append(value)
        return None if not out else out[0] if len(out) == 1 else tuple(out)

    # --- arguments ---

    def _split(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        bound = self._bind(args, kwargs)
        return [bound[p.name] for p in self.proto.inputs], {a.name: bound[a.name] for a in self.proto.attrs}

    def _bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Values by name, with the defaults. Raises BadOpArgument."""
        ports, attrs = self.proto.inputs, {a.name: a for a in self.proto.attrs}
        if len(args) > len(ports):
            self._bad(f"{len(args)} positional arguments for {len(ports)} inputs; attributes are given by name")
        bound: dict[str, Any] = {p.name: value for p, value in zip(ports, args, strict=False)}
        names = {torch_name(self.proto, name): name for name in attrs}
        for given, value in kwargs.items():
            name = names.get(given, given)
            if name in bound:
                self._bad(f"{name} is given twice")
            if name not in attrs and all(p.name != name for p in ports):
                self._bad(f"nothing is called {name!r}")
            bound[name] = value
        numbers.with_tensors(self.definition, bound)
        for port in ports:
            value = bound.setdefault(port.name, None)
            if port.kind == "required" and not isinstance(value, torch.Tensor):
                self._bad(
                    f"input {port.name} must be a tensor" + ("" if value is None else f", not {type(value).__name__}")
                )
            if port.kind == "dynamic" and not isinstance(value, (list, tuple)):
                self._bad(f"input {port.name} must be a list of tensors")
        for name, attr in attrs.items():
            if bound.get(name) is None:
                if attr.required:
                    self._bad(f"attribute {name} has no default and must be given")
                bound[name] = attr.default
        return bound

    def _bad(self, problem: str) -> None:
        raise BadOpArgument(op=self.op_type, problem=problem, signature=self.proto.signature())

    def _flatten(self, inputs: Sequence[Any]) -> tuple[list[Any], list[int]]:
        tensors: list[Any] = []
        counts: list[int] = []
        for value in inputs:
            mine = [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
            tensors += mine
            counts.append(len(mine))
        return tensors, counts


def _map(value: Any, function: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map(item, function) for item in value)
    return value


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _freeze(item)) for key, item in value.items())
    return tuple(map(_freeze, value)) if isinstance(value, (list, tuple)) else value
