"""Sizes that are quotients, `n // 16`: they often stay as they are when n changes a little, and are no constants."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import ferrata as fe
from ferrata.ge.infer import explanations, symbolic
from ferrata.ge.worlds import World

pytestmark = pytest.mark.slow


def _every_size(function: Any, sizes: tuple[tuple[int, ...], ...]) -> None:
    compiled: Any = torch.compile(function, backend=fe.get_npu_backend(), fullgraph=True, dynamic=True)
    for number, size in enumerate(sizes):
        x = torch.randn(size, generator=torch.Generator().manual_seed(number))
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        expected = function(a)
        with torch.compiler.set_stance("fail_on_recompile" if number else "default"):
            got = compiled(b)
        torch.testing.assert_close(got, expected)
        expected.sum().backward()
        got.sum().backward()
        torch.testing.assert_close(b.grad, a.grad)


@pytest.mark.parametrize("sizes", [((2, 325), (3, 481), (4, 801)), ((2, 55), (3, 70), (2, 130))])
def test_all_frames_but_the_last_have_gradients_at_every_size(sizes: tuple[tuple[int, ...], ...]) -> None:
    _every_size(lambda x: x.unfold(1, 16, 16)[:, :-1].sin(), sizes)


def test_a_strided_convolution_padded_and_cut() -> None:
    layer = nn.Conv1d(1, 3, 5, stride=7)

    def cut(x: torch.Tensor) -> Any:
        y = layer(x[:, None])
        return torch.cat([y[..., 1:], y.new_zeros(y.shape[0], 3, 2)], -1) + y.mean()

    def padded(x: torch.Tensor) -> Any:
        return cut(x)[..., :-2].flip(-1)

    _every_size(padded, ((2, 40), (3, 41), (2, 97), (4, 222)))


def test_what_is_unknown_in_every_world_explains_nothing() -> None:
    import sympy  # type: ignore[import-untyped]

    found, other = sympy.Symbol("u0"), sympy.Symbol("s0")
    worlds = (World({other: 5}, "the first"), World({other: 8}, "the second"))
    known = explanations([(found, other)], worlds)
    assert symbolic(([-1, 5], [-1, 8]), known) == (-1, other)
