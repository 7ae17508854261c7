"""Train the tiny Llama on a paragraph of text and let it go on: `python -m examples.tiny_llama.train`.

Three ways that give the same losses: plain torch on the CPU, the catalogue's operators eager, and compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

import ferrata as fe
from examples.tiny_llama.model import CATALOGUE, PLAIN, Llama, Parts
from ferrata.cli import demo

Model = Callable[[Tensor], Tensor]


def text() -> Tensor:
    """The text of `ferrata demo`, as bytes."""
    with open(demo.__file__.replace("__init__.py", "alice.txt"), encoding="utf-8") as file:
        return torch.tensor(list(file.read().encode()))


def batches(steps: int, lengths: tuple[int, ...] = (64,), size: int = 4) -> Iterator[Tensor]:
    """Stretches of the text, one byte longer than the length, whose turn it is: int64 [size, length + 1]."""
    data, generator = text(), torch.Generator().manual_seed(0)
    for step in range(steps):
        length = lengths[step % len(lengths)]
        starts = torch.randint(0, len(data) - length, (size,), generator=generator)
        yield torch.stack([data[start : start + length + 1] for start in starts.tolist()])


def llama(parts: Parts, device: str) -> Llama:
    """The model, with the same weights each time."""
    torch.manual_seed(0)
    return Llama(parts).to(device)


def train(model: Llama, run: Model, data: Iterator[Tensor], device: str) -> list[float]:
    """One step of AdamW for each batch; the losses. run: the model, or its compiled form."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for batch in data:
        tokens = batch.to(device)
        loss = functional.cross_entropy(run(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def generate(run: Model, prompt: str, count: int, device: str, window: int | None = None) -> str:
    """The likeliest bytes behind the prompt. window: run on this length always, for a model compiled for one shape."""
    tokens = list(prompt.encode())
    for _ in range(count):
        given = torch.tensor([tokens + [0] * ((window or 0) - len(tokens))], device=device)
        tokens.append(int(run(given)[0, len(tokens) - 1].argmax()))  # later positions do not count: none looks ahead
    return bytes(tokens).decode(errors="replace")


def main(steps: int = 40) -> None:
    backend: Any = fe.get_npu_backend()
    for name, parts, device in (
        ("plain torch", PLAIN, "cpu"),
        ("eager", CATALOGUE, "npu"),
        ("compiled", CATALOGUE, "npu"),
    ):
        model = llama(parts, device)
        run: Model = (
            torch.compile(model, backend=backend, fullgraph=True, dynamic=True) if name == "compiled" else model
        )
        losses = train(model, run, batches(steps, (64, 48)), device)
        shown = " ".join(f"{loss:.4f}" for loss in (losses[0], losses[steps // 2], losses[-1]))
        print(f"{name:12} losses {shown}   {generate(run, 'Alice was', 40, device)!r}")


if __name__ == "__main__":
    main()
