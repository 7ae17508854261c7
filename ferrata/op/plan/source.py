"""The Python text behind a plan or a shape function, what its free names stand for, and errors that point into it.

Reading and excerpts are those of the kernel translator.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ferrata.errors import KernelSourceError
from ferrata.lang.translate import source as reading
from ferrata.lang.translate.source import Comment


@dataclass(frozen=True)
class Source:
    """One Python function with its text."""

    function: Callable[..., Any]
    text: reading.Source

    @property
    def tree(self) -> ast.FunctionDef:
        return self.text.tree

    @property
    def comments(self) -> dict[int, Comment]:
        return self.text.comments

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the function's free names stand for: closure before globals before builtins."""
        closure = inspect.getclosurevars(self.function)
        return {**closure.builtins, **self.function.__globals__, **closure.globals, **closure.nonlocals}

    @property
    def parameters(self) -> list[str]:
        arguments = self.tree.args
        return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def read(function: Callable[..., Any]) -> Source:
    """Raises NoKernelSource."""
    return Source(function, reading.read(function))


def refuse(
    kind: type[KernelSourceError], source: Source, node: ast.AST, message: str, help: str = ""
) -> KernelSourceError:
    """An error of class `kind` with the user's line and a caret under `node`."""
    line = getattr(node, "lineno", source.tree.lineno)
    return kind(file=source.text.file, line=line, message=message, excerpt=source.text.excerpt(node), help=help)
