"""`torch.npu.amp`: autocast and GradScaler, as thin forms of torch.amp for the device."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.amp import GradScaler as _GradScaler

from ferrata.npu.devices import _lazy_init


class autocast(torch.amp.autocast):
    """`torch.autocast("npu", ...)`; float16 unless told otherwise."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__("npu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("npu", ...)`. `dynamic=False` keeps the scale."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        dynamic: bool = True,
        enabled: bool = True,
    ) -> None:
        if not dynamic:
            growth_factor, backoff_factor = 1.0 + 1e-12, 1.0 - 1e-12
        super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: torch.dtype | None = None) -> Any:
    """Deprecated: torch.amp.custom_fwd(device_type="npu")."""
    warnings.warn("torch.npu.amp.custom_fwd is torch.amp.custom_fwd(device_type='npu')", FutureWarning, stacklevel=2)
    if fwd is None:
        return functools.partial(torch.amp.custom_fwd, device_type="npu", cast_inputs=cast_inputs)
    return torch.amp.custom_fwd(fwd, device_type="npu", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """Deprecated: torch.amp.custom_bwd(device_type="npu")."""
    warnings.warn("torch.npu.amp.custom_bwd is torch.amp.custom_bwd(device_type='npu')", FutureWarning, stacklevel=2)
    return torch.amp.custom_bwd(bwd, device_type="npu")


def get_amp_supported_dtype() -> list[torch.dtype]:
    """dtypes that autocast accepts on the device."""
    return [torch.float16, torch.bfloat16, torch.float32]


def is_bf16_supported() -> bool:
    """True: both emulated chips compute in bfloat16."""
    _lazy_init()
    return True


def is_autocast_enabled() -> bool:
    """Whether autocast is on for the device in this thread."""
    return torch.is_autocast_enabled("npu")


def set_autocast_enabled(enabled: bool) -> None:
    """Turn autocast on or off for the device in this thread."""
    torch.set_autocast_enabled("npu", enabled)


def get_autocast_dtype() -> torch.dtype:
    """The low precision dtype of autocast on the device."""
    return torch.get_autocast_dtype("npu")


def set_autocast_dtype(dtype: torch.dtype) -> None:
    """Choose the low precision dtype of autocast on the device."""
    torch.set_autocast_dtype("npu", dtype)
