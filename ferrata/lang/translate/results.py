"""Results of a helper: what stands behind its `return`, one type for all of them, several as a structure."""

from __future__ import annotations

import ast

from ferrata import errors
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.objects import describe
from ferrata.lang.translate.types import PYTHON, BufferType, ListType, QueueType, ResultType, cpp, spelled
from ferrata.lang.translate.variables import converted, variable_value
from ferrata.lang.values import NoneType, TupleType, Value


def returned(f: Function, node: ast.Return, leaves: bool) -> str:
    """The text behind `return` in a helper; its type is that of the first return."""
    assert node.value is not None
    value = f.value(node.value)
    if value.type == PYTHON:
        f.fail(
            errors.WrongType, node.value, what="a result", expected="a value of the kernel", got=describe(value.const)
        )
    if isinstance(value.type, QueueType | BufferType | ListType):
        f.fail(errors.WrongType, node.value, what="a result", expected="numbers or tensors", got=spelled(value.type))
    if isinstance(value.type, TupleType):
        return _several(f, node, value)
    value = variable_value(f, value)
    if f.result is None:
        f.result, f.result_line = value.type, node.lineno
    text = converted(f, value, f.result, node) if not isinstance(f.result, NoneType) else None
    if isinstance(f.result, ResultType) and value.type == f.result:
        text = value.cpp
    if text is None:
        f.fail(
            errors.TypeChanges, node, name="the result", before=spelled(f.result), since=f.result_line, after=spelled(value.type),
            help="Every return of a function gives one type.",
        )  # fmt: skip
    if leaves and not text.replace("_", "").isalnum():  # computed before its buffers go
        text = f.declare(f"const {cpp(f.result)}", "result", text)
    return text


def _several(f: Function, node: ast.Return, value: Value) -> str:
    items = [variable_value(f, item) for item in value.items]
    for item in items:
        if item.type == PYTHON or isinstance(item.type, TupleType | QueueType | BufferType):
            f.fail(errors.WrongType, node, what="a result", expected="numbers or tensors", got=spelled(item.type))
    if f.result is None:
        assert node.value is not None
        fields = tuple((name, item.type) for name, item in zip(_field_names(f, len(items)), items, strict=True))
        f.result, f.result_line = ResultType("", fields), node.lineno
    kinds = f.result.fields if isinstance(f.result, ResultType) else ()
    texts = [converted(f, item, kind, node) for item, (_, kind) in zip(items, kinds, strict=False)]
    if len(kinds) != len(items) or None in texts:
        f.fail(
            errors.TypeChanges, node, name="the result", before=spelled(f.result), since=f.result_line, after=spelled(value.type),
            help="Every return of a function gives one type.",
        )  # fmt: skip
    return "{" + ", ".join(text for text in texts if text is not None) + "}"


def _field_names(f: Function, count: int) -> list[str]:
    """Names for several results: those of variables that some return gives at that place."""
    names = [""] * count
    for node in ast.walk(f.source.tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == count:
            for at, part in enumerate(node.value.elts):
                if isinstance(part, ast.Name) and not names[at] and part.id not in names:
                    names[at] = part.id
    return [safe(name) if name else f"item{at}" for at, name in enumerate(names)]
