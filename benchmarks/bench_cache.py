"""How long a process waits for a cached function's first result: with an empty cache, and with a filled one.

Child processes, in turn (cold, warm, cold, warm ...); each tells the seconds of its first call and of itself from its
start. The model is a decoder of eight layers, captured with dynamic sizes.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Result

ROUNDS = 5

CHILD = """
import json, sys, time
import torch
from torch import nn
from ferrata.torchair.inference import cache_compile

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).view(*x.shape[:2], 3, 4, -1).permute(2, 0, 3, 1, 4)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        scores = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(x.shape))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

class Decoder(nn.Module):
    def __init__(self, folder):
        super().__init__()
        self.embed, self.head = nn.Embedding(97, 64), nn.Linear(64, 97)
        self.layers = nn.ModuleList(Layer(64) for _ in range(8))
        self.run = cache_compile(self.decode, cache_dir=folder)

    def decode(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)

torch.manual_seed(0)
model = Decoder(sys.argv[1]).eval()
tokens = torch.arange(24).view(2, 12)
with torch.no_grad():
    start = time.perf_counter()
    y = model.run(tokens)
    seconds = time.perf_counter() - start
    assert torch.allclose(y, model.decode(tokens), rtol=1e-4, atol=1e-5)  # torch.testing imports DTensor
print(json.dumps([seconds, model.run.compilations]))
"""


def run() -> list[Result]:
    cold: list[tuple[float, float]] = []
    warm: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        child = Path(folder) / "child.py"
        child.write_text(CHILD)
        for _ in range(ROUNDS):
            place = Path(folder) / "cache"
            cold.append(_child(child, place, 1))
            warm.append(_child(child, place, 0))
            shutil.rmtree(place)
    rows = []
    for name, part in (("first call", 0), ("whole process, imports included", 1)):
        ours, base = [w[part] for w in warm], [c[part] for c in cold]
        quartiles = statistics.quantiles(base, n=4)
        rows.append(
            Result(
                f"cache_compile, warm against cold: {name}",
                statistics.median(ours),
                statistics.median(base),
                statistics.median(a / b for a, b in zip(ours, base, strict=True)),
                0.25,
                (quartiles[2] - quartiles[0]) / statistics.median(base),
                "decoder of eight layers",
            )
        )
    return rows


def _child(script: Path, cache: Path, compilations: int) -> tuple[float, float]:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, str(script), str(cache)], check=True, capture_output=True, text=True)
    whole = time.perf_counter() - start
    seconds, compiled = json.loads(done.stdout)
    assert compiled == compilations, done.stdout
    return seconds, whole
