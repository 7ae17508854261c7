"""Objects of Python that a kernel names: as Values, in words.

Numbers and tuples of the user's module become constants of the file; functions, modules and element types exist while
translating only.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from types import ModuleType
from typing import Any

from ferrata import errors
from ferrata.lang import binding, elements
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.types import python
from ferrata.lang.values import OpaqueType, ScalarType, TupleType, Value


def of_object(f: Function, obj: Any, node: ast.AST, name: str) -> Value:
    """The Value of an object of Python: numbers become constants of the file, the rest exists while translating."""
    if isinstance(obj, Dtype | DtypeVar):
        return python(f.use(obj))
    found = binding.constant(obj)
    if found is not None:
        return found
    if isinstance(obj, bool):
        return replace(
            arithmetic.literal(obj), cpp=f.unit.constant(name, obj, "bool", arithmetic.literal(obj).cpp), precedence=0
        )
    if isinstance(obj, int) and type(obj) is int:
        value = arithmetic.literal(obj)
        return replace(value, cpp=f.unit.constant(name, obj, "int64_t", value.cpp), precedence=0)
    if isinstance(obj, float):
        value = arithmetic.literal(obj)
        return replace(value, cpp=f.unit.constant(name, obj, "float", value.cpp), precedence=0)
    if isinstance(obj, str):
        return text(obj)
    if isinstance(obj, tuple):
        return tuple_of([of_object(f, item, node, f"{name}_{at}") for at, item in enumerate(obj)])
    if isinstance(obj, list | dict | set):
        f.fail(
            errors.UnsupportedExpression, node, what=f"{name!r}, a {type(obj).__name__} of the module",
            help="A kernel reads module constants that are numbers or tuples; pass data in a tensor.",
        )  # fmt: skip
    return python(obj)


def text(value: str) -> Value:
    """A string."""
    escaped = value.encode("unicode_escape").decode().replace('"', '\\"').replace("\\'", "'")
    return Value(f'"{escaped}"', OpaqueType("const char*"), const=value)


def tuple_of(items: list[Value]) -> Value:
    """A tuple; its const is that of its items if all have one."""
    return Value(
        "", TupleType(tuple(item.type for item in items)), items=tuple(items),
        const=tuple(item.const for item in items) if all(item.const is not None for item in items) else None,
    )  # fmt: skip


def size_of(f: Function, element: Dtype | DtypeVar) -> Value:
    """Bytes of an element."""
    f.use(element)
    if isinstance(element, Dtype):
        return arithmetic.literal(int(element.bytes) if element.bytes >= 1 else element.bytes)
    name = element.name
    smallest = min(int(d.bytes) for d in f.possible(element))
    return Value(
        f"static_cast<int64_t>(sizeof({element.cpp}))", ScalarType(elements.i64), minimum=1, multiple=smallest,
        formula=lambda bound: int(bound[name].bytes),
    )  # fmt: skip


def language_name(obj: Any) -> str | None:
    """The name of a function that the language itself gives, None for any other object."""
    if getattr(obj, "__module__", None) == "ferrata.lang.surface":
        name: str = obj.__name__
        return name
    return None


def describe(obj: Any) -> str:
    """An object of Python, in words."""
    if obj is None:
        return "None"
    if isinstance(obj, ModuleType):
        return f"the module {obj.__name__}"
    if isinstance(obj, Dtype | DtypeVar):
        return f"the element type {obj!r}"
    if isinstance(obj, type):
        return f"the class {obj.__name__}"
    if callable(obj):
        return f"the function {getattr(obj, '__name__', obj)}"
    return f"{obj!r} of type {type(obj).__name__}"
