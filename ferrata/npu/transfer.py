"""transfer_to_npu: let a program written for CUDA run on the npu device. State: what was patched, once per process.

"cuda" in devices becomes "npu" where devices are taken; torch.cuda's functions become torch.npu's; nccl becomes gloo.
float64 stays float64.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from typing import Any

import torch

from ferrata.errors import BadOption

FACTORIES = (
    "arange", "asarray", "as_tensor", "empty", "empty_like", "empty_strided", "eye", "from_file", "full", "full_like",
    "linspace", "logspace", "ones", "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "randperm", "range", "scalar_tensor", "sparse_coo_tensor", "tensor", "tril_indices", "triu_indices", "zeros",
    "zeros_like", "load", "set_default_device",
)  # fmt: skip
TENSOR_METHODS = (
    "to",
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "new_empty_strided",
    "pin_memory",
)
MODULE_METHODS = ("to", "to_empty")
_done = False


def device(value: Any) -> Any:
    """`value` with cuda replaced by npu, if it names a CUDA device."""
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "npu" + value[4:]
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("npu", value.index) if value.index is not None else torch.device("npu")
    if isinstance(value, dict):
        return {device(key): device(item) for key, item in value.items()}
    return value


def _translated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(device, args), **{key: device(value) for key, value in kwargs.items()})

    return call


class _Proxy(type):
    """A class that constructs `_target` with translated arguments and answers isinstance for it."""

    _target: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._target(*map(device, args), **{key: device(value) for key, value in kwargs.items()})

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._target)

    def __subclasscheck__(cls, sub: type) -> bool:
        return issubclass(sub, cls._target)


def _proxy(target: type) -> type:
    return _Proxy(target.__name__, (), {"_target": target, "__doc__": target.__doc__})


def wanted() -> bool:
    """Whether TORCH_TRANSFER_TO_NPU asks for it. Raises BadOption for a value other than 0 and 1."""
    value = os.environ.get("TORCH_TRANSFER_TO_NPU", "0")
    if value not in ("0", "1"):
        raise BadOption(where="TORCH_TRANSFER_TO_NPU", problem=f"got {value!r}", allowed="0, 1")
    return value == "1"


def transfer() -> None:
    """Patch torch; a second call does nothing."""
    global _done
    if _done:
        return
    _done = True
    for name in FACTORIES:
        if hasattr(torch, name):
            setattr(torch, name, _translated(getattr(torch, name)))
    for name in TENSOR_METHODS:
        setattr(torch.Tensor, name, _translated(getattr(torch.Tensor, name)))
    for name in MODULE_METHODS:
        setattr(torch.nn.Module, name, _translated(getattr(torch.nn.Module, name)))
    _patch_types()
    _patch_cuda_module()
    _patch_amp()
    _patch_distributed()
    _patch_rest()


def _patch_types() -> None:
    tensor: Any = torch.Tensor
    module: Any = torch.nn.Module
    tensor.cuda, module.cuda = tensor.npu, module.npu
    tensor.is_cuda = tensor.is_npu
    torch.Generator = _proxy(torch.Generator)  # type: ignore[misc,assignment]
    torch.Event = _proxy(torch.Event)  # type: ignore[misc,assignment]


def _patch_cuda_module() -> None:
    npu: Any = torch.npu  # type: ignore[attr-defined]
    for name in dir(npu):
        if not name.startswith("_") and hasattr(torch.cuda, name) and callable(getattr(npu, name)):
            setattr(torch.cuda, name, getattr(npu, name))
    torch.cuda.default_generators = npu.default_generators
    torch.cuda._lazy_init = npu._lazy_init
    for name in ("autocast", "GradScaler"):
        setattr(torch.cuda.amp, name, getattr(npu, name))


def _patch_amp() -> None:
    for cls in (torch.amp.autocast, torch.amp.GradScaler):
        setattr(cls, "__init__", _translated(cls.__init__))  # noqa: B010  a method of a class, mypy refuses the plain form
    for name in ("custom_fwd", "custom_bwd", "is_autocast_available"):
        setattr(torch.amp, name, _translated(getattr(torch.amp, name)))


def _patch_distributed() -> None:
    if not torch.distributed.is_available():
        return
    init = torch.distributed.init_process_group

    @functools.wraps(init)
    def init_process_group(backend: str | None = None, *args: Any, **kwargs: Any) -> Any:
        return init("gloo" if backend in ("nccl", "hccl") else backend, *args, **kwargs)

    torch.distributed.init_process_group = init_process_group


def _patch_rest() -> None:
    from torch.utils import _triton

    triton: Any = _triton
    triton.has_triton = lambda: False

    def script(obj: Any, *_: Any, **__: Any) -> Any:
        warnings.warn("torch.jit.script does nothing under transfer_to_npu", RuntimeWarning, stacklevel=2)
        return obj

    torch.jit.script = script
    activity = torch.profiler.ProfilerActivity

    class Profile(torch.profiler.profile):
        """torch.profiler.profile; CUDA activity is recorded on the host, where the device runs."""

        def __init__(self, *, activities: Any = None, **kwargs: Any) -> None:
            chosen = {activity.CPU if item == activity.CUDA else item for item in activities or ()}
            super().__init__(activities=sorted(chosen, key=str) or None, **kwargs)

    torch.profiler.profile = Profile  # type: ignore[misc]
