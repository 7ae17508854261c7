"""Fixtures of the compiler's tests: a cache of one's own, and the driver as a process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ADD = """\
#include "kernel_operator.h"
constexpr uint32_t LENGTH = 2048;
__global__ __vector__ void add_custom(__gm__ float* x, __gm__ float* y, __gm__ float* z)
{
    AscendC::GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer(x + block_idx * LENGTH, LENGTH);
    yGm.SetGlobalBuffer(y + block_idx * LENGTH, LENGTH);
    zGm.SetGlobalBuffer(z + block_idx * LENGTH, LENGTH);
    AscendC::LocalMemAllocator<AscendC::Hardware::UB> ub;
    AscendC::LocalTensor<float> xLocal = ub.Alloc<float>(LENGTH);
    AscendC::LocalTensor<float> yLocal = ub.Alloc<float>(LENGTH);
    AscendC::DataCopy(xLocal, xGm, LENGTH);
    AscendC::DataCopy(yLocal, yGm, LENGTH);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Add(xLocal, xLocal, yLocal, LENGTH);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(zGm, xLocal, LENGTH);
}
extern "C" void launch_add(float* x, float* y, float* z) { add_custom<<<8, nullptr, nullptr>>>(x, y, z); }
"""

Driver = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def add_file(tmp_path: Path) -> Path:
    """A file with a kernel and a launch."""
    path = tmp_path / "add.asc"
    path.write_text(ADD)
    return path


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for this test."""
    path = tmp_path / "cache"
    monkeypatch.setenv("FERRATA_CACHE_DIR", str(path))
    return path


@pytest.fixture
def bisheng(tmp_path: Path) -> Driver:
    """Run the driver in the test's folder: bisheng("-c", "x.asc") -> the finished process."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "ferrata.asc.driver", *arguments]
        environment = {**os.environ, **(env or {})}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run
