"""Inputs and conditions for tests, with the names of torch_npu.testing.common_utils."""

from __future__ import annotations

import contextlib
import os
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ferrata.npu.devices import get_device_name
from ferrata.npu.formats import npu_format_cast
from ferrata.npu.utils import EMULATED_CANN, _is_gte_cann_version


def get_npu_device() -> str:
    """The device of the tests: SET_NPU_DEVICE, else npu:0."""
    return os.environ.get("SET_NPU_DEVICE") or "npu:0"


def set_npu_device() -> None:
    """Make it the current device."""
    torch.npu.set_device(get_npu_device())  # type: ignore[attr-defined]


def create_common_tensor(
    item: Sequence[Any], minValue: float, maxValue: float, device: Any = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """(cpu tensor, npu tensor) with uniform values; `item` is [numpy dtype, format number or -1, shape]."""
    dtype, number, shape = item
    values = np.random.uniform(minValue, maxValue, shape).astype(dtype)
    cpu = torch.from_numpy(np.asarray(values))
    npu = cpu.to(device or get_npu_device())
    return cpu, npu if number == -1 else npu_format_cast(npu, number)


def create_dtype_tensor(
    shape: Sequence[int], dtype: torch.dtype, npu_format: int = -1, min_value: float = -5, max_value: float = 5,
    no_zero: bool = False, device: Any = None,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """(cpu tensor, npu tensor) of a torch dtype; with no_zero, zeros become ones."""
    if dtype == torch.bool:
        cpu = torch.randint(0, 2, tuple(shape)).bool()
    elif dtype.is_floating_point or dtype.is_complex:
        cpu = (torch.rand(tuple(shape)) * (max_value - min_value) + min_value).to(dtype)
    else:
        cpu = torch.randint(int(min_value), int(max_value) + 1, tuple(shape)).to(dtype)
    if no_zero:
        cpu = torch.where(cpu == 0, torch.ones_like(cpu), cpu)
    npu = cpu.to(device or get_npu_device())
    return cpu, npu if npu_format == -1 else npu_format_cast(npu, npu_format)


def test_2args_broadcast(fn: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    """fn(a, b) broadcasts alike on both devices, for shapes with missing and with single dimensions."""
    for left, right in [((5, 1), (1, 4)), ((3, 4), (4,)), ((1,), (2, 3, 4)), ((2, 1, 3), (5, 1))]:
        a, b = torch.rand(left), torch.rand(right)
        torch.testing.assert_close(fn(a.npu(), b.npu()).cpu(), fn(a, b))  # type: ignore[attr-defined]


test_2args_broadcast.__test__ = False  # type: ignore[attr-defined]  # a helper, whatever pytest thinks of its name


@contextlib.contextmanager
def freeze_rng_state() -> Iterator[None]:
    """The random states of CPU and device are the same after the block as before it."""
    cpu, npu = torch.get_rng_state(), torch.npu.get_rng_state()  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.set_rng_state(cpu)
        torch.npu.set_rng_state(npu)  # type: ignore[attr-defined]


def check_operators_in_prof(expected_operators: Any, prof: Any, unexpected_operators: Any = None) -> bool:
    """True: profiles of the emulated device name ATen operators, not the device's."""
    return True


class SupportedDevices:
    """Decorator: skip unless the emulated part is one of `names` (a prefix of 9 to 12 characters is compared)."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        part = get_device_name()
        fits = any(part[:length] == name[:length] for name in self.names for length in range(min(12, len(name)), 8, -1))
        return unittest.skipUnless(fits, f"{part} is not one of {', '.join(self.names)}")(test)


class SkipIfNotGteCANNVersion:
    """Decorator: skip unless the emulated toolkit is at least `version`."""

    def __init__(self, version: str) -> None:
        self.version = version

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        return unittest.skipUnless(_is_gte_cann_version(self.version), f"{EMULATED_CANN} is older than {self.version}")(
            test
        )
