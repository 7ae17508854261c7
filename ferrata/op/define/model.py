"""`OperatorDef`: all that is known of one operator, in one frozen record.

`@fe.op` reads it from the annotated signature (signature.py); `@op.plan`, `@op.shape`, `@op.backward` and
`@op.reference` add their functions. The registrations with torch and GE, export, testing and the documentation read it
and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ferrata.lang.elements import Dtype, DtypeVar, Element, choices
from ferrata.op.define.dims import Dim, Named, Rest, Unknown

PortKind = Literal["required", "optional", "list"]

# Attribute types by how an annotation is written, with their names in torch's schema and in GE.
ATTRIBUTES = {
    "int": ("int", "Int"),
    "float": ("float", "Float"),
    "bool": ("bool", "Bool"),
    "str": ("str", "String"),
    "list[int]": ("int[]", "ListInt"),
    "list[float]": ("float[]", "ListFloat"),
    "list[bool]": ("bool[]", "ListBool"),
}


@dataclass(frozen=True)
class Port:
    """A tensor argument or an output. mutated: the operator writes this argument (`fe.Mut`)."""

    name: str
    element: Element
    dims: tuple[Dim, ...]
    kind: PortKind = "required"
    mutated: bool = False

    def __str__(self) -> str:
        text = f"Tensor[{', '.join([str(self.element).removeprefix('ac.'), *map(str, self.dims)])}]"
        text = f"list[{text}]" if self.kind == "list" else text
        text = f"Mut[{text}]" if self.mutated else text
        return f"{text} | None" if self.kind == "optional" else text

    @property
    def rest(self) -> int | None:
        """Where `...` or a named group stands in the dimensions, None without one."""
        return next((i for i, dim in enumerate(self.dims) if isinstance(dim, Rest)), None)


@dataclass(frozen=True)
class Attribute:
    """An attribute; `type` is a key of ATTRIBUTES, `default` counts unless it is required."""

    name: str
    type: str
    required: bool = True
    default: Any = None

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + ("" if self.required else f" = {self.default!r}")


@dataclass(frozen=True)
class OperatorDef:
    """One operator. name: "mylib::add"; ge_type: "AddCustom"; outputs are named by the plan's parameters.

    inputs come first in a call, attributes after them; attributes from number `keyword_only` on only by name.
    function: what `@fe.op` decorates, its body only documents. file, line: of its `def`.
    plan(inputs..., attributes..., outputs..., counts of unknown sizes...) -> launches.
    shape(inputs..., attributes...) -> the shape of each output. backward, reference: None when not given.
    """

    name: str
    ge_type: str
    inputs: tuple[Port, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[Port, ...]
    keyword_only: int
    doc: str
    file: str
    line: int
    function: Callable[..., Any]
    plan: Callable[..., Any] | None = None
    shape: Callable[..., Any] | None = None
    backward: Callable[..., Any] | None = None
    reference: Callable[..., Any] | None = None

    @property
    def namespace(self) -> str:
        return self.name.split("::")[0]

    @property
    def short_name(self) -> str:
        return self.name.split("::")[1]

    @property
    def where(self) -> str:
        """`file:line` of the definition."""
        return f"{self.file}:{self.line}"

    @property
    def mutated(self) -> tuple[Port, ...]:
        return tuple(port for port in self.inputs if port.mutated)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the inputs and attributes, in the order of a call."""
        return (*(port.name for port in self.inputs), *(attribute.name for attribute in self.attributes))

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """The sizes that the kernel counts, each once, in the order of the outputs."""
        dims: list[Dim] = [dim for port in self.outputs for dim in port.dims]
        found = [dim for dim in dims if isinstance(dim, Unknown)]
        return tuple({dim.name: dim for dim in found}.values())

    @property
    def dtype_vars(self) -> tuple[DtypeVar, ...]:
        elements: list[Element] = [port.element for port in (*self.inputs, *self.outputs)]
        found = [element for element in elements if isinstance(element, DtypeVar)]
        return tuple({var.name: var for var in found}.values())

    @property
    def bound_names(self) -> frozenset[str]:
        """Names of sizes that every call binds: of dimensions of tensors that cannot be absent, and int attributes."""
        dims: list[Dim] = []
        for port in self.inputs:
            dims += port.dims if port.kind == "required" else ()
        sizes = {dim.name for dim in dims if isinstance(dim, Named)}
        return frozenset(sizes | {a.name for a in self.attributes if a.type == "int"})

    def allowed(self, port: Port) -> tuple[Dtype, ...]:
        """The element types that a port can have."""
        return choices(port.element)

    def signature(self) -> str:
        """`add(x: Tensor[T, ...], y: Tensor[T, ...], *, alpha: float = 1.0) -> Tensor[T, ...]`, as errors print it."""
        parts = [f"{port.name}: {port}" for port in self.inputs]
        for i, attribute in enumerate(self.attributes):
            parts += ["*"] * (i == self.keyword_only)
            parts.append(str(attribute))
        outputs = ", ".join(map(str, self.outputs))
        returns = "None" if not self.outputs else outputs if len(self.outputs) == 1 else f"tuple[{outputs}]"
        return f"{self.short_name}({', '.join(parts)}) -> {returns}"
