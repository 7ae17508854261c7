"""What binding asks of the translator.

Binding turns one call into C++ text; for the few calls that need more than an expression (an array for a mask of bits,
a variable for a result that C++ returns by reference) it asks for statements before the one being translated.
"""

from __future__ import annotations

import ast
from typing import Any, Protocol

from ferrata.errors import KernelSourceError
from ferrata.lang.elements import Dtype, DtypeVar, Element
from ferrata.lang.values import Value


class Context(Protocol):
    """The translator's side."""

    @property
    def chip(self) -> str:
        """The architecture that is translated for, "dav-2201"."""

    def possible(self, variable: DtypeVar) -> tuple[Dtype, ...]:
        """The element types that the variable can still be here: fewer than allowed inside `if T is ac.f16`."""

    def declare(self, cpp_type: str, name: str, value: str = "") -> str:
        """Write `cpp_type name = value;` before the current statement, `cpp_type name;` without a value; the name that it
        got, which differs where `name` is taken. An array's type is "uint64_t[2]", its value a list in braces."""

    def emit(self, statement: str) -> None:
        """Write a statement before the current one."""

    def helper(self, name: str, text: str) -> None:
        """Write a device function at the head of the file, once."""

    def constexpr(self, value: Value) -> bool:
        """Whether the value may stand as a template argument: a literal, a `Const` parameter."""

    def error(self, kind: type[KernelSourceError], node: ast.AST | None, **fields: Any) -> KernelSourceError:
        """The error at this place; it adds file, line and the excerpt with the caret to `fields`."""


def members(element: Element | None, context: Context) -> tuple[Dtype, ...]:
    """What an element type can be here; nothing for None."""
    if element is None:
        return ()
    return context.possible(element) if isinstance(element, DtypeVar) else (element,)
