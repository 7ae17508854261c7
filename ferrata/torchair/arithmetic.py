"""Python's operators on a `ge.Tensor`: none is defined, and each says which function of ge_apis makes the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ferrata import errors
from ferrata.ge.builder import current

# method: how it is written, and what does it
_BINARY = {
    "add": ("x + y", "Add(x, y)"), "sub": ("x - y", "Sub(x, y)"), "mul": ("x * y", "Mul(x, y)"),
    "truediv": ("x / y", "RealDiv(x, y)"), "floordiv": ("x // y", "FloorDiv(x, y)"), "mod": ("x % y", "FloorMod(x, y)"),
    "pow": ("x ** y", "Pow(x, y)"), "matmul": ("x @ y", "MatMulV2(x, y)"), "and": ("x & y", "BitwiseAnd(x, y)"),
    "or": ("x | y", "BitwiseOr(x, y)"), "xor": ("x ^ y", "BitwiseXor(x, y)"),
}  # fmt: skip
_OTHER = {
    "__lt__": ("x < y", "Less(x, y)"), "__le__": ("x <= y", "LessEqual(x, y)"), "__gt__": ("x > y", "Greater(x, y)"),
    "__ge__": ("x >= y", "GreaterEqual(x, y)"), "__neg__": ("-x", "Neg(x)"), "__abs__": ("abs(x)", "Abs(x)"),
    "__invert__": ("~x", "Invert(x)"), "__getitem__": ("x[...]", "StridedSlice(x, begin, end, strides)"),
}  # fmt: skip
METHODS = {**{f"__{side}{name}__": how for name, how in _BINARY.items() for side in ("", "r")}, **_OTHER}


def refused(written: str, api: str) -> Callable[..., NoReturn]:
    """A method that raises TensorArithmetic (a TypeError)."""

    def method(self: Any, *others: Any) -> NoReturn:
        where = current(f"`{written}` on a ge.Tensor").where
        raise errors.TensorArithmetic(written=written, api=api, target=where.fx_target, where=str(where))

    return method


def without(cls: Any) -> Any:
    """The class with all of these methods; for `ge.Tensor`."""
    for name, (written, api) in METHODS.items():
        setattr(cls, name, refused(written, api))
    return cls
