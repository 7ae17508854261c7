"""Build, load and register the device. This module holds state: what the process has loaded.

The order matters: libascendcl and libgert first and for all to see, so that every library that asks for them by name,
the extension included, gets the same copy; then the extension; then torch's own hooks for a new device.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import backend_registration

from ferrata import chips
from ferrata.errors import DeviceNameTaken, NoSuchDevice
from ferrata.native import build

NAME = "npu"
UNSUPPORTED_STORAGE = [torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint8, torch.qint32]


def visible_devices(environ: dict[str, str] | None = None) -> list[int]:
    """Numbers of the emulated devices that this process sees, at least one.

    FERRATA_NPU_DEVICES is how many there are (default: 1, or as many as ASCEND_RT_VISIBLE_DEVICES needs);
    ASCEND_RT_VISIBLE_DEVICES selects some of them. Raises NoSuchDevice for anything else.
    """
    env = os.environ if environ is None else environ
    number, chosen = env.get("FERRATA_NPU_DEVICES"), env.get("ASCEND_RT_VISIBLE_DEVICES", "").strip()
    if number is not None and not (number.isdigit() and 1 <= int(number) <= 64):
        raise NoSuchDevice(variable="FERRATA_NPU_DEVICES", value=number, problem="not a number from 1 to 64", count=64)
    if not chosen:
        return list(range(int(number or 1)))
    count = int(number) if number else 64
    ids = [text.strip() for text in chosen.split(",")]
    problem = ""
    if not all(text.isdigit() for text in ids):
        problem = "not a list of numbers"
    elif any(int(text) >= count for text in ids):
        problem = f"there are {count} emulated devices"
    elif len(set(ids)) != len(ids):
        problem = "a device stands there twice"
    if problem:
        raise NoSuchDevice(variable="ASCEND_RT_VISIBLE_DEVICES", value=chosen, problem=problem, count=count)
    return [int(text) for text in ids]


@cache
def runtime_libraries() -> tuple[ctypes.CDLL, ...]:
    """libascendcl and libgert, loaded for the whole process."""
    return tuple(ctypes.CDLL(str(path()), mode=ctypes.RTLD_GLOBAL) for path in (build.runtime, build.ge))


@cache
def extension() -> Any:
    """The C++ module `ferrata_npu`, built if need be. Raises NoCompiler or NativeBuildFailed."""
    runtime_libraries()
    path = build.device()
    module = _import(path, "ferrata_npu")
    module.set_device_count(len(visible_devices()))
    module.set_memory_total(chips.current().memory)
    module.set_strict_fallback(os.environ.get("TORCH_NPU_FALLBACK_CPU_DISABLE") == "1")
    module.prefer_host_kernels()
    return module


def _import(path: Path, name: str) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    return module


@cache
def register() -> None:
    """Register the device with torch, once. Raises DeviceNameTaken if another backend has the place."""
    _claim_name()
    extension()
    from ferrata.npu import api, collectives, integers, optimizers, sharing

    register_module: Callable[[str, ModuleType], None] = torch._register_device_module
    register_module(NAME, api)
    for name, module in api.SUBMODULES.items():
        sys.modules[f"torch.{NAME}.{name}"] = module
    if not hasattr(torch.Tensor, f"is_{NAME}"):
        backend_registration.generate_methods_for_privateuse1_backend(
            for_storage=True, unsupported_dtype=UNSUPPORTED_STORAGE
        )
    _default_checkpoint_device()
    _dlpack_device()
    _backward_in_the_calling_thread()
    collectives.install()
    integers.install()
    sharing.install()
    optimizers.install()
    _load_library_with_advice()


def _claim_name() -> None:
    taken = torch._C._get_privateuse1_backend_name()
    real = sys.modules.get("torch_npu")
    if taken not in ("privateuseone", NAME) or (taken == NAME and hasattr(torch, NAME)):
        raise DeviceNameTaken(name=getattr(real, "__name__", taken))
    if taken != NAME:
        backend_registration.rename_privateuse1_backend(NAME)


def _default_checkpoint_device() -> None:
    from torch.utils.checkpoint import DefaultDeviceType

    setter: Callable[[str], None] = DefaultDeviceType.set_device_type
    setter(NAME)


def _backward_in_the_calling_thread() -> None:
    """Run backward where it is called, as for the CPU: torch would start a thread per device to overlap with
    asynchronous kernels. Here kernels are synchronous, and such a thread, still dropping its graph when the interpreter
    ends, aborts it.
    """
    torch._C._set_multithreading_enabled(False)


def _dlpack_device() -> None:
    """torch.from_dlpack(tensor) asks the tensor for its device and torch knows no renamed one: answer for npu."""
    from torch.utils.dlpack import DLDeviceType

    original = torch.Tensor.__dlpack_device__

    def dlpack_device(self: torch.Tensor) -> Any:
        return (DLDeviceType.kDLExtDev, self.device.index) if self.device.type == NAME else original(self)

    torch.Tensor.__dlpack_device__ = dlpack_device  # type: ignore[method-assign]


def _load_library_with_advice() -> None:
    from ferrata.npu.libraries import install

    install()


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `alias` and what lies below it as the modules `target` and below: one module under two names."""

    def __init__(self, alias: str, target: str) -> None:
        self.alias, self.target = alias, target
        self.own_specs: dict[str, importlib.machinery.ModuleSpec | None] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name == self.alias or name.startswith(self.alias + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.target + spec.name[len(self.alias) :])
        self.own_specs[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own_specs[module.__name__]  # the import machinery has put the alias there


def alias_modules(alias: str, target: str) -> None:
    """From now on `import alias.x` gives the module `target.x`."""
    sys.meta_path.insert(0, _Alias(alias, target))
