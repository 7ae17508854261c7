"""The CPU run mode's host calls, watch ranges, and looking at local memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels

TEXT = r"""
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "cpu_debug_launch.h"
#include <string>
using namespace AscendC;

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
  __gm__ int32_t *a = reinterpret_cast<__gm__ int32_t *>(x), *b = reinterpret_cast<__gm__ int32_t *>(y);
  __gm__ int32_t *c = reinterpret_cast<__gm__ int32_t *>(out);
  if (TILING_KEY_IS(4))
    c[GetBlockIdx()] = a[GetBlockIdx()] + b[GetBlockIdx()];
}
__global__ __aicore__ void which(__gm__ int32_t *out) {
  KERNEL_TASK_TYPE(99, KERNEL_TYPE_MIX_AIC_1_2);
  out[g_coreType == AIC ? 0 : 1] += 1;
}
__global__ __vector__ void look(__gm__ int32_t *out, const char *path, int what) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<float> t = buffer.Get<float>();
  for (int i = 0; i < 16; ++i)
    t.SetValue(i, i * 0.5f);
  CheckLocalMemoryIA({0, 0, 2, false, true, false, true, false, true, true});
  if (what == 1)
    CheckLocalMemoryIA({4, 0, 2, false, true, false, true, false, true, true}); // unit
  if (what == 2)
    CheckLocalMemoryIA({3, 5, 2, false, true, false, true, false, true, true}); // range
  if (what == 3)
    t.Print(17); // print
  t.Print(10);
  out[0] = t.ToFile(path);
  out[1] = t.ToFile(std::string("/nowhere/at/all"));
}
extern "C" int host(int *out) {
  int32_t *x = static_cast<int32_t *>(GmAlloc(16)), *y = static_cast<int32_t *>(GmAlloc(16)), *z = static_cast<int32_t *>(GmAlloc(16));
  for (int i = 0; i < 4; ++i)
    x[i] = i, y[i] = 10 * i, z[i] = -1;
  ICPU_RUN_KF(add, 4, reinterpret_cast<uint8_t *>(x), reinterpret_cast<uint8_t *>(y), reinterpret_cast<uint8_t *>(z));
  out[0] = z[3];
  ICPU_SET_TILING_KEY(4);
  ICPU_RUN_KF(add, 4, reinterpret_cast<uint8_t *>(x), reinterpret_cast<uint8_t *>(y), reinterpret_cast<uint8_t *>(z));
  ICPU_SET_TILING_KEY(0);
  for (int i = 0; i < 4; ++i)
    out[1 + i] = z[i];
  const KernelMode modes[] = {KernelMode::MIX_MODE, KernelMode::AIC_MODE, KernelMode::AIV_MODE};
  for (int i = 0; i < 3; ++i) {
    z[0] = z[1] = 0;
    SetKernelMode(modes[i]);
    ICPU_RUN_KF(which, 1, z);
    out[5 + i] = z[0] * 10 + z[1];
  }
  SetKernelMode(KernelMode::MIX_MODE);
  GmFree(x);
  GmFree(y);
  GmFree(z);
  return 0;
}
extern "C" void go_look(int32_t *out, const char *path, int64_t what) { look<<<1, 0, nullptr>>>(out, path, static_cast<int>(what)); }
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("twin"))


def test_host_program_of_the_cpu_run_mode(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(8, np.int32))
    assert kernels("host", out) is None
    assert out.tolist() == [-1, 0, 11, 22, 33, 12, 10, 1]


def test_local_memory_printed_and_saved(
    kernels: Kernels, memory: Device, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, path = memory.array(np.zeros(2, np.int32)), tmp_path / "dump.bin"
    name = memory.array(np.frombuffer(bytes(path) + b"\0", np.uint8))
    assert kernels("go_look", out, name, 0) is None
    assert out.tolist() == [0, -1]
    np.testing.assert_array_equal(np.fromfile(path, np.float32), np.arange(16) * 0.5)
    first = " ".join(f"{i * 0.5:f}" for i in range(8))
    assert f"0000 : {first}\n0008 : 4.000000 4.500000\n" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("what", "words", "mark"),
    [(1, "enableBit is 4", "// unit"), (2, "endAddr is 2", "// range"), (3, "17 elements", "// print")],
)
def test_debugging_calls_misused(
    kernels: Kernels, memory: Device, tmp_path: Path, what: int, words: str, mark: str
) -> None:
    name = memory.array(np.frombuffer(bytes(tmp_path / "x") + b"\0", np.uint8))
    fault = kernels("go_look", memory.array(np.zeros(2, np.int32)), name, what)
    assert fault is not None and words in fault.message and fault.line == kernels.line(mark)
