"""Samples for `declare_supported`: `Support(F32(2, 2), alpha=1)`. They are kept on the converter and not run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


class Support:
    """One call that a converter supports."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs


@dataclass(frozen=True)
class Sample:
    """A tensor of this dtype and shape."""

    dtype: torch.dtype
    shape: tuple[int, ...]


def _of(dtype: torch.dtype) -> Callable[..., Sample]:
    return lambda *shape, **_: Sample(dtype, tuple(shape))


F64, F32, F16, BF16 = map(_of, (torch.float64, torch.float32, torch.float16, torch.bfloat16))
I64, I32, I16, I8, U8 = map(_of, (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8))
BOOL, C64 = _of(torch.bool), _of(torch.complex64)


def T(*shape: int, dtype: torch.dtype = torch.float32, **_: Any) -> Sample:
    """A tensor of any dtype."""
    return Sample(dtype, shape)


__all__ = ["BF16", "BOOL", "C64", "F16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "Support", "T"]
