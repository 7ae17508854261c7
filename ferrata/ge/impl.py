"""Implementations of GE operators: what infers and what executes, behind one interface for C++ and Python.

`find_implementation(op_type)` answers "who implements this?". Python classes register here with `register_op_impl`;
C++ classes come from the loaded libraries through `ferrata.ge.native`. One instance serves all nodes of a type, so
authors keep no per-node state. This module holds state: the table of Python implementations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from ferrata import errors
from ferrata.ge import prototype as protos
from ferrata.ge.types import UNDEFINED, dtype_name, ge_dtype, torch_dtype

Runner = Callable[[list[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class NodeInfo:
    """What an implementation may know of its node: names, instance counts, attributes with defaults filled in."""

    op_type: str
    name: str
    proto: protos.Prototype
    input_counts: tuple[int, ...]
    output_counts: tuple[int, ...]
    attrs: Mapping[str, Any]
    where: str
    consts: Mapping[int, torch.Tensor] = field(default_factory=dict)  # inputs whose value is known, by instance index

    def slot(self, port: int | str, *, output: bool = False) -> int | None:
        """The instance index of prototype port `port` (name, or instance index as it is); None if absent."""
        specs, counts = (self.proto.outputs, self.output_counts) if output else (self.proto.inputs, self.input_counts)
        total = sum(counts)
        if isinstance(port, int):
            return port if 0 <= port < total else None
        start = 0
        for spec, count in zip(specs, counts, strict=True):
            if spec.name == port:
                return start if count else None
            if spec.kind == "dynamic" and port.startswith(spec.name) and port[len(spec.name) :].isdigit():
                offset = int(port[len(spec.name) :])
                return start + offset if offset < count else None
            start += count
        return None

    def output_name(self, index: int) -> str:
        """The instance name of output `index`."""
        for spec, count in zip(self.proto.outputs, self.output_counts, strict=True):
            if index < count:
                return f"{spec.name}{index}" if spec.kind == "dynamic" else spec.name
            index -= count
        return str(index)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of shapes before execution: -1 unknown dimension, [-2] unknown rank.

    outputs: (dtype, shape) each; static when every number is known.
    """

    inputs: list[list[int]]
    outputs: list[tuple[int, list[int]]]

    @property
    def static(self) -> bool:
        return all(d != UNDEFINED and all(n >= 0 for n in shape) for d, shape in self.outputs)


class Implementation(Protocol):
    """One operator type's implementation. native: its kernels need memory of the device."""

    origin: str
    executes: bool
    infers_shape: bool
    infers_dtype: bool
    native: bool

    def dtypes(self, info: NodeInfo, inputs: list[int]) -> list[int]:
        """Output types from input types (GE numbers)."""

    def shapes(self, info: NodeInfo, inputs: list[list[int]], dtypes: list[int]) -> tuple[list[list[int]], list[int]]:
        """Output shapes, and the types if shapes settle them too; an absent optional input has no entry."""

    def reads_values(self, info: NodeInfo) -> bool:
        """Whether shape inference reads an input's value that is not known yet."""

    def runner(self, info: NodeInfo, plan: Plan) -> tuple[Runner, bool]:
        """A function from input tensors to output tensors, and whether it compares with the plan by itself."""


class InferContext:
    """What `infer_shape` and `infer_dtype` of a Python implementation see.

    Ports are named, or counted over the actual tensors. `dtypes` are GE numbers; setters take torch dtypes too.
    """

    def __init__(self, info: NodeInfo, dtypes: list[int], shapes: list[list[int]] | None) -> None:
        self.info = info
        self._dtypes, self._shapes = dtypes, shapes
        count = sum(info.output_counts)
        self.out_dtypes: list[int] = [UNDEFINED] * count
        self.out_shapes: list[list[int] | None] = [None] * count

    def input_dtype(self, port: int | str) -> int | None:
        """GE number of an input's type; None for an absent optional."""
        i = self.info.slot(port)
        return None if i is None else self._dtypes[i]

    def input_shape(self, port: int | str) -> list[int] | None:
        """An input's shape, dimensions not known are -1; None for an absent optional."""
        i = self.info.slot(port)
        return None if i is None or self._shapes is None else list(self._shapes[i])

    def input_value(self, port: int | str) -> torch.Tensor | None:
        """The value of an input that is a constant, else None."""
        i = self.info.slot(port)
        return None if i is None else self.info.consts.get(i)

    def attr(self, name: str) -> Any:
        """An attribute's value, its default when not given."""
        return self.info.attrs[name]

    def set_output_dtype(self, port: int | str, dtype: Any) -> None:
        self.out_dtypes[self._out(port)] = ge_dtype(dtype)

    def set_output_shape(self, port: int | str, shape: Sequence[int]) -> None:
        self.out_shapes[self._out(port)] = [int(d) for d in shape]

    def _out(self, port: int | str) -> int:
        i = self.info.slot(port, output=True)
        if i is None:
            raise IndexError(f"{self.info.op_type} has no output {port!r}: {self.info.proto.signature()}")
        return i


