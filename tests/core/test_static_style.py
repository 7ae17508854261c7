"""Kernels that place their tensors themselves: no TPipe beside an allocator, one allocator a memory, InitSocState."""

from __future__ import annotations

import pytest

from tests.core.emulated import Kernels

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void rules(int what) {
  InitSocState();
  switch (what) {
  case 0: {
    LocalMemAllocator<Hardware::UB> ub; // first 0
    TPipe pipe; // case 0;
    break;
  }
  case 1: {
    TPipe pipe; // first 1
    LocalMemAllocator<Hardware::UB> ub; // case 1;
    break;
  }
  case 2: {
    LocalMemAllocator<> ub; // first 2
    LocalMemAllocator<Hardware::UB> again; // case 2;
    break;
  }
  case 3: {
    LocalMemAllocator<Hardware::UB> ub;
    LocalMemAllocator<Hardware::L1> l1;
    { LocalTensor<float> t = ub.Alloc<float, 64>(); Duplicate(t, 1.0f, 64); }
    break;
  }
  case 4: {
    { TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 64); pipe.Destroy(); }
    LocalMemAllocator<Hardware::UB> ub;
    break;
  }
  }
}
__global__ __vector__ void reset_missing() {
  LocalTensor<float> t(TPosition::VECCALC, 0, 64); // placed
  Duplicate(t, 1.0f, 64);
}
__global__ __vector__ void reset_done() {
  InitSocState();
  LocalTensor<float> t(TPosition::VECCALC, 0, 64);
  Duplicate(t, 1.0f, 64);
}
__global__ __vector__ void reset_by_pipe() {
  TPipe pipe;
  LocalTensor<float> t(TPosition::VECCALC, 0, 64);
  Duplicate(t, 1.0f, 64);
}
extern "C" {
void go_rules(int what) { rules<<<1, 0, 0>>>(what); }
void go_reset_missing() { reset_missing<<<2, 0, 0>>>(); }
void go_reset_done() { reset_done<<<1, 0, 0>>>(); }
void go_reset_by_pipe() { reset_by_pipe<<<1, 0, 0>>>(); }
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("static"))


@pytest.mark.parametrize(
    ("what", "api", "words"),
    [
        (0, "TPipe", "the kernel has a LocalMemAllocator (line {first})"),
        (1, "LocalMemAllocator", "the kernel has a TPipe (line {first})"),
        (2, "LocalMemAllocator", "a second one for the same memory (the first: line {first})"),
    ],
)
def test_two_owners_of_one_memory(kernels: Kernels, what: int, api: str, words: str) -> None:
    fault = kernels("go_rules", what)
    assert fault is not None and (fault.kind, fault.api) == ("QueueMisuse", api)
    assert words.format(first=kernels.line(f"// first {what}")) in fault.message
    assert fault.line == kernels.line(f"// case {what};")


@pytest.mark.parametrize("what", [3, 4])
def test_owners_of_different_memories_or_times(kernels: Kernels, what: int) -> None:
    assert kernels("go_rules", what) is None


def test_a_missing_reset_is_a_warning_once(kernels: Kernels, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        assert kernels("go_reset_missing") is None
    told = capfd.readouterr().err
    assert told.count("reset_missing has no TPipe and does not call InitSocState()") == 1
    assert f"{kernels.path}:{kernels.line('// placed')}\n" in told


@pytest.mark.parametrize("name", ["go_reset_done", "go_reset_by_pipe"])
def test_a_reset_is_no_warning(kernels: Kernels, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert kernels(name) is None
    assert "warning" not in capfd.readouterr().err
