"""Kinds and values in words, for errors: "a local tensor of T", "a member of ac.RoundMode"."""

from __future__ import annotations

from ferrata.lang.binding.kinds import Kind
from ferrata.lang.elements import Dtype, DtypeVar, Element
from ferrata.lang.values import EnumType, GlobalType, LocalType, NoneType, ScalarType, TupleType, Value


def wanted(kind: Kind) -> str:
    """What a kind takes, in words."""
    struct = kind.name.partition("<")[0]
    words = {
        "local": "a local tensor", "global": "a device tensor", "scalar": "a number", "int": "an int", "bool": "a bool",
        "enum": f"a member of ac.{kind.name}", "struct": f"an ac.{struct} or a tuple of its fields",
        "bits": "a list of one or two ints",
        "list": f"a list of {kind.length} items" if kind.length else "a list", "pointer": "a device address",
        "object": f"a {struct}" if len(struct) > 1 else "a queue, buffer or pool", "text": "a string",
    }  # fmt: skip
    return words.get(kind.tag, kind.tag)


def described(value: Value) -> str:
    """A value in words, for an error."""
    given = value.type
    if isinstance(value.const, (Dtype, DtypeVar)):
        return f"the element type {value.const!r}"
    if isinstance(value.const, str):
        return f"the string {value.const!r}"
    if isinstance(given, LocalType):
        return f"a local tensor of {_named(given.element)}"
    if isinstance(given, GlobalType):
        return f"a device tensor of {_named(given.element)}"
    if isinstance(given, ScalarType):
        if isinstance(value.const, (int, float)):
            return f"{value.const!r}"
        kinds = {"bool": "a bool", "int64_t": "an int", "float": "a float"}
        return kinds.get(given.element.cpp, f"a number of type {_named(given.element)}")
    if isinstance(given, EnumType):
        return f"a member of ac.{given.name}" if value.const is None else f"ac.{value.cpp.replace('::', '.')}"
    if isinstance(given, TupleType):
        return f"a list of {len(value.items)}"
    if isinstance(given, NoneType):
        return "None"
    name = getattr(given, "name", "")
    return f"an ac.{name}" if name else "something else"


def _named(element: Element) -> str:
    return element.name
