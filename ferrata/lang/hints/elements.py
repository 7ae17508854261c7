"""Element types as type checkers see them: what elements.py is when a program runs."""

from __future__ import annotations

from typing import Any

from ferrata.lang.elements import Dtype, DtypeVar

MYPY = False  # mypy takes a variable of this name for True

if MYPY:
    Element = Dtype | DtypeVar

    class _Dtype(Dtype):
        """An element type; called, it converts a number."""

        def __call__(self, value: float) -> Any: ...

    class _DtypeVar(DtypeVar):
        """A variable over element types; called, it converts a number."""

        bytes: int

        def __call__(self, value: float) -> Any: ...

    # a variable may be an element type, so that `T is ac.f16` can be asked
    def dtype_var(name: str, *allowed: Dtype) -> _Dtype | _DtypeVar:
        """A variable over the given element types; over all of them when none is given."""
        raise NotImplementedError

    bf16: _Dtype
    boolean: _Dtype
    f16: _Dtype
    f32: _Dtype
    i4: _Dtype
    i8: _Dtype
    i16: _Dtype
    i32: _Dtype
    i64: _Dtype
    u8: _Dtype
    u16: _Dtype
    u32: _Dtype
    u64: _Dtype

else:
    from typing import TypeVar as dtype_var  # noqa: F401

    Element = Any

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
