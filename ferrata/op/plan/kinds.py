"""The static types of a plan: what a host-side expression can be, and what is known of its value.

A plan speaks of sizes, numbers, data types, tensors and launches; the kernel language's `Value` carries them, with a
few facts more that only the host needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ferrata.lang.elements import Element
from ferrata.lang.values import BOOL, INT, OpaqueType, ScalarType, Type, Value

REAL = OpaqueType("double")  # Python's float, before a kernel takes it as its own
TEXT = OpaqueType("std::string")
DTYPE = OpaqueType("aclDataType")
ANY_NONE = OpaqueType("std::nullptr_t")

# C++ operator precedence, 0 binds tightest
PRIMARY, UNARY, MUL, ADD, RELATION, EQUALITY, AND, OR, TERNARY = 0, 3, 5, 6, 9, 10, 14, 15, 16


@dataclass(frozen=True)
class TensorType(Type):
    """A tensor of the operator or scratch memory. optional: may be None. element: None for bytes without a type."""

    element: Element | None = None
    optional: bool = False


@dataclass(frozen=True)
class ListType(Type):
    """A list; `item` is TensorType, INT, REAL, BOOL or TEXT. sizes: it is a shape, no member is negative."""

    item: Type
    sizes: bool = False


@dataclass(frozen=True)
class LaunchType(Type):
    """A launch, or several (a list). The C++ text of it was emitted where it was made."""

    several: bool = False


@dataclass(frozen=True)
class ObjectType(Type):
    """A Python object that the translation looks into: a kernel, a function, a module."""

    python: Any = None


@dataclass(frozen=True)
class PlanValue(Value):
    """A host expression. constexpr: the C++ text is a constant expression. choices: the few values it can have."""

    constexpr: bool = False
    choices: tuple[Any, ...] | None = None
    parts: tuple[PlanValue, ...] = ()  # of a tuple or list literal


def cpp_type(kind: Type, size: str = "int64_t") -> str:
    """The C++ type of a variable of this kind; `size` is what an int is called."""
    if kind == INT:
        return size
    if kind == BOOL:
        return "bool"
    if isinstance(kind, OpaqueType):
        return kind.name
    if isinstance(kind, TensorType):
        return "DeviceTensor"
    if isinstance(kind, ListType):
        return f"std::vector<{cpp_type(kind.item, size)}>"
    raise AssertionError(f"no C++ type for {kind}")


def described(kind: Type) -> str:
    """A kind in the words of the user's language, for messages."""
    if kind == INT:
        return "an int"
    if kind == BOOL:
        return "a bool"
    if isinstance(kind, OpaqueType):
        names = {"double": "a float", "std::string": "a str", "aclDataType": "a dtype", "std::nullptr_t": "None"}
        return names.get(kind.name, kind.name)
    if isinstance(kind, TensorType):
        return "an optional tensor" if kind.optional else "a tensor"
    if isinstance(kind, ListType):
        return "a shape" if kind.sizes else f"a list of {described(kind.item).split(' ', 1)[-1]}s"
    if isinstance(kind, LaunchType):
        return "a list of launches" if kind.several else "a launch"
    if isinstance(kind, ObjectType):
        return f"the Python object {kind.python!r}"
    if isinstance(kind, ScalarType):
        return f"a number of {kind.element}"
    return "a tuple"


def is_number(kind: Type) -> bool:
    """An int, a float or a bool, which Python counts with."""
    return kind in (INT, BOOL, REAL)


def joined(left: Type, right: Type) -> Type | None:
    """The kind of a variable that holds one or the other; None when there is none."""
    if left == right:
        return left
    if is_number(left) and is_number(right):
        return REAL if REAL in (left, right) else INT
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return TensorType(left.element if left.element == right.element else None, left.optional or right.optional)
    if isinstance(left, TensorType) and right == ANY_NONE:
        return TensorType(left.element, True)
    if isinstance(left, LaunchType) and isinstance(right, LaunchType):
        return LaunchType(True)
    return None


def wrap(value: PlanValue, above: int) -> str:
    """The text of a value inside an operator that binds as `above`: in parentheses when it binds less tightly."""
    return f"({value.cpp})" if value.precedence > above else value.cpp


def comma(texts: Sequence[str]) -> str:
    return ", ".join(texts)
