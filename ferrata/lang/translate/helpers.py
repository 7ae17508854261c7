"""Helper functions: plain functions of the user's modules, emitted as device functions for the types of their calls.

A helper is translated once for each list of argument types; a parameter that is annotated `ac.Const[int]` becomes a
template parameter, and so do the dtype variables that its text names. Several results come back as a structure.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang import parameters
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.translate import source, tensors
from ferrata.lang.translate.function import Function, Variable
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.objects import describe, of_object
from ferrata.lang.translate.types import (
    NUMBERS,
    PYTHON,
    BufferType,
    ListType,
    QueueType,
    ResultType,
    cpp,
    known,
    spelled,
)
from ferrata.lang.translate.unit import Demand, Device, scaled
from ferrata.lang.translate.variables import converted, variable_value
from ferrata.lang.translate.writer import Line, Writer, comment
from ferrata.lang.values import (
    BOOL,
    NONE,
    Formula,
    GlobalType,
    LocalType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)


def call(f: Function, python: Callable[..., Any], node: ast.Call) -> Value:
    """A call of a helper."""
    bound = _bind(f, python, node)
    hints = _hints(python)
    consts: dict[str, Value] = {}
    values: dict[str, Value] = {}
    for name, raw in bound.items():
        hint = parameters.parse(hints[name]) if name in hints else None
        value = tensors.as_local(f, raw)
        if hint is not None and hint.kind == "const":
            if not isinstance(value.type, ScalarType) or (known(value) is None):
                f.fail(
                    errors.NotConstant, raw.node or node, what=f"{name!r} of {python.__name__!r}, a Const,",
                    help="Pass a number, or a Const of the kernel.",
                )  # fmt: skip
            consts[name] = value
        else:
            values[name] = _argument(f, name, value, hint, python, node)
    narrowed = tuple(sorted((name, kinds) for name, kinds in f.narrowed.items()))
    shape = tuple((name, _key(value)) for name, value in values.items())
    key = (python, shape, tuple(consts), narrowed, tuple(sorted(f.aliases.items())))
    device = f.unit.devices.get(key)
    if device is None:
        device = _device(f, python, values, consts, node)
        f.unit.devices[key] = device
    if device.allocations and f.loops:
        f.fail(
            errors.BufferInLoop, node, what=f"`{device.allocations[0].what}` of {python.__name__}()",
            help="Make the buffer before the loop and pass it to the function.",
        )  # fmt: skip
    for allocation in device.allocations:
        f.allocations.append(scaled(allocation, {name: known(value) for name, value in consts.items()}))
    for demand in device.demands:
        f.demands.append(_outer(demand, {name: known(value) for name, value in consts.items()}))
    f.needs_pipe |= device.pipe
    f.sync_all |= device.sync_all
    for variable in device.dtype_vars:
        f.use(variable)
    template = _template_arguments(device, consts)
    texts = [value.cpp for value in values.values() if value.type != PYTHON]
    text = f"{device.name}{template}({', '.join(texts)})"
    result = device.result or NONE
    items = device.result_values.items if device.result_values is not None else ()
    return Value(text, result, items=items)


def _template_arguments(device: Device, consts: dict[str, Value]) -> str:
    if not consts and device.deduced:
        return ""
    return "<" + ", ".join([*(v.cpp for v in consts.values()), *(var.cpp for var in device.dtype_vars)]) + ">"


def _bind(f: Function, python: Callable[..., Any], node: ast.Call) -> dict[str, Value]:
    signature = inspect.signature(python)
    args = [f.value(argument) for argument in node.args]
    kwargs = {str(keyword.arg): f.value(keyword.value) for keyword in node.keywords}
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as problem:
        f.fail(
            errors.WrongArguments, node, name=f"{python.__name__}()", problem=str(problem),
            help=f"It is defined as {python.__name__}{signature}.",
        )  # fmt: skip

    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            f.fail(
                errors.UnsupportedExpression, node, what=f"a helper with *{parameter.name}", help="Name its parameters."
            )
    found = {}
    for parameter in signature.parameters.values():
        if parameter.name in bound.arguments:
            found[parameter.name] = bound.arguments[parameter.name]
        else:
            found[parameter.name] = of_object(f, parameter.default, node, f"{python.__name__}_{parameter.name}")
    return found


def _hints(python: Callable[..., Any]) -> dict[str, Any]:
    try:
        return inspect.get_annotations(python, eval_str=True)
    except Exception:  # noqa: BLE001 - a helper's annotations are optional
        return {}


def _argument(
    f: Function, name: str, value: Value, hint: parameters.Parsed | None, python: Callable[..., Any], node: ast.Call
) -> Value:
    """An argument as the parameter takes it, checked against the annotation if there is one."""
    if value.type == PYTHON:
        if not isinstance(value.const, Dtype | DtypeVar) and value.const is not None and not callable(value.const):
            f.fail(
                errors.WrongType, value.node or node, what=f"{name!r}", expected="a value", got=describe(value.const)
            )
        return value
    if isinstance(value.type, TupleType):
        f.fail(errors.WrongType, value.node or node, what=f"{name!r}", expected="a single value", got="a tuple")
    if isinstance(value.type, OpaqueType) and value.type.name == "const char*":
        f.fail(errors.WrongType, value.node or node, what=f"{name!r}", expected="a value of the kernel", got="a string")
    if hint is None:
        return variable_value(f, value) if isinstance(value.type, ScalarType) else value
    good: str | None = value.cpp
    expected: str = hint.kind
    if hint.kind in NUMBERS:
        good = converted(f, value, NUMBERS[hint.kind], node)
        value = replace(
            value, cpp=good or "", type=NUMBERS[hint.kind], precedence=value.precedence if good == value.cpp else 0
        )
    elif hint.kind in ("local", "gm") and hint.element is not None:
        wanted = LocalType if hint.kind == "local" else GlobalType
        kind = value.type
        fits = (
            isinstance(kind, wanted)
            and isinstance(kind, LocalType | GlobalType)
            and _fits(f, hint.element, kind.element)
        )
        good = value.cpp if fits else None
        expected = f"{'Local' if hint.kind == 'local' else 'Gm'}[{hint.element!r}]"
    if good is None:
        f.fail(
            errors.WrongType, value.node or node, what=f"{name!r} of {python.__name__}()", expected=expected,
            got=spelled(value.type) if value.cpp else "that",
        )  # fmt: skip
    return value


def _fits(f: Function, wanted: Dtype | DtypeVar, given: Dtype | DtypeVar) -> bool:
    """Whether a tensor of `given` may stand where the annotation has `wanted`."""
    if isinstance(wanted, DtypeVar):
        return set(f.choices(given)) <= set(wanted.allowed)
    return f.same(wanted, given)


def _key(value: Value) -> Any:
    if value.type == PYTHON:
        return ("python", value.const)
    length = _constant_length(value)
    return (value.type, value.aligned, length.cpp if length else None)


def _constant_length(value: Value) -> Value | None:
    """A tensor's or queue's length if it means the same inside of the helper: a number, not a name of the caller."""
    length = value.length
    return length if length is not None and isinstance(length.const, int) and length.cpp.isdigit() else None


def _device(
    f: Function, python: Callable[..., Any], values: dict[str, Value], consts: dict[str, Value], node: ast.Call
) -> Device:
    """Translate a helper for these types."""

    name = python.__name__
    path = f.unit.calling
    if python in path:
        chain = " -> ".join([*(p.__name__ for p in path[path.index(python) :]), name])
        f.fail(
            errors.RecursiveHelper,
            node,
            name=name,
            path=chain,
            help="Write a loop; a small buffer can hold what is still to do.",
        )
    inner = Function(python, source.read(python), f.unit, f.walk, kernel=False, mix=f.mix)
    inner.narrowed, inner.aliases = dict(f.narrowed), dict(f.aliases)
    path.append(python)
    parameters = _parameters(inner, values, consts)
    inner.out.depth = 1
    inner.block(inner.source.body)
    path.pop()
    return _finished(f, inner, python, parameters, consts)


def _parameters(inner: Function, values: dict[str, Value], consts: dict[str, Value]) -> list[str]:
    """Declare the parameters inside of the helper; their texts for its head."""
    texts = []
    freed = {
        name.id for call in ast.walk(inner.source.tree) if isinstance(call, ast.Call) for name in call.args
        if isinstance(call.func, ast.Attribute) and call.func.attr == "free" and isinstance(name, ast.Name)
    }  # fmt: skip
    for name, value in values.items():
        if value.type == PYTHON:
            inner.variables[name] = Variable(value, inner.source.tree.lineno)
            if isinstance(value.const, DtypeVar):
                inner.use(value.const)
            continue
        cpp_name = inner.fresh(name)
        changes = inner.usage.stores[name] > 0 or name in freed
        if isinstance(value.type, StructType) and name in inner.usage.changed_fields:
            texts.append(f"{cpp(value.type)}& {cpp_name}")  # the caller sees it, as in Python
        else:
            texts.append(f"{_passed(inner, value.type, changes)}{cpp_name}")
        length = _constant_length(value)
        seen = Value(cpp_name, value.type, length=length, aligned=value.aligned)
        if isinstance(value.type, GlobalType):  # it may be absent where it comes from
            seen = replace(seen, const=("optional", f"{cpp_name}.GetPhyAddr()"))
        inner.variables[name] = Variable(seen, inner.source.tree.lineno)
        inner.parameter_types[name] = value.type
    for name, value in consts.items():
        cpp_name = inner.fresh(name)
        formula = lambda bound, name=name: bound[name]  # noqa: E731
        inner.variables[name] = Variable(
            Value(cpp_name, value.type, formula=formula, minimum=value.minimum, multiple=value.multiple),
            inner.source.tree.lineno,
        )
    return texts


def _passed(inner: Function, kind: Type, changes: bool) -> str:
    """A parameter's type: objects by reference."""
    match kind:
        case ScalarType(element=element):
            inner.use(element)
            return f"{element.cpp} "
        case GlobalType(element=element):
            inner.use(element)
            return f"{cpp(kind)} "  # by value: storing an element is no const member
        case LocalType(element=element):
            inner.use(element)
            return f"{cpp(kind)} " if changes else f"const {cpp(kind)}& "
        case QueueType(element=element) | BufferType(element=element) | ListType(element=element):
            inner.use(element)
            return f"{cpp(kind)}& "
        case StructType():
            return f"{cpp(kind)} " if changes else f"const {cpp(kind)}& "
    return f"{cpp(kind)} "


