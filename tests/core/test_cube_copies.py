"""Copies from L1 into the bias table and the Fixpipe buffer: units, gaps, conversion, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;
template <class T> __aicore__ inline void read(__gm__ T *out, LocalTensor<T> from, int n) {
  const T *data = reinterpret_cast<const T *>(from.GetPhyAddr());
  for (int i = 0; i < n; ++i)
    out[i] = data[i];
}
__global__ __cube__ void bias(__gm__ float *x, __gm__ float *y, int count, int blocks, int length, int src_gap, int dst_gap) {
  InitSocState();
  LocalTensor<float> staged(TPosition::C1, 0, 1024), table(TPosition::C2, 0, 256);
  GlobalTensor<float> from;
  from.SetGlobalBuffer(x, 1024);
  DataCopy(staged, from, 1024);
  PipeBarrier<PIPE_ALL>();
  Mutex::Lock<PIPE_MTE1>(0);
  for (int i = 0; i < 256; ++i)
    reinterpret_cast<float *>(table.GetPhyAddr())[i] = -1;
  if (count)
    DataCopy(table, staged, count);
  else
    DataCopy(table, staged, DataCopyParams(blocks, length, src_gap, dst_gap));
  read(y, table, 256);
}
__global__ __cube__ void widened(__gm__ half *x, __gm__ float *y) {
  InitSocState();
  LocalTensor<half> staged(TPosition::C1, 0, 256);
  LocalTensor<float> table(TPosition::C2, 0, 256);
  GlobalTensor<half> from;
  from.SetGlobalBuffer(x, 256);
  DataCopy(staged, from, 256);
  PipeBarrier<PIPE_ALL>();
  DataCopy(table, staged, DataCopyParams(2, 1, 2, 1));
  read(y, table, 256);
}
__global__ __cube__ void fixpipe(__gm__ uint64_t *x, __gm__ uint64_t *y, int blocks, int src_gap, int dst_gap) {
  InitSocState();
  LocalTensor<uint64_t> staged(TPosition::C1, 0, 256), table(TPosition::C2PIPE2GM, 0, 128);
  GlobalTensor<uint64_t> from;
  from.SetGlobalBuffer(x, 256);
  DataCopy(staged, from, 256);
  PipeBarrier<PIPE_ALL>();
  DataCopy(table, staged, DataCopyParams(blocks, 1, src_gap, dst_gap));
  read(y, table, 128);
}
__global__ __cube__ void refused(int what) {
  InitSocState();
  LocalTensor<float> staged(TPosition::C1, 0, 1024), table(TPosition::C2, 0, 256), fix(TPosition::C2PIPE2GM, 0, 32);
  LocalTensor<half> halves(TPosition::C1, 0, 1024), bad(TPosition::C2, 0, 64), l0a(TPosition::A2, 0, 64);
  switch (what) {
  case 0: DataCopy(table, staged, DataCopyParams(1, 17, 0, 0)); break; // case 0;
  case 1: DataCopy(table[8], staged, 16); break; // case 1;
  case 2: DataCopy(bad, halves, 64); break; // case 2;
  case 3: DataCopy(fix, staged, 32); break; // case 3;
  case 4: DataCopy(fix, staged, DataCopyParams(1, 1, 0, 0)); break; // case 4;
  case 5: DataCopy(staged, halves, DataCopyParams(1, 1, 0, 0)); break; // case 5;
  case 6: DataCopy(l0a, halves, 64); break; // case 6;
  case 7: Adds(halves, halves, half(1), 64); break; // case 7;
  }
}
extern "C" {
void go_bias(float *x, float *y, int count, int blocks, int length, int src_gap, int dst_gap) {
  bias<<<1, 0, 0>>>(x, y, count, blocks, length, src_gap, dst_gap);
}
void go_widened(half *x, float *y) { widened<<<1, 0, 0>>>(x, y); }
void go_fixpipe(uint64_t *x, uint64_t *y, int blocks, int src_gap, int dst_gap) {
  fixpipe<<<1, 0, 0>>>(x, y, blocks, src_gap, dst_gap);
}
void go_refused(int what) { refused<<<1, 0, 0>>>(what); }
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("cube_copies"))


X = np.arange(1, 1025, dtype=np.float32)


def test_a_count_copies_whole_units_of_64_bytes(kernels: Kernels, memory: Device) -> None:
    y = memory.array(np.zeros(256, np.float32))
    assert kernels("go_bias", memory.array(X), y, 40, 0, 0, 0, 0) is None
    np.testing.assert_array_equal(y[:32], X[:32])
    assert (y[32:] == -1).all()


def test_blocks_and_their_gaps_into_the_bias_table(kernels: Kernels, memory: Device) -> None:
    y = memory.array(np.zeros(256, np.float32))
    assert kernels("go_bias", memory.array(X), y, 0, 3, 2, 1, 1) is None
    expected = np.full(256, -1, np.float32)
    for i in range(3):  # 128 bytes each: gaps of 32 bytes in L1, of 64 bytes in the table
        expected[i * 48 : i * 48 + 32] = X[i * 40 : i * 40 + 32]
    np.testing.assert_array_equal(y, expected)


def test_half_becomes_float_in_the_bias_table(kernels: Kernels, memory: Device) -> None:
    x = (np.arange(256) / 8 - 3).astype(np.float16)
    x[1] = np.inf
    y = memory.array(np.zeros(256, np.float32))
    assert kernels("go_widened", memory.array(x), y) is None
    np.testing.assert_array_equal(y[:32], x[:32])
    np.testing.assert_array_equal(y[48:80], x[64:96])


@pytest.mark.parametrize(("src_gap", "dst_gap"), [(4, 1), (6, 2), (4, 0)])
def test_the_fixpipe_buffer_is_filled_from_start_to_start(
    kernels: Kernels, memory: Device, src_gap: int, dst_gap: int
) -> None:
    x = np.arange(100, 356, dtype=np.uint64)
    y = memory.array(np.zeros(128, np.uint64))
    assert kernels("go_fixpipe", memory.array(x), y, 3, src_gap, dst_gap) is None
    expected = y.copy()
    for i in range(3):
        expected[i * dst_gap * 16 : i * dst_gap * 16 + 16] = x[i * src_gap * 4 : i * src_gap * 4 + 16]
    np.testing.assert_array_equal(y, expected)
    assert y[0] in (100, 100 + 2 * src_gap * 4)


REFUSED = [
    ("OutOfBounds", "dst has 1024 bytes and 1088 are needed"),
    ("Misaligned", "dst starts at byte 32 of its memory; it must be a multiple of 64"),
    ("BadArgument", "float to float, int32_t to int32_t or half to float"),
    ("BadArgument", "filled with DataCopyParams, not with a count"),
    ("BadArgument", "copies uint64_t only"),
    ("WrongPosition", "only a copy to the bias table"),
    ("WrongPosition", "there is no copy from L1 to L0A"),
    ("WrongCore", "a vector instruction on a cube core (AIC)"),
]


@pytest.mark.parametrize("what", range(len(REFUSED)))
def test_refused(kernels: Kernels, what: int) -> None:
    kind, words = REFUSED[what]
    fault = kernels("go_refused", what)
    assert fault is not None and fault.kind == kind and words in fault.message, fault
    assert fault.line == kernels.line(f"// case {what};")
