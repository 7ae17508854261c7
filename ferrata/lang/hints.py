"""The language's types as type checkers see them. Nothing here is imported when a program runs.

At run time `ac.f16` is a Dtype and `ac.dtype_var` makes a variable over such; to a checker they are a type and a
TypeVar, so that `ac.Gm[T]` is a type in both worlds.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from ferrata.lang.structures import GlobalTensor, LocalTensor

_Element = TypeVar("_Element")
_Number = TypeVar("_Number", int, bool)

Const = Annotated[_Number, "known when the kernel is instantiated"]


class Gm(GlobalTensor, Generic[_Element]):
    """A tensor in device memory."""

    dtype: Any

    def __getitem__(self, key: Any) -> Any: ...
    def __setitem__(self, key: int, value: Any) -> None: ...


class Local(LocalTensor, Generic[_Element]):
    """A tensor in the core's memory."""

    dtype: Any

    def __getitem__(self, key: Any) -> Any: ...
    def __setitem__(self, key: int, value: Any) -> None: ...


class _Dtype:
    """An element type; called, it converts a number."""

    bytes: int

    def __new__(cls, value: float) -> Any: ...


class f16(_Dtype): ...


class bf16(_Dtype): ...


class f32(_Dtype): ...


class i4(_Dtype): ...


class i8(_Dtype): ...


class u8(_Dtype): ...


class i16(_Dtype): ...


class u16(_Dtype): ...


class i32(_Dtype): ...


class u32(_Dtype): ...


class i64(_Dtype): ...


class u64(_Dtype): ...


class boolean(_Dtype): ...