def _finished(
    f: Function,
    inner: Function,
    python: Callable[..., Any],
    parameters: list[str],
    consts: dict[str, Value],
) -> Device:
    result = inner.result or NONE
    if result != NONE and inner.paths.sure is not None:
        inner.fail(
            errors.TypeChanges, inner.source.body[-1], name="the result", before=spelled(result), since=inner.result_line,
            after="nothing where a path comes to the end", help="Return a value behind the last statement too.",
        )  # fmt: skip
    variables = tuple(inner.used_vars.values())
    letters = [f"{'bool' if v.type == BOOL else 'int64_t'} {inner.variables[n].value.cpp}" for n, v in consts.items()]
    letters += [f"typename {variable.cpp}" for variable in variables]
    body = [*inner.out]
    name, known_before = _device_name(f, python, (*letters, *parameters), [line.text for line in body])
    out = Writer(inner.source.file)
    if isinstance(result, ResultType) and result.name == "":
        struct = _result_name(f, python, name, known_before)
        open_ = tuple(dict.fromkeys(one for _, kind in result.fields if (one := _variable(kind)) is not None))
        result = ResultType(f"{struct}<{', '.join(open_)}>" if open_ else struct, result.fields)
        if open_:
            out.emit(f"template <{', '.join(f'typename {one}' for one in open_)}>")
        out.open(f"struct {struct} {{")
        for field, kind in result.fields:
            out.emit(f"{cpp(kind)} {field};")
        out.close("};")
    for line in comment(inner.source.docstring, 0) if inner.source.docstring else ():
        out.emit(line)
    if letters:
        out.emit(f"template <{', '.join(letters)}>")
    out.python = inner.source.tree.lineno
    out.emit(f"__aicore__ inline {cpp(result)} {name}({', '.join(parameters)})")
    out.python = 0
    out.emit("{")
    lines: list[Line] = [*out, *body, Line("}")]
    device = Device(
        name, result, _result_value(inner, result), lines, inner.allocations, tuple(consts), variables,
        inner.sync_all, inner.needs_pipe, inner.demands, _deduced(inner, variables),
    )  # fmt: skip
    if not known_before:
        f.unit.order.append(device)
    return device


