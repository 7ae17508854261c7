"""scatter_reduce: each reduction, with and without the values that are there, in each data type, against eager mode."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata.npu  # noqa: F401  registers the device
from ferrata.torchair.testing import op_db
from tests.torchair.agree import agree

pytestmark = pytest.mark.slow

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
DTYPES = (*FLOATS, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def given(dtype: torch.dtype, device: str = "cpu") -> tuple[Any, ...]:
    """Data, places of which some are met several times and row 3 never, and what is put there."""
    torch.manual_seed(5)
    x, src = torch.randint(0 if dtype == torch.uint8 else -4, 5, (2, 5, 6)).to(dtype)
    if dtype.is_floating_point:
        x, src = x + 0.25, src - 0.5
    index = torch.tensor([[0, 1, 0, 4, 2, 2], [0, 1, 4, 4, 2, 1], [0, 0, 0, 0, 2, 2], [1, 1, 1, 4, 4, 4]])
    return x.to(device), index.to(device), src.to(device)


def reduce_by(reduce: str, include_self: bool) -> Any:
    return lambda x, i, s: torch.scatter_reduce(x, 0, i, s, reduce, include_self=include_self)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_every_data_type(reduce: str, include_self: bool) -> None:
    """A mean of small floats stays PyTorch's, whose kernel may keep its sum in float32, and one of int16 without the
    values that are there, which GE's Maximum lacks; all else is GE's nodes."""
    mine = {torch.float16, torch.bfloat16} if include_self else {torch.float16, torch.bfloat16, torch.int16}
    for dtype in DTYPES:
        types = agree(reduce_by(reduce, include_self), *given(dtype), dynamic=False).types()
        stays = reduce == "mean" and dtype in mine
        assert any(t.startswith("aten::scatter_reduce") for t in types) == stays, (dtype, types)
        assert ("ScatterElements" in types) != stays, (dtype, types)


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_symbolic_sizes_and_the_device(reduce: str, include_self: bool, device: str) -> None:
    agree(reduce_by(reduce, include_self), *given(torch.float32, device), dynamic=True)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_gradients(reduce: str, include_self: bool) -> None:
    x, i, s = given(torch.float32)
    s = s[: len(i)].clone()  # PyTorch's gradient needs as many
    agree(reduce_by(reduce, include_self), x.requires_grad_(), i, s.requires_grad_(), grad=True)


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_values_that_are_not_finite_and_what_has_no_elements(reduce: str) -> None:
    x = torch.tensor([[1.0, float("inf"), float("nan"), 4.0]])
    i, s = torch.tensor([[0, 0, 1, 3]]), torch.tensor([[float("-inf"), 2.0, float("nan"), -0.0]])
    for include_self in (True, False):
        f = lambda x, i, s: torch.scatter_reduce(x, 1, i, s, reduce, include_self=include_self)  # noqa: B023, E731
        agree(f, x, i, s, dynamic=False)
        agree(f, x, i[:, :0], s, dynamic=False)
        agree(lambda x, i, s: torch.scatter_reduce(x, 0, i, s, reduce, include_self=include_self), x[0, 0], i[0, 0], s[0, 1], dynamic=False)  # noqa: B023, E501  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_every_sample_of_pytorch(reduce: str) -> None:
    name = f"scatter_reduce.{reduce}"
    for dtype in op_db.DTYPES:
        for case in op_db.cases(name, dtype, 99 if dtype == torch.float32 else 4):
            op_db.run(case)
    for case in op_db.cases(name, torch.float32, 99):
        op_db.run(case, symbolic=True)
