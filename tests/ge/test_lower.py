"""Linear layers run as one call of ATen, with the values of eager mode bit for bit."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch import nn

import ferrata

pytestmark = pytest.mark.slow


def run(function: Any, *inputs: torch.Tensor, dynamic: bool = False) -> Any:
    torch._dynamo.reset()
    with torch.no_grad():
        compiled = torch.compile(function, backend=ferrata.get_npu_backend(), fullgraph=True, dynamic=dynamic)
        return compiled(*inputs), function(*inputs)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3, 7, 16), (2, 3, 4, 16), (5, 16), (0, 7, 16)], ids=str)
def test_a_linear_layer_is_one_call(
    made: list[Any], shape: tuple[int, ...], dtype: torch.dtype, bias: bool, dynamic: bool
) -> None:
    layer = nn.Linear(16, 8, bias=bias, dtype=dtype)
    got, expected = run(layer, torch.randn(shape).to(dtype), dynamic=dynamic)
    assert torch.equal(got, expected) and got.stride() == expected.stride()
    source = made[-1].get_code()
    assert "linear(" in source and "addmm" not in source and ".mm(" not in source
    if 0 not in shape:
        assert ".reshape(" not in source
    assert "linear" not in str(made[-1].graph.graph), "the graph, its dumps and its memory plan show GE's operators"


def test_what_somebody_else_reads_stays(made: list[Any]) -> None:
    weight, bias = torch.randn(8, 16), torch.randn(8)

    def product_twice(x: Any) -> Any:
        y = torch.addmm(bias, x.reshape(-1, 16), weight.t())
        return y.reshape(3, 7, 8), y * 2

    def operand_twice(x: Any) -> Any:
        flat = x.reshape(-1, 16)
        return torch.addmm(bias, flat, weight.t()).reshape(3, 7, 8), flat + 1

    def other_shape(x: Any) -> Any:
        return torch.addmm(bias, x.reshape(-1, 16), weight.t()).reshape(7, 3, 8)

    for function in (product_twice, operand_twice, other_shape):
        got, expected = run(function, torch.randn(3, 7, 16))
        for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, expected)), strict=True):
            assert torch.equal(a, b) and a.shape == b.shape
        assert len(re.findall(r"(?m)^ +\w+ = \w+\.reshape\(", made[-1].get_code())) == 2


def test_an_operand_that_is_overwritten_later_is_read_before(made: list[Any]) -> None:
    """In-place reuse may write the layer's input only behind the one call."""
    layer = nn.Linear(16, 16)

    def function(x: Any) -> Any:
        x = x * 2
        y = layer(x)
        return torch.relu(x.exp()) + y, layer(torch.sigmoid(y))

    got, expected = run(function, torch.randn(3, 7, 16))
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
    assert len(re.findall(r"(?m)^ +\w+ = \w*linear\(", made[-1].get_code())) == 2


def test_strided_operands_keep_their_copy(made: list[Any]) -> None:
    layer = nn.Linear(16, 8)
    got, expected = run(layer, torch.randn(16, 7, 3).permute(2, 1, 0))
    assert torch.equal(got, expected)


def test_gradients(made: list[Any]) -> None:
    torch._dynamo.reset()
    layer, x = nn.Linear(16, 8), torch.randn(3, 7, 16, requires_grad=True)
    expected = torch.autograd.grad(layer(x).square().sum(), [x, *layer.parameters()])
    compiled = torch.compile(layer, backend=ferrata.get_npu_backend())
    got = torch.autograd.grad(compiled(x).square().sum(), [x, *layer.parameters()])
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a, b)
    assert "linear(" in made[0].get_code()
