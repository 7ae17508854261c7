"""Static types that only the translator knows: buffers, objects of Python, functions' results; and how C++ spells types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrata.lang.elements import Dtype, DtypeVar, Element, boolean, i64
from ferrata.lang.values import (
    BOOL,
    FLOAT,
    INT,
    EnumType,
    Formula,
    GlobalType,
    LocalType,
    NoneType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)


@dataclass(frozen=True)
class QueueType(Type):
    """`TQue<TPosition::VECIN, 1>` of blocks of `element`; with `to` it is `TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>`."""

    element: Element
    position: str
    depth: int = 1
    to: str = ""


@dataclass(frozen=True)
class BufferType(Type):
    """`TBuf<TPosition::VECCALC>` that is used as `element`. tensor: the name of its tensor, if one is declared."""

    element: Element
    position: str = "VECCALC"
    tensor: str = field(default="", compare=False)


@dataclass(frozen=True)
class ListType(Type):
    """A list of device tensors."""

    element: Element


@dataclass(frozen=True)
class PythonType(Type):
    """An object of Python that exists while translating only: a module, a function, an element type. It is the const."""


@dataclass(frozen=True)
class ResultType(Type):
    """What a function with several results returns: a structure, its fields in order."""

    name: str
    fields: tuple[tuple[str, Type], ...]


PYTHON = PythonType()
# Python's numbers by the names of their classes
NUMBERS: Mapping[str, ScalarType] = {"int": INT, "float": FLOAT, "bool": BOOL}


def python(obj: Any) -> Value:
    """The Value of an object that exists while translating."""
    return Value("", PYTHON, const=obj)


@dataclass(frozen=True)
class Narrowing:
    """What a branch knows of dtype variables. kinds: what they still can be, by name. alias: two that are one there, of
    which the second is read as the first."""

    kinds: tuple[tuple[str, frozenset[Dtype]], ...] = ()
    alias: tuple[Dtype | DtypeVar, DtypeVar] | None = None


@dataclass(frozen=True)
class DtypeTest:
    """`T is ac.f16` while translating: what is known where it holds, and in the else branch."""

    inside: Narrowing
    other: Narrowing


def cpp(kind: Type) -> str:
    """A type as C++ spells it."""
    match kind:
        case ScalarType(element=element):
            return element.cpp
        case LocalType(element=element):
            return f"LocalTensor<{element.cpp}>"
        case GlobalType(element=element):
            return f"GlobalTensor<{element.cpp}>"
        case QueueType(position=position, depth=depth, to=to) if to:
            return f"TQueBind<TPosition::{position}, TPosition::{to}, {depth}>"
        case QueueType(position=position, depth=depth):
            return f"TQue<TPosition::{position}, {depth}>"
        case BufferType(position=position):
            return f"TBuf<TPosition::{position}>"
        case ListType():
            return "ListTensorDesc"
        case StructType(name=name) | EnumType(name=name) | OpaqueType(name=name) | ResultType(name=name):
            return name
        case NoneType():
            return "void"
    return "auto"


def spelled(kind: Type) -> str:
    """A type as the user would name it."""
    match kind:
        case ScalarType(element=element):
            names = {i64.name: "int", "f32": "float", boolean.name: "bool"}
            return names.get(getattr(element, "name", ""), repr(element))
        case LocalType(element=element):
            return f"Local[{element!r}]"
        case GlobalType(element=element):
            return f"Gm[{element!r}]"
        case QueueType(element=element):
            return f"queue of {element!r}"
        case BufferType(element=element):
            return f"tbuf of {element!r}"
        case ListType(element=element):
            return f"list[Gm[{element!r}]]"
        case StructType(name=name) | EnumType(name=name) | OpaqueType(name=name):
            return name
        case TupleType(items=items):
            return "tuple of " + ", ".join(spelled(item) for item in items)
        case ResultType(fields=fields):
            return "tuple of " + ", ".join(spelled(item) for _, item in fields)
        case NoneType():
            return "nothing"
    return "a name of Python"


def known(value: Value) -> Formula | None:
    """What the value is once dtypes and Consts are bound; None if that does not tell."""
    if value.const is not None and isinstance(value.const, int | float):
        number = value.const
        return lambda bound: number
    return value.formula


def byte_size(element: Element, bound: Mapping[str, Any]) -> float:
    """Bytes of an element under a binding."""
    dtype = bound[element.name] if isinstance(element, DtypeVar) else element
    return float(dtype.bytes)
