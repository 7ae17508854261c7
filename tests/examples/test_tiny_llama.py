"""The tiny Llama of examples/tiny_llama: the same losses and the same text as in plain torch, eager and compiled."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata as fe
from examples.tiny_llama.model import CATALOGUE, PLAIN
from examples.tiny_llama.train import batches, generate, llama, train
from ferrata.run import runtime

pytestmark = pytest.mark.slow
STEPS = 6
PROMPT = "Alice was"


def outcome(parts: Any, device: str, lengths: tuple[int, ...], **compiled: Any) -> tuple[list[float], str]:
    """Losses of a few steps and what the model then writes. compiled: options of torch.compile; none: eager."""
    model = llama(parts, device)
    run: Any = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True, **compiled) if compiled else model
    losses = train(model, run, batches(STEPS, lengths), device)
    return losses, generate(run, PROMPT, 12, device, None if compiled.get("dynamic", True) else lengths[0])


@pytest.fixture(scope="module")
def plain() -> dict[tuple[int, ...], tuple[list[float], str]]:
    return {lengths: outcome(PLAIN, "cpu", lengths) for lengths in ((32,), (32, 48))}


def test_plain_torch_learns(plain: Any) -> None:
    for losses, text in plain.values():
        assert losses[-1] < losses[0] - 0.5
        assert text.startswith(PROMPT)


def same(got: tuple[list[float], str], expected: tuple[list[float], str]) -> None:
    torch.testing.assert_close(torch.tensor(got[0]), torch.tensor(expected[0]), rtol=1e-5, atol=0)
    assert got[1] == expected[1]


def test_eager(plain: Any) -> None:
    before = runtime().launches()
    same(outcome(CATALOGUE, "npu", (32, 48)), plain[32, 48])
    assert runtime().launches() - before > STEPS * 11  # 5 norms, 4 rotations and 2 activations a step, and the backward


@pytest.mark.parametrize(("dynamic", "lengths"), [(False, (32,)), (True, (32, 48))])
def test_compiled(plain: Any, dynamic: bool, lengths: tuple[int, ...]) -> None:
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    before = runtime().launches()
    same(outcome(CATALOGUE, "npu", lengths, dynamic=dynamic), plain[lengths])
    assert runtime().launches() - before > STEPS * 11
    # one graph to train with; to generate another: a batch of one, no gradients
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] <= 3