def _variable(kind: Type) -> str | None:
    """The dtype variable in a type."""
    element = kind.element if isinstance(kind, LocalType | GlobalType | ScalarType) else None
    return element.cpp if isinstance(element, DtypeVar) else None


def _deduced(inner: Function, variables: tuple[DtypeVar, ...]) -> bool:
    """Whether C++ reads every dtype variable from the arguments; a queue's type does not tell its elements."""
    told = set()
    for name in inspect.signature(inner.python).parameters:
        kind = inner.parameter_types.get(name)
        if isinstance(kind, LocalType | GlobalType | ScalarType):
            told.add(kind.element)
    return set(variables) <= told


def _outer(demand: Demand, formulas: dict[str, Formula | None]) -> Demand:
    """A demand of a helper in terms of its caller's names."""
    if not formulas:
        return demand
    inner = demand.test

    def test(values: Mapping[str, Any]) -> Any:
        return inner({**values, **{name: formula(values) for name, formula in formulas.items() if formula}})

    return replace(demand, test=test)


def _result_value(inner: Function, result: Type) -> Value | None:
    if isinstance(result, ResultType):
        return Value("", result, items=tuple(Value("", kind) for _, kind in result.fields))
    return None


def _device_name(f: Function, python: Callable[..., Any], head: tuple[str, ...], body: list[str]) -> tuple[str, bool]:
    """The helper's own name, and whether this very function stands in the file already. Another helper of that name, or
    the same with another text for the same types of C++ (inside `if T is ...`), gets a number."""
    base = safe(python.__name__)
    name, number = base, 2
    while True:
        owner = f.unit.owners.setdefault(name, python)
        there = f.unit.bodies.setdefault((name, head), body)
        if owner is python and there == body:
            return name, there is not body
        name, number = f"{base}{number}", number + 1


def _result_name(f: Function, python: Callable[..., Any], device: str, known_before: bool) -> str:
    base = "".join(part.title() for part in device.split("_")) + "Result"
    name, number = base, 2
    while name in f.unit.owners and not known_before:
        name, number = f"{base}{number}", number + 1
    f.unit.owners[name] = python
    return name
