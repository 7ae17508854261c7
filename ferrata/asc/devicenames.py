"""Names that the C library and device code share: `printf`, `clock` and `assert` in a device function are the device's.

Overload resolution alone would not do: for `printf("text")` a plain function is better than a template, and two functions
`clock()` that differ in their result are an error, and `assert` is whichever header came last. The macros are as long as
the names and stand in ferrata/asc.h.
"""

from __future__ import annotations

import re

from ferrata.asc.lexer import Token
from ferrata.asc.onchip import bodies

_NAMES = {"printf": "_FPRTF", "clock": "_FCLK", "assert": "_FASRT"}
WORDS = re.compile(r"\b(?:printf|clock|assert)\b")
_QUALIFIED = ("::", ".", "->")


def edits(items: list[Token], aliases: dict[str, list[Token]]) -> list[tuple[int, int, str]]:
    """The replacements [start, end) -> text of unqualified calls in device functions."""
    found = []
    for first, last in bodies(items, aliases):
        for at in range(first, last - 1):
            token = items[at]
            if token.kind != "id" or token.text not in _NAMES or items[at + 1].text != "(":
                continue
            if _is_other(items[at - 1]) or (token.text == "clock" and items[at + 2].text != ")"):
                continue
            found.append((token.start, token.end, _NAMES[token.text]))
    return found


def macro(body: list[Token]) -> list[tuple[int, int, str]]:
    """The replacements in a macro's replacement text, which host code may use too: there `printf` and `assert` of the
    device do what those of the C library do, while nothing stands in for `clock`."""
    found = []
    for at, token in enumerate(body):
        called = body[at + 1].text == "(" if at + 1 < len(body) else len(body) == 1
        if token.text in ("printf", "assert") and called and not (at and _is_other(body[at - 1])):
            found.append((token.start, token.end, _NAMES[token.text]))
    return found


def _is_other(before: Token) -> bool:
    """Whether the word before makes the name a qualified or a declared one."""
    declares = before.kind == "id" and before.text not in ("return", "else", "do")
    return before.text in _QUALIFIED or declares
