"""`torch_npu.profiler`: torch's own profiler under the device's names. Device metrics are not measured."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.profiler import ProfilerAction, schedule

__all__ = [
    "AiCMetrics", "ExportType", "HostSystem", "ProfilerAction", "ProfilerActivity", "ProfilerLevel",
    "_ExperimentalConfig", "profile", "schedule", "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(enum.Enum):
    """What to record."""

    CPU = 0
    NPU = 1


class ProfilerLevel(enum.Enum):
    """How much of the device to record; accepted."""

    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    """Counters of the cores; accepted, not measured."""

    AiCoreNone = "AiCoreNone"
    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    L2Cache = "L2Cache"


class ExportType(enum.Enum):
    """Form of the results; Text is what torch writes, Db is accepted and written as text."""

    Text = "text"
    Db = "db"


class HostSystem(enum.Enum):
    """Host resources; accepted, not measured."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class _ExperimentalConfig:
    """Settings of the device's profiler: kept, without effect."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


def supported_activities() -> set[ProfilerActivity]:
    """CPU and NPU."""
    return set(ProfilerActivity)


class profile(torch.profiler.profile):
    """torch.profiler.profile; NPU activity is recorded as the host's, where the device runs."""

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: _ExperimentalConfig | None = None,
    ) -> None:
        allowed = (*ProfilerActivity, *torch.profiler.ProfilerActivity.__members__.values())
        for activity in activities or ():
            if activity not in allowed:
                raise ValueError(f"activities: {activity!r} is not a ProfilerActivity")
        super().__init__(
            activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule, on_trace_ready=on_trace_ready,
            record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack, with_flops=with_flops,
            with_modules=with_modules,
        )  # fmt: skip
        self.experimental = experimental_config


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[Any], None]:
    """A handler for on_trace_ready that writes a trace into `dir_name`."""
    handler: Callable[[Any], None] = torch.profiler.tensorboard_trace_handler(dir_name, worker_name)
    return handler
