"""Numbers for the ports that an OpDef declares with Scalar and ScalarList."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata.npu  # noqa: F401
from ferrata import errors
from ferrata.op.project import load_project

PROJECT = Path(__file__).parent / "projects" / "scaled"


@pytest.fixture(scope="module")
def scaled() -> Iterator[Any]:
    yield load_project(PROJECT, namespace="scalar_ports").scaled


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_numbers_take_the_type_that_is_meant(scaled: Any, dtype: torch.dtype, device: str) -> None:
    x = torch.arange(10, dtype=dtype, device=device)
    y = scaled(x, 3, 2, [0.5, 1.5, -1])
    assert y.device.type == device and y.dtype == dtype
    torch.testing.assert_close(y.cpu(), torch.arange(10, dtype=dtype) * 3 + 3)


def test_tensors_are_taken_as_before_and_an_optional_number_may_be_absent(scaled: Any) -> None:
    x = torch.rand(7)
    y = scaled(x, torch.tensor([2.0]), None, torch.tensor([1.0]))
    torch.testing.assert_close(y, x * 2 + 1)
    torch.testing.assert_close(scaled(x, alpha=True, weights=[]), x)


def test_a_number_for_another_port_is_still_wrong(scaled: Any) -> None:
    with pytest.raises(errors.BadOpArgument, match="input x must be a tensor, not float"):
        scaled(1.0, 2.0, None, [1.0])
    with pytest.raises(errors.BadOpArgument, match="input alpha must be a tensor, not list"):
        scaled(torch.rand(3), [1.0], None, [1.0])
    with pytest.raises(errors.BadOpArgument, match="input weights must be a tensor, not float"):
        scaled(torch.rand(3), 1.0, None, 1.0)
