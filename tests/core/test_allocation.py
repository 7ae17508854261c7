"""Queues of every pair, pools, chosen addresses, spill areas, tensor lists: where blocks lie, and what is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline int32_t at(uint64_t address) { return static_cast<int32_t>(static_cast<uint32_t>(address)); }

// --- queues ---
__global__ __vector__ void in_out(__gm__ float *src, __gm__ float *dst, __gm__ int32_t *where) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, 100);
  GlobalTensor<float> in, out;
  in.SetGlobalBuffer(src, 96);
  out.SetGlobalBuffer(dst, 96);
  for (int i = 0; i < 3; ++i) {
    LocalTensor<float> a = queue.AllocTensor<float>();
    where[i] = at(a.GetPhyAddr());
    where[3] = static_cast<int32_t>(a.GetLength());
    DataCopy(a, in[i * 32], 32);
    queue.EnQue<TPosition::GM, TPosition::VECIN, float>(a);
    a = queue.DeQue<TPosition::GM, TPosition::VECIN, float>();
    Adds(a, a, 1.0f, 32);
    queue.EnQue<TPosition::VECOUT, TPosition::GM, float>(a);
    a = queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();
    DataCopy(out[i * 32], a, 32);
    queue.FreeTensor(a);
  }
}
constexpr TQueConfig config = {false, false, false, 256, 2};
__global__ __mix__(1, 1) void positions(__gm__ int32_t *out) {
  if ASCEND_IS_AIV {
    TPipe pipe;
    TSCM<TPosition::VECIN, 1> staged;
    TSCM<TPosition::GM, 1> staged_gm;
    TQueBind<TPosition::CO2, TPosition::VECIN, 1> from_cube;
    TQueBind<TPosition::VECOUT, TPosition::A1, 1> to_cube;
    TQue<TPosition::VECIN, 1, &config> configured;
    pipe.InitBuffer(staged, 1, 64);
    pipe.InitBuffer(staged_gm, 1, 64);
    pipe.InitBuffer(from_cube, 1, 64);
    pipe.InitBuffer(to_cube, 1, 64);
    pipe.InitBuffer(configured, 2, 256);
    LocalTensor<half> a = staged.AllocTensor<half>(), b = staged_gm.AllocTensor<half>(), c = from_cube.AllocTensor<half>(), d = to_cube.AllocTensor<half>();
    out[0] = a.GetPosition() == int32_t(TPosition::TSCM) ? at(a.GetPhyAddr()) : -1;
    out[1] = b.GetPosition() == int32_t(TPosition::TSCM) ? at(b.GetPhyAddr()) : -1;
    out[2] = c.GetPosition() == int32_t(TPosition::VECIN) ? at(c.GetPhyAddr()) : -1;
    out[3] = d.GetPosition() == int32_t(TPosition::VECOUT) ? at(d.GetPhyAddr()) : -1;
    staged.EnQue(a);
    LocalTensor<half> e = staged.DeQue<half>();
    staged.FreeTensor(e);
    staged_gm.FreeTensor(b);
    from_cube.FreeTensor(c);
    to_cube.FreeTensor(d);
  }
}
__global__ __vector__ void chosen(__gm__ int32_t *out, int what) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> queue;
  if (what == 1)
    pipe.InitBuffer(queue, Std::make_tuple(16, 64)); // t1
  else if (what == 2)
    pipe.InitBuffer(queue, Std::make_tuple(0, 64), Std::make_tuple(196608 - 32, 64)); // t2
  else
    pipe.InitBuffer(queue, Std::make_tuple(1024, 96), Std::make_tuple(uint32_t(64), 128u), Std::make_tuple(4096, 32));
  LocalTensor<int32_t> a = queue.AllocTensor<int32_t>(), b = queue.AllocTensor<int32_t>(), c = queue.AllocTensor<int32_t>();
  out[0] = at(a.GetPhyAddr());
  out[1] = at(b.GetPhyAddr());
  out[2] = at(c.GetPhyAddr());
  out[3] = a.GetLength();
  out[4] = b.GetLength();
}

// --- pools ---
__global__ __vector__ void pools(__gm__ int32_t *out) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> before;
  pipe.InitBuffer(before, 64);
  TBufPool<TPosition::VECCALC, 4> first, second;
  pipe.InitBufPool(first, 1024);
  pipe.InitBufPool(second, 512, first);
  TQue<TPosition::VECIN, 1> queue, again;
  TBuf<TPosition::VECCALC> buffer;
  first.InitBuffer(queue, 2, 100);
  first.InitBuffer(buffer, 32);
  LocalTensor<int32_t> a = queue.AllocTensor<int32_t>(), b = queue.AllocTensor<int32_t>(), c = buffer.Get<int32_t>();
  out[0] = at(a.GetPhyAddr());
  out[1] = at(b.GetPhyAddr());
  out[2] = at(c.GetPhyAddr());
  queue.FreeTensor(a);
  queue.FreeTensor(b);
  first.Reset();
  second.InitBuffer(again, 1, 64);
  a = again.AllocTensor<int32_t>();
  out[3] = at(a.GetPhyAddr());
  again.FreeTensor(a);
  second.Reset();
  TBufPool<TPosition::VECIN, 2> inner, nested;
  first.InitBufPool(inner, 128);
  first.InitBufPool(nested, 64, inner);
  TBuf<TPosition::VECCALC> deep;
  inner.InitBuffer(deep, 128);
  out[4] = at(deep.Get<int32_t>().GetPhyAddr());
  TBuf<TPosition::VECCALC> after;
  pipe.InitBuffer(after, 32);
  out[5] = at(after.Get<int32_t>().GetPhyAddr());
}
__global__ __vector__ void pool_faults(__gm__ int32_t *out, int what) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC, 2> pool, over;
  TBuf<TPosition::VECCALC> buffer;
  TQue<TPosition::VECIN, 1> queue;
  if (what == 0)
    pool.InitBuffer(buffer, 32); // p0
  pipe.InitBufPool(pool, what == 1 ? 200 * 1024 : 256); // p1
  if (what == 2)
    pool.InitBuffer(buffer, 257); // p2
  if (what == 3)
    pool.InitBuffer(queue, 3, 32); // p3
  if (what == 4)
    pipe.InitBufPool(over, 512, pool); // p4
  if (what == 5) {
    pipe.InitBufPool(over, 256, pool);
    pool.InitBuffer(buffer, 32);
    over.InitBuffer(queue, 1, 32); // p5
  }
  if (what == 6)
    pool.InitBuffer(queue, 0, 32); // p6
  if (what == 7)
    pool.InitBufPool(over, 512); // p7
}
class OwnPool {
public:
  template <class Queue> __aicore__ inline bool InitBuffer(Queue &queue, uint8_t number, uint32_t length) {
    length = (length + 31) / 32 * 32;
    TBufHandle handle = GetBufHandle(GetCurBufSize()); // handle
    uint32_t address = GetCurAddr();
    queue.InitStartBufHandle(handle, number, length);
    for (int i = 0; i < number; ++i)
      queue.InitBufHandle(this, i, handle, address + i * length * 2, length); // place
    SetCurAddr(address + number * length * 2); // address
    SetCurBufSize(GetCurBufSize() + number); // size
    return true;
  }
  EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 4)
};
__global__ __vector__ void own_pool(__gm__ int32_t *out, int number, int length) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> before;
  pipe.InitBuffer(before, 96);
  OwnPool pool;
  pipe.InitBufPool(pool, 1024);
  TQue<TPosition::VECIN, 2> queue;
  pool.Init();
  pool.InitBuffer(queue, number, length);
  LocalTensor<int32_t> a = queue.AllocTensor<int32_t>(), b = queue.AllocTensor<int32_t>();
  out[0] = at(a.GetPhyAddr());
  out[1] = at(b.GetPhyAddr());
  out[2] = pool.GetCurBufSize();
  out[3] = pool.GetCurAddr();
  queue.FreeTensor(a);
  queue.FreeTensor(b);
  pool.Reset();
  out[4] = pool.GetCurBufSize();
}

// --- spill area, absolute addresses, the rest of the memory ---
__global__ __vector__ void spill(__gm__ int32_t *src, __gm__ int32_t *area, __gm__ int32_t *dst, int what) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  LocalTensor<int32_t> local = buffer.Get<int32_t>();
  GlobalTensor<int32_t> in, workspace, out;
  in.SetGlobalBuffer(src, 64);
  workspace.SetGlobalBuffer(area, 128);
  out.SetGlobalBuffer(dst, 64);
  DataCopy(local, in, 64);
  if (what == 1)
    pipe.WriteSpmBuffer(local, 64); // s1
  if (what == 2)
    pipe.InitSpmBuffer(workspace, 1024); // s2
  pipe.InitSpmBuffer(workspace, 512);
  if (what == 3)
    pipe.WriteSpmBuffer(local, 64, 16); // s3
  if (what == 4)
    pipe.WriteSpmBuffer(local, 136); // s4
  pipe.WriteSpmBuffer(local, 64, 256);
  pipe.WriteSpmBuffer(local, DataCopyParams(4, 1, 1, 0));
  Duplicate(local, 0, 64);
  pipe.ReadSpmBuffer(local, 32, 256);
  pipe.ReadSpmBuffer(local[32], DataCopyParams(2, 1, 1, 1), 0);
  DataCopy(out, local, 64);
  LocalTensor<int32_t> absolute = pipe.GetAbsAddr<TPosition::VECCALC, int32_t>(32, 8), rest;
  area[126] = absolute.GetValue(0) == local.GetValue(8) ? at(absolute.GetPhyAddr()) : -1;
  PopStackBuffer<int32_t, TPosition::LCM>(rest);
  area[127] = at(rest.GetPhyAddr()) + static_cast<int>(rest.GetLength());
}

// --- lists of tensors ---
__global__ __vector__ void list(GM_ADDR data, __gm__ int64_t *out, int what) {
  ListTensorDesc tensors(data);
  if (what == 1)
    tensors.Init(data, 0xffffffff, 5); // l1
  if (what == 2)
    tensors.GetDataPtr<float>(2); // l2
  if (what == 3)
    tensors.Init(reinterpret_cast<GM_ADDR>(out)); // l3
  out[0] = tensors.GetSize();
  uint64_t shape[8];
  for (uint32_t i = 0; i < tensors.GetSize(); ++i) {
    TensorDesc<int32_t> desc;
    desc.SetShapeAddr(shape);
    tensors.GetDesc(desc, i);
    out[1 + i * 8] = desc.GetDim();
    out[2 + i * 8] = desc.GetIndex();
    for (uint32_t k = 0; k < desc.GetDim(); ++k)
      out[3 + i * 8 + k] = desc.GetShape(k);
    out[6 + i * 8] = desc.GetDataPtr()[0];
    out[7 + i * 8] = desc.GetDataObj().GetValue(1);
    if (what == 4)
      desc.GetShape(7); // l4
  }
}
extern "C" void go_in_out(float *a, float *b, int32_t *c) { in_out<<<1, 0, nullptr>>>(a, b, c); }
extern "C" void go_positions(int32_t *a) { positions<<<1, 0, nullptr>>>(a); }
extern "C" void go_chosen(int32_t *a, int64_t what) { chosen<<<1, 0, nullptr>>>(a, static_cast<int>(what)); }
extern "C" void go_pools(int32_t *a) { pools<<<1, 0, nullptr>>>(a); }
extern "C" void go_pool_faults(int32_t *a, int64_t what) { pool_faults<<<1, 0, nullptr>>>(a, static_cast<int>(what)); }
extern "C" void go_own_pool(int32_t *a, int64_t number, int64_t length) { own_pool<<<1, 0, nullptr>>>(a, static_cast<int>(number), static_cast<int>(length)); }
extern "C" void go_spill(int32_t *a, int32_t *b, int32_t *c, int64_t what) { spill<<<1, 0, nullptr>>>(a, b, c, static_cast<int>(what)); }
extern "C" void go_list(uint8_t *a, int64_t *b, int64_t what) { list<<<1, 0, nullptr>>>(a, b, static_cast<int>(what)); }
"""  # noqa: E501


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("allocation"))


