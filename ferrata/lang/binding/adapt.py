"""A Value as the text of an argument: numbers become the type that the call wants, lists become arrays.

Python's int is int64_t and its float is float. An integer parameter takes any integer (C++ converts); a number of an
element type must have exactly that type, or C++ deduces two types for one template parameter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from ferrata.lang.binding.context import Context
from ferrata.lang.binding.kinds import INTEGERS
from ferrata.lang.elements import Dtype, DtypeVar, Element, bf16, f16, f32, i32
from ferrata.lang.prelude import HELPERS
from ferrata.lang.values import OpaqueType, ScalarType, Value

_LITERAL = re.compile(r"-?(0[xX][0-9a-fA-F]+|[\d.]+(e[-+]?\d+)?)[fFuUlL]*")


def is_number(value: Value) -> bool:
    """Whether the value is an int, a float or an element of a tensor."""
    return isinstance(value.type, ScalarType)


def is_literal(value: Value) -> bool:
    """Whether the text is the number itself, so that it can be written in another type."""
    return is_number(value) and isinstance(value.const, (int, float)) and bool(_LITERAL.fullmatch(value.cpp))


def is_integer(value: Value) -> bool:
    """Whether an integer parameter takes it: integers, and flags and ids by their own types."""
    if isinstance(value.type, OpaqueType):
        return value.type.name in ("TEventID", "MutexID", "TTagType", "event_t")
    if not isinstance(value.type, ScalarType) or isinstance(value.const, float):
        return False
    element = value.type.element
    return all(not member.floating for member in (element.allowed if isinstance(element, DtypeVar) else (element,)))


def element(value: Value, wanted: Element, context: Context) -> str:
    """The text of a number as an element of exactly the type `wanted`."""
    members = context.possible(wanted) if isinstance(wanted, DtypeVar) else (wanted,)
    if not isinstance(value.type, ScalarType):
        return value.cpp
    if is_literal(value):
        return _literal(value.const, wanted, members, context)
    given = value.type.element
    if given == wanted:
        return value.cpp
    text = value.cpp
    sources = context.possible(given) if isinstance(given, DtypeVar) else (given,)
    if bf16 in sources:
        text = widened(value, context)
    if members == (bf16,):
        return f"Cast({text})"
    if bf16 in members:
        context.helper("FromFloat", HELPERS["FromFloat"][1])
        return f"FromFloat<{wanted.cpp}>({text})"
    if members == (f32,) and bf16 in sources:
        return text
    return f"static_cast<{wanted.cpp}>({text})"


def widened(value: Value, context: Context) -> str:
    """The text of an element that may be bfloat16_t, as a float."""
    assert isinstance(value.type, ScalarType)
    given = value.type.element
    if given == bf16:
        return f"Cast({value.cpp})"
    context.helper("ToFloat", HELPERS["ToFloat"][1])
    return f"ToFloat({value.cpp})"


def _literal(number: float, wanted: Element, members: tuple[Dtype, ...], context: Context) -> str:
    exact = isinstance(wanted, Dtype)
    floating = isinstance(number, float)
    text = float_text(number) if floating or members == (f32,) else integer_text(int(number))
    if exact and wanted == f32:
        return float_text(number)
    if exact and wanted == i32:
        return integer_text(int(number))
    if members == (bf16,):
        return f"Cast({float_text(number)})"
    if bf16 in members:
        context.helper("FromFloat", HELPERS["FromFloat"][1])
        return f"FromFloat<{wanted.cpp}>({float_text(number)})"
    if floating and not any(member.floating for member in members):
        text = integer_text(int(number))
    elif exact and wanted == f16:
        text = float_text(number)
    return f"static_cast<{wanted.cpp}>({text})"


def float_text(number: float) -> str:
    """A float literal: `2.0f`, `1e-06f`."""
    if math.isinf(number):
        return "-INFINITY" if number < 0 else "INFINITY"
    if math.isnan(number):
        return "NAN"
    text = repr(float(number))
    return text + "f"


def integer_text(number: int) -> str:
    """An integer literal that C++ reads at its value."""
    if number >= 2**63:
        return f"0x{number:X}ULL"
    if number == -(2**63):
        return "(-9223372036854775807LL - 1)"
    return f"{number}LL" if not -(2**31) <= number < 2**32 else str(number)


def integer(value: Value) -> str:
    """The text of an integer argument."""
    if is_literal(value) and isinstance(value.const, int) and abs(value.const) >= 2**31:
        return integer_text(int(value.const))
    return value.cpp


def boolean(value: Value) -> str:
    """The text of a truth value; 0 and 1 are written as such."""
    if isinstance(value.const, (bool, int)) and value.cpp in ("0", "1", "True", "False"):
        return "true" if value.const else "false"
    return value.cpp


def narrowed(value: Value, wanted: str, fits: Callable[[int], bool]) -> str:
    """The text of an integer inside braces, where C++ refuses to lose bits silently."""
    if isinstance(value.const, int) and fits(value.const):
        return integer(value)
    if isinstance(value.type, ScalarType) and _holds(wanted, value.type.element.cpp):
        return value.cpp
    return f"static_cast<{wanted}>({value.cpp})"


def _holds(wanted: str, given: str) -> bool:
    """Whether every number of one integer type is one of another."""
    if wanted not in INTEGERS or given not in INTEGERS:
        return wanted == given
    return INTEGERS[wanted][0] <= INTEGERS[given][0] and INTEGERS[given][1] <= INTEGERS[wanted][1]


def array(name: str, item: str, texts: Sequence[str], context: Context) -> str:
    """An array variable with these items."""
    return context.declare(f"{item}[{len(texts)}]", name, "{" + ", ".join(texts) + "}")


def template_argument(text: str) -> str:
    """Text that may stand between angle brackets."""
    return text if re.fullmatch(r"[\w:]+(<[\w:, ]+>)?", text) or _LITERAL.fullmatch(text) else f"({text})"
