"""A Llama of two layers over bytes. What is special to Llama is handed in: the norm, the rotary embedding, the activation.

`PLAIN` has them in plain torch, `CATALOGUE` takes the operators of examples/ops, whose kernels are written in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from examples.ops.rms_norm import rms_norm
from examples.ops.rotary import rotary_
from examples.ops.swiglu import swiglu


@dataclass(frozen=True)
class Parts:
    """norm(x, weight), activation(gate, up), and rotary(x, cos, sin) for x [batch, length, heads, size of a head]."""

    norm: Callable[[Tensor, Tensor], Tensor]
    rotary: Callable[[Tensor, Tensor, Tensor], Tensor]
    activation: Callable[[Tensor, Tensor], Tensor]


def plain_norm(x: Tensor, weight: Tensor) -> Tensor:
    """x over the root of its mean square, times the weight."""
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight


def plain_rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Each pair (x[i], x[i + half]) of a head turned by the angle of its position."""
    a, b = x.chunk(2, -1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def plain_activation(gate: Tensor, up: Tensor) -> Tensor:
    """silu(gate) * up."""
    return functional.silu(gate) * up


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """The catalogue's rotary_ works in place: on a copy, since x is a part of what holds q, k and v."""
    y = x.clone()
    rotary_(y, cos, sin)
    return y


PLAIN = Parts(plain_norm, plain_rotary, plain_activation)
CATALOGUE = Parts(lambda x, weight: rms_norm(x, weight)[0], rotary, swiglu)


class Block(nn.Module):
    """Attention and feed-forward, each behind a norm and beside a residual."""

    def __init__(self, parts: Parts, width: int, heads: int) -> None:
        super().__init__()
        self.parts, self.heads = parts, heads
        self.norm1, self.norm2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, hidden: Tensor) -> Tensor:
        """x: [batch, length, width]; hidden: what a position must not see, [length, length]."""
        batch, length, width = x.shape
        q, k, v = self.qkv(self.parts.norm(x, self.norm1)).view(batch, length, 3, self.heads, -1).unbind(2)
        q, k = (self.parts.rotary(one, cos, sin).transpose(1, 2) for one in (q, k))
        scores = (q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5).masked_fill(hidden, float("-inf"))
        x = x + self.out((scores.softmax(-1) @ v.transpose(1, 2)).transpose(1, 2).reshape(batch, length, width))
        y = self.parts.norm(x, self.norm2)
        return x + self.down(self.parts.activation(self.gate(y), self.up(y)))


class Llama(nn.Module):
    """tokens, int64 [batch, length] -> logits of the next byte, float32 [batch, length, 256]."""

    def __init__(self, parts: Parts, width: int = 64, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.parts = parts
        self.embedding = nn.Parameter(torch.randn(256, width))
        self.blocks = nn.ModuleList(Block(parts, width, heads) for _ in range(layers))
        self.norm, self.head = nn.Parameter(torch.ones(width)), nn.Linear(width, 256, bias=False)
        half = width // heads // 2
        self.register_buffer("speed", 10000.0 ** -(torch.arange(half) / half))

    def forward(self, tokens: Tensor) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        angle = place[:, None] * self.speed
        cos, sin, hidden = angle.cos(), angle.sin(), place[:, None] < place
        x = functional.embedding(tokens, self.embedding)
        for block in self.blocks:
            x = block(x, cos, sin, hidden)
        return self.head(self.parts.norm(x, self.norm))