def test_one_buffer_copied_in_and_out(kernels: Kernels, memory: Device) -> None:
    source, target = memory.array(np.arange(96, dtype=np.float32)), memory.array(np.zeros(96, np.float32))
    where = memory.array(np.zeros(4, np.int32))
    assert kernels("go_in_out", source, target, where) is None
    np.testing.assert_array_equal(target, source + 1)
    assert where.tolist() == [0, 128, 0, 128]


def test_where_the_blocks_of_each_pair_lie(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.full(4, -2, np.int32))
    assert kernels("go_positions", out) is None
    assert out.tolist() == [0, 64, 0, 64]  # two in L1, two in UB


def test_blocks_at_chosen_addresses(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(5, np.int32))
    assert kernels("go_chosen", out, 0) is None
    assert out.tolist() == [1024, 64, 4096, 96, 128]


@pytest.mark.parametrize(("what", "kind", "words"), [(1, "Misaligned", "address 16"), (2, "UbOverBudget", "196640")])
def test_chosen_address_refused(kernels: Kernels, memory: Device, what: int, kind: str, words: str) -> None:
    fault = kernels("go_chosen", memory.array(np.zeros(5, np.int32)), what)
    assert fault is not None and fault.kind == kind and words in fault.message
    assert fault.line == kernels.line(f"// t{what}")


