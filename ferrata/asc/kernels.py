"""Find kernel declarations and definitions in a token list: what `__global__` stands before.

The rewriter (rewrite.py) inserts a kernel's entry hook behind the `{` of its body; everything else here is read only.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrata.asc.lexer import Token, closing, opening, opening_angle, tokens

GLOBAL = "__global__"
# Any of these on a function with a body makes the unit a device unit.
DEVICE = frozenset({GLOBAL, "__aicore__", "__vector__", "__cube__", "__mix__", "__simd_vf__", "__simd_callee__"})
# Qualifiers that take arguments, so that their `(` is not a parameter list.
_WITH_ARGUMENTS = frozenset(
    [
        "__mix__",
        "__schedmode__",
        "__attribute__",
        "__attribute",
        "__declspec",
        "alignas",
        "__launch_bounds__",
        "decltype",
    ]
)
_NOT_VOID = frozenset(
    ["int", "float", "double", "bool", "char", "short", "long", "unsigned", "signed", "auto", "half", "size_t"]
) | frozenset(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64))
_MIXES = ((1, 0), (0, 1), (1, 1), (1, 2))


@dataclass(frozen=True)
class Kernel:
    """One declaration or definition. `body` is the offset behind the opening brace, None for a declaration."""

    name: str
    kind: str  # vector, cube, mix or any
    cube: str
    vector: str
    at: int  # offset of the name
    body: int | None
    first: int  # token indices of the declaration: [first, last)
    last: int
    problem: str | None = None  # a broken rule, as a message for the user
    parameters: tuple[int, int] = (0, 0)  # token indices between the parentheses


def aliases(items: list[Token], words: frozenset[str] = DEVICE) -> dict[str, list[Token]]:
    """Object-like macros of this file that stand for qualifiers, with their replacement tokens.

    words: qualifiers, of which a macro that is meant has at least one.
    """
    found: dict[str, list[Token]] = {}
    for item in items:
        if item.kind == "pp" and any(word in item.text for word in words):
            parts = tokens(item.text.replace("\\\n", "  "), 1, directives=False)
            if len(parts) > 2 and parts[0].text == "define" and body_of_macro(parts) == 2:
                body = parts[2:]
                if not any(token.text in "{};" for token in body if token.kind == "op") and not words.isdisjoint(
                    token.text for token in body
                ):
                    found[parts[1].text] = body
    return found


def body_of_macro(parts: list[Token]) -> int:
    """Index of the first token of a macro's replacement. `parts`: the tokens behind the `#` of a `#define`."""
    body = 2
    if len(parts) > 2 and parts[2].text == "(" and parts[2].start == parts[1].end:
        while body < len(parts) and parts[body].text != ")":
            body += 1
        body += 1
    return body


def find(items: list[Token], macros: dict[str, list[Token]]) -> list[Kernel]:
    """All kernels of a token list. `macros`: aliases of every file of the unit."""
    kernels: list[Kernel] = []
    index = 0
    while index < len(items):
        token = items[index]
        if token.kind == "id" and (token.text == GLOBAL or _is_global(macros.get(token.text))):
            kernel = _declaration(items, index, macros)
            if kernel is not None:
                kernels.append(kernel)
                index = kernel.last
                continue
        index += 1
    return kernels


def _is_global(alias: list[Token] | None) -> bool:
    return alias is not None and any(token.text == GLOBAL for token in alias)


def has_device_code(items: list[Token], macros: dict[str, list[Token]]) -> bool:
    """Whether a function with a device qualifier has a body here."""
    for index, token in enumerate(items):
        if token.kind == "pp" and "define" in token.text and "{" in token.text:
            if any(word in token.text for word in (GLOBAL, "__aicore__")):
                return True
        elif token.kind == "id" and (token.text in DEVICE or token.text in macros):
            at = index
            while at < len(items):
                text = items[at].text if items[at].kind in ("op", "pp") else ""
                if text == "{":
                    return True
                if text == "(":
                    end = closing(items, at)
                    if end is None:
                        break
                    at = end
                elif text in (";", "}"):
                    break
                at += 1
    return False


