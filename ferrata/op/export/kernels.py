"""The text of kernels in a project's file: what the translator wrote, without the head that all share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ferrata.lang.translate.writer import render


@dataclass(frozen=True)
class KernelView:
    """A kernel in a namespace of its own, so that helpers of several kernels may have one name."""

    name: str
    text: str


def views(kernels: Iterable[Any]) -> list[KernelView]:
    """The kernels, each once, in the order given. Raises KernelSourceError."""
    return [KernelView(kernel.name, text(kernel)) for kernel in {id(k): k for k in kernels}.values()]


def text(kernel: Any) -> str:
    """The translated file from `using namespace AscendC;` on."""
    lines = list(kernel.translation().lines)
    start = next((i for i, line in enumerate(lines) if line.text == "using namespace AscendC;"), 0)
    return render(lines[start:]).strip("\n")