class ExecuteContext:
    """What `execute` of a Python implementation sees: inputs as tensors, allocation of outputs, the stream."""

    __slots__ = ("_inputs", "info", "outputs")

    def __init__(self, info: NodeInfo, inputs: list[Any]) -> None:
        self.info = info
        self._inputs = inputs
        self.outputs: list[Any] = [None] * sum(info.output_counts)

    def input(self, port: int | str) -> Any:
        """An input tensor, contiguous; None for an absent optional."""
        i = self.info.slot(port)
        return None if i is None else self._inputs[i]

    def attr(self, name: str) -> Any:
        return self.info.attrs[name]

    def malloc_output(self, port: int | str, shape: Sequence[int], dtype: Any) -> torch.Tensor:
        """A new contiguous tensor on the inputs' device, as output `port`."""
        i = self._out(port)
        device = self._inputs[0].device if self._inputs else "cpu"
        target = dtype if isinstance(dtype, torch.dtype) else torch_dtype(ge_dtype(dtype))
        out = torch.empty(tuple(shape), dtype=target, device=device)
        self.outputs[i] = out
        return out

    def make_output_ref_input(self, output: int | str, source: int | str) -> torch.Tensor:
        """Output `output` shares the memory of input `source`; both ports must have one name."""
        tensor: torch.Tensor = self.input(source)
        self.outputs[self._out(output)] = tensor
        return tensor

    @property
    def stream(self) -> Any:
        """The current stream of the device that the inputs live on; None on CPU."""
        device = self._inputs[0].device if self._inputs else torch.device("cpu")
        module = getattr(torch, device.type, None)
        return None if device.type == "cpu" or module is None else module.current_stream()

    def _out(self, port: int | str) -> int:
        i = self.info.slot(port, output=True)
        if i is None:
            raise IndexError(f"{self.info.op_type} has no output {port!r}: {self.info.proto.signature()}")
        return i


class PythonImplementation:
    """An implementation written as a Python class with `execute`, and if it likes `infer_shape`, `infer_dtype`."""

    def __init__(self, cls: type, origin: str) -> None:
        self.instance = cls()
        self.origin = origin
        self.executes = hasattr(cls, "execute")
        self.infers_shape = hasattr(cls, "infer_shape")
        self.infers_dtype = hasattr(cls, "infer_dtype")
        self.native = False

    def dtypes(self, info: NodeInfo, inputs: list[int]) -> list[int]:
        ctx = InferContext(info, inputs, None)
        self._status(self.instance.infer_dtype(ctx))
        return ctx.out_dtypes

    def shapes(self, info: NodeInfo, inputs: list[list[int]], dtypes: list[int]) -> tuple[list[list[int]], list[int]]:
        ctx = InferContext(info, dtypes, inputs)
        self._status(self.instance.infer_shape(ctx))
        return [[-2] if s is None else s for s in ctx.out_shapes], ctx.out_dtypes

    def reads_values(self, info: NodeInfo) -> bool:
        return False

    def runner(self, info: NodeInfo, plan: Plan) -> tuple[Runner, bool]:
        execute = self.instance.execute

        def run(inputs: list[Any]) -> list[Any]:
            ctx = ExecuteContext(info, [i for i in inputs if i is not None])
            try:
                status = execute(ctx)
            except Exception as failure:
                raise errors.ExecuteFailed(
                    op=info.op_type,
                    node=info.name,
                    where=info.where,
                    status=f"raised {type(failure).__name__}",
                    printed=str(failure),
                ) from failure
            if status:
                raise errors.ExecuteFailed(
                    op=info.op_type, node=info.name, where=info.where, status=f"returned {status}", printed=""
                )
            for i, out in enumerate(ctx.outputs):
                if out is None:
                    raise errors.OutputNotSet(
                        op=info.op_type, node=info.name, where=info.where, port=info.output_name(i)
                    )
            return ctx.outputs

        return run, False

    @staticmethod
    def _status(status: Any) -> None:
        if status:
            raise RuntimeError(f"it returned {status}")


