"""Random numbers of `torch.npu`: each device has its own generator; a seed gives the same numbers every time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from ferrata.npu.devices import Device, current_device, device_count, index_of
from ferrata.npu.load import extension


class _DefaultGenerators:
    """`torch.npu.default_generators`: one per device, in order."""

    def __getitem__(self, index: int) -> torch.Generator:
        generator: torch.Generator = extension().default_generator(index_of(index))
        return generator

    def __len__(self) -> int:
        return device_count()

    def __iter__(self) -> Iterator[torch.Generator]:
        return (self[index] for index in range(len(self)))


default_generators = _DefaultGenerators()


def manual_seed(seed: int) -> None:
    """Seed the current device's generator."""
    default_generators[current_device()].manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices."""
    for generator in default_generators:
        generator.manual_seed(int(seed))


def seed() -> None:
    """Seed the current device's generator from the system."""
    default_generators[current_device()].seed()


def seed_all() -> None:
    """Seed all devices alike, from the system."""
    manual_seed_all(default_generators[0].seed())


def initial_seed() -> int:
    """The current device's last seed."""
    return int(default_generators[current_device()].initial_seed())


def get_rng_state(device: Device = "npu") -> torch.Tensor:
    """State of a device's generator: a CPU tensor of bytes."""
    return default_generators[index_of(device)].get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """States of all devices' generators."""
    return [generator.get_state() for generator in default_generators]


def set_rng_state(new_state: torch.Tensor, device: Device = "npu") -> None:
    """Restore what get_rng_state gave."""
    default_generators[index_of(device)].set_state(new_state.cpu())


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Restore what get_rng_state_all gave."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
