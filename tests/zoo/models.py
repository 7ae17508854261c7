"""The zoo: named models of many architectures, tiny and random-initialised, with example inputs of any size.

Tests, reports and benchmarks read `MODELS`. Nothing is downloaded: configurations are built in code, weights come from
a seed. The architectures of `transformers` stand in architectures.py, the hand-written ones in handwritten.py.

>>> module, inputs = make("llama")
>>> module(**inputs)
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import nn

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tests.zoo import architectures, handwritten
from tests.zoo.row import Model

MODELS: dict[str, Model] = {m.name: m for m in (*architectures.ROWS, *handwritten.ROWS)}


def make(
    name: str,
    *,
    batch: int | None = None,
    length: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> tuple[nn.Module, dict[str, Any]]:
    """The model in evaluation mode, and inputs for it; sizes default to the row's own."""
    row = MODELS[name]
    torch.manual_seed(seed)
    module = row.build().eval().to(device, dtype)
    return module, inputs(name, batch=batch, length=length, seed=seed, device=device, dtype=dtype)


def inputs(
    name: str,
    *,
    batch: int | None = None,
    length: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Keyword arguments of the model: floating-point tensors in `dtype`."""
    row = MODELS[name]
    made = row.inputs(batch or row.size[0], length or row.size[1], seed)
    return {
        key: value.to(device, dtype if value.is_floating_point() else None)
        if isinstance(value, torch.Tensor)
        else value
        for key, value in made.items()
    }


def outputs(result: Any) -> list[torch.Tensor]:
    """Every tensor that a model returned, in the order of its structure."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def loss_of(result: Any) -> torch.Tensor:
    """A scalar that depends on every floating-point output: the mean of squares, summed over the outputs."""
    return sum((t.float().square().mean() for t in outputs(result) if t.is_floating_point()), torch.zeros(()))
