"""printf: the format and what it prints, checked against each other.

Python's ints are 64 bits wide and C's %d is not, so a conversion that prints one becomes %ld; half and bfloat16_t are
widened to float.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ferrata.errors import WrongArguments
from ferrata.lang.binding.adapt import is_integer, is_literal, is_number, widened
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.words import described
from ferrata.lang.elements import DtypeVar, Element, bf16, f16, i64, u64
from ferrata.lang.values import OpaqueType, ScalarType, Value

_CONVERSION = re.compile(r"%(?:%|([-+ #0]*\d*(?:\.\d+)?)(hh|h|ll|l|z)?([diuxXfFeEgGscp]))")


def formatted(value: Value, rest: Sequence[Value], context: Context) -> list[str]:
    """The arguments of printf in C++."""
    text = str(value.const)
    conversions = [match for match in _CONVERSION.finditer(text) if match[3]]
    if len(conversions) != len(rest):
        raise _wrong(value, f"its format has {len(conversions)} conversions for {len(rest)} arguments", context)
    arguments, pieces, end = [], [], 0
    for match, item in zip(conversions, rest, strict=True):
        letter = match[3]
        argument, length = _argument(letter, match[2] or "", item, context)
        pieces += [text[end : match.start()], f"%{match[1]}{length}{letter}"]
        end = match.end()
        arguments.append(argument)
    return [quoted("".join(pieces) + text[end:]), *arguments]


def _argument(letter: str, length: str, item: Value, context: Context) -> tuple[str, str]:
    """The text of an argument, and the length that its conversion needs."""
    if letter in "diuxXc":
        if not (is_number(item) or isinstance(item.type, OpaqueType)):
            raise _wrong(item, f"%{letter} prints an int, not {described(item)}", context)
        if not is_integer(item):
            raise _wrong(item, f"%{letter} prints an int, not {described(item)}; write %f", context)
        element = item.type.element if isinstance(item.type, ScalarType) else i64
        literal = is_literal(item) and -(2**31) <= item.const < 2**31
        if isinstance(element, DtypeVar):
            return f"static_cast<int64_t>({item.cpp})", "l"
        return item.cpp, "l" if element in (i64, u64) and not literal else length.replace("ll", "l").replace("l", "")
    if letter in "fFeEgG":
        if not is_number(item):
            raise _wrong(item, f"%{letter} prints a float, not {described(item)}", context)
        return _float(item, context), ""
    if letter == "s":
        if not isinstance(item.const, str):
            raise _wrong(item, f"%s prints a string, not {described(item)}", context)
        return quoted(item.const), ""
    return item.cpp, length


def _float(item: Value, context: Context) -> str:
    assert isinstance(item.type, ScalarType)
    element: Element = item.type.element
    if element == bf16 or isinstance(element, DtypeVar):
        return widened(item, context)
    if element == f16 or is_integer(item):
        return f"static_cast<float>({item.cpp})"
    return item.cpp


def quoted(text: str) -> str:
    """A string literal of C++."""
    escapes = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


def _wrong(value: Value, problem: str, context: Context) -> Exception:
    return context.error(WrongArguments, value.node, name="ac.printf:", problem=problem, help="")
