"""Words of C++ that the device's language does not have: each is an error at its place in a device function.

The host's compiler would take them, since both sides are compiled in one pass here, and the kernel would then fail on
the first machine with the chip.
"""

from __future__ import annotations

import re

from ferrata.asc.lexer import Token
from ferrata.asc.onchip import bodies

_EXCEPTIONS = "device code has no exceptions: report with assert(condition, format, ...) or a value in global memory"
_TYPES = "device code has no run-time types: use a template parameter or if constexpr"
_HEAP = "device code has no heap: use TPipe::InitBuffer, a local array, or a workspace that the host allocates"
_WORDS = {
    "throw": _EXCEPTIONS, "try": _EXCEPTIONS, "catch": _EXCEPTIONS, "typeid": _TYPES, "dynamic_cast": _TYPES,
    "new": _HEAP, "delete": _HEAP, "malloc": _HEAP, "calloc": _HEAP, "realloc": _HEAP,
}  # fmt: skip
_CONTAINERS = frozenset(
    ["vector", "map", "set", "unordered_map", "unordered_set", "list", "deque", "queue", "stack", "function",
     "unique_ptr", "shared_ptr", "make_unique", "make_shared", "cout", "cerr", "endl", "thread", "mutex", "ofstream",
     "ifstream", "stringstream", "ostringstream", "optional", "any", "variant"]
)  # fmt: skip
_STD = "device code cannot use std::{name}: the standard library is the host's"
WORDS = re.compile(r"\b(?:" + "|".join([*_WORDS, r"std[ \t]*::"]) + ")")


def problems(items: list[Token], aliases: dict[str, list[Token]]) -> list[tuple[int, str]]:
    """(offset, message) of each such word in a function that only the device runs."""
    found = []
    for first, last in bodies(items, aliases):
        if not _for_host(items, first):
            found += [(items[at].start, why) for at in range(first, last) if (why := _refused(items, at))]
    return found


def _refused(items: list[Token], at: int) -> str | None:
    token, before, after = items[at], items[at - 1].text, items[at + 1].text
    if token.kind != "id":
        return None
    if token.text == "std" and after == "::" and items[at + 2].text in _CONTAINERS:
        return _STD.format(name=items[at + 2].text)
    if token.text not in _WORDS or before in (".", "->", "::"):
        return None
    if token.text == "new" and after == "(":
        return None  # at a place that is given
    if token.text == "delete" and before == "=":
        return None  # of a member of a local type
    if token.text.endswith("alloc") and (after != "(" or items[at - 1].kind == "id"):
        return None
    return _WORDS[token.text]


def _for_host(items: list[Token], first: int) -> bool:
    """Whether the head of the function whose body begins at `first` says `__host__` too."""
    at = first - 2
    while at >= 0 and items[at].kind != "pp" and items[at].text not in (";", "}", "{"):
        if items[at].text == "__host__":
            return True
        at -= 1
    return False
