"""Fixtures of the emulated core's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.emulated import Device, device
from tests.core.units import rt, unit

__all__ = ["memory", "rt", "unit"]


@pytest.fixture
def memory() -> Iterator[Device]:
    """Device memory that ends with the test."""
    with device() as blocks:
        yield blocks
