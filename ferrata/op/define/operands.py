"""What plans and shape functions work with: tensors without values, scratch memory, numbers of cores.

An Operand has the shape and type of a tensor of the call, and nothing that depends on its values or address: so a plan
is a function of shapes, and its result can be kept. The address is put in at each launch.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import torch

from ferrata import chips
from ferrata.errors import NotInPlan
from ferrata.lang.elements import Dtype
from ferrata.op.define import dims

Core = Literal["vector", "cube", "mix"]


class Operand:
    """A tensor as a plan sees it. dtype: None for scratch that was asked for in bytes and serves any type."""

    __slots__ = ("dtype", "name", "shape", "slot")

    def __init__(self, name: str, shape: Sequence[Any], dtype: torch.dtype | None, slot: int = -1) -> None:
        self.name, self.shape, self.dtype, self.slot = name, tuple(shape), dtype, slot

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    ndim = property(dim)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one size of it."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> Any:
        """The number of elements."""
        return math.prod(self.shape)

    def element_size(self) -> int:
        """Bytes of an element."""
        return 1 if self.dtype is None else self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements; they lie one behind the other."""
        return self.numel() * self.element_size()

    def is_contiguous(self) -> bool:
        """True: a kernel gets every tensor contiguous."""
        return True

    def __len__(self) -> Any:
        return self.shape[0]

    def __bool__(self) -> bool:
        raise TypeError(f"{self.name} is a tensor, whose values a plan does not see; compare with `is None`")

    def __repr__(self) -> str:
        return f"{self.name}: {str(self.dtype).removeprefix('torch.')}{list(self.shape)}"


class Recorder:
    """The scratch memory that a running plan asked for: (shape, dtype, filled with zeros) each."""

    def __init__(self, first_slot: int) -> None:
        self.first_slot = first_slot
        self.scratch: list[tuple[tuple[int, ...], torch.dtype, bool]] = []


_running = threading.local()


@contextmanager
def recording(first_slot: int) -> Iterator[Recorder]:
    """Let `workspace` work inside, and tell what it was asked for."""
    before = getattr(_running, "recorder", None)
    _running.recorder = Recorder(first_slot)
    try:
        yield _running.recorder
    finally:
        _running.recorder = before


def workspace(shape: int | Sequence[int], dtype: Dtype | torch.dtype | None = None, *, zero: bool = False) -> Operand:
    """Scratch on the device for one call of the operator; inside a plan.

    shape: bytes, when dtype is None, for a kernel parameter of any type; else the number of elements or a shape.
    zero: filled with zeros, as SyncAll's workspace must be; otherwise the content is not defined.
    Raises NotInPlan.

    >>> partial = fe.workspace((cores, 8), ac.f32)
    """
    recorder = getattr(_running, "recorder", None)
    if recorder is None:
        raise NotInPlan(what="fe.workspace")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = getattr(torch, str(dtype.torch)) if isinstance(dtype, Dtype) else dtype
    number = len(recorder.scratch)
    recorder.scratch.append((sizes, kind or torch.uint8, zero))
    return Operand(f"workspace{number}", sizes, kind, recorder.first_slot + number)


def at_most(n: Any, core: Core = "vector") -> int:
    """How many cores to launch when there is work for n: n, but at least 1 and at most what the chip has.

    core: "vector", or "cube"; "mix" counts cube cores, each with its vector cores.
    """
    chip = chips.current()
    return max(1, min(int(n), chip.vector_cores if core == "vector" else chip.cube_cores))


ceil_div = dims.ceil_div
