"""The device for every test here, and the same seed before each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import ferrata.npu  # noqa: F401


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    torch.manual_seed(0)
    yield
