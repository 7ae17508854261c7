"""Variables: declared at their first assignment or further out, assigned again as long as their type stays."""

from __future__ import annotations

import ast
from dataclasses import replace

from ferrata import errors
from ferrata.lang.elements import DtypeVar, bf16, f16, f32, i64, u64
from ferrata.lang.translate import arithmetic, tensors
from ferrata.lang.translate.function import Function, Variable
from ferrata.lang.translate.types import PYTHON, cpp, spelled
from ferrata.lang.values import (
    BOOL,
    FLOAT,
    INT,
    GlobalType,
    LocalType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)


def variable_value(f: Function, value: Value, declared: Type | None = None) -> Value:
    """A value as what a new variable of it holds: a narrow number is widened to Python's int or float."""
    kind = value.type
    if declared is not None or not isinstance(kind, ScalarType) or value.cpp.startswith(("static_cast<", "FromFloat<")):
        return value
    if kind.element in (f16, bf16):
        return arithmetic.to_float(f, value, cast=True)
    if not isinstance(kind.element, DtypeVar) and kind not in (INT, FLOAT, BOOL) and kind.element != u64:
        return replace(value, type=INT)  # C++ widens
    return value


def assign_name(f: Function, target: ast.Name, value: Value, node: ast.stmt, declared: Type | None = None) -> None:
    """`name = value`: a declaration the first time."""
    name = target.id
    f.paths.assign(name)
    before = f.variables.get(name)
    if before is not None and id(target) not in f.usage.declares and not before.closed:
        _again(f, target, before, value, node)
        return
    if value.type == PYTHON or (isinstance(value.type, TupleType) and value.items):
        _alias(f, target, value, node)
        return
    if isinstance(value.type, NoneType):
        at = value.node or node
        f.fail(errors.WrongType, at, what=f"the variable {name!r}", expected="a value", got="a call without one")
    if isinstance(value.type, StructType) and isinstance(value.node, ast.Name):
        changed = {name, value.node.id} & f.usage.changed_fields
        if changed:
            f.fail(
                errors.UnsupportedStatement, node, what="a second name for a structure whose fields change",
                help=f"Make another one: {name} = {value.type.name}(...), or use {value.node.id!r} itself.",
            )  # fmt: skip
    value = variable_value(f, tensors.as_local(f, value), declared)
    once = f.usage.declares.get(id(target), False)
    if name in f.slots:
        seen = declare_ahead(f, target, value if declared is None else replace(value, type=declared))
        f.out.emit(f"{seen.cpp} = {value.cpp};")
        return
    if once and value.cpp in f.results and value.cpp.rstrip("_0123456789") == name.rstrip("_0123456789"):
        f.variables[name] = Variable(value, target.lineno)  # declared under this name already
        return
    cpp_name = f.fresh(name)
    qualifier = ""
    if isinstance(value.type, ScalarType):
        fixed = once and (value.formula is not None or (value.const is not None))
        qualifier = "constexpr " if fixed else "const " if once else ""
    f.variables[name] = Variable(read(cpp_name, value, once), target.lineno)
    kind = cpp(declared or value.type)
    if isinstance(value.type, StructType) and value.cpp.startswith(f"{kind}{{"):  # Params p{n, eps}
        f.out.emit(f"{qualifier}{kind} {cpp_name}{value.cpp.removeprefix(kind)};")
        return
    f.out.emit(f"{qualifier}{kind} {cpp_name} = {value.cpp};")


def declare_ahead(f: Function, name: ast.Name, value: Value) -> Value:
    """Declare a variable of a value's type at its place further out; what reading it gives."""
    value = variable_value(f, tensors.as_local(f, value))
    cpp_name = f.fresh(name.id)
    initial = " = false" if value.type == BOOL else " = 0" if isinstance(value.type, ScalarType) else ""
    f.out.fill(f.slots.pop(name.id), f"{cpp(value.type)} {cpp_name}{initial};")
    seen = read(cpp_name, value, False)
    f.variables[name.id] = Variable(seen, name.lineno, lasting=True)
    return seen


def read(cpp_name: str, value: Value, once: bool) -> Value:
    """What reading a variable gives: what is known of its value, if it keeps it."""
    if once:
        return replace(value, cpp=cpp_name, precedence=0)
    tensor = isinstance(value.type, LocalType | GlobalType)
    return Value(cpp_name, value.type, const=value.const if tensor else None, length=value.length if tensor else None)


def _alias(f: Function, target: ast.Name, value: Value, node: ast.stmt) -> None:
    """A second name for an object of Python, `dtype = x.dtype`, or a tuple: nothing to write."""
    if not f.usage.declares.get(id(target)):
        f.fail(
            errors.TypeChanges, node, name=target.id, before="a name of Python", since=target.lineno, after="another",
            help="A name for a function, an element type or a tuple is assigned once.",
        )  # fmt: skip
    f.variables[target.id] = Variable(value, target.lineno)


def _again(f: Function, target: ast.Name, before: Variable, value: Value, node: ast.stmt) -> None:
    """A further assignment: the type stays."""
    kind = before.value.type
    value = tensors.as_local(f, value)
    if value.type == PYTHON or kind == PYTHON or isinstance(kind, TupleType):
        _alias(f, target, value, node)
    text = converted(f, value, kind, node)
    if text is None:
        advice = "Use another name, or convert: float(x), int(x)."
        if kind == INT and value.type == FLOAT:
            advice = f"Start it as a float, `{target.id} = 0.0`, or convert with int(x)."
        f.fail(
            errors.TypeChanges, node, name=target.id, before=spelled(kind), since=before.line, after=spelled(value.type),
            help=advice,
        )  # fmt: skip
    if before.value.precedence == 0 and before.value.cpp != text:
        f.out.emit(f"{before.value.cpp} = {text};")


def converted(f: Function, value: Value, kind: Type, node: ast.AST) -> str | None:
    """The text of a value as another type where Python would not notice the difference; None where it would."""
    if isinstance(kind, LocalType) and isinstance(value.type, LocalType):
        return value.cpp if f.same(kind.element, value.type.element) else None
    if value.type == kind:
        return value.cpp
    if not (isinstance(kind, ScalarType) and isinstance(value.type, ScalarType)):
        return None
    to, source = kind.element, value.type.element
    if isinstance(to, DtypeVar):
        return arithmetic.cast(f, value, to, node).cpp if value.const is not None else None
    if isinstance(source, DtypeVar):
        return None
    if to.floating:
        value = arithmetic.to_float(f, value, cast=True)
        return value.cpp if to == f32 else arithmetic.cast(f, value, to, node).cpp
    if source.floating or (kind == BOOL) != (value.type == BOOL):
        return None
    return value.cpp if to in (i64, u64) or value.const is not None else f"static_cast<{to.cpp}>({value.cpp})"
