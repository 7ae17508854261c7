"""What the translator knows of an expression: its C++ text, its type, its constant value if it has one.

The translator (translate/) turns Python expressions into Values; binding (binding/) turns a call of an interface with
Values as arguments into another Value. Both speak in these types and know nothing else of each other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ferrata.lang.elements import Element, boolean, f32, i64


@dataclass(frozen=True)
class Type:
    """Base of the static types."""


@dataclass(frozen=True)
class ScalarType(Type):
    """A number. Python's int is int64_t, float is float, bool is bool; an element of a tensor has its type."""

    element: Element


@dataclass(frozen=True)
class LocalType(Type):
    """`LocalTensor<element>`: memory of the core. position: TPosition such as "VECIN" where it is known."""

    element: Element
    position: str = ""


@dataclass(frozen=True)
class GlobalType(Type):
    """`GlobalTensor<element>`: device memory."""

    element: Element


@dataclass(frozen=True)
class StructType(Type):
    """A structure by its C++ name: of the registry ("DataCopyExtParams"), or a dataclass of the user."""

    name: str
    python: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class EnumType(Type):
    """A value of an enumeration of the interfaces: name "RoundMode"; the value's text is "RoundMode::CAST_RINT"."""

    name: str


@dataclass(frozen=True)
class TupleType(Type):
    """A tuple of the language; exists while translating only, `items` of the value carry the parts."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class OpaqueType(Type):
    """Anything else, by its C++ name: queues, pipes, events, masks, arrays such as "uint64_t[2]"."""

    name: str


@dataclass(frozen=True)
class NoneType(Type):
    """No value: a statement's call."""


INT = ScalarType(i64)
FLOAT = ScalarType(f32)
BOOL = ScalarType(boolean)
NONE = NoneType()


# From the bound names ("tile", "T") to the number.
Formula = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Value:
    """One expression. cpp: its text, parenthesised by precedence by whoever embeds it.

    const: the value where it is known while translating (int, float, bool, str, an Element, a tuple); `None` unknown.
    A literal number has a const and adapts to the type that a call wants. precedence: C++ operator precedence of the
    text, 0 for a primary expression. node: where it stands in the user's file.
    """

    cpp: str
    type: Type
    const: Any = None
    precedence: int = 0
    items: tuple[Value, ...] = ()
    node: ast.AST | None = field(default=None, compare=False, repr=False)
    # bounds that are provable, for `min(tile, rest)` and for the choice of an instruction; None unknown
    minimum: int | None = None
    multiple: int = 1  # the value is a multiple of this, in elements
    # what it is once dtypes and Consts are bound: then the C++ text is a constant expression too
    formula: Formula | None = field(default=None, compare=False, repr=False)
    length: Value | None = field(default=None, compare=False, repr=False)  # elements of a tensor or view, if known
    whole: bool = True  # of a tensor: `length` is all that it has, not what a slice asks for
    aligned: bool = True  # of a local tensor: its first element stands at a multiple of 32 bytes

    def at(self, node: ast.AST) -> Value:
        """The same value, standing at `node`."""
        return replace(self, node=node)
