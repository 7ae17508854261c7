"""Annotations of parameters as type checkers see them: what parameters.py is when a program runs."""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from ferrata.lang.structures import GlobalTensor, LocalTensor

MYPY = False  # mypy takes a variable of this name for True

if MYPY:
    Gm: Any
    Local: Any
    Const: Any

else:
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
