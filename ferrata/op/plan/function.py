"""From a plan or a shape function in Python to C++ text.

    translate_plan(definition)     the plan, a template over the operator's dtype variables where it needs to be
    translate_shape(definition)    `@op.shape`, a template over the type of a size

A helper function of the user becomes a C++ function of its name, for the types of its call.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferrata.errors import PlanFeature, PlanLaunches, PlanType
from ferrata.lang.elements import Dtype, choices, i32
from ferrata.lang.translate import usage, writer
from ferrata.lang.values import BOOL, INT, StructType, Type
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.plan import source as sources
from ferrata.op.plan import statements
from ferrata.op.plan.expressions import cpp_name, expression, wrapped
from ferrata.op.plan.kinds import (
    ANY_NONE,
    DTYPE,
    REAL,
    TEXT,
    LaunchType,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    comma,
    cpp_type,
    described,
)
from ferrata.op.plan.members import as_vector
from ferrata.op.plan.scope import Scope, Tiling, Unit

ATTRIBUTE_KINDS: Mapping[str, Type] = {
    "int": INT,
    "float": REAL,
    "bool": BOOL,
    "str": TEXT,
    "list[int]": ListType(INT),
    "list[float]": ListType(REAL),
    "list[bool]": ListType(BOOL),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of the C++ function."""

    name: str
    kind: Type

    @property
    def declared(self) -> str:
        return declaration(self.kind, self.name)


@dataclass(frozen=True)
class FunctionText:
    """A translated function. head: constants and helper functions that stand before it. body: with its braces.

    templates: dtype variables that are template parameters, with what each can be. needs: names of helpers.HELPERS.
    """

    name: str
    parameters: tuple[Parameter, ...]
    head: str
    body: str
    comment: str
    templates: Mapping[str, tuple[Dtype, ...]]
    needs: frozenset[str]
    kernels: Mapping[str, Any]
    structs: Mapping[str, Any]
    tiling: Tiling | None = None
    results: int = 0  # of a shape function: how many shapes it returns
    nested: bool = False  # it returns a list of shapes, also for one output


def declaration(kind: Type, name: str, size: str = "int64_t", info: bool = False) -> str:
    """A parameter as C++ declares it. info: tensors without data."""
    text = cpp_type(kind, size)
    if info:
        text = text.replace("DeviceTensor", f"TensorInfo<{size}>")
    if kind in (INT, BOOL, REAL, DTYPE):
        return f"{text} {cpp_name(name)}"
    return f"const {text} &{cpp_name(name)}"


def parameter_kinds(definition: OperatorDef) -> list[Type]:
    """What a plan gets: inputs, attributes, outputs, counts of the sizes that kernels count."""
    return [
        *map(port_kind, definition.inputs),
        *(ATTRIBUTE_KINDS[a.type] for a in definition.attributes),
        *map(port_kind, definition.outputs),
        *(TensorType(i32) for _ in definition.unknowns),
    ]


def port_kind(port: Port) -> Type:
    """The kind of a tensor argument or output."""
    inner = TensorType(port.element, port.kind == "optional")
    return ListType(inner) if port.kind == "list" else inner


def translate_plan(definition: OperatorDef, *, recorder: bool = False, tiling: bool = False) -> FunctionText:
    """The C++ of `@op.plan`. recorder: launches become calls that record them, for comparison with Python. tiling: they
    become what a tiling function tells its kernel.

    Raises KernelSourceError, in the user's file, for what has no counterpart.
    """
    assert definition.plan is not None
    source = sources.read(definition.plan)
    kinds = parameter_kinds(definition)
    if len(source.parameters) != len(kinds):
        raise sources.refuse(
            PlanLaunches, source, source.tree, f"the plan of {definition.name} takes {len(kinds)} parameters",
            f"They are {', '.join([*definition.parameters, *(p.name for p in definition.outputs)])}.",
        )  # fmt: skip
    templates = {var.name: choices(var) for var in definition.dtype_vars}
    unit = Unit()

    def make(known: Scope | None) -> Scope:
        scope = Scope(source, unit, "plan", usage.analyse(source.tree), templates=templates, recorder=recorder)
        scope.tiling = Tiling() if tiling else None
        return _begin(scope, dict(zip(source.parameters, kinds, strict=True)), known)

    scope = _translate(make)
    if not _ends(source.tree.body):
        raise sources.refuse(
            PlanLaunches,
            source,
            source.tree,
            "the plan can end without returning a launch",
            "Return [] to launch nothing.",
        )
    text = _body(scope)
    head = _head(unit)
    used = {name: types for name, types in templates.items() if _uses(text, name)}
    parameters = tuple(Parameter(n, k) for n, k in zip(source.parameters, kinds, strict=True))
    return FunctionText(
        "Plan",
        parameters,
        head,
        text,
        _doc(source),
        used,
        frozenset(unit.needs),
        unit.kernels,
        unit.structs,
        scope.tiling,
    )


def translate_shape(definition: OperatorDef) -> FunctionText:
    """The C++ of `@op.shape`: a template over Int that returns the shape, or the shapes, of the outputs."""
    assert definition.shape is not None
    source = sources.read(definition.shape)
    kinds = parameter_kinds(definition)[: len(definition.inputs) + len(definition.attributes)]
    if len(source.parameters) != len(kinds):
        raise sources.refuse(
            PlanType, source, source.tree, f"the shape function of {definition.name} takes {len(kinds)} parameters",
            f"They are {', '.join(definition.parameters)}.",
        )  # fmt: skip
    unit = Unit()

    def make(known: Scope | None) -> Scope:
        scope = Scope(source, unit, "shape", usage.analyse(source.tree), symbolic=True)
        return _begin(scope, dict(zip(source.parameters, kinds, strict=True)), known)

    scope = _translate(make)
    nested = {kind == ListType(ListType(INT)) for kind in scope.returns}
    if len(nested) != 1 or not _ends(source.tree.body):
        raise sources.refuse(
            PlanType, source, source.tree, "the shape function does not always return the same outputs"
        )
    parameters = tuple(Parameter(n, k) for n, k in zip(source.parameters, kinds, strict=True))
    return FunctionText(
        "Shapes", parameters, _head(unit), _body(scope), _doc(source), {}, frozenset(unit.needs), {}, {},
        results=len(definition.outputs), nested=nested.pop(),
    )  # fmt: skip


