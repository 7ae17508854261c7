"""Memory statistics of `torch.npu`, from the accounting of the emulated device's memory (which is host memory)."""

from __future__ import annotations

import collections
from typing import Any

import torch

from ferrata.errors import BadSetting, NotOnEmulator
from ferrata.npu.devices import Device, _lazy_init, index_of
from ferrata.npu.load import extension

_fractions: dict[int, float] = {}


def memory_stats(device: Device = None) -> collections.OrderedDict[str, Any]:
    """Counters by name, such as "allocated_bytes.all.current"; keys in alphabetical order."""
    return collections.OrderedDict(sorted(extension().memory_stats(index_of(device)).items()))


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """memory_stats with one level of dictionary per dot."""
    out: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        place = out
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return out


def memory_allocated(device: Device = None) -> int:
    """Bytes that tensors and kernels hold now."""
    return int(memory_stats(device)["allocated_bytes.all.current"])


def max_memory_allocated(device: Device = None) -> int:
    """Most bytes held at once since the start or the last reset_peak_memory_stats."""
    return int(memory_stats(device)["allocated_bytes.all.peak"])


def memory_reserved(device: Device = None) -> int:
    """Bytes held including freed blocks that are kept for reuse."""
    return int(memory_stats(device)["reserved_bytes.all.current"])


def max_memory_reserved(device: Device = None) -> int:
    """Most bytes reserved at once since the start or the last reset_peak_memory_stats."""
    return int(memory_stats(device)["reserved_bytes.all.peak"])


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved  # the older names


def reset_peak_memory_stats(device: Device = None) -> None:
    """Let the peaks start again from the current values."""
    extension().reset_peak(index_of(device))


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Let the counts of allocations and frees start again at 0."""
    extension().reset_accumulated(index_of(device))


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """(free, total) bytes of the emulated part's memory."""
    free, total = extension().memory_info(index_of(device))
    return int(free), int(total)


def empty_cache() -> None:
    """Give freed blocks that are kept for reuse back to the system."""
    extension().empty_cache()


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Refuse (torch.OutOfMemoryError) to allocate more than this part of the device's memory; 1.0 lifts the limit."""
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    index = index_of(device)
    _fractions[index] = fraction
    total = mem_get_info(index)[1]
    extension().set_memory_limit(index, 0 if fraction == 1 else max(1, int(fraction * total)))


def get_per_process_memory_fraction(device: Device = None) -> float:
    """What set_per_process_memory_fraction set; 1.0 at first."""
    return _fractions.get(index_of(device), 1.0)


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """A readable table of memory_stats."""
    index, stats = index_of(device), memory_stats(device)
    rows = [("allocated", "allocated_bytes"), ("reserved", "reserved_bytes")]
    lines = [f"npu:{index} memory            current         peak"]
    for label, key in rows:
        now, peak = stats[f"{key}.all.current"], stats[f"{key}.all.peak"]
        lines.append(f"{label:<14}{now / 2**20:>14.2f} MiB{peak / 2**20:>10.2f} MiB")
    if not abbreviated:
        made, freed = stats["allocation.all.allocated"], stats["allocation.all.freed"]
        lines.append(f"allocations {made}, freed {freed}, out of memory {stats['num_ooms']}")
    return "\n".join(lines)


def memory_snapshot(mempool_id: tuple[int, int] | None = None) -> list[dict[str, Any]]:
    """One record per device with its totals; single blocks are not traced."""
    _lazy_init()
    return [
        {"device": index, "total_size": memory_reserved(index), "allocated_size": memory_allocated(index),
         "active_size": memory_allocated(index), "stream": 0, "segment_type": "large", "blocks": []}
        for index in range(extension().device_count())
    ]  # fmt: skip


def get_allocator_backend() -> str:
    """Name of the allocator; the emulated device has one."""
    return "native"


def host_memory_stats() -> collections.OrderedDict[str, Any]:
    """Counters of pinned memory; it is ordinary host memory and not counted."""
    return collections.OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """host_memory_stats, nested."""
    return {}


def reset_accumulated_host_memory_stats() -> None:
    """Accepted: there are no such counters."""


def reset_peak_host_memory_stats() -> None:
    """Accepted: there are no such counters."""


def empty_virt_addr_cache() -> None:
    """Accepted: there is no such cache."""


def ipc_collect() -> None:
    """Accepted: nothing is shared with other processes."""


class MemPool:
    """A pool of device memory. Accepted: all pools share the one allocator."""

    def __init__(self, allocator: Any = None, use_on_oom: bool = False) -> None:
        self.allocator, self.use_on_oom, self.id = allocator, use_on_oom, (0, id(self))


class use_mem_pool:
    """Context manager that takes a MemPool. Accepted without effect."""

    def __init__(self, pool: MemPool, device: Device = None) -> None:
        if not isinstance(pool, MemPool):
            raise BadSetting(where="use_mem_pool", problem=f"got {type(pool).__name__}", allowed="a torch.npu.MemPool")
        index_of(device)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


class NPUPluggableAllocator:
    """An allocator from a user's library."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        raise NotOnEmulator(
            name="NPUPluggableAllocator", reason="kernels may only touch memory that the emulator knows"
        )


def change_current_allocator(allocator: Any) -> None:
    """Refused, as NPUPluggableAllocator is."""
    raise NotOnEmulator(name="change_current_allocator", reason="kernels may only touch memory that the emulator knows")


def caching_allocator_alloc(size: int, device: Device = None, stream: Any = None) -> int:
    """Refused: raw pointers."""
    raise NotOnEmulator(
        name="caching_allocator_alloc", reason="raw device pointers are not handed out; allocate a tensor"
    )


def caching_allocator_delete(mem_ptr: int) -> None:
    """Refused: raw pointers."""
    raise NotOnEmulator(
        name="caching_allocator_delete", reason="raw device pointers are not handed out; free the tensor"
    )


def _record_memory_history(*_: Any, **__: Any) -> None:
    """Accepted: no history is kept."""


def _snapshot(device: Device = None) -> dict[str, Any]:
    """Totals in the form of torch's memory snapshots, without traces."""
    return {"segments": memory_snapshot(), "device_traces": [[] for _ in range(extension().device_count())]}


def _dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Write _snapshot() with pickle."""
    torch.save(_snapshot(), filename)
