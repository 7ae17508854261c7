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


NUMBER = 1.2345678
WITH_A_WIDER_NUMBER: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mul": lambda x, y: x * y,
    "reversed mul": lambda x, y: y * x,
    "div": lambda x, y: x / y,
    "reversed div": lambda x, y: y / x,
    "floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "floor_divide": torch.floor_divide,
    "in place": lambda x, y: x.clone().mul_(y),
    "constant": lambda x, y: x / torch.tensor(NUMBER),
    "add": torch.add,
    "add, scaled": lambda x, y: torch.add(x, y, alpha=0.7),
    "sub": torch.sub,
    "sub, scaled": lambda x, y: torch.sub(x, y, alpha=0.7),
    "sub of tensors, scaled": lambda x, y: torch.sub(x, x.flip(0), alpha=0.7),
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "pow": torch.pow,
    "atan2": torch.atan2,
    "maximum": torch.maximum,
    "lt": torch.lt,
    "one number each": lambda x, y: torch.mul(x[0], y),
    "broadcast": lambda x, y: x * y.reshape(1),
}


@pytest.mark.parametrize("wide", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_0d_tensor_of_another_type_is_rounded_where_eager_mode_rounds_it(
    dtype: torch.dtype, wide: torch.dtype
) -> None:
    x = (torch.rand(4000, generator=torch.Generator().manual_seed(3)) * 8 + 0.5).to(dtype)
    y = torch.tensor(NUMBER if wide.is_floating_point else 257).to(wide)

    def every(x: Tensor, y: Tensor) -> list[Tensor]:
        return [f(x, y) for f in WITH_A_WIDER_NUMBER.values()]

    torch._dynamo.reset()
    for name, got, expected in zip(WITH_A_WIDER_NUMBER, compiled(every)(x, y), every(x, y), strict=True):
        assert got.dtype == expected.dtype and torch.equal(got, expected), name
