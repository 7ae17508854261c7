"""Attribute values and their kinds: what `ge.attr.Int(3)` is, and how a plain Python value becomes one.

A kind is named as in the Python interface (`ListInt`); prototypes name it by its tag (`VT_LIST_INT`); `KINDS` has both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.ge.types import ge_dtype


@dataclass(frozen=True, slots=True)
class AttrValue:
    """An attribute: `kind` as in `KINDS`, `value` a plain Python value (a data type is its GE number)."""

    kind: str
    value: Any

    def get(self) -> Any:
        """The plain value."""
        return self.value

    def __str__(self) -> str:
        return f"{self.value!r}" if self.kind != "DataType" else f"dtype {self.value}"


def _is_int(v: Any) -> bool:
    return isinstance(v, int) and not isinstance(v, bool) and -(2**63) <= v < 2**63


def _is_number(v: Any) -> bool:
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def _is_dtype(v: Any) -> bool:
    return isinstance(v, torch.dtype) or _is_int(v)


@dataclass(frozen=True, slots=True)
class Kind:
    """One attribute kind: its tag in prototypes, the test of one element, its conversion, its list depth (0, 1, 2)."""

    name: str
    tag: str
    wants: str
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any]
    depth: int = 0

    def fits(self, value: Any) -> bool:
        return _fits(value, self.accepts, self.depth)

    def make(self, value: Any) -> AttrValue:
        """Raises TypeError where the value does not fit."""
        if not self.fits(value):
            raise TypeError(f"{self.wants}, got {value!r} ({type(value).__name__})")
        return AttrValue(self.name, _convert(value, self.convert, self.depth))


def _fits(value: Any, accepts: Callable[[Any], bool], depth: int) -> bool:
    if depth == 0:
        return accepts(value)
    return isinstance(value, (list, tuple)) and all(_fits(v, accepts, depth - 1) for v in value)


def _convert(value: Any, convert: Callable[[Any], Any], depth: int) -> Any:
    return convert(value) if depth == 0 else [_convert(v, convert, depth - 1) for v in value]


def _plain_tensor(v: Any) -> bool:
    return isinstance(v, torch.Tensor)


_KINDS = (
    Kind("Int", "VT_INT", "an int of 64 bits", _is_int, int),
    Kind("Float", "VT_FLOAT", "a number", _is_number, float),
    Kind("Bool", "VT_BOOL", "a bool", lambda v: isinstance(v, bool), bool),
    Kind(
        "Str",
        "VT_STRING",
        "a string",
        lambda v: isinstance(v, (str, bytes)),
        lambda v: v if isinstance(v, str) else v.decode(),
    ),
    Kind("DataType", "VT_DATA_TYPE", "a torch.dtype or a GE data type", _is_dtype, ge_dtype),
    Kind("Tensor", "VT_TENSOR", "a tensor", _plain_tensor, lambda v: v),
    Kind("ListInt", "VT_LIST_INT", "a list of int of 64 bits", _is_int, int, 1),
    Kind("ListFloat", "VT_LIST_FLOAT", "a list of numbers", _is_number, float, 1),
    Kind("ListBool", "VT_LIST_BOOL", "a list of bool", lambda v: isinstance(v, bool), bool, 1),
    Kind("ListStr", "VT_LIST_STRING", "a list of strings", lambda v: isinstance(v, str), str, 1),
    Kind("ListDataType", "VT_LIST_DATA_TYPE", "a list of torch.dtype or GE data types", _is_dtype, ge_dtype, 1),
    Kind("ListListInt", "VT_LIST_LIST_INT", "a list of lists of int of 64 bits", _is_int, int, 2),
    Kind("ListListFloat", "VT_LIST_LIST_FLOAT", "a list of lists of numbers", _is_number, float, 2),
)

KINDS: dict[str, Kind] = {k.name: k for k in _KINDS} | {k.tag: k for k in _KINDS}
KINDS |= {"VT_LIST_LIST_INT": KINDS["ListListInt"], "String": KINDS["Str"], "Type": KINDS["DataType"]}
KINDS |= {"AscendString": KINDS["Str"], "ListString": KINDS["ListStr"], "ListType": KINDS["ListDataType"]}

# pairs that mean the same number: prototype generations disagree on them
_SAME = {("Int", "DataType"), ("DataType", "Int"), ("ListInt", "ListDataType"), ("ListDataType", "ListInt")}


def compatible(given: AttrValue, wanted: Kind) -> AttrValue | None:
    """`given` as an attribute of the wanted kind, or None. An empty list fits every list kind."""
    if given.kind == wanted.name or (given.kind, wanted.name) in _SAME:
        return AttrValue(wanted.name, given.value)
    if wanted.depth and given.value == []:
        return AttrValue(wanted.name, [])
    return None
