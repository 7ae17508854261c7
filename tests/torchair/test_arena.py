"""Memory of captured graphs: values that never live at once share one block, and replays stay right."""

from __future__ import annotations

import functools
import gc
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import ferrata.npu  # noqa: F401  the device
from ferrata.torchair.arena import Lives
from tests.torchair.agree import capturing

pytestmark = pytest.mark.slow

static = functools.partial(capturing, dynamic=False)


def deep(x: Any, w: Any) -> Any:
    for _ in range(12):
        x = torch.tanh(x @ w) + 1
    return x


def residual(x: Any, w: Any) -> Any:
    a = x @ w
    b = F.softmax(a.view(4, 2, 8), -1).view(4, 16)
    c = (a.t().contiguous() @ b).chunk(2, 1)
    return torch.cat([c[1], c[0]], 1).double().sum(0), b[:, ::2] + a[:, :8]


def several(x: Any, w: Any) -> Any:
    values, places = (x @ w).sort(-1)
    top = values.topk(3)
    out = torch.zeros(4, 16, device=x.device).index_add_(0, torch.tensor([0, 1, 1, 2], device=x.device), values)
    mask = values > 0
    return (
        out.add_(mask),
        top.values.exp(),
        places.to(torch.int32),
        torch.view_as_real(torch.complex(x, values)).sum(-1),
    )


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("f", [deep, residual, several])
@torch.no_grad()
def test_replays_equal_eager(f: Any, device: str, captured: list[Any]) -> None:
    g = static(f)
    w = torch.randn(16, 16, device=device)
    for seed in range(4):
        torch.manual_seed(seed)
        x = torch.randn(4, 16, device=device)
        torch.testing.assert_close(g(x, w), f(x, w), rtol=1e-5, atol=1e-5)
    (recording,) = captured[0].recordings.values()
    assert recording.block.values > 0 and "values in" in recording.source.splitlines()[0]


@torch.no_grad()
def test_a_chain_needs_two_values_and_not_one_a_line(captured: list[Any]) -> None:
    g = static(deep)
    g(torch.randn(4, 16), torch.randn(16, 16))
    (recording,) = captured[0].recordings.values()
    assert recording.block.nbytes <= 3 * 256 and recording.block.apart >= 20 * 256


@torch.no_grad()
def test_the_memory_of_the_recording_goes_back(captured: list[Any]) -> None:
    g = static(deep)
    x, w = torch.randn(1024, 64, device="npu"), torch.randn(64, 64, device="npu")
    gc.collect()
    before = torch.npu.memory_allocated()
    g(x, w)
    gc.collect()
    held = torch.npu.memory_allocated() - before
    assert held <= 6 * x.nbytes  # its input, its result, the weights' copy, and the block: not 24 values


@torch.no_grad()
def test_results_and_what_is_written_stay_apart(captured: list[Any]) -> None:
    def f(x: Any, state: Any) -> Any:
        y = torch.tanh(x)
        z = torch.exp(y)
        state.add_(z.sum())
        return y, (z * 2).sum()

    g = static(f)
    state, plain = torch.zeros(8), torch.zeros(8)
    for seed in range(3):
        torch.manual_seed(seed)
        x = torch.randn(8)
        torch.testing.assert_close(g(x, state), f(x, plain))
        torch.testing.assert_close(state, plain)


@torch.no_grad()
def test_a_tensor_that_an_operator_keeps_is_left_where_it_is(captured: list[Any]) -> None:
    kept: list[torch.Tensor] = []
    with torch.library._scoped_library("arena_test", "DEF") as library:
        library.define("keep(Tensor x) -> Tensor")

        def keep(x: torch.Tensor) -> torch.Tensor:
            kept.append(x)
            return x + 1

        library.impl("keep", keep, "CompositeExplicitAutograd")
        torch.library.register_fake("arena_test::keep", torch.empty_like, lib=library)

        def f(x: Any) -> Any:
            return torch.exp(torch.ops.arena_test.keep(torch.tanh(x)) * 2) + torch.sin(x).cos()

        g = static(f)
        for seed in range(3):
            torch.manual_seed(seed)
            x = torch.randn(64)
            torch.testing.assert_close(g(x), f(x))
            torch.testing.assert_close(kept[0], torch.tanh(x))  # the recording's own: a replay writes it again


def test_only_memory_that_nobody_else_has_is_moved() -> None:
    lives = Lives()
    a, b, result = torch.zeros(32), torch.zeros(32), torch.zeros(32)
    for line, (name, tensor) in enumerate({"a": a, "b": b, "r": result}.items()):
        lives.made([tensor], line)
        lives.named(name, tensor, line)
    other = b.view(4, 8)  # somebody outside
    packed, block = lives.packed([a, b, result], [result])
    assert set(packed) == {"a"} and block.values == 1
    del other
    packed, block = lives.packed([a, b, result], [result])
    assert set(packed) == {"a", "b"} and (block.nbytes, block.apart) == (128, 256)


def test_views_move_with_their_memory() -> None:
    lives = Lives()
    a = torch.arange(24.0)
    lives.made([a], 0)
    views = {"t": a.view(4, 6).t(), "s": a[3:9:2], "a": a}
    for name, view in views.items():
        lives.named(name, view, 1)
    packed, _ = lives.packed([a, *views.values()], [])
    packed["a"].copy_(torch.arange(24.0) * 2)
    for name, view in views.items():
        assert torch.equal(packed[name], view * 2) and packed[name].stride() == view.stride()


def test_a_conjugate_is_more_than_memory_and_stays() -> None:
    lives = Lives()
    a = torch.zeros(8, dtype=torch.complex64)
    lives.made([a], 0)
    conjugate = a.conj()
    lives.named("c", conjugate, 1)
    assert lives.packed([a, conjugate], [])[0] == {}