def test_pools_share_and_reset(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(6, np.int32))
    assert kernels("go_pools", out) is None
    assert out.tolist() == [64, 192, 320, 64, 64, 64 + 1024]


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [(0, "QueueMisuse", "InitBufPool first"), (1, "UbOverBudget", "204800"), (2, "UbOverBudget", "288"),
     (3, "QueueMisuse", "3 buffers in a pool with room for 2"), (4, "BadArgument", "len is 512"),
     (5, "QueueMisuse", "Reset it first"), (6, "BadArgument", "at least one buffer"), (7, "UbOverBudget", "512")],
)  # fmt: skip
def test_pool_misused(kernels: Kernels, memory: Device, what: int, kind: str, words: str) -> None:
    fault = kernels("go_pool_faults", memory.array(np.zeros(5, np.int32)), what)
    assert fault is not None and fault.kind == kind and words in fault.message
    assert fault.line == kernels.line(f"// p{what}")


def test_pool_of_a_users_class(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(5, np.int32))
    assert kernels("go_own_pool", out, 2, 100) is None
    assert out.tolist() == [96, 96 + 256, 2, 96 + 512, 0]


@pytest.mark.parametrize(
    ("number", "length", "kind", "mark"),
    [(5, 32, "QueueMisuse", "// place"), (4, 256, "UbOverBudget", "// address")],
)
def test_pool_of_a_users_class_overrun(
    kernels: Kernels, memory: Device, number: int, length: int, kind: str, mark: str
) -> None:
    fault = kernels("go_own_pool", memory.array(np.zeros(5, np.int32)), number, length)
    assert fault is not None and fault.kind == kind and fault.line == kernels.line(mark)


