"""AOTAutograd's wrapper is left out where it has nothing to do, and only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import ferrata
from ferrata.torchair import plain


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each graph that the backend compiles, whether calls go to its program directly."""
    found: list[bool] = []
    original = plain.Seen.direct

    def spied(self: Any, whole: Any, *rest: Any) -> Any:
        made = original(self, whole, *rest)
        found.append(made is not whole)
        return made

    monkeypatch.setattr(plain.Seen, "direct", spied)
    return found


def compiled(function: Callable[..., Any], dynamic: bool = False) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, backend=ferrata.get_npu_backend(), fullgraph=True, dynamic=dynamic)


X = torch.arange(12.0).reshape(3, 4)


def written(x: torch.Tensor) -> Any:
    x.add_(1)
    return x * 2


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x.relu() + 1, True),
        (lambda x: (x.sum(), x.shape[0], None, [x * 2, x - 1]), True),
        (lambda x: (x + 1).reshape(-1), True),
        (lambda x: x.t(), False),  # a view of an input
        (lambda x: (x, x + 1), False),  # an input
        (written, False),
    ],
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_values_are_those_of_eager_mode(
    direct: list[bool], function: Callable[..., Any], expected: bool, dynamic: bool
) -> None:
    run = compiled(function, dynamic)
    with torch.no_grad():
        for scale in (1, 2, 3):  # the first call goes through the wrapper, the others do not
            given, base = X * scale, X * scale
            got, wanted = run(given), function(base)
            torch.testing.assert_close(got, wanted)
            assert torch.equal(given, base)
            if function is written:
                assert given._version > 0
    if expected is False and function is not written:
        return  # Dynamo itself may return what is an input
    # results of dynamic sizes are marked as such by the wrapper
    assert direct == [expected and not dynamic]


def test_a_view_of_an_input_is_one(direct: list[bool]) -> None:
    run = compiled(lambda x: x.t())
    with torch.no_grad():
        for _ in range(3):
            x = X.clone()
            assert run(x).data_ptr() == x.data_ptr()
    assert direct == [False]


def test_gradients_are_off_inside_where_they_are_not_needed(direct: list[bool]) -> None:
    run = compiled(lambda x: (x * 2).argmax())
    x = X.clone().requires_grad_()
    for _ in range(3):
        assert not run(x).requires_grad and int(run(x)) == 11
    assert direct == [False]


def test_training_keeps_its_wrapper(direct: list[bool]) -> None:
    layer = nn.Linear(4, 2)
    run = compiled(layer)
    for _ in range(3):
        expected = torch.autograd.grad(layer(X).sum(), layer.weight)[0]
        assert torch.equal(torch.autograd.grad(run(X).sum(), layer.weight)[0], expected)
    assert direct == [False]


def test_autocast_happens_once(direct: list[bool]) -> None:
    layer = nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1))
    run = compiled(layer)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for _ in range(3):
            got, expected = run(X), layer(X)
            assert got.dtype == expected.dtype
            torch.testing.assert_close(got, expected)
    assert direct == [False]


def test_weights_may_change_between_calls(direct: list[bool]) -> None:
    layer = nn.Linear(4, 2)
    run = compiled(layer)
    with torch.no_grad():
        for _ in range(3):
            layer.weight.add_(1)
            assert torch.equal(run(X), layer(X))
    assert direct == [True]


def test_one_argument_twice(direct: list[bool]) -> None:
    run = compiled(lambda x, y: x * 2 + y)
    with torch.no_grad():
        for _ in range(2):
            assert torch.equal(run(X, X), X * 3) and torch.equal(run(X, X + 1), X * 3 + 1)
