"""Operands of samples. A shape stands for ordinary numbers in the sample's data type, a tensor for itself; the functions
here stand for other memory, other numbers, or another data type.

    (aten.square.default, (spaced(3, 4),))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Maker = Callable[[torch.dtype, torch.Generator], torch.Tensor]
Operand = tuple[int, ...] | torch.Tensor | Maker


def make(given: Any, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """The tensor that an operand stands for."""
    if isinstance(given, torch.Tensor):
        return given
    if callable(given):
        made: torch.Tensor = given(dtype, generator)
        return made
    if dtype.is_floating_point or dtype.is_complex:
        kind = torch.complex64 if dtype.is_complex else torch.float32
        return torch.randn(given, generator=generator, dtype=kind).to(dtype)
    return torch.randint(0 if dtype in (torch.bool, torch.uint8) else -3, 4, given, generator=generator).to(dtype)


def spaced(*shape: int) -> Maker:
    """Every second element of each row of a larger tensor, from its second row on."""

    def run(dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
        return make((shape[0] + 1, *shape[1:-1], 2 * shape[-1]), dtype, generator)[1:, ..., ::2]

    return run


def turned(*shape: int) -> Maker:
    """The memory of the dimensions in the opposite order."""
    return lambda dtype, generator: make(shape[::-1], dtype, generator).permute(*range(len(shape))[::-1])


def wide(*shape: int) -> Maker:
    """One row in memory that stands for all."""
    return lambda dtype, generator: make((1, *shape[1:]), dtype, generator).expand(shape)


def odd(rows: int = 1) -> Maker:
    """NaN, infinities, zeros of both signs, the largest and the smallest numbers, in each row."""

    def run(dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
        if dtype.is_complex:
            return torch.complex(run(torch.float32, generator), run(torch.float32, generator).flip(-1)).to(dtype)
        if dtype.is_floating_point:
            limits = torch.finfo(dtype)
            values: list[Any] = [
                float("nan"),
                float("inf"),
                -float("inf"),
                0.0,
                -0.0,
                limits.max,
                limits.min,
                limits.tiny,
            ]
        elif dtype is torch.bool:
            values = [False, True] * 4
        else:
            whole = torch.iinfo(dtype)
            values = [whole.max, whole.min, whole.max - 1, whole.min + 1, 0, 1, 2, 3]
        return torch.tensor(values, dtype=dtype).repeat(rows, 1)

    return run


def between(low: float, high: float, *shape: int) -> Maker:
    """Numbers of a range; whole ones where the data type has no others."""

    def run(dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
        return (torch.rand(shape, generator=generator) * (high - low) + low).to(dtype)

    return run


def of(dtype: torch.dtype, given: Operand) -> Maker:
    """The operand in a data type of its own."""
    return lambda _, generator: make(given, dtype, generator)


# What each operator of single elements should meet: no dimension, one element, none, rows, gaps, turns, extremes.
FORMS: tuple[Operand, ...] = ((), (1,), (0, 3), (3, 4), spaced(3, 4), turned(2, 3, 4), wide(3, 4), odd())
# The same for two operands: also of shapes that are broadcast.
PAIRS: tuple[tuple[Operand, Operand], ...] = (
    ((), ()), ((), (2, 3)), ((1,), (1,)), ((0, 3), (1, 3)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)),
    (spaced(3, 4), turned(3, 4)), (wide(3, 4), (3, 4)), (odd(), odd()), (odd(), torch.arange(8)[:, None].float()),
)  # fmt: skip
