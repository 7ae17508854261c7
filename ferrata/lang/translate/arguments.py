"""The arguments of a call that the language spells itself, by the names of its parameters."""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass

from ferrata import errors
from ferrata.lang.translate.function import Function
from ferrata.lang.values import Value


@dataclass(frozen=True)
class Arguments:
    """Values by name."""

    values: dict[str, Value]

    @staticmethod
    def of(
        f: Function,
        node: ast.Call,
        name: str,
        required: tuple[str, ...],
        optional: tuple[str, ...],
        positional: tuple[str, ...] | None = None,
    ) -> Arguments:
        """Match a call with its parameters; those by position are the required ones, or `positional`."""

        order = required if positional is None else positional
        every = (*required, *optional)
        listed = ", ".join([*required, *(f"{word}=..." for word in optional)])
        if len(node.args) > len(order):
            many = f"takes {len(order) or 'no'} arguments by position, not {len(node.args)}"
            f.fail(
                errors.WrongArguments, node.args[len(order)], name=name, problem=many, help=f"{name.rstrip('()')}({listed})"
            )  # fmt: skip
        values: dict[str, Value] = {}
        for word, argument in zip(order, node.args, strict=False):
            values[word] = f.value(argument)
        for keyword in node.keywords:
            if keyword.arg not in every:
                near = difflib.get_close_matches(str(keyword.arg), every, n=1)
                f.fail(
                    errors.WrongArguments, keyword, name=name, problem=f"has no parameter {keyword.arg!r}",
                    help=f"Did you mean {near[0]!r}? " if near else f"It takes: {listed}",
                )  # fmt: skip
            assert keyword.arg is not None
            if keyword.arg in values:
                f.fail(errors.WrongArguments, keyword.value, name=name, problem=f"has {keyword.arg!r} twice")
            values[keyword.arg] = f.value(keyword.value)
        missing = [word for word in required if word not in values]
        if missing:
            f.fail(
                errors.WrongArguments,
                node,
                name=name,
                problem=f"lacks {', '.join(missing)}",
                help=f"{name.rstrip('()')}({listed})",
            )
        return Arguments(values)

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def get(self, name: str) -> Value | None:
        """The argument, None if it was not given."""
        return self.values.get(name)
