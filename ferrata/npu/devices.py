"""Devices of `torch.npu`: how many, which is current, what they are. State: whether this process used one."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from ferrata import chips
from ferrata.errors import UsedAfterFork
from ferrata.npu.load import extension

Device: TypeAlias = "torch.device | str | int | None"

_initialized = False
_in_bad_fork = False


def index_of(device: Device, optional: bool = True) -> int:
    """Number of the device meant by `device`; the current one for None and for "npu".

    Raises ValueError for a device of another type or, with optional=False, for one without a number, and RuntimeError
    for a number that does not exist.
    """
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != "npu":
            raise ValueError(f"Expected a npu device, but got: {device}")
        device = device.index
    if device is None:
        if not optional:
            raise ValueError("Expected a npu device with an index, such as 'npu:0'")
        return current_device()
    if not 0 <= device < device_count():
        raise RuntimeError(f"Invalid device: npu:{device} does not exist; there are {device_count()} npu devices")
    return device


def is_available() -> bool:
    """True: the emulated device always is."""
    return device_count() > 0


def device_count() -> int:
    """Number of emulated devices that this process sees, at least 1."""
    return int(extension().device_count())


def current_device() -> int:
    """Number of the current device of this thread."""
    _lazy_init()
    return int(extension().current_device())


def set_device(device: Device) -> None:
    """Make `device` the current one of this thread. Raises RuntimeError if it does not exist."""
    if isinstance(device, int) and device < 0:
        return
    extension().exchange_device(index_of(device))


class device:
    """Context manager: the current device is `device` inside. None or a negative number changes nothing."""

    def __init__(self, device: Device) -> None:
        negative = device is None or (isinstance(device, int) and device < 0)
        self.idx = -1 if negative else index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = extension().exchange_device(self.idx) if self.idx >= 0 else -1

    def __exit__(self, *_: object) -> None:
        if self.prev_idx >= 0:
            extension().exchange_device(self.prev_idx)


class device_of(device):
    """Context manager: the current device is the one of `tensor` inside, if it is an npu tensor."""

    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor.get_device() if getattr(tensor, "is_npu", False) else -1)


def _exchange_device(index: int) -> int:
    return int(extension().exchange_device(index)) if index >= 0 else -1


_maybe_exchange_device = _exchange_device


@dataclass(frozen=True)
class DeviceProperties:
    """What `get_device_properties` reports; sizes in bytes."""

    name: str
    total_memory: int
    cube_core_num: int
    vector_core_num: int
    L2_cache_size: int
    multi_processor_count: int

    @property
    def major(self) -> None:
        """Devices of this kind have no compute capability."""
        return None

    minor = major


def get_device_name(device: Device = None) -> str:
    """Name of the part that the device emulates, such as "Ascend910B3": FERRATA_DEVICE_NAME, else the chip's own."""
    index_of(device)
    return os.environ.get("FERRATA_DEVICE_NAME") or chips.current().soc


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Name, memory and core counts of the emulated part."""
    chip = chips.current()
    return DeviceProperties(
        name=get_device_name(device), total_memory=chip.memory, cube_core_num=chip.cube_cores,
        vector_core_num=chip.vector_cores, L2_cache_size=192 << 20, multi_processor_count=chip.vector_cores,
    )  # fmt: skip


def get_device_capability(device: Device = None) -> tuple[int, int] | None:
    """(major, minor) from TORCH_NPU_DEVICE_CAPABILITY ("9.0"), else None and a warning."""
    index_of(device)
    text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY", "")
    major, dot, minor = text.partition(".")
    if dot and major.isdigit() and minor.isdigit():
        return int(major), int(minor)
    warnings.warn(
        "npu devices have no compute capability; set TORCH_NPU_DEVICE_CAPABILITY=major.minor to report one",
        stacklevel=2,
    )
    return None


def can_device_access_peer(device_id: Device, peer_device_id: Device) -> bool:
    """True for two different devices: all memory is the host's. Raises AssertionError for an unknown number."""
    try:
        first, second = index_of(device_id, optional=False), index_of(peer_device_id, optional=False)
    except RuntimeError as problem:
        raise AssertionError(str(problem)) from None
    return first != second


def synchronize(device: Device = None) -> None:
    """Return at once: execution is synchronous. Raises RuntimeError for an unknown device."""
    index_of(device)


def init() -> None:
    """Initialise the device; needed by nobody, since the first use does it."""
    _lazy_init()


def is_initialized() -> bool:
    """True once the device was used in this process."""
    return _initialized and not _in_bad_fork


def _is_in_bad_fork() -> bool:
    return _in_bad_fork


def _lazy_init() -> None:
    global _initialized
    if _in_bad_fork:
        raise UsedAfterFork()
    _initialized = True


def _after_fork() -> None:
    global _in_bad_fork
    if _initialized:
        _in_bad_fork = True
        extension().require_init()  # torch shall ask _lazy_init again, which then refuses


os.register_at_fork(after_in_child=_after_fork)
