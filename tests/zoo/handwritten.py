"""Models written here in plain torch: ResNet, U-Net, a diffusion block, an LSTM, a graph network, a small MLP."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.zoo.row import VOCABULARY, Model, generator, normal, text


class Residual(nn.Module):
    """Two convolutions with batch norm beside a shortcut, which a convolution fits where the shape changes."""

    def __init__(self, given: int, made: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(given, made, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(made, made, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(made), nn.BatchNorm2d(made)
        self.fit = (
            nn.Identity()
            if (given, stride) == (made, 1)
            else nn.Sequential(nn.Conv2d(given, made, 1, stride, bias=False), nn.BatchNorm2d(made))
        )

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(self.norm2(self.conv2(y)) + self.fit(x))


class ResNet(nn.Module):
    """Pictures [batch, 3, height, width] -> scores of ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.stages = nn.Sequential(Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 32, 2))
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        y = self.stages(self.pool(self.stem(x)))
        return self.head(functional.adaptive_avg_pool2d(y, 1).flatten(1))


def double(given: int, made: int) -> nn.Sequential:
    """Two convolutions that keep the size, each with group norm and SiLU."""
    parts: list[nn.Module] = []
    for a in (given, made):
        parts += [nn.Conv2d(a, made, 3, padding=1), nn.GroupNorm(4, made), nn.SiLU()]
    return nn.Sequential(*parts)


class UNet(nn.Module):
    """Pictures [batch, 3, height, width], sizes multiples of four -> two maps of the same size."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.bottom = double(3, 8), double(8, 16), double(16, 32)
        self.up2, self.up1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.join2, self.join1 = double(32, 16), double(16, 8)
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.down1(x)
        b = self.down2(functional.max_pool2d(a, 2))
        y = self.bottom(functional.max_pool2d(b, 2))
        y = self.join2(torch.cat([self.up2(y), b], 1))
        return self.head(self.join1(torch.cat([self.up1(y), a], 1)))


class Diffusion(nn.Module):
    """Noise of a picture [batch, 4, height, width] at a time [batch]: residual, self and cross attention, resampling."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.into, self.out = nn.Conv2d(4, width, 3, padding=1), nn.Conv2d(width, 4, 3, padding=1)
        self.norm1, self.norm2, self.norm3 = (nn.GroupNorm(4, width) for _ in range(3))
        self.conv1, self.conv2 = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.shrink = nn.Conv2d(width, width, 3, 2, 1)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.cross = nn.MultiheadAttention(width, 4, kdim=24, vdim=24, batch_first=True)
        self.register_buffer("speed", torch.exp(-torch.arange(width // 2) * (9.21 / (width // 2))))

    def forward(self, sample: Tensor, timestep: Tensor, context: Tensor) -> Tensor:
        angle = timestep[:, None] * self.speed
        when = self.time(torch.cat([angle.sin(), angle.cos()], -1).to(sample.dtype))
        x = self.into(sample)
        y = self.conv1(functional.silu(self.norm1(x))) + when[:, :, None, None]
        x = x + self.conv2(functional.silu(self.norm2(y)))
        small = self.shrink(x)
        seq = self.norm3(small).flatten(2).transpose(1, 2)
        seq = seq + self.attention(seq, seq, seq, need_weights=False)[0]
        seq = seq + self.cross(seq, context, context, need_weights=False)[0]
        small = seq.transpose(1, 2).reshape(small.shape)
        return self.out(x + functional.interpolate(small, x.shape[-2:], mode="nearest"))


class Tagger(nn.Module):
    """A bidirectional LSTM of two layers over tokens -> scores of five tags for each."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16)
        self.lstm = nn.LSTM(16, 16, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(32, 5)

    def forward(self, input_ids: Tensor) -> Tensor:
        y, (h, _) = self.lstm(self.embedding(input_ids))
        return self.head(y) + self.head(torch.cat([h[-2], h[-1]], -1))[:, None]


class GraphNetwork(nn.Module):
    """Messages along edges, summed and their maximum taken at each node, three rounds; a mean over each graph.

    nodes: [n, 12]; edges: int64 [2, m], from and to; graph: int64 [n], which of `graphs` a node belongs to.
    """

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.into, self.head = nn.Linear(12, width), nn.Linear(width, 3)
        self.message = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(3))
        self.update = nn.ModuleList(nn.Linear(3 * width, width) for _ in range(3))

    def forward(self, nodes: Tensor, edges: Tensor, graph: Tensor, sizes: Tensor) -> Tensor:
        x = functional.relu(self.into(nodes))
        source, target = edges
        for message, update in zip(self.message, self.update, strict=True):
            sent = functional.relu(message(torch.cat([x[source], x[target]], -1)))
            total = torch.zeros_like(x).index_add(0, target, sent)
            most = torch.zeros_like(x).scatter_reduce(0, target[:, None].expand_as(sent), sent, "amax")
            x = x + update(torch.cat([x, total, most], -1))
        pooled = x.new_zeros(sizes.shape[0], x.shape[1]).index_add(0, graph, x)
        return self.head(pooled / sizes[:, None])


class Feedforward(nn.Module):
    """The smallest: two layers with layer norm and GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x)


def pictures(batch: int, length: int, seed: int) -> dict[str, Any]:
    return {"x": normal(seed, batch, 3, 4 * length, 44)}


def noise(batch: int, length: int, seed: int) -> dict[str, Any]:
    return {
        "sample": normal(seed, batch, 4, 2 * length, 12),
        "timestep": torch.randint(0, 1000, (batch,), generator=generator(seed)).float(),
        "context": normal(seed + 1, batch, 5, 24),
    }


def graphs(batch: int, length: int, seed: int) -> dict[str, Any]:
    """`batch` graphs of `length` nodes each, with three edges a node on average."""
    n, g = batch * length, generator(seed)
    return {
        "nodes": normal(seed, n, 12),
        "edges": torch.randint(0, n, (2, 3 * n + 1), generator=g),
        "graph": torch.arange(batch).repeat_interleave(length),
        "sizes": torch.full((batch,), float(length)),
    }


ROWS = (
    Model("resnet", "vision", ResNet, pictures, {"x": (0, 2)}, size=(3, 8), lengths=(5, 16)),
    Model("unet", "vision", UNet, pictures, {"x": (0, 2)}, size=(3, 5)),
    Model(
        "diffusion", "diffusion", Diffusion, noise, {"sample": (0, 2), "timestep": (0,), "context": (0,)}, size=(3, 5)
    ),
    Model(
        "lstm",
        "recurrent",
        Tagger,
        text,
        {"input_ids": (0,)},
        long=False,
        dynamo={"allow_rnn": True},
        why="steps are unrolled: a graph for each length",
    ),
    Model("graph_network", "graph", GraphNetwork, graphs, {"nodes": (0,), "edges": (1,), "graph": (0,), "sizes": (0,)}),
    Model("mlp", "feedforward", Feedforward, lambda b, n, s: {"x": normal(s, b, n, 16)}, {"x": (0, 1)}),
)