def test_spill_area_and_addresses(kernels: Kernels, memory: Device) -> None:
    source = memory.array(np.arange(64, dtype=np.int32))
    area, out = memory.array(np.full(128, -1, np.int32)), memory.array(np.zeros(64, np.int32))
    assert kernels("go_spill", source, area, out, 0) is None
    np.testing.assert_array_equal(area[:32].reshape(4, 8), source.reshape(8, 8)[::2])
    np.testing.assert_array_equal(area[64:126], source[:62])
    np.testing.assert_array_equal(out[:32], source[:32])
    np.testing.assert_array_equal(out[32:].reshape(4, 8), [source[:8], [0] * 8, source[32:40], [0] * 8])
    assert area[126:].tolist() == [32, 196608]


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [(1, "BadArgument", "InitSpmBuffer first"), (2, "BadArgument", "bufferSize is 1024"),
     (3, "BadArgument", "offset 16"), (4, "OutOfBounds", "512 bytes")],
)  # fmt: skip
def test_spill_area_misused(kernels: Kernels, memory: Device, what: int, kind: str, words: str) -> None:
    arrays = [memory.array(np.zeros(128, np.int32)) for _ in range(3)]
    fault = kernels("go_spill", *arrays, what)
    assert fault is not None and fault.kind == kind and words in fault.message
    assert fault.line == kernels.line(f"// s{what}")


def tensor_list(memory: Device) -> np.ndarray:
    first, second = memory.array([5, 6, 7, 8, 9], np.int32), memory.array([[1, 2, 3], [4, 5, 6]], np.int32)
    text = struct.pack("<Q IIQ IIQQ QQ", 48, 1, 0, 5, 2, 1, 2, 3, first.ctypes.data, second.ctypes.data)
    return memory.array(np.frombuffer(text, np.uint8))


def test_list_of_tensors(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.full(20, -1, np.int64))
    assert kernels("go_list", tensor_list(memory), out, 0) is None
    assert out[:17].tolist() == [2, 1, 0, 5, -1, -1, 5, 6, -1, 2, 1, 2, 3, -1, 1, 2, -1]


@pytest.mark.parametrize(
    ("what", "words"),
    [(1, "has 2 tensors and 5"), (2, "tensor 2 of a list of 2"), (3, "this is no list"), (4, "dimension 7")],
)
def test_list_of_tensors_misused(kernels: Kernels, memory: Device, what: int, words: str) -> None:
    fault = kernels("go_list", tensor_list(memory), memory.array(np.full(20, -1, np.int64)), what)
    assert fault is not None and words in fault.message and fault.line == kernels.line(f"// l{what}")
