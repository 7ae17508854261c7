"""The module `torch.npu`: every public name of it, taken from the file that holds its subject."""

# ruff: noqa: F401  (re-exports)
from __future__ import annotations

from ferrata.npu import amp, graphs, legacy, memory, options, random, refused, streams, utils
from ferrata.npu.amp import (
    GradScaler,
    autocast,
    get_amp_supported_dtype,
    get_autocast_dtype,
    is_autocast_enabled,
    is_bf16_supported,
    set_autocast_dtype,
    set_autocast_enabled,
)
from ferrata.npu.devices import (
    _exchange_device,
    _is_in_bad_fork,
    _lazy_init,
    _maybe_exchange_device,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_initialized,
    set_device,
    synchronize,
)
from ferrata.npu.graphs import (
    NPUGraph,
    graph,
    graph_pool_handle,
    graph_task_group_begin,
    graph_task_group_end,
    graph_task_update_begin,
    graph_task_update_end,
    is_current_stream_capturing,
    make_graphed_callables,
)
from ferrata.npu.memory import (
    MemPool,
    NPUPluggableAllocator,
    caching_allocator_alloc,
    caching_allocator_delete,
    change_current_allocator,
    empty_cache,
    empty_virt_addr_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    ipc_collect,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from ferrata.npu.options import (
    CubeMathType,
    config,
    conv,
    disable_deterministic_with_backward,
    enable_deterministic_with_backward,
    finalize_dump,
    get_device_limit,
    get_mm_bmm_format_nd,
    get_stream_limit,
    get_sync_debug_mode,
    get_task_queue_enable,
    init_dump,
    is_jit_compile_false,
    matmul,
    mstx,
    reset_stream_limit,
    set_aoe,
    set_compile_mode,
    set_deterministic_level,
    set_device_limit,
    set_dump,
    set_mm_bmm_format_nd,
    set_op_timeout_ms,
    set_option,
    set_stream_limit,
    set_sync_debug_mode,
    set_task_queue_enable,
    super_kernel_scope_begin,
    super_kernel_scope_end,
    utilization,
)
from ferrata.npu.random import (
    default_generators,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from ferrata.npu.streams import (
    Event,
    ExternalEvent,
    ExternalStream,
    Stream,
    StreamContext,
    SyncLaunchStream,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from ferrata.npu.utils import (
    clear_npu_overflow_flag,
    get_cann_version,
    get_npu_overflow_flag,
    get_soc_version,
    is_support_inf_nan,
    npu_check_overflow,
)

SUBMODULES = {
    "amp": amp, "graphs": graphs, "memory": memory, "options": options, "random": random, "streams": streams,
    "utils": utils,
}  # fmt: skip

globals().update(refused.FUNCTIONS)
globals().update(legacy.TYPES)
_NAMES = [name for name in globals() if not name.startswith("_") and name not in ("annotations", "refused", "legacy")]
__all__ = [*_NAMES]


def __getattr__(name: str) -> bool:
    if name == "_initialized":  # torch.utils.checkpoint asks for it before it saves random states
        return is_initialized()
    raise AttributeError(f"module 'torch.npu' has no attribute {name!r}")
