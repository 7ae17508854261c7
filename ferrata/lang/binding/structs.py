"""Structures of the interfaces: construction and access to a field.

`ac.DataCopyExtParams(block_count=1, block_len=n * 4)` becomes `DataCopyExtParams{1, static_cast<uint32_t>(n * 4), 0, 0,
0}`; a tuple where a structure is expected becomes the same braces without the name. A field that no constructor takes
is set on a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from ferrata.errors import ArgumentOutOfRange, UnknownField, WrongArguments
from ferrata.lang.binding import adapt, limits, objects
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.fits import refusal
from ferrata.lang.binding.kinds import INTEGERS
from ferrata.lang.binding.layouts import Field, Layout, field_kind, layout
from ferrata.lang.binding.names import enums, key, structs
from ferrata.lang.binding.words import described, wanted
from ferrata.lang.elements import Dtype, DtypeVar, Element, by_cpp, f32, u64
from ferrata.lang.values import EnumType, LocalType, OpaqueType, ScalarType, StructType, Type, Value


def is_struct(name: str) -> bool:
    """Whether a name is one of a structure or of an object that `construct` makes."""
    return name in structs() or name in objects.OBJECTS


def construct(
    name: str, args: Sequence[Value], kwargs: Mapping[str, Value], context: Context, node: ast.AST | None = None
) -> Value:
    """`ac.DataCopyParams(...)`, `ac.TPipe()`: the Value of a structure or object."""
    if name in objects.OBJECTS:
        return objects.construct(name, args, kwargs, context, node)
    what = layout(name)
    positional, element = list(args), None
    if what.template and positional and isinstance(positional[0].const, (Dtype, DtypeVar)):
        element = positional.pop(0).const
    named = dict(kwargs)
    if what.template and (given := named.pop("dtype", named.pop("T", None))) is not None:
        element = given.const
    values = _collect(what, positional, named, context, node)
    if what.template and element is None:
        element = _element(values.values())
        if element is None:
            raise context.error(
                WrongArguments,
                node,
                name=f"ac.{name}",
                problem="needs its element type",
                help=f"Write it first: ac.{name}(T, ...), with T the tensors' element type.",
            )
    typed = StructType(f"{name}<{element.cpp}>" if element else name, python=element)
    if not values:
        return Value(f"{typed.name}()", typed, node=node)
    if extra := [field for field in values if field not in what.takes]:
        return _assigned(what, typed, values, extra, element, context, node)
    return Value(typed.name + _braces(what, values, element, context, node), typed, node=node)


def braces(name: str, value: Value, element: Element | None, context: Context, node: ast.AST | None) -> str:
    """A tuple as the braces of a structure."""
    what = layout(name)
    values = _collect(what, value.items, {}, context, value.node or node)
    return _braces(what, values, element, context, value.node or node)


def field(value: Value, name: str, context: Context, node: ast.AST | None = None) -> Value:
    """`params.block_len`: the field of a structure, to read or to assign."""
    assert isinstance(value.type, StructType)
    what = layout(value.type.name.partition("<")[0])
    found = what.field(name)
    if found is None:
        raise _unknown(what, name, context, node)
    spelled = (
        found.name
        if key(found.name) == key(name)
        else next(cpp for cpp in ("srcStride", "dstStride") if key(cpp) == key(name))
    )
    element = value.type.python if isinstance(value.type.python, (Dtype, DtypeVar)) else None
    return Value(f"{value.cpp}.{spelled}", field_type(found, element), node=node)


def field_type(found: Field, element: Element | None) -> Type:
    """The static type of a field."""
    if found.length:
        return OpaqueType(f"{found.type}[{found.length}]")
    if found.type in enums():
        return EnumType(found.type)
    if found.type == "T":
        return ScalarType(element or u64)
    if found.type.startswith("LocalTensor"):
        return LocalType(element or f32)
    return ScalarType(by_cpp(found.type) or u64)


def _collect(
    what: Layout, args: Sequence[Value], kwargs: Mapping[str, Value], context: Context, node: ast.AST | None
) -> dict[Field, Value]:
    if len(args) > len(what.takes):
        raise context.error(
            WrongArguments,
            node,
            name=f"ac.{what.name}",
            problem=f"takes {len(what.takes)} fields by position, {len(args)} are given",
            help=f"In order: {', '.join(f.python for f in what.takes)}.",
        )
    values = dict(zip(what.takes, args, strict=False))
    for name, value in kwargs.items():
        found = what.field(name)
        if found is None:
            raise _unknown(what, name, context, value.node or node)
        values[found] = value
    for found, value in values.items():
        _check(what, found, value, context, node)
    return values


def _check(what: Layout, found: Field, value: Value, context: Context, node: ast.AST | None) -> None:
    kind = field_kind(found)
    if refusal(kind, value):
        raise context.error(
            WrongArguments,
            value.node or node,
            name=f"ac.{what.name}",
            problem=f"takes {wanted(kind)} for {found.python}, not {described(value)}",
            help="",
        )
    if isinstance(value.const, int):
        low, high = limits.field_range(what.name, found)
        if not low <= value.const <= high:
            raise context.error(
                ArgumentOutOfRange,
                value.node or node,
                name=f"ac.{what.name}",
                what=found.python,
                value=value.const,
                range=f"{low} to {high}",
                help="",
            )


def _element(values: object) -> Element | None:
    assert isinstance(values, Iterable)
    for value in values:
        if isinstance(value.type, LocalType) or (isinstance(value.type, ScalarType) and value.const is None):
            element: Element = value.type.element
            return element
    return None


def _braces(
    what: Layout, values: Mapping[Field, Value], element: Element | None, context: Context, node: ast.AST | None
) -> str:
    takes = what.takes[:-1] if what.optional and what.takes[-1] not in values else what.takes
    if what.name == "MrgSortSrcList":  # queues that are left out are the first one again, and unused
        first = next(iter(values.values()))
        return "{" + ", ".join(values.get(field, first).cpp for field in takes) + "}"
    texts = [_text(field, values[field], element, context) if field in values else _default(field) for field in takes]
    return "{" + ", ".join(texts) + "}"


def _default(found: Field) -> str:
    return "{}" if found.type == "T" or found.length else found.default or "0"


def _text(found: Field, value: Value, element: Element | None, context: Context) -> str:
    if found.length:
        return listed(found.name, found.type, value, context)
    if found.type == "T":
        if value.const == 0 and adapt.is_literal(value):
            return "0"
        return adapt.element(value, element, context) if element else value.cpp
    if found.type == "bool":
        return adapt.boolean(value)
    if found.type in INTEGERS:
        low, high = INTEGERS[found.type]
        return adapt.narrowed(value, found.type, lambda number: low <= number <= high)
    return value.cpp


def listed(name: str, item: str, value: Value, context: Context) -> str:
    """A list as an array variable; a variable that is one already stays."""
    if not value.items:
        return value.cpp
    concrete = by_cpp(item)
    texts = []
    for each in value.items:
        if item in INTEGERS:
            low, high = INTEGERS[item]
            texts.append(adapt.narrowed(each, item, lambda n, low=low, high=high: low <= n <= high))  # type: ignore[misc]
        elif item == "bool":
            texts.append(adapt.boolean(each))
        else:
            texts.append(adapt.element(each, concrete, context) if concrete else each.cpp)
    return adapt.array(name, item, texts, context)


def _assigned(
    what: Layout,
    typed: StructType,
    values: Mapping[Field, Value],
    extra: Sequence[Field],
    element: Element | None,
    context: Context,
    node: ast.AST | None,
) -> Value:
    taken = {field: value for field, value in values.items() if field in what.takes}
    start = typed.name + _braces(what, taken, element, context, node) if taken else ""
    variable = context.declare(typed.name, "params", start)
    for found in extra:
        context.emit(f"{variable}.{found.name} = {_text(found, values[found], element, context)};")
    return Value(variable, typed, node=node)


def _unknown(what: Layout, name: str, context: Context, node: ast.AST | None) -> Exception:
    return context.error(
        UnknownField,
        node,
        name=f"ac.{what.name}",
        field=name,
        help=f"Its fields are {', '.join(f.python for f in what.fields)}.",
    )
