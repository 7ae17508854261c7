"""Find `kernel<<<...>>>(...)` in a token list: where it starts, its launch arguments, its kernel arguments."""

from __future__ import annotations

from dataclasses import dataclass

from ferrata.asc.lexer import Token, closing, opening, opening_angle

_KEYWORDS = frozenset(
    [
        "return",
        "else",
        "do",
        "case",
        "throw",
        "co_return",
        "co_yield",
        "co_await",
        "goto",
        "and",
        "or",
        "not",
        "new",
        "delete",
    ]
)


@dataclass(frozen=True)
class Launch:
    """Token indices: the callee is [callee, launch), `<<<` is at launch, `>>>` starts at close, `(` is at open."""

    callee: int
    launch: int
    close: int
    open: int
    end: int  # the `)` behind the kernel's arguments
    config: tuple[tuple[int, int], ...]  # ranges [from, to) of the launch arguments
    arguments: tuple[tuple[int, int], ...]  # the same of the kernel arguments


def find(items: list[Token]) -> list[Launch]:
    """All launches, in order of their `<<<`; one inside a lambda that is an argument of another is found too."""
    launches = []
    for index, token in enumerate(items):
        if token.kind == "op" and token.text == "<<<" and index and items[index - 1].text != "operator":
            launch = _launch(items, index)
            if launch is not None:
                launches.append(launch)
    return launches


def _launch(items: list[Token], index: int) -> Launch | None:
    callee = _callee(items, index)
    close = _close(items, index + 1, 0)
    if callee is None or close is None:
        return None
    end = closing(items, close + 3)
    if end is None:
        return None
    return Launch(
        callee, index, close, close + 3, end, split(items, index + 1, close), split(items, close + 4, end)
    )  # fmt: skip


def _callee(items: list[Token], index: int) -> int | None:
    """First token of the postfix expression that ends before `index`."""
    at, start = index - 1, None
    while at >= 0:
        token = items[at]
        if token.text == ">" and token.kind == "op":
            angle = opening_angle(items, at)
            if angle is None:
                return start
            at = angle - 1
            continue
        if token.text in (")", "]") and token.kind == "op":
            inner = opening(items, at)
            if inner is None:
                return start
            start, at = inner, inner - 1
            if at >= 0 and (items[at].text in (")", "]", ">") or _is_name(items[at])):
                continue
        elif _is_name(token):
            start, at = at, at - 1
        else:
            return start
        if at >= 1 and items[at].text == "template" and items[at - 1].text in ("::", ".", "->"):
            at -= 1
        if at >= 0 and items[at].text in ("::", ".", "->"):
            start = at if items[at].text == "::" else start
            if at >= 1 and (_is_name(items[at - 1]) or items[at - 1].text in (">", ")", "]")):
                at -= 1
                continue
        return start
    return start


def _is_name(token: Token) -> bool:
    return token.kind == "id" and token.text not in _KEYWORDS


def _close(items: list[Token], at: int, tries: int) -> int | None:
    """Index of the first `>` of the `>>>` that ends the launch arguments starting at `at`."""
    while at < len(items):
        token = items[at]
        if token.kind == "pp":
            return None
        if token.kind == "op":
            if token.text in "([{":
                end = closing(items, at)
                if end is None:
                    return None
                at = end
            elif token.text in ")]};" or token.text == "<<<":
                return None
            elif token.text == "<" and items[at - 1].kind == "id" and tries < 12:
                # template arguments or less-than: whichever reading leaves a `>>>(` behind it
                angle = closing_angle(items, at)
                if angle is not None:
                    found = _close(items, angle + 1, tries + 1)
                    if found is not None:
                        return found
            elif token.text == ">" and _triple(items, at):
                return at
        at += 1
    return None


def _triple(items: list[Token], at: int) -> bool:
    return (
        at + 3 < len(items)
        and all(items[at + i].text == ">" and items[at + i].start == items[at].start + i for i in (1, 2))
        and items[at + 3].text == "("
    )


def closing_angle(items: list[Token], index: int) -> int | None:
    """Index of the `>` that closes the `<` at `index` if the text between can be template arguments, else None."""
    depth, at = 0, index
    while at < len(items):
        token = items[at]
        if token.kind == "pp":
            return None
        if token.kind == "op":
            if token.text in "([{":
                end = closing(items, at)
                if end is None:
                    return None
                at = end
            elif token.text in ")]};" or token.text in ("&&", "||", "<<<", "?"):
                return None
            elif token.text == "<":
                depth += 1
            elif token.text == ">":
                depth -= 1
                if depth == 0:
                    return at
        at += 1
    return None


def split(items: list[Token], first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Ranges of the comma-separated expressions in [first, last); commas in brackets and template arguments stay."""
    if first >= last:
        return ()
    ranges, begin, at = [], first, first
    while at < last:
        token = items[at]
        if token.kind == "op":
            if token.text in "([{":
                end = closing(items, at)
                at = last if end is None else end
            elif token.text == "<" and at > first and items[at - 1].kind == "id":
                angle = closing_angle(items, at)
                if angle is not None and angle < last:
                    at = angle
            elif token.text == ",":
                ranges.append((begin, at))
                begin = at + 1
        at += 1
    ranges.append((begin, last))
    return tuple(ranges)
