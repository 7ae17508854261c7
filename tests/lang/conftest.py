"""The device for every test here, and the switch that rewrites the golden files: FERRATA_UPDATE_GOLDEN=1."""

from __future__ import annotations

import os

import pytest

import ferrata.npu  # noqa: F401


@pytest.fixture
def update_golden() -> bool:
    return os.environ.get("FERRATA_UPDATE_GOLDEN", "") not in ("", "0")
