"""Globals of a core: `__BLOCK_LOCAL__ int32_t count;` is registered with the runtime, which keeps a value per core.

__BLOCK_LOCAL__ int32_t a, *b;      __BLOCK_LOCAL__ int32_t a, *b; FERRATA_BLOCK_LOCAL(a) FERRATA_BLOCK_LOCAL(b)

The macro itself says `static thread_local`: one object per host thread, whose content the runtime exchanges when the
thread turns to another core.
"""

from __future__ import annotations

from ferrata.asc.lexer import Token

WORD = "__BLOCK_LOCAL__"


def edits(items: list[Token]) -> list[tuple[int, int, str]]:
    """The registrations to insert, behind each declaration with the qualifier."""
    found = []
    for at, token in enumerate(items):
        if token.kind != "id" or token.text != WORD or (at and items[at - 1].text == "extern"):
            continue
        names, end = _declared(items, at + 1)
        if end < len(items) and names:
            text = "".join(f" FERRATA_BLOCK_LOCAL({name})" for name in names)
            found.append((items[end].end, items[end].end, text))
    return found


def _declared(items: list[Token], start: int) -> tuple[list[str], int]:
    """The declared names, each the last word before its size, initializer or comma; and the index of the semicolon."""
    names: list[str] = []
    last, depth, open_ = "", 0, True  # open_: the name of the current declarator is still to come
    for at in range(start, len(items)):
        text = items[at].text
        if depth == 0 and open_ and text in ("=", "[", "{", "(", ",", ";"):
            names.append(last)
            open_ = False
        if depth == 0 and text == ",":
            open_ = True
        if depth == 0 and text == ";":
            return names, at
        depth += {"(": 1, "[": 1, "{": 1, "<": open_, ")": -1, "]": -1, "}": -1, ">": -open_}.get(text, 0)
        if items[at].kind == "id" and depth == 0:
            last = text
    return names, len(items)
