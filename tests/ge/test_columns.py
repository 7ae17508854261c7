"""A product with a vector runs as ATen's own, with the values of eager mode bit for bit."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata
from tests.torchair.agree import watching


def run(function: Any, *inputs: torch.Tensor, dynamic: bool = False) -> tuple[Any, Any, str]:
    torch._dynamo.reset()
    with watching() as seen:
        compiled = torch.compile(function, backend=ferrata.get_npu_backend(), fullgraph=True, dynamic=dynamic)
        return compiled(*inputs), function(*inputs), seen.sources[-1]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_adds_up_as_in_eager_mode(dtype: torch.dtype, dynamic: bool) -> None:
    torch.manual_seed(0)
    x, v = (torch.randn(shape).mul(9).to(dtype) for shape in ((125, 10), (10,)))
    got, expected, source = run(lambda x, v: torch.mv(x, v) * 2, x, v, dynamic=dynamic)
    assert torch.equal(got, expected) and "mv(" in source
    got, expected, _ = run(lambda x, v: torch.mv(x.t(), v), x.t().contiguous(), v, dynamic=dynamic)
    torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape", [(0, 10), (3, 0), (1, 1)])
def test_of_no_elements_and_of_one(shape: tuple[int, int], dynamic: bool) -> None:
    got, expected, _ = run(torch.mv, torch.ones(shape), torch.ones(shape[1:]), dynamic=dynamic)
    assert torch.equal(got, expected)


def test_a_column_or_product_that_is_read_twice() -> None:
    def function(x: Any, v: Any) -> Any:
        column = v.unsqueeze(1)
        y = x @ column
        return y.squeeze(1), y, column + 1

    got, expected, source = run(function, torch.randn(5, 4), torch.randn(4))
    for a, b in zip(got, expected, strict=True):
        assert torch.equal(a, b) and a.stride() == b.stride()
    assert "mv(" not in source
