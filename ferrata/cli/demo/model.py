"""The demo's models: AddCustom alone, and as the residual add of a transformer encoder layer on byte-tokenised text."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from ferrata.cli.demo.library import FOLDER


def register() -> Any:
    """Register the converter of ascendc_ops::ascendc_add (its library must be loaded). Returns the operator."""
    from ferrata import torchair

    operator = torch.ops.ascendc_ops.ascendc_add

    @torchair.register_fx_node_ge_converter(operator.default)
    def convert_ascendc_add(x: Any, y: Any, meta_outputs: Any = None) -> Any:
        return torchair.ge.custom_op("AddCustom", inputs={"x": x, "y": y}, outputs=["z"])

    return operator.default


class AddModel(nn.Module):
    """Calls the custom operator and nothing else."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z: torch.Tensor = torch.ops.ascendc_ops.ascendc_add(x, y)
        return z


class EncoderLayer(nn.Module):
    """A pre-norm transformer encoder layer over bytes. `add` is the residual addition: torch.add or the custom operator.

    tokens: int64 [batch, length], 0 pads. Returns float32 [batch, length, width].
    """

    def __init__(self, add: Any, width: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.add, self.heads = add, heads
        self.embed = nn.Embedding(256, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = (parts[:, :, i].transpose(1, 2) for i in range(3))
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(~keep[:, None, None, :], float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        projected: torch.Tensor = self.out(mixed)
        return projected

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x: torch.Tensor = self.embed(tokens)
        x = self.add(x, self.attention(self.norm1(x), tokens != 0))  # residual add 1
        x = self.add(x, self.down(functional.gelu(self.up(self.norm2(x)))))  # residual add 2
        return x


def batches() -> list[torch.Tensor]:
    """The paragraphs of the text as batches of bytes, int64 [batch, length], padded with 0; every batch has another shape."""
    paragraphs = [part for part in (FOLDER / "alice.txt").read_text().split("\n\n") if part.strip()]
    groups = [paragraphs[0:2], paragraphs[2:5], paragraphs[5:], paragraphs]  # Dynamo compiles a batch of one apart
    result = []
    for group in groups:
        rows = [torch.tensor(list(text.strip().encode("utf-8"))) for text in group]
        result.append(nn.utils.rnn.pad_sequence(rows, batch_first=True))
    return result