def helper(scope: Scope, node: ast.Call, python: Callable[..., Any]) -> PlanValue:
    """A call of one of the user's functions."""
    unit = scope.unit
    if python in unit.active:
        raise scope.refuse(PlanFeature, node, f"{python.__name__} calls itself", "Write it as a loop.")
    values = _bound(scope, node, python)
    kinds = tuple(value.type for value in values.values())
    key = (python, kinds, scope.symbolic)
    texts = [as_vector(scope, value).cpp for value in values.values()]
    name = cpp_name(python.__name__)
    if key not in unit.functions:
        unit.active.append(python)
        source = sources.read(python)

        def make(known: Scope | None) -> Scope:
            inner = Scope(source, unit, "helper", usage.analyse(source.tree), symbolic=scope.symbolic)
            return _begin(inner, dict(zip(values, kinds, strict=True)), known)

        inner = _translate(make)
        unit.active.pop()
        result = inner.returns[0] if inner.returns else None
        for kind in inner.returns[1:]:
            from ferrata.op.plan.kinds import joined

            result = joined(result, kind) if result is not None else None
        if result is None or not _ends(source.tree.body):
            raise sources.refuse(
                PlanType, source, source.tree, f"{python.__name__} does not always return one kind of value"
            )
        declared = comma([declaration(k, n, inner.size, scope.symbolic) for n, k in zip(values, kinds, strict=True)])
        head = "template <typename Int>\n" if scope.symbolic else "inline "
        comment = _doc(source)
        unit.texts.append(f"{comment}{head}{cpp_type(result, inner.size)} {name}({declared}) {{\n{_lines(inner)}}}\n")
        unit.functions[key] = (name, result)
    name, result = unit.functions[key]
    call = f"{name}<Int>" if scope.symbolic else name
    return PlanValue(f"{call}({comma(texts)})", result)


def _bound(scope: Scope, node: ast.Call, python: Callable[..., Any]) -> dict[str, PlanValue]:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise scope.refuse(PlanFeature, node, "arguments are written out in a plan")
    given = [expression(scope, argument) for argument in node.args]
    named = {k.arg: expression(scope, k.value) for k in node.keywords if k.arg}
    signature = inspect.signature(python)
    try:
        bound = signature.bind(*given, **named)
    except TypeError as problem:
        raise scope.refuse(PlanType, node, f"{python.__name__}(): {problem}") from None
    values: dict[str, PlanValue] = {}
    for name, parameter in signature.parameters.items():
        value = bound.arguments.get(name)
        values[name] = wrapped(scope, node, parameter.default) if value is None else value
        kind = values[name].type
        if (
            isinstance(value, tuple | dict)
            or isinstance(kind, ObjectType | LaunchType | StructType)
            or kind == ANY_NONE
        ):
            raise scope.refuse(PlanType, node, f"{python.__name__}() cannot get {described(kind)} as {name}")
    return values


def _begin(scope: Scope, kinds: Mapping[str, Type], known: Scope | None) -> Scope:
    for name, kind in kinds.items():
        scope.variables[name] = PlanValue(cpp_name(name), kind)
    scope.shown = scope.source.tree.body[0].lineno - 1
    scope.writer.depth = 1
    scope.draft = known is None
    if known is not None:
        scope.kinds = dict(known.found)
        for name, values in known.values.items():
            if values and all(value.choices is not None for value in values) and name not in kinds:
                scope.known[name] = tuple(dict.fromkeys(c for value in values for c in value.choices or ()))
    return scope


def _translate(make: Callable[[Scope | None], Scope]) -> Scope:
    """Translate until the kinds of the variables stay, then for the text."""
    scope = make(None)
    statements.block(scope, scope.source.tree.body)
    for _ in range(6):
        again = make(scope)
        statements.block(again, again.source.tree.body)
        if again.found == scope.found:
            return again
        scope = again
    return scope


def _lines(scope: Scope) -> str:
    return writer.render(scope.writer)


def _body(scope: Scope) -> str:
    lines = list(scope.writer)
    at = len(lines) - 1
    while at >= 0 and lines[at].text == "}":
        at -= 1
    if at >= 0 and lines[at].text == "return;" and not lines[at].comment:
        del lines[at]
    return writer.render(lines)


def _head(unit: Unit) -> str:
    out = []
    for name, (kind, text) in unit.constants.items():
        out.append(f"constexpr {cpp_type(kind)} {cpp_name(name)} = {text};\n")
    if out:
        out.append("\n")
    for text in unit.texts:
        out.append(text + "\n")
    return "".join(out)


def _doc(source: sources.Source) -> str:
    text = ast.get_docstring(source.tree)
    return "" if not text else "\n".join(writer.comment(text, 0)) + "\n"


def _uses(text: str, name: str) -> bool:
    import re

    return re.search(rf"\b{name}\b", text) is not None


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block always returns."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.While):
        return isinstance(last.test, ast.Constant) and bool(last.test.value)
    return isinstance(last, ast.Return | ast.Raise)
