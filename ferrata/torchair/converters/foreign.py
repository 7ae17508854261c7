"""Operators that other libraries define for what GE has: found by name, because the library may not be there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata.torchair.ge import Tensor


def find(target: Any) -> Callable[..., Any] | None:
    """The converter of an operator of another library, None if there is none."""
    return FOREIGN.get(str(target)) if isinstance(target, torch._ops.OpOverload) else None


def grouped_mm(x: Tensor, weight: Tensor, ends: Tensor) -> Any:
    """Each group of rows of x times a matrix of its own; ends: where the groups end. Mixtures of experts use it."""
    from ferrata.torchair.converters.nn import grouped

    return grouped(x, weight, ends, 0)


def grouped_mm_backward(x: Tensor, weight: Tensor, ends: Tensor, grad: Tensor) -> Any:
    from ferrata.torchair.build import ops
    from ferrata.torchair.converters.nn import grouped

    grad_x = grouped(grad, ops.Transpose(weight, [0, 2, 1]), ends, 0)
    return grad_x, grouped(ops.Transpose(x, [1, 0]), grad, ends, 2)


FOREIGN: dict[str, Callable[..., Any]] = {
    "transformers.grouped_mm_fallback.default": grouped_mm,
    "transformers.grouped_mm_fallback_backward.default": grouped_mm_backward,
}
