"""Where something stands in the user's file, and the lines with a caret that errors show."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """A stretch of a line. column, width: 0 when only the line is known."""

    file: str
    line: int
    column: int = 0
    width: int = 0

    def __str__(self) -> str:
        relative = os.path.relpath(self.file)
        return f"{self.file if relative.startswith('..') else relative}:{self.line}"

    @property
    def excerpt(self) -> str:
        """The line, and under it a caret with dashes below the stretch."""
        text = linecache.getline(self.file, self.line).rstrip()
        if not text:
            return ""
        lead = len(text) - len(text.lstrip())
        column, width = (self.column, self.width) if self.width else (lead, len(text) - lead)
        return f"    {text}\n    {' ' * column}^{'~' * (min(width, len(text) - column) - 1)}"


def of_function(function: Callable[..., Any]) -> Place:
    """The line of the `def`, below its decorators."""
    code = function.__code__
    tree = _definition(function)
    return (
        Place(code.co_filename, tree.lineno + _offset(function))
        if tree
        else Place(code.co_filename, code.co_firstlineno)
    )


def of_parameter(function: Callable[..., Any], name: str, part: str = "annotation") -> Place:
    """A parameter of a function: its "annotation", "default" or "name"; "return" for the annotation of the result."""
    tree = _definition(function)
    node: ast.expr | ast.arg | None = None
    if tree is not None:
        node = tree.returns if name == "return" else _part(tree.args, name, part)
    return of_function(function) if node is None else _place(function, node)


def of_string(function: Callable[..., Any], name: str, value: str) -> Place:
    """The string `value` in the annotation of a parameter, or of the result ("return")."""
    tree = _definition(function)
    root = None if tree is None else tree.returns if name == "return" else _part(tree.args, name, "annotation")
    for node in ast.walk(root) if root is not None else ():
        if isinstance(node, ast.Constant) and node.value == value:
            return _place(function, node)
    return of_parameter(function, name)


def of_return(function: Callable[..., Any]) -> Place:
    """The value of the last `return` of a function."""
    tree = _definition(function)
    returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value] if tree else []
    return _place(function, returns[-1]) if returns else of_function(function)


def of_body(function: Callable[..., Any]) -> Place | None:
    """The first statement that does something; a docstring, `...`, `pass` and `raise NotImplementedError` do nothing."""
    tree = _definition(function)
    for node in tree.body if tree else ():
        idle = isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        if idle or (isinstance(node, ast.Raise) and "NotImplementedError" in ast.unparse(node)):
            continue
        return _place(function, node)
    return None


def launch_line(function: Callable[..., Any]) -> int | None:
    """The first line with `something.launch(...)`."""
    tree = _definition(function)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "launch":
            return node.lineno + _offset(function)
    return None


def _part(arguments: ast.arguments, name: str, part: str) -> ast.expr | ast.arg | None:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    pairs = [*zip(positional, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    for argument, default in pairs:
        if argument.arg == name:
            return {"annotation": argument.annotation, "default": default}.get(part) or argument
    return None


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return None  # typed into an interpreter, or made by exec
    return tree if isinstance(tree, ast.FunctionDef) else None


def _offset(function: Callable[..., Any]) -> int:
    """Lines of the file before the function's source, which begins with the decorators."""
    return function.__code__.co_firstlineno - 1


def _place(function: Callable[..., Any], node: ast.expr | ast.arg | ast.stmt) -> Place:
    lines, _ = inspect.getsourcelines(function)
    indent = len(lines[0]) - len(lines[0].lstrip())
    line = node.lineno + _offset(function)
    width = (node.end_col_offset or 0) - node.col_offset if node.end_lineno == node.lineno else 0
    before = lines[node.lineno - 1].encode()[: node.col_offset + indent].decode(errors="ignore")
    return Place(function.__code__.co_filename, line, len(before), max(width, 1))
