"""Operators that take integers on a device and not on PyTorch's CPU, whose kernels the fallback would use.

Models ask for the device's type and give integers to anything that is not "cpu". Counts up to 2**53 are exact.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

from ferrata.npu.collectives import on_host

_library: Any = None


def install() -> None:
    """Register the kernels, once."""
    global _library
    if _library is not None:
        return
    _library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fallback has the place
        _library.impl("histc", _histc, "PrivateUse1", allow_override=True)


def _histc(x: torch.Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> torch.Tensor:
    values = on_host(x)
    if not values.is_floating_point():
        values = values.double()
    return torch.histc(values, bins, min=min, max=max).to(x.dtype).to(x.device)
