"""Collectives on npu tensors over gloo: the device's memory is the host's, so gloo works on it in place.

`install` gives the operators of torch.distributed a kernel for npu that lends them the tensors as CPU tensors, without a
copy; a process group made with backend "gloo" then serves both devices, in eager mode, in graphs and asynchronously.
"""

from __future__ import annotations

import ctypes
import warnings
from typing import Any

import torch

_library: Any = None


def install() -> None:
    """Register the kernels, once. Nothing happens in a PyTorch without torch.distributed."""
    global _library
    if _library is not None or not torch.distributed.is_available():
        return
    _library = torch.library.Library("c10d", "IMPL")  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch has kernels for npu, which look for a backend that nobody has
        for name in _OPERATORS:
            _library.impl(name, _lending(name), "PrivateUse1", allow_override=True)


_OPERATORS = (
    "allreduce_", "allreduce_coalesced_", "broadcast_", "reduce_", "allgather_", "_allgather_base_",
    "allgather_coalesced_", "allgather_into_tensor_coalesced_", "reduce_scatter_", "_reduce_scatter_base_",
    "reduce_scatter_tensor_coalesced_", "gather_", "scatter_", "alltoall_", "alltoall_base_", "send", "recv_",
    "recv_any_source_", "barrier", "monitored_barrier_",
)  # fmt: skip


def _lending(name: str) -> Any:
    operator = getattr(torch.ops.c10d, name).default

    def run(*args: Any, **kwargs: Any) -> Any:
        result = operator(*_lent(args), **_lent(kwargs))
        # what comes back besides the work is the first argument, as it was given
        return (args[0], *result[1:]) if isinstance(result, tuple) else result

    return _untraced(run)


def _untraced(function: Any) -> Any:
    """The function, whose frames and those that it calls Dynamo does not trace: DistributedDataParallel, compiled as a
    whole, calls its collectives while Dynamo watches. Without an import of Dynamo."""
    frames: Any = torch._C._dynamo.eval_frame
    skip = frames._FrameAction.SKIP
    frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    return function


def _lent(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return on_host(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_lent, value))
    if isinstance(value, dict):
        return {k: _lent(v) for k, v in value.items()}
    return value


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """An npu tensor as a CPU tensor in the same memory, which it keeps alive; others as they are."""
    if tensor.device.type != "npu":
        return tensor
    storage = tensor.untyped_storage()
    if storage.nbytes() == 0:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    memory: Any = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    memory.owner = tensor  # the view holds `memory`
    flat = torch.frombuffer(memory, dtype=torch.uint8)
    whole = torch.empty(0, dtype=tensor.dtype).set_(
        flat.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride()
    )
    return whole
