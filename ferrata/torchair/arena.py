"""One block for what a recording computes on the way: values that never live at once share its bytes.

A recording knows each of its lines with the tensors that it names, so it knows when each piece of memory is written first
and read last. What the recording alone holds moves into the block, at the offsets that the planner finds. Results, inputs,
weights, memory that somebody else holds, and what a custom operator is given or gives stay where they are: it may keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ferrata.ge.placing import Piece, offsets


@dataclass(slots=True)
class Life:
    """A piece of memory: the line at which it was made, the last line that names it, the tensors in it by name."""

    storage: torch.UntypedStorage
    start: int
    end: int
    names: dict[str, torch.Tensor] = field(default_factory=dict)


class Lives:
    """What a recorder tells of its memory while it records."""

    def __init__(self) -> None:
        self._found: dict[int, Life] = {}  # by the storage, which is alive as long as the recorder

    def made(self, tensors: Sequence[torch.Tensor], line: int) -> None:
        """New memory, which line `line` writes, or a later one."""
        for tensor in tensors:
            if tensor.layout == torch.strided:
                storage = tensor.untyped_storage()
                self._found.setdefault(storage._cdata, Life(storage, line, line))

    def stays(self, tensors: Sequence[torch.Tensor]) -> None:
        """Somebody who may keep them saw these."""
        for tensor in tensors:
            if tensor.layout == torch.strided:
                self._found.pop(tensor.untyped_storage()._cdata, None)

    def named(self, name: str, tensor: torch.Tensor, line: int) -> None:
        """Line `line` reads or writes the tensor."""
        life = self._found.get(tensor.untyped_storage()._cdata) if tensor.layout == torch.strided else None
        if life is not None:
            life.end = max(life.end, line)
            life.names[name] = tensor

    def packed(self, held: Sequence[torch.Tensor], results: Sequence[Any]) -> tuple[dict[str, torch.Tensor], Block]:
        """The tensors in the block, by name. held: all tensors that the recorder has; results: of the recording."""
        stay = {
            t.untyped_storage()._cdata for t in results if isinstance(t, torch.Tensor) and t.layout == torch.strided
        }
        uses: dict[int, set[int]] = {}
        for tensor in held:
            if tensor.layout == torch.strided:
                uses.setdefault(tensor.untyped_storage()._cdata, set()).add(id(tensor))
        chosen = [
            life
            for key, life in self._found.items()
            if key not in stay and life.names and all(map(_plain, life.names.values())) and _ours(life, uses.get(key))
        ]
        if not chosen:
            return {}, Block()
        placed = offsets([Piece(-(-life.storage.nbytes() // 64) * 64, life.start, life.end) for life in chosen])
        size = max(at + life.storage.nbytes() for at, life in zip(placed, chosen, strict=True))
        size = -(-size // 64) * 64
        device = next(iter(chosen[0].names.values())).device
        block = torch.empty(size, dtype=torch.uint8, device=device)
        out: dict[str, torch.Tensor] = {}
        for at, life in zip(placed, chosen, strict=True):
            for name, tensor in life.names.items():
                typed = block.view(tensor.dtype)
                start = at // tensor.element_size() + tensor.storage_offset()
                out[name] = typed.as_strided(tensor.shape, tensor.stride(), start)
        return out, Block(len(chosen), size, sum(life.storage.nbytes() for life in chosen))


@dataclass(frozen=True, slots=True)
class Block:
    """values: pieces in the block; nbytes: of the block; apart: what they would take each on its own."""

    values: int = 0
    nbytes: int = 0
    apart: int = 0

    def __str__(self) -> str:
        return f"{self.values} values in {self.nbytes} bytes instead of {self.apart}"


def _plain(tensor: torch.Tensor) -> bool:
    """Whether the tensor is no more than its memory, sizes and strides."""
    return type(tensor) is torch.Tensor and not (tensor.is_conj() or tensor.is_neg() or tensor.is_quantized)


def _ours(life: Life, known: set[int] | None) -> bool:
    """Whether only the recorder holds the memory: an operator that keeps it may read it after the replay."""
    mine = 1 + len(known or ())  # `life` holds it as well
    return bool(torch._C._storage_Use_Count(life.storage._cdata) <= mine)
