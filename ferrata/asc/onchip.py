"""Arrays in on-chip memory: `__ubuf__ half t[256];` inside a device function, and the dynamic part of UB.

__ubuf__ half t[256], u[16];      __ubuf__ half (&t)[256] = FERRATA_ON_CHIP(ub), (&u)[16] = FERRATA_ON_CHIP(ub);
extern __ubuf__ char rest[];      __ubuf__ char (&rest)[] = FERRATA_DYNAMIC_UB;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ferrata.asc.kernels import DEVICE
from ferrata.asc.lexer import Token, closing

MEMORIES = {"__ubuf__": "ub", "__cbuf__": "l1", "__ca__": "l0a", "__cb__": "l0b", "__cc__": "l0c",
            "__biasbuf__": "bias", "__fbuf__": "fixbuf"}  # fmt: skip
WORDS = re.compile("|".join(MEMORIES))
_BEFORE = frozenset(["static", "extern", "const", "volatile", "alignas"])


def edits(items: list[Token], aliases: dict[str, list[Token]]) -> list[tuple[int, int, str]]:
    """The replacements [start, end) -> text that place the arrays of all device functions."""
    found: list[tuple[int, int, str]] = []
    for first, last in bodies(items, aliases):
        at = first
        while at < last:
            if items[at].kind == "id" and items[at].text in MEMORIES and _opens(items, at):
                at = _declaration(items, at, found)
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
    return before >= 0 and (items[before].kind == "pp" or items[before].text in ("{", "}", ";", ":", ")"))


def _declaration(items: list[Token], at: int, found: list[tuple[int, int, str]]) -> int:
    """Rewrite the declaration whose qualifier stands at `at`; the index of its end."""
    end, depth = at, 0
    while end < len(items) and (depth or items[end].text != ";"):
        if items[end].text in ("{", "}"):
            return at
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(items[end].text, 0)
        end += 1
    words = [token.text for token in items[at:end]]
    # pointers to on-chip memory, references and function declarations stay as they are; sizes may be any expression
    if not {"*", "&", "=", "("}.isdisjoint(_outside_brackets(words)):
        return end
    begin = at
    while items[begin - 1].text in _BEFORE:
        begin -= 1
    dynamic = "extern" in [token.text for token in items[begin:at]] and words[-2:] == ["[", "]"]
    value = "FERRATA_DYNAMIC_UB" if dynamic else f"FERRATA_ON_CHIP({MEMORIES[items[at].text]})"
    for index in range(begin, at):
        if items[index].text in ("static", "extern"):
            found.append((items[index].start, items[index].end, " " * len(items[index].text)))
    for first, last in _declarators(items, at, end):
        name = items[first]
        if first == last:
            found.append((name.start, name.end, f"&{name.text} = {value}"))
        else:
            found.append((name.start, name.end, f"(&{name.text})"))
            found.append((items[last].end, items[last].end, f" = {value}"))
    return end


def _outside_brackets(words: list[str]) -> list[str]:
    found, depth = [], 0
    for word in words:
        depth += word == "["
        if depth == 0:
            found.append(word)
        depth -= word == "]"
    return found


def _declarators(items: list[Token], at: int, end: int) -> Iterator[tuple[int, int]]:
    """(name, last bracket or name) of each declared object."""
    start, depth = at, 0
    for index in range(at, end + 1):
        text = items[index].text
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(text, 0)
        if index == end or (text == "," and depth == 0):
            name = index - 1
            while items[name].text == "]":
                level = 0
                while True:
                    level += {"]": 1, "[": -1}.get(items[name].text, 0)
                    name -= 1
                    if level == 0:
                        break
            if name >= start and items[name].kind == "id":
                yield name, index - 1
            start = index + 1
