"""Operators that TorchInductor computes otherwise than ATen: at level O3 they have ATen's values and data types.

The references run eagerly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from tests.clusters import clustered, one_process

pytestmark = pytest.mark.slow

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
EDGES = torch.tensor(
    [0.0, -0.0, 1.5, -1.5, 0.9, 3.0, 6.0, 100.3, -7.0, 1e30, float("inf"), -float("inf"), float("nan")]
)


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def compiled(function: Callable[..., Any], *inputs: torch.Tensor) -> Any:
    """What the function gives as part of a cluster."""
    return clustered(lambda *given: (function(*given), given[0].sin().exp().cos()))(*inputs)[0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_quotients_and_remainders_do_not_come_from_a_rounded_quotient(dtype: torch.dtype) -> None:
    def floored(x: torch.Tensor, y: torch.Tensor) -> Any:
        return (
            x // y,
            x // 0.3,
            torch.div(x, -0.7, rounding_mode="floor"),
            torch.div(2.5, y, rounding_mode="floor"),
            x % y,
            x % -0.3,
            5 % y,
        )

    x, y = EDGES.to(dtype)[:, None], EDGES.to(dtype)[None] * 0.1
    for got, expected in zip(compiled(floored, x, y), floored(x, y), strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_what_makes_nan_or_hands_it_on_still_does(dtype: torch.dtype) -> None:
    def handed(x: torch.Tensor, zeros: torch.Tensor) -> Any:
        return (
            x * 0,
            0 * x,
            x * 0.0,
            x * zeros,
            x * torch.zeros(x.shape),
            x - x,
            torch.nn.functional.softshrink(x),
            x.relu(),
        )

    zeros = torch.zeros(1, dtype=dtype)
    for got, expected in zip(compiled(handed, EDGES.to(dtype), zeros), handed(EDGES.to(dtype), zeros), strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_powers_of_whole_numbers(dtype: torch.dtype) -> None:
    def powers(x: torch.Tensor) -> Any:
        return 2**x, 3**x, 1**x, 2.5**x, x**x, x**3

    x = torch.arange(5).to(dtype)
    for got, expected in zip(compiled(powers, x), powers(x), strict=True):
        torch.testing.assert_close(got, expected)


def test_whole_numbers_are_floored() -> None:
    x = torch.arange(-9, 9)
    assert torch.equal(compiled(operator.floordiv, x, torch.tensor([4])), x // 4)


BINARY = {
    name: getattr(torch, name)
    for name in (
        "add", "sub", "rsub", "mul", "div", "floor_divide", "fmod", "remainder", "pow", "float_power", "maximum", "minimum",
        "fmax", "fmin", "atan2", "hypot", "copysign", "xlogy", "nextafter", "logaddexp", "logaddexp2", "ldexp",
        "lt", "eq", "ge",
    )
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")  # ATen's ldexp
@pytest.mark.parametrize("wider", [torch.float32, torch.float64])
@pytest.mark.parametrize("dtype", [torch.float16, torch.int8])
def test_a_number_of_a_wider_type_does_not_change_the_type(dtype: torch.dtype, wider: torch.dtype) -> None:
    x, number = torch.tensor([1, 2, 5]).to(dtype), torch.tensor(0.5, dtype=wider)
    known = {}
    for name, function in BINARY.items():
        try:
            known[name] = function(x, number).dtype, function(number, x).dtype
        except (RuntimeError, NotImplementedError):  # not for these types
            continue
    assert len(known) > 15

    def every(x: torch.Tensor, number: torch.Tensor) -> Any:
        return [(BINARY[n](x, number), BINARY[n](number, x)) for n in known]

    got = {n: (a.dtype, b.dtype) for n, (a, b) in zip(known, compiled(every, x, number), strict=True)}
    assert got == known
