"""Operators for which TorchInductor (2.13) has another value or data type than ATen: written as operators of which it has not.

It rounds the quotient `1.5 / 0.3` up to 5 before it takes the floor, where `1.5 // 0.3` is 4 in ATen; it takes a remainder
from such a quotient, so that `1.5 % inf` is NaN; NaN times the whole number 0, and the soft shrinkage of NaN, are 0; what
it makes of `ldexp` has the type of a wider 0-d operand; and its C++ has no whole number to the power of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Inductor's own table, and ours."""
    from torch._decomp import get_decompositions
    from torch._inductor.decomposition import select_decomp_table

    return {
        **select_decomp_table(),
        aten.div.Tensor_mode: _quotient,
        aten.div.Scalar_mode: _quotient,
        aten.remainder.Tensor: _remainder,
        aten.remainder.Scalar: _remainder,
        aten.remainder.Scalar_Tensor: _remainder,
        aten.mul.Tensor: _product,
        aten.mul.Scalar: _product,
        aten.pow.Scalar: _power,
        aten.softshrink.default: _shrunk,
        **get_decompositions([aten.ldexp]),
    }


def _quotient(x: Any, y: Any, *, rounding_mode: str | None) -> Any:
    """From the remainder, as in ATen: it is exact, and without it the quotient is nearly whole."""
    kind = torch.result_type(x, y)
    if rounding_mode != "floor" or not kind.is_floating_point:
        return NotImplemented
    x, y = _wide(x, kind), _wide(y, kind)
    rest = torch.fmod(x, y)
    quotient = (x - rest) / y
    quotient = torch.where((rest != 0) & ((y < 0) != (rest < 0)), quotient - 1, quotient)
    whole = quotient.floor()
    whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
    whole = torch.where(quotient == 0, torch.copysign(torch.zeros_like(quotient), x / y), whole)
    beyond = (x / y).isinf() & x.isfinite()  # of which vectors have no remainder
    return torch.where((y == 0) | beyond, x / y, whole).to(kind)


def _remainder(x: Any, y: Any) -> Any:
    kind = torch.result_type(x, y)
    if not kind.is_floating_point:
        return NotImplemented
    x, y = _wide(x, kind), _wide(y, kind)
    rest = torch.fmod(x, y)
    return torch.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest).to(kind)


def _product(x: Any, y: Any) -> Any:
    if not isinstance(y, int) or isinstance(y, bool) or not x.is_floating_point():
        return NotImplemented
    return x * float(y)


def _power(base: Any, x: torch.Tensor) -> Any:
    kind = torch.result_type(base, x)
    if kind.is_floating_point or kind.is_complex or not isinstance(base, int):
        return NotImplemented
    return torch.pow(torch.full((), base, dtype=kind), x)


def _shrunk(x: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    return torch.where(x > lambd, x - lambd, torch.where(x < -lambd, x + lambd, x * 0.0))


def _wide(value: Any, kind: torch.dtype) -> torch.Tensor:
    """The operand in the type in which ATen computes."""
    wide = torch.float32 if kind.itemsize == 2 else kind
    return value.to(wide) if isinstance(value, torch.Tensor) else torch.full((), value, dtype=wide)
