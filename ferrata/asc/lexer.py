"""Split C++ source into the tokens that the rewriter needs: first stage of asc/.

Not a full C++ lexer: white space is skipped, numbers and strings are opaque, everything else is exact. What matters is
never to mistake text inside a comment, a string, a raw string, a character or a directive for code, and never to lose
a position. `>` is always a token of its own (templates close with `>>`); `<<<` is one token only when written together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple


class Token(NamedTuple):
    """kind: "id", "num", "str", "chr", "pp" (a whole directive, continuation lines included) or "op"."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset just behind the token."""
        return self.start + len(self.text)


# A directive may hold comments that span lines, and its lines may be continued; a string in it may hold `//`.
_DIRECTIVE = r"""
    \#(?:\\\r?\n | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | //(?:\\\r?\n|[^\n])* | [^\n\\] | \\(?!\r?\n))*
"""
_TOKEN = re.compile(
    r"""
      (?P<space>   [ \t\r\f\v]+ )
    | (?P<line>    \n | \\\r?\n )
    | (?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z) )
    | (?P<raw>     (?:u8|[uUL])?R"(?P<delim>[^\s()\\"]{0,16})\(.*?\)(?P=delim)" )
    | (?P<str>     (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" )
    | (?P<id>      [^\W\d]\w* )
    | (?P<num>     \.?\d(?:[eEpP][+-]|'?\w|\.)* )
    | (?P<chr>     '(?:\\.|[^'\\\n])+' )
    | (?P<op>      <<<(?!=) | <<=? | <=>? | ->\*? | :: | >= | == | != | && | \|\| | \+\+ | -- | \#\# | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE_RE = re.compile(_DIRECTIVE, re.VERBOSE | re.DOTALL)


def tokens(text: str, start: int = 0, end: int | None = None, *, directives: bool = True) -> list[Token]:
    """The tokens of text[start:end]; with `directives`, a `#` that opens a line takes the rest of its logical line."""
    found: list[Token] = []
    stop = len(text) if end is None else end
    at, line_start = start, directives
    match = _TOKEN.match
    while at < stop:
        if line_start and text[at] == "#":
            directive = _DIRECTIVE_RE.match(text, at, stop)
            assert directive is not None
            found.append(Token("pp", directive.group(), at))
            at = directive.end()
            continue
        hit = match(text, at, stop)
        if hit is None:  # cannot happen: "op" takes any character
            at += 1
            continue
        kind = hit.lastgroup or "op"
        at = hit.end()
        if kind == "line":
            line_start = (directives and hit.group() == "\n") or line_start
        elif kind not in ("space", "comment"):
            line_start = False
            if kind in ("raw", "delim"):
                kind = "str"
            found.append(Token(kind, hit.group(), hit.start()))
    return found


class Lines:
    """Offsets to (line, column), both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._starts += [m.end() for m in re.finditer("\n", text)]

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items()}


def closing(items: list[Token], index: int) -> int | None:
    """Index of the bracket that closes the one at `index` (any of ( [ {), or None if they do not pair up."""
    return _match(items, range(index, len(items)), _PAIRS, _CLOSERS)


def opening(items: list[Token], index: int) -> int | None:
    """Index of the bracket that opens what the one at `index` (any of ) ] }) closes, or None."""
    return _match(items, range(index, -1, -1), _CLOSERS, _PAIRS)


def _match(items: list[Token], indices: range, enter: dict[str, str], leave: dict[str, str]) -> int | None:
    expected: list[str] = []
    for i in indices:
        kind, text, _ = items[i]
        if kind == "op":
            if text in enter:
                expected.append(enter[text])
            elif text in leave:
                if not expected or expected.pop() != text:
                    return None
                if not expected:
                    return i
    return None


def opening_angle(items: list[Token], index: int) -> int | None:
    """Index of the `<` that opens the template arguments closed by the `>` at `index`, or None."""
    depth, i = 0, index
    while i >= 0:
        token = items[i]
        if token.kind == "op":
            if token.text in (")", "]", "}"):
                inner = opening(items, i)
                if inner is None:
                    return None
                i = inner
            elif token.text in (";", "{", "(", "[") or token.text == "<<<":
                return None
            elif token.text == ">":
                depth += 1
            elif token.text == "<":
                depth -= 1
                if depth == 0:
                    return i
        i -= 1
    return None
