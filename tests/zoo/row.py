"""One row of the zoo, and the inputs that many rows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

VOCABULARY = 96


@dataclass(frozen=True)
class Model:
    """A model: how it is built, what it is called with, what of its inputs may vary, and what is known of it.

    inputs: (batch, length, seed) -> keyword arguments; `length` is tokens, or what of an image, a signal or a graph
    takes its place. dynamic: input -> dimensions that follow batch and length. whole: whether Dynamo captures it in one
    graph at all, with any backend; if not, `why` says what stands in the way. trains: it has a gradient.
    """

    name: str
    kind: str
    build: Callable[[], nn.Module]
    inputs: Callable[[int, int, int], dict[str, Any]]
    dynamic: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    trains: bool = True
    whole: bool = True
    why: str = ""
    size: tuple[int, int] = (2, 7)


def generator(seed: int) -> torch.Generator:
    """A stream of its own, so that inputs do not depend on what ran before."""
    return torch.Generator().manual_seed(seed + 1)


def tokens(batch: int, length: int, seed: int) -> Tensor:
    return torch.randint(3, VOCABULARY, (batch, length), generator=generator(seed))


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator(seed))


def text(batch: int, length: int, seed: int) -> dict[str, Any]:
    """Tokens for a language model."""
    return {"input_ids": tokens(batch, length, seed)}


def masked_text(batch: int, length: int, seed: int) -> dict[str, Any]:
    """Tokens, the rows padded to one length at their end."""
    ends = torch.randint(1, length + 1, (batch, 1), generator=generator(seed + 7))
    return text(batch, length, seed) | {"attention_mask": (torch.arange(length) < ends).long()}


def pairs(batch: int, length: int, seed: int) -> dict[str, Any]:
    """A source of `length` tokens and a target of two more."""
    return {"input_ids": tokens(batch, length, seed), "decoder_input_ids": tokens(batch, length + 2, seed + 1)}


TEXT: Mapping[str, tuple[int, ...]] = {"input_ids": (0, 1)}
MASKED_TEXT = {"input_ids": (0, 1), "attention_mask": (0, 1)}
PAIRS = {"input_ids": (0, 1), "decoder_input_ids": (0, 1)}
