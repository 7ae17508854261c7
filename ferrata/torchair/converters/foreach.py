"""Operators on lists of tensors (`_foreach_*`): for each tensor the nodes of the operator on one.

GE has operators on lists too; nodes on single tensors need no second set of rules, and passes and clusters see
through them.
"""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.build import converting, out_list
from ferrata.torchair.converters import arith, reduce  # noqa: F401  (the operators on one tensor)
from ferrata.torchair.converters.table import TABLE, converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten

# operators of lists whose overload `default` is that of one tensor
UNARY = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "lgamma", "log",
    "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
)  # fmt: skip


def _each(overload: Any, one: Any, reverse: bool = False) -> None:
    """Convert `overload` as `one`, tensor by tensor: lists give their element, everything else is for all."""
    convert_one = TABLE[one]

    @converts(overload)
    def convert(*args: Any, **kwargs: Any) -> Any:
        results = []
        for i, meta in enumerate(out_list()):
            picked = [a[i] if isinstance(a, (list, tuple)) else a for a in args]
            with converting(meta):
                results.append(convert_one(*reversed(picked) if reverse else picked, **kwargs))
        return results


def _with_value(overload: Any, one: Any) -> None:
    """As `_each`, for operators whose last argument is the keyword `value` of the one."""
    convert_one = TABLE[one]

    @converts(overload)
    def convert(x: Any, a: Any, b: Any, value: Any = 1) -> Any:
        results = []
        for i, meta in enumerate(out_list()):
            with converting(meta):
                results.append(
                    convert_one(x[i], a[i], b[i], value=value[i] if isinstance(value, (list, tuple)) else value)
                )
        return results


def _packet(name: str) -> Any:
    return getattr(aten, f"_foreach_{name}")


for _name in UNARY:
    _each(_packet(_name).default, getattr(aten, _name).default)
for _name in ("add", "sub", "mul", "div"):
    for _form, _one in (("List", "Tensor"), ("Scalar", "Scalar"), ("ScalarList", "Scalar"), ("Tensor", "Tensor")):
        if _form in _packet(_name).overloads():
            _each(getattr(_packet(_name), _form), getattr(getattr(aten, _name), _one))
for _name, _bound in (("maximum", "clamp_min"), ("minimum", "clamp_max"), ("clamp_min", "clamp_min"),
                      ("clamp_max", "clamp_max")):  # fmt: skip
    _each(_packet(_name).List, getattr(aten, _bound).Tensor)
    _each(_packet(_name).Scalar, getattr(aten, _bound).default)
    _each(_packet(_name).ScalarList, getattr(aten, _bound).default)
_each(_packet("pow").List, aten.pow.Tensor_Tensor)
_each(_packet("pow").Scalar, aten.pow.Tensor_Scalar)
_each(_packet("pow").ScalarList, aten.pow.Tensor_Scalar)
_each(_packet("pow").ScalarAndTensor, aten.pow.Scalar)
_each(_packet("lerp").List, aten.lerp.Tensor)
_each(_packet("lerp").Scalar, aten.lerp.Scalar)
for _name in ("addcmul", "addcdiv"):
    _with_value(_packet(_name).Scalar, getattr(aten, _name).default)
    _with_value(_packet(_name).ScalarList, getattr(aten, _name).default)


@converts(aten._foreach_norm.Scalar)
def norm(xs: list[Tensor], ord: Any = 2, dtype: Any = None) -> Any:
    """Of each tensor one number."""
    vector_norm = TABLE[aten.linalg_vector_norm.default]
    results = []
    for x, meta in zip(xs, out_list(), strict=True):
        with converting(meta):
            results.append(vector_norm(x, ord, None, False, dtype=dtype))
    return results
