"""What may stand behind a parameter's colon: `ac.Gm[T]`, `ac.Local[T]`, `ac.Const[int]`, `int`, a dataclass.

`parse` turns an annotation into the facts that declaration.py keeps of a parameter. This file knows no source text.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal

from ferrata.lang.elements import Dtype, DtypeVar, Element, by_torch

ParamKind = Literal["gm", "gm_list", "local", "queue", "int", "float", "bool", "struct", "const"]


@dataclass(frozen=True)
class TensorHint:
    """`ac.Gm[T]` or `ac.Local[T]` with its element."""

    kind: Literal["gm", "local"]
    element: Element
    optional: bool = False

    def __or__(self, other: object) -> TensorHint:
        return dataclasses.replace(self, optional=True) if other is None else NotImplemented

    __ror__ = __or__


class _Tensor:
    def __init__(self, kind: Literal["gm", "local"]) -> None:
        self.kind = kind

    def __getitem__(self, element: Element) -> TensorHint:
        if not isinstance(element, Dtype | DtypeVar):
            same = by_torch(str(element).removeprefix("torch."))
            hint = f": write {same!r}" if same is not None else ""
            name = f"ac.{self.kind.title()}[...]"
            raise TypeError(f"{name} takes an element type or a dtype variable, not {element!r}{hint}")
        return TensorHint(self.kind, element)


Gm = _Tensor("gm")
Local = _Tensor("local")


@dataclass(frozen=True)
class ConstHint:
    """`ac.Const[int]` or `ac.Const[bool]`: known when the kernel is instantiated; becomes a template parameter."""

    python: type


class _Const:
    def __getitem__(self, python: type) -> ConstHint:
        if python not in (int, bool):
            raise TypeError(f"ac.Const[...] takes int or bool, not {python!r}")
        return ConstHint(python)


Const = _Const()


@dataclass(frozen=True)
class Parsed:
    """kind and what goes with it; `python` is the dataclass of a struct, or int/bool of a const."""

    kind: ParamKind
    element: Element | None = None
    optional: bool = False
    python: Any = None


def parse(annotation: Any) -> Parsed | None:
    """The facts of an annotation; None if a kernel cannot take it."""
    if isinstance(annotation, TensorHint):
        return Parsed(annotation.kind, annotation.element, annotation.optional)
    if isinstance(annotation, ConstHint):
        return Parsed("const", python=annotation.python)
    if annotation in (int, float, bool):
        return Parsed(annotation.__name__)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return Parsed("struct", python=annotation)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is list and len(args) == 1 and isinstance(args[0], TensorHint) and args[0].kind == "gm":
        return Parsed("gm_list", args[0].element)
    if origin in (typing.Union, types.UnionType) and len(args) == 2 and type(None) in args:
        inner = parse(next(arg for arg in args if arg is not type(None)))
        return dataclasses.replace(inner, optional=True) if inner and inner.kind == "gm" else None
    return None


SCALARS: dict[type, str] = {int: "int64_t", float: "float", bool: "bool"}


def fields_of(python: Any) -> list[tuple[str, type]] | None:
    """Names and types of a dataclass of scalars, None if it holds anything else."""
    hints = typing.get_type_hints(python)
    found = [(field.name, hints[field.name]) for field in dataclasses.fields(python)]
    return found if all(kind in SCALARS for _, kind in found) else None
