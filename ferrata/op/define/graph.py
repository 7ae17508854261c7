"""The operator in GE: prototype, inference, execution, converter; all from the definition.

Ports have the names of the signature and the plan. Outputs come first among the outputs, then the inputs that the
operator writes, under their own names. Execution is that of a call, eager.py's, so that a graph launches the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferrata import errors
from ferrata.ge import impl
from ferrata.ge.attrs import KINDS
from ferrata.ge.impl import NodeInfo, Plan, Runner
from ferrata.ge.prototype import AttrSpec, PortSpec, Prototype, install, taken, unregister_op
from ferrata.ge.types import UNDEFINED, torch_dtype
from ferrata.lang.elements import DtypeVar
from ferrata.op.define import call, shapes
from ferrata.op.define.dims import UNKNOWN
from ferrata.op.define.eager import Executor, attributes
from ferrata.op.define.model import ATTRIBUTES, OperatorDef, Port
from ferrata.torchair import registry
from ferrata.torchair.derive import derive_from


def prototype(definition: OperatorDef) -> Prototype:
    """The GE prototype of a definition."""
    symbols = {var.name: tuple(int(choice.type) for choice in var.allowed) for var in definition.dtype_vars}
    ports = {"required": "required", "optional": "optional", "list": "dynamic"}

    def port(one: Port) -> PortSpec:
        kinds = tuple(int(choice.type) for choice in definition.allowed(one))
        return PortSpec(
            one.name, ports[one.kind], kinds, one.element.name if isinstance(one.element, DtypeVar) else None
        )

    return Prototype(
        definition.ge_type,
        tuple(map(port, definition.inputs)),
        tuple(map(port, (*definition.outputs, *definition.mutated))),
        tuple(
            AttrSpec(a.name, KINDS[ATTRIBUTES[a.type][1]].tag, a.required, None if a.required else a.default)
            for a in definition.attributes
        ),
        symbols,
        definition.where,
    )


def register(definition: OperatorDef, op: Any, executor: Executor) -> None:
    """Register prototype, implementation and converter. Raises GeTypeTaken."""
    first = taken(definition.ge_type)
    found = impl.find_implementation(definition.ge_type) if first is None else None
    if first is not None or found is not None:
        raise errors.GeTypeTaken(
            where=definition.where, ge=definition.ge_type, name=definition.name,
            first=first.origin or "a built-in type" if first is not None else found.origin if found is not None else "",
            proposal=f"{definition.ge_type}Custom",
        )  # fmt: skip
    proto = prototype(definition)
    install(proto)
    impl.install(definition.ge_type, Implementation(executor))
    registry.register_fx_node_ge_converter(op)(derive_from(op, proto))


def unregister(definition: OperatorDef, op: Any) -> None:
    """Take the registrations back."""
    registry.unregister(op)
    unregister_op(definition.ge_type)


class Implementation:
    """What the graph engine asks: types, shapes, a function that executes."""

    executes = infers_shape = infers_dtype = native = True

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.origin = executor.definition.where

    def dtypes(self, info: NodeInfo, inputs: list[int]) -> list[int]:
        definition = self.executor.definition
        ports = _ports(definition, info.input_counts, inputs)
        names = [_map(port, lambda number: str(torch_dtype(number)).removeprefix("torch.")) for port in ports]
        bound = call.bind_types(definition, names)
        own = [int(element.type) for element in call.output_types(definition, bound)]
        written = [port for port, one in zip(ports, definition.inputs, strict=True) if one.mutated]
        return self._spread(info, own, written)

    def shapes(self, info: NodeInfo, inputs: list[list[int]], dtypes: list[int]) -> tuple[list[list[int]], list[int]]:
        definition = self.executor.definition
        ports = _ports(definition, info.input_counts, inputs)
        types = self.dtypes(info, dtypes)
        unknown = any(size == UNKNOWN for shape in inputs for size in shape)
        if unknown and definition.shape is not None:
            return [[-2]] * len(types), types  # a shape function computes with sizes only
        kinds = [_map(port, torch_dtype) for port in _ports(definition, info.input_counts, dtypes)]
        given = attributes(definition, [info.attrs[a.name] for a in definition.attributes])
        known = [
            list(map(tuple, p)) if one.kind == "list" else None if p is None else tuple(p)
            for p, one in zip(ports, definition.inputs, strict=True)
        ]
        found = shapes.of(definition, known, kinds, given, lambda _dim, _limit: UNKNOWN)
        written = [port for port, one in zip(ports, definition.inputs, strict=True) if one.mutated]
        flat: list[Any] = []
        for port, shape in zip(definition.outputs, found, strict=True):
            flat += map(list, shape if port.kind == "list" else (shape,))
        for shape, one in zip(written, definition.mutated, strict=True):
            flat += shape if one.kind == "list" else [[-2]] if shape is None else [shape]
        return flat, types

    def reads_values(self, info: NodeInfo) -> bool:
        return False

    def runner(self, info: NodeInfo, plan: Plan) -> tuple[Runner, bool]:
        definition, run = self.executor.definition, self.executor.run
        values = {a.name: info.attrs[a.name] for a in definition.attributes}
        counts = info.input_counts
        simple = all(port.kind != "list" for port in definition.inputs) and not definition.mutated
        if simple and len(definition.outputs) == 1 and definition.outputs[0].kind != "list":
            return lambda inputs: [run(*inputs, **values)], False

        def execute(inputs: list[Any]) -> list[Any]:
            ports = _slots(definition, counts, inputs)
            result = run(*ports, **values)
            flat: list[Any] = []
            for one in () if result is None else result if isinstance(result, tuple) else (result,):
                flat += one if isinstance(one, list) else [one]
            for port, value in zip(definition.inputs, ports, strict=True):
                if port.mutated:
                    flat += value if port.kind == "list" else [value]
            return flat

        return execute, False

    def _spread(self, info: NodeInfo, own: Sequence[int], written: Sequence[Any]) -> list[int]:
        """Types of the instances: those of an output list repeated, then those of what is written."""
        definition = self.executor.definition
        out: list[int] = []
        for number, count in zip(own, info.output_counts, strict=False):
            out += [number] * count
        for value, port in zip(written, definition.mutated, strict=True):
            out += value if port.kind == "list" else [UNDEFINED if value is None else value]
        return out


def _ports(definition: OperatorDef, counts: Sequence[int], present: Sequence[Any]) -> list[Any]:
    """Per input what belongs to it, from a row in which absent inputs have no place."""
    rest = iter(present)
    return [
        [next(rest) for _ in range(count)] if port.kind == "list" else next(rest) if count else None
        for port, count in zip(definition.inputs, counts, strict=True)
    ]


def _slots(definition: OperatorDef, counts: Sequence[int], row: Sequence[Any]) -> list[Any]:
    """The same from a row in which absent inputs are None."""
    rest = iter(row)
    return [
        [next(rest) for _ in range(count)] if port.kind == "list" else next(rest)
        for port, count in zip(definition.inputs, counts, strict=True)
    ]


def _map(value: Any, function: Any) -> Any:
    """The function of what an input has: of each item of a list of tensors; None stays."""
    if isinstance(value, list):
        return [function(item) for item in value]
    return None if value is None else function(value)
