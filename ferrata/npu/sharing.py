"""Memory between processes: the device's belongs to one process, so whoever asks to share it is told.

PyTorch takes any device but the CPU for one whose memory other processes can open, and lets `share_memory_` pass: a
worker would then train weights of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ferrata.errors import NotShared


def install() -> None:
    """Refuse to share storages of the device, once."""
    if hasattr(torch.UntypedStorage.share_memory_, "ferrata"):
        return
    for name in ("share_memory_", "_share_fd_cpu_", "_share_filename_cpu_"):
        setattr(torch.UntypedStorage, name, _refusing(getattr(torch.UntypedStorage, name)))
    torch.UntypedStorage.is_shared = _is_shared(torch.UntypedStorage.is_shared)  # type: ignore[method-assign]


def _refusing(share: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(share)
    def refusing(self: torch.UntypedStorage, *args: Any, **kwargs: Any) -> Any:
        if self.device.type == "npu":
            raise NotShared(size=self.nbytes())
        return share(self, *args, **kwargs)

    refusing.ferrata = True  # type: ignore[attr-defined]
    return refusing


def _is_shared(original: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(original)
    def is_shared(self: torch.UntypedStorage) -> bool:
        return self.device.type != "npu" and original(self)

    return is_shared
