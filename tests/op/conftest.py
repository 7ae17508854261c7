"""Tests in a process of their own: what a library registers stays for the rest of a process, beside the Python definition."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

INSIDE = "FERRATA_TEST_INSIDE"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    """A test marked own_process runs in a fresh pytest, and fails with what that one prints."""
    if pyfuncitem.get_closest_marker("own_process") is None or os.environ.get(INSIDE):
        return None
    path, _, name = pyfuncitem.nodeid.partition("::")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{pyfuncitem.path}::{name}"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        command, env=clean | {INSIDE: "1"}, cwd=pyfuncitem.config.rootpath, capture_output=True, text=True
    )
    if done.returncode or "1 passed" not in done.stdout:
        pytest.fail(f"{path} alone:\n{done.stdout}{done.stderr}", pytrace=False)
    return True
