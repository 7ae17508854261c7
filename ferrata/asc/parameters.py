"""The parameters of a kernel, and what its entry makes of them: their names, and which one is a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ferrata.asc.kernels import Kernel
from ferrata.asc.lexer import Token, closing

# Words that may be the last of an unnamed parameter.
_NOT_A_NAME = frozenset(
    ["const", "volatile", "struct", "class", "typename", "unsigned", "signed", "int", "char", "short", "long", "float",
     "double", "bool", "void", "auto", "half", "GM_ADDR", "__gm__", "__restrict__", "__restrict", "__kfc_workspace__"]
)  # fmt: skip


class Parameter(NamedTuple):
    """name: None if it has none. pack: declares several. end: offset behind it. workspace: `__kfc_workspace__`."""

    name: str | None
    pack: bool
    end: int
    workspace: bool
    bytes: bool  # an untyped address, as a framework passes it


def parameters(items: list[Token], kernel: Kernel) -> list[Parameter] | None:
    """The parameters of a kernel declaration; None if they cannot be read."""
    at = next((i for i in range(kernel.first, kernel.last) if items[i].start == kernel.at), None)
    if at is None or items[at + 1].text != "(":
        return None
    end = closing(items, at + 1)
    if end is None:
        return None
    parts = [part for part in split(items[at + 2 : end]) if [token.text for token in part] != ["void"]]
    return [
        Parameter(
            name_of(part), is_pack(part), part[-1].end, any(token.text == "__kfc_workspace__" for token in part),
            any(token.text == "GM_ADDR" for token in part),
        )
        for part in parts
    ]  # fmt: skip


def workspace(found: Sequence[Parameter], older: bool) -> str:
    """The statement that registers the system workspace, if any.

    It is a qualified parameter or, in kernels of an older build (which say nothing of their cores), what macros name.
    """
    for parameter in found:
        if parameter.workspace and parameter.name:
            return f" FERRATA_WORKSPACE({parameter.name});"
    names = [parameter.name for parameter in found[-2:]]
    if not older or not names or names[-1] is None or found[-1].pack or not found[-1].bytes:
        return ""
    before = names[0] if len(names) > 1 and names[0] else names[-1]
    return f" FERRATA_FRAMEWORK_ARGUMENTS({before}, {names[-1]});"


def split(items: Sequence[Token]) -> list[list[Token]]:
    """A parameter list at its commas."""
    parts: list[list[Token]] = [[]]
    brackets = angles = 0
    for token in items:
        brackets += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
        if brackets == 0:  # inside brackets `<` and `>` compare
            angles += {"<": 1, ">": -1}.get(token.text, 0)
        if token.text == "," and brackets == angles == 0:
            parts.append([])
        elif token.kind != "pp":
            parts[-1].append(token)
    return [part for part in parts if part]


def is_pack(part: Sequence[Token]) -> bool:
    """Whether a parameter stands for several (the lexer reads `...` as three dots)."""
    return any(token.text == "." for token in part)


def name_of(part: Sequence[Token]) -> str | None:
    """The name that a parameter declares, or None."""
    texts = [token.text for token in part]
    if "=" in texts:
        texts = texts[: texts.index("=")]
    while texts and texts[-1] == "]":
        texts = texts[: len(texts) - 1 - texts[::-1].index("[")]
    if len(texts) < 2 or not (texts[-1][:1].isalpha() or texts[-1][:1] == "_") or texts[-1] in _NOT_A_NAME:
        return None
    before = [text for text in texts[:-1] if text not in ("const", "volatile", "__gm__", "struct", "__kfc_workspace__")]
    return None if not before or before[-1] == "::" else texts[-1]