def _start(items: list[Token], index: int) -> int:
    """First token of the declaration that holds the token at `index`."""
    at = index - 1
    while at >= 0:
        token = items[at]
        if token.kind == "pp" or (token.kind == "op" and token.text in ("{", "}", ";", ":", ",", "(")):
            break
        if token.kind == "op" and token.text in (")", "]"):
            inner = opening(items, at)
            if inner is None:
                break
            at = inner
        elif token.kind == "op" and token.text == ">":
            inner = opening_angle(items, at)
            if inner is None:
                break
            at = inner
        at -= 1
    return at + 1


def _declaration(items: list[Token], index: int, macros: dict[str, list[Token]]) -> Kernel | None:
    first, at, n = _start(items, index), index, len(items)
    while at < n:
        token = items[at]
        if token.kind == "id" and token.text in _WITH_ARGUMENTS and at + 1 < n and items[at + 1].text == "(":
            end = closing(items, at + 1)
            if end is None:
                return None
            at = end
        elif token.kind == "op":
            if token.text == "(":
                break
            if token.text == "[":
                end = closing(items, at)
                if end is None:
                    return None
                at = end
            elif token.text not in ("<", ">", ",", "::", "*", "&"):
                return None
        elif token.kind == "pp":
            return None
        at += 1
    else:
        return None
    name_at = at - 1
    if items[name_at].text == ">":
        angle = opening_angle(items, name_at)
        if angle is None:
            return None
        name_at = angle - 1
    if name_at <= first or items[name_at].kind != "id" or items[name_at].text in ("void", GLOBAL, *macros):
        return None
    end = closing(items, at)
    if end is None:
        return None
    body, last, trailing = None, end + 1, False
    while last < n:
        text = items[last].text
        if items[last].kind == "pp" or text in (";", "}", "="):
            break
        if text == "{":
            body = items[last].end
            break
        if text == "->":
            trailing = True
        if text in ("(", "["):
            inner = closing(items, last)
            if inner is None:
                return None
            last = inner
        last += 1
    head = [t for i in range(first, name_at) for t in (macros.get(items[i].text) or [items[i]])]
    name = items[name_at].text
    kind, cube, vector, problem = _kind(head, name)
    return Kernel(
        name, kind, cube, vector, items[name_at].start, body, first, last,
        problem or _returns(head, name, trailing), (at + 1, end),
    )  # fmt: skip


def _kind(head: list[Token], name: str) -> tuple[str, str, str, str | None]:
    words = [token.text for token in head]
    if "__host__" in words:
        return "any", "0", "0", f"kernel '{name}' cannot be __host__: a __global__ function runs on the NPU only"
    if "__mix__" in words:
        at = words.index("__mix__") + 1
        if words[at : at + 1] == ["("] and words[at + 2 : at + 3] == [","] and words[at + 4 : at + 5] == [")"]:
            cube, vector = words[at + 1], words[at + 3]
            known = not (cube.isdigit() and vector.isdigit()) or (int(cube), int(vector)) in _MIXES
            problem = f"kernel '{name}': __mix__({cube}, {vector}) does not exist; use (1, 0), (0, 1), (1, 1) or (1, 2)"
            return "mix", cube, vector, None if known else problem
        return "mix", "1", "2", f"kernel '{name}': write __mix__(cubes, vectors), for example __mix__(1, 2)"
    if "__vector__" in words and "__cube__" in words:
        return "any", "0", "0", f"kernel '{name}' is both __vector__ and __cube__; use __mix__(1, 2) for a mixed kernel"
    if "__vector__" in words:
        return "vector", "0", "1", None
    if "__cube__" in words:
        return "cube", "1", "0", None
    return "any", "0", "0", None


def _returns(head: list[Token], name: str, trailing: bool) -> str | None:
    """The message for a kernel that returns something, or None."""
    words = [token.text for token in head]
    after_void = words[words.index("void") + 1 :] if "void" in words else []
    if trailing or "*" in after_void or ("void" not in words and any(word in _NOT_VOID for word in words)):
        return f"kernel '{name}' must return void: results leave a kernel through __gm__ pointers"
    return None
