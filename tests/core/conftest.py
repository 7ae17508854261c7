"""Fixtures of the emulated core's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.emulated import Device, device, runtime
from tests.core.units import rt, unit

__all__ = ["memory", "rt", "unit"]


@pytest.fixture
def memory() -> Iterator[Device]:
    """Device memory that ends with the test."""
    with device() as blocks:
        yield blocks


@pytest.fixture(autouse=True)
def faults_are_recorded() -> Iterator[None]:
    """Faults are kept for the test to read, also when other tests of this process have them thrown."""
    before = runtime().ferrata_set_fault_mode(0)
    yield
    runtime().ferrata_set_fault_mode(before)
