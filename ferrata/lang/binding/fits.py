"""Whether a value fits a parameter or a field: its kind against the value's static type, structures field by field."""

from __future__ import annotations

from collections.abc import Sequence

from ferrata.lang.binding.adapt import is_integer, is_number
from ferrata.lang.binding.kinds import Kind
from ferrata.lang.binding.layouts import Layout, field_kind, layout
from ferrata.lang.elements import bf16, choices
from ferrata.lang.values import (
    BOOL,
    EnumType,
    GlobalType,
    LocalType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Value,
)


def refusal(kind: Kind, value: Value) -> bool:
    """Whether a parameter of this kind refuses the value."""
    given = value.type
    if kind.tag == "local":
        return not isinstance(given, LocalType)
    if kind.tag == "global":
        return not isinstance(given, GlobalType)
    if kind.tag == "scalar":
        if not isinstance(given, ScalarType) or given == BOOL:
            return True
        return kind.name in ("bfloat16_t", "float") and (bf16 in choices(given.element)) != (kind.name == "bfloat16_t")
    if kind.tag == "int":
        enum = (isinstance(given, EnumType) and given.name == kind.name) or given == EnumType("event_t")
        return not (is_integer(value) or enum) or given == BOOL
    if kind.tag == "bool":
        return not (given == BOOL or (is_number(value) and value.const in (0, 1) and isinstance(value.const, int)))
    if kind.tag == "enum":
        return not (isinstance(given, EnumType) and given.name == kind.name)
    if kind.tag == "struct":
        same = isinstance(given, StructType) and given.name.partition("<")[0] == kind.name.partition("<")[0]
        return not (same or (isinstance(given, TupleType) and _fields(layout(kind.name.partition("<")[0]), value)))
    if kind.tag == "bits":
        return not ((_numbers(value) and len(value.items) <= 2) or _array_of(given, "uint64_t"))
    if kind.tag == "list":
        sized = kind.length in (0, len(value.items)) and isinstance(given, TupleType)
        return not ((sized and _items(kind.name, value.items)) or _array_of(given, kind.name))
    if kind.tag == "pointer":
        return not (isinstance(given, GlobalType) or (isinstance(given, OpaqueType) and _pointer(given.name)))
    if kind.tag == "object":
        inner = kind.name.partition("<")[0]
        named = isinstance(given, OpaqueType) and (len(inner) == 1 or given.name.partition("<")[0] == inner)
        return not named
    return kind.tag == "text" and not isinstance(value.const, str)


def _fields(what: Layout, value: Value) -> bool:
    """Whether a tuple has as many items as the constructor takes, lists where it takes lists."""
    counts: tuple[int, ...] = (len(what.takes), len(what.takes) - 1) if what.optional else (len(what.takes),)
    if what.name == "MrgSortSrcList":
        counts = (2, 3, 4)
    fits = zip(what.takes, value.items, strict=False)
    return len(value.items) in counts and not any(refusal(field_kind(field), item) for field, item in fits)


def _items(name: str, items: Sequence[Value]) -> bool:
    """Whether a list holds what an array of `name` takes."""
    if "LocalTensor" in name:
        return all(isinstance(item.type, LocalType) for item in items)
    if name[0].isupper():  # a structure
        return all(isinstance(item.type, (StructType, TupleType)) for item in items)
    return all(is_number(item) for item in items)


def _numbers(value: Value) -> bool:
    return isinstance(value.type, TupleType) and bool(value.items) and all(is_integer(item) for item in value.items)


def _array_of(given: object, item: str) -> bool:
    return isinstance(given, OpaqueType) and given.name.partition("[")[0].strip() == item and "[" in given.name


def _pointer(name: str) -> bool:
    return name == "GM_ADDR" or "*" in name
