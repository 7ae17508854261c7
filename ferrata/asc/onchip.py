"""Arrays in on-chip memory: `__ubuf__ half t[256];` inside a device function, and the dynamic part of UB.

__ubuf__ half t[256], u[16];      __ubuf__ half (&t)[256] = FERRATA_ON_CHIP(ub), (&u)[16] = FERRATA_ON_CHIP(ub);
__ubuf__ half t[2] = {1, 2};      __ubuf__ half (&t)[2] = FERRATA_ON_CHIP_FROM(ub, {1, 2});
extern __ubuf__ char rest[];      __ubuf__ char (&rest)[] = FERRATA_DYNAMIC_UB;
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ferrata.asc import kernels
from ferrata.asc.kernels import DEVICE
from ferrata.asc.lexer import Token, closing

MEMORIES = {"__ubuf__": "ub", "__cbuf__": "l1", "__ca__": "l0a", "__cb__": "l0b", "__cc__": "l0c",
            "__biasbuf__": "bias", "__fbuf__": "fixbuf"}  # fmt: skip
WORDS = re.compile("|".join(MEMORIES))
_BEFORE = frozenset(["static", "extern", "const", "volatile", "alignas"])


def edits(
    items: list[Token], aliases: dict[str, list[Token]], memories: Mapping[str, str] | None = None
) -> list[tuple[int, int, str]]:
    """The replacements [start, end) -> text that place the arrays of all device functions.

    memories: macros that stand for a memory's qualifier.
    """
    known = {**MEMORIES, **(memories or {})}
    found: list[tuple[int, int, str]] = []
    for first, last in bodies(items, aliases):
        at = first
        while at < last:
            if items[at].kind == "id" and items[at].text in known and _opens(items, at):
                at = _declaration(items, at, known, found)
            at += 1
    return found


def aliases(items: list[Token]) -> dict[str, str]:
    """Object-like macros of this file that begin a declaration in on-chip memory, such as `#define UB __ubuf__`."""
    macros = kernels.aliases(items, frozenset(MEMORIES))
    plain = {name: body for name, body in macros.items() if all(token.kind == "id" for token in body)}
    return {name: next(MEMORIES[t.text] for t in body if t.text in MEMORIES) for name, body in plain.items()}


def macro(body: list[Token]) -> list[tuple[int, int, str]]:
    """The replacements in a macro's replacement text: `__ubuf__ T name[n]`, whose `;` may stand where it is used."""
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(body):
        if body[at].text in MEMORIES and _opens(body, at):
            at = _declaration(body, at, MEMORIES, found)
        at += 1
    return found


def bodies(items: list[Token], aliases: dict[str, list[Token]]) -> Iterator[tuple[int, int]]:
    """Token ranges of the bodies of functions with a device qualifier."""
    index = 0
    while index < len(items):
        token = items[index]
        index += 1
        if token.kind != "id" or not (token.text in DEVICE or token.text in aliases):
            continue
        at, members = index, False  # members: in the initializers of a constructor, which may have braces
        while at < len(items) and items[at].text not in (";", "}"):
            named = items[at - 1].kind == "id" or items[at - 1].text == ">"
            if items[at].text == "{" and not (members and named):
                break
            if items[at].text in ("(", "{"):
                end = closing(items, at)
                if end is None:
                    return
                at = end
            members = members or items[at].text == ":"
            at += 1
        if at < len(items) and items[at].text == "{":
            end = closing(items, at)
            if end is None:
                return
            yield at + 1, end
            index = end


def _opens(items: list[Token], at: int) -> bool:
    """Whether a declaration begins at the qualifier, or at words before it that belong to it."""
    before = at - 1
    while before >= 0 and (items[before].text in _BEFORE or items[before].text in MEMORIES):
        before -= 1
    return before < 0 or items[before].kind == "pp" or items[before].text in ("{", "}", ";", ":", ")")


class _Declarator(NamedTuple):
    """Token indices: the name, the last bracket of its sizes (or the name), the first and last of its initializer."""

    name: int
    last: int
    initial: int | None
    end: int


def _declaration(items: list[Token], at: int, known: Mapping[str, str], found: list[tuple[int, int, str]]) -> int:
    """Rewrite the declaration whose qualifier stands at `at`; the index of its end."""
    end, depth = at, 0
    while end < len(items) and (depth or items[end].text not in (";", "}")):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(items[end].text, 0)
        end += 1
    declared = list(_declarators(items, at, end))
    # pointers to on-chip memory, references and function declarations stay as they are; sizes may be any expression
    if not declared or (end < len(items) and items[end].text == "}"):
        return at
    if end == len(items) and any(one.name == one.last for one in declared):
        return at  # the rest of a declaration may follow where the macro is used
    begin = at
    while begin and items[begin - 1].text in _BEFORE:
        begin -= 1
    dynamic = "extern" in [token.text for token in items[begin:at]] and items[end - 1].text == "]"
    dynamic = dynamic and items[end - 2].text == "["
    value = "FERRATA_DYNAMIC_UB" if dynamic else f"FERRATA_ON_CHIP({known[items[at].text]})"
    for index in range(begin, at):
        if items[index].text in ("static", "extern"):
            found.append((items[index].start, items[index].end, " " * len(items[index].text)))
    for one in declared:
        name = items[one.name]
        given = f" = {value}"
        if one.initial is not None:
            given = f" = FERRATA_ON_CHIP_FROM({known[items[at].text]}, "
            first = items[one.initial]
            found.append((first.start, first.end if first.text == "=" else first.start, given))
            found.append((items[one.end].end, items[one.end].end, ")"))
        if one.name == one.last:
            found.append((name.start, name.end, f"&{name.text}" + (given if one.initial is None else "")))
        else:
            found.append((name.start, name.end, f"(&{name.text})"))
            if one.initial is None:
                found.append((items[one.last].end, items[one.last].end, given))
    return end


def _declarators(items: list[Token], at: int, end: int) -> Iterator[_Declarator]:
    """The declared objects; none if the declaration is one of a pointer, a reference or a function."""
    start, brackets, angles, initial = at, 0, 0, None
    found: list[_Declarator] = []
    for index in range(at, end + 1):
        text = items[index].text if index < end else ","
        depth = brackets + angles
        if text in ("struct", "class", "union", "enum"):
            return
        if depth == 0 and initial is None and text in ("=", "{"):
            initial = index
        if depth == 0 and initial is None and text in ("*", "&", "("):
            return
        if depth == 0 and text == ",":
            last = (index if initial is None else initial) - 1
            name = last
            while name >= start and items[name].text == "]":
                level = 0
                while True:
                    level += {"]": 1, "[": -1}.get(items[name].text, 0)
                    name -= 1
                    if level == 0:
                        break
            if name < start or items[name].kind != "id":
                return
            found.append(_Declarator(name, last, initial, index - 1))
            start, initial = index + 1, None
        brackets += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text, 0)
        if brackets == 0 and initial is None:  # elsewhere they compare
            angles += {"<": 1, ">": -1}.get(text, 0)
    yield from found
