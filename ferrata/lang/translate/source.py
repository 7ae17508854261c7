"""The source of one Python function: its tree with the file's line numbers, its comments, excerpts with a caret."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ferrata.errors import NoKernelSource


@dataclass(frozen=True)
class Comment:
    """Text without the `#`; `alone` when nothing else stands on its line."""

    text: str
    alone: bool


@dataclass(frozen=True)
class Source:
    """One function. tree: line numbers and columns are the file's. comments: by line of the file."""

    file: str
    first: int
    lines: tuple[str, ...]
    tree: ast.FunctionDef
    comments: dict[int, Comment]

    @property
    def docstring(self) -> str:
        """The function's docstring, "" without one."""
        return ast.get_docstring(self.tree) or ""

    @property
    def body(self) -> list[ast.stmt]:
        """The statements behind the docstring."""
        return self.tree.body[1:] if self.docstring else self.tree.body

    @property
    def head_end(self) -> int:
        """The last line of signature and docstring."""
        return (self.tree.body[0].end_lineno if self.docstring else None) or self.tree.lineno

    def line(self, number: int) -> str:
        """A line of the file, without its end; empty outside the function."""
        at = number - self.first
        return self.lines[at].rstrip("\n") if 0 <= at < len(self.lines) else ""

    def excerpt(self, node: ast.AST | None) -> str:
        """The node's first line with carets under it."""
        number = getattr(node, "lineno", self.tree.lineno)
        text = self.line(number)
        start = len(text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
        end = len(text)
        if getattr(node, "end_lineno", None) == number:
            end = len(text.encode()[: getattr(node, "end_col_offset", 0)].decode(errors="ignore"))
        if "#" in text and number in self.comments:
            end = min(end, len(text[: text.rfind("#")].rstrip()))
        carets = "^" * max(1, end - start)
        indent = len(text) - len(text.lstrip())
        return f"    {text[indent:]}\n    {' ' * (start - indent)}{carets}"


def read(function: Callable[..., Any]) -> Source:
    """Read a function's source. Raises NoKernelSource."""
    name = getattr(function, "__qualname__", repr(function))
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as problem:
        raise NoKernelSource(name=name, reason=problem) from None
    first = max(first, 1)
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    text = "".join(lines)
    indented = text[:1].isspace()
    try:
        module = ast.parse("if 1:\n" + text if indented else text)
    except SyntaxError as problem:
        raise NoKernelSource(name=name, reason=problem) from None
    ast.increment_lineno(module, first - (2 if indented else 1))
    body = module.body[0].body if isinstance(module.body[0], ast.If) else module.body
    tree = next((node for node in body if isinstance(node, ast.FunctionDef)), None)
    if tree is None:
        raise NoKernelSource(name=name, reason="it is no function with def")
    return Source(file, first, tuple(lines), tree, _comments(text, first))


def _comments(text: str, first: int) -> dict[int, Comment]:
    if "#" not in text:
        return {}
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip()
                found[token.start[0] + first - 1] = Comment(token.string.lstrip("#").strip(), alone)
    except (tokenize.TokenError, IndentationError):
        pass  # the dedent behind an indented function; its comments have been read by then
    return found
