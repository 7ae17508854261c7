"""Numbers written in a program: in the graph they have the value that eager mode computes with, in every type."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.torchair.agree import compiled

aten = torch.ops.aten
FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "where": lambda x: torch.where(x > 0.1, 0.1, x),
    "fmod": lambda x: x.fmod(0.1),
    "remainder": lambda x: x.remainder(-0.1),
    "scalar_tensor": lambda x: x * aten.scalar_tensor(-0.01, dtype=x.dtype),
    "full": lambda x: torch.full((2,), 0.1, dtype=x.dtype) + x,
    "pow": lambda x: 0.9**x,
    "masked_fill": lambda x: x.masked_fill(x > 0.5, 0.3),
    "clamp": lambda x: x.clamp(0.1, 0.7),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_number_is_rounded_to_the_type_it_is_used_in_and_to_no_other(dtype: torch.dtype) -> None:
    x = torch.tensor([0.3, 1.7], dtype=dtype)

    def every(x: Tensor) -> list[Tensor]:
        return [f(x) for f in FUNCTIONS.values()]

    torch._dynamo.reset()
    for name, got, expected in zip(FUNCTIONS, compiled(every)(x), every(x), strict=True):
        assert got.dtype == expected.dtype and torch.equal(got, expected), (name, got - expected)


@pytest.mark.parametrize("dtype", [torch.complex128, torch.complex64])
def test_a_complex_number_keeps_its_digits(dtype: torch.dtype) -> None:
    x = torch.tensor([0.3, 1.7j], dtype=dtype)

    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.where(x.real > 0.1, x, 0.1), x * aten.scalar_tensor(0.1 + 0.3j, dtype=x.dtype)

    torch._dynamo.reset()
    for got, expected in zip(compiled(f)(x), f(x), strict=True):
        assert got.dtype == expected.dtype and torch.equal(got, expected), got - expected
