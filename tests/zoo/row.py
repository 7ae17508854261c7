"""One row of the zoo, and the inputs that many rows share."""

from __future__ import annotations

import random
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
    takes its place. dynamic: input -> dimensions that may change in one compilation: those that follow the batch, and
    where `long` those that follow the length. whole: whether Dynamo captures it in one graph at all, with any backend.
    dynamo: settings of Dynamo that it needs. why: what stands in the way of a whole graph or of any length.
    trains: it has a gradient. size: batch and length of the first call; sizes that are equal by chance would be taken
    for one. lengths: the shortest and the longest that one compilation serves.
    """

    name: str
    kind: str
    build: Callable[[], nn.Module]
    inputs: Callable[[int, int, int], dict[str, Any]]
    dynamic: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    long: bool = True
    whole: bool = True
    dynamo: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    trains: bool = True
    size: tuple[int, int] = (3, 7)
    lengths: tuple[int, int] = (2, 16)

    def sizes(self, count: int, seed: int = 0) -> list[tuple[int, int]]:
        """Random batches and lengths, those at both ends among them, as far as they may change."""
        stream = random.Random(f"{self.name} {seed}")
        low, high = self.lengths
        drawn = [(stream.randint(2, 6), stream.randint(low, high)) for _ in range(count - 2)]
        return [(b, n if self.long else self.size[1]) for b, n in [(2, high), *drawn, (9, low)]]


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
BATCH: Mapping[str, tuple[int, ...]] = {"input_ids": (0,)}
MASKED_TEXT = {"input_ids": (0, 1), "attention_mask": (0, 1)}
PAIRS = {"input_ids": (0, 1), "decoder_input_ids": (0, 1)}