class NativeImplementation:
    """An implementation in C++: a registered class with the mixins, or V2 functions."""

    def __init__(self, native: Any, found: Any) -> None:
        self._native, self._found = native, found
        self.origin = str(found.origin)
        self.executes = bool(found.execute)
        self.infers_shape = bool(found.infer_shape)
        self.infers_dtype = bool(found.infer_dtype)
        self.native = True

    def _node(self, info: NodeInfo) -> Any:
        attrs = {k: v for k, v in info.attrs.items() if v is not None}
        node = self._native.NativeNode(info.op_type, info.name, info.input_counts, info.output_counts, attrs)
        for index, value in info.consts.items():
            node.set_const(index, value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
        return node

    def dtypes(self, info: NodeInfo, inputs: list[int]) -> list[int]:
        return list(self._node(info).infer_dtypes(inputs))

    def shapes(self, info: NodeInfo, inputs: list[list[int]], dtypes: list[int]) -> tuple[list[list[int]], list[int]]:
        node = self._node(info)
        node.infer_dtypes(dtypes)
        return [list(s) for s in node.infer_shapes(inputs)], list(node.output_dtypes())

    def reads_values(self, info: NodeInfo) -> bool:
        starts = [sum(info.input_counts[:i]) for i in self._found.data_dependency if i < len(info.input_counts)]
        return any(start not in info.consts for start in starts)

    def runner(self, info: NodeInfo, plan: Plan) -> tuple[Runner, bool]:
        node = self._node(info)
        if self._found.compile:
            node.compile(plan.inputs, [shape for _, shape in plan.outputs])
        executor = node.executor(info.where)
        if plan.static:
            executor.set_planned([(shape, dtype) for dtype, shape in plan.outputs])
        return executor.run, plan.static


_python: dict[str, Implementation] = {}


def install(op_type: str, implementation: Implementation) -> None:
    """Make an implementation that is no class of the user serve a type; `forget` drops it. Raises DuplicateOperator."""
    first = find_implementation(op_type)
    if first is not None:
        raise errors.DuplicateOperator(
            op=op_type, what="implementation", first=first.origin, second=implementation.origin
        )
    _python[op_type] = implementation


def register_op_impl(op_type: str) -> Callable[[type], type]:
    """Class decorator: register a Python implementation of GE operator `op_type`.

    The class has `execute(self, ctx: ExecuteContext)` and optionally `infer_shape(self, ctx: InferContext)` and
    `infer_dtype(self, ctx: InferContext)`. A return value other than None or 0 is a failure. Types not inferred come
    from the prototype's symbols. Raises DuplicateOperator on a second registration.

    >>> @register_op_impl("AxpyDemo")
    ... class AxpyDemo:
    ...     def infer_shape(self, ctx): ctx.set_output_shape("z", ctx.input_shape("x"))
    ...     def execute(self, ctx):
    ...         x, y = ctx.input("x"), ctx.input("y")
    ...         torch.add(x, y, alpha=ctx.attr("alpha"), out=ctx.malloc_output("z", x.shape, x.dtype))
    """
    where = protos.caller()

    def decorate(cls: type) -> type:
        if not isinstance(cls, type):
            raise errors.BadDeclaration(
                what=f"register_op_impl({op_type!r})",
                where=where,
                argument="the decorated object",
                expected="a class with execute(self, ctx), made without arguments",
                got=repr(cls),
            )
        first = find_implementation(op_type)
        if first is not None:
            raise errors.DuplicateOperator(op=op_type, what="implementation", first=first.origin, second=where)
        _python[op_type] = PythonImplementation(cls, where)
        return cls

    return decorate


def forget(op_type: str) -> None:
    """Drop a Python implementation, if there is one."""
    _python.pop(op_type, None)


def find_implementation(op_type: str) -> Implementation | None:
    """The implementation of a type, or None."""
    mine = _python.get(op_type)
    if mine is not None:
        return mine
    native = protos.native_module()
    found = None if native is None else native.implementation(op_type)
    return None if found is None else NativeImplementation(native, found)


def check_output(info: NodeInfo, index: int, planned: str, actual: torch.Tensor, source: str) -> None:
    """Called by a program whose inline comparison failed. Raises OutputMismatch."""
    shape = ", ".join(map(str, actual.shape))
    raise errors.OutputMismatch(
        op=info.op_type,
        node=info.name,
        where=info.where,
        port=info.output_name(index),
        planned=planned,
        actual=f"{dtype_name(ge_dtype(actual.dtype))} [{shape}]",
        plan_source=source,
    )
