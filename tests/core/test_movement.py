"""Data movement: layouts, paths, padding and atomics with values; every constraint with its error."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from tests.core.emulated import Device, Kernels, runtime

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;

template <class T> struct Ub {
  GlobalTensor<T> gm;
  LocalTensor<T> ub;
  __aicore__ Ub(__gm__ T *data, uint64_t n, uint32_t local = 16384) : ub(TPosition::VECIN, 0, local) { gm.SetGlobalBuffer(data, n); }
};

// --- layouts ---
template <class T> __global__ __vector__ void to_nz(__gm__ T *src, __gm__ T *dst, Nd2NzParams p, int n, int m) {
  Ub<T> s(src, n);
  GlobalTensor<T> out;
  out.SetGlobalBuffer(dst, m);
  DataCopy(s.ub, out, m); // what was there stays where nothing is written
  DataCopy(s.ub, s.gm, p); // to nz
  DataCopy(out, s.ub, m);
}
template <class T> __global__ __vector__ void to_nd(__gm__ T *src, __gm__ T *dst, Nz2NdParamsFull p, int n, int m) {
  Ub<T> s(src, n);
  GlobalTensor<T> out;
  out.SetGlobalBuffer(dst, m);
  DataCopy(s.ub, s.gm, n);
  DataCopy(out, s.ub, p); // to nd
}
struct Slices { uint32_t dimensions; SliceInfo dst[3], src[3]; };
__global__ __vector__ void slice_in(__gm__ float *src, __gm__ float *dst, Slices p, int n, int m) {
  Ub<float> s(src, n);
  GlobalTensor<float> out;
  out.SetGlobalBuffer(dst, m);
  DataCopy(s.ub, out, m);
  DataCopy(s.ub, s.gm, p.dst, p.src, p.dimensions); // slice
  DataCopy(out, s.ub, m);
}

// --- L1 ---
__global__ __cube__ void through_l1(__gm__ half *src, __gm__ half *dst, int n) {
  GlobalTensor<half> in, out;
  in.SetGlobalBuffer(src + 1, n); // GM to L1 takes any address
  out.SetGlobalBuffer(dst, n);
  TPipe pipe;
  TQue<TPosition::A1, 1> queue;
  pipe.InitBuffer(queue, 2, 4096);
  LocalTensor<half> a = queue.AllocTensor<half>();
  DataCopy(a, in, DataCopyParams(2, n / 32, 0, 0));
  queue.EnQue(a);
  a = queue.DeQue<half>();
  SetAtomicAdd<half>();
  DataCopy(out, a, n);
  SetAtomicNone();
  queue.FreeTensor(a);
}
__global__ __mix__(1, 1) void wrong_core(__gm__ half *src, int what) {
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(src, 256);
  if ASCEND_IS_AIC {
    if (what == 0) {
      LocalTensor<half> ub(TPosition::VECIN, 0, 256);
      DataCopy(ub, gm, 256); // ub on cube
    }
  }
  if ASCEND_IS_AIV {
    if (what == 1) {
      LocalTensor<half> l1(TPosition::A1, 0, 256);
      DataCopy(l1, gm, 256); // l1 on vector
    }
    if (what == 2) {
      LocalTensor<half> ub(TPosition::VECIN, 0, 256), l0(TPosition::CO1, 0, 256);
      DataCopy(l0, ub, 256); // no path
    }
    if (what == 3) { // UB to L1: staged for the matrix unit
      LocalTensor<half> ub(TPosition::VECIN, 0, 256), l1(TPosition::TSCM, 0, 256);
      DataCopy(ub, gm, 256);
      DataCopy(l1, ub, 256);
    }
  }
}

// --- padding ---
template <class T> __global__ __vector__ void pad(__gm__ T *src, __gm__ uint8_t *dst, DataCopyExtParams p, DataCopyPadExtParams<T> value, int set, int n, int m) {
  Ub<T> s(src, n);
  GlobalTensor<uint8_t> out;
  out.SetGlobalBuffer(dst, m);
  LocalTensor<uint8_t> bytes = s.ub.template ReinterpretCast<uint8_t>();
  DataCopy(bytes, out, m);
  if (set)
    SetPadValue(static_cast<T>(set));
  DataCopyPad(s.ub, s.gm, p, value); // pad
  DataCopy(out, bytes, m);
}
__global__ __vector__ void pad_old(__gm__ half *src, __gm__ half *dst, int n) {
  Ub<half> s(src, n);
  GlobalTensor<half> out;
  out.SetGlobalBuffer(dst, 64);
  DataCopyPad(s.ub, s.gm, {2, 10, 4, 1}, DataCopyPadParams(true, 1, 2, 0x4000)); // 2.0
  DataCopyPad(out, s.ub, DataCopyParams(2, 16, 1, 6));
}

// --- errors ---
__global__ __vector__ void faults(__gm__ half *src, int what) {
  Ub<half> s(src, 4096, 4096);
  GlobalTensor<int64_t> wide;
  wide.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t *>(src), 64);
  LocalTensor<int64_t> wide_ub(TPosition::VECIN, 8192, 64);
  GlobalTensor<half> none, odd;
  none.SetGlobalBuffer(nullptr, 4096);
  odd.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(reinterpret_cast<uint8_t *>(src) + 1), 64);
  LocalTensor<half> never;
  switch (what) {
  case 0: DataCopy(s.ub, s.gm, 4097 * 2); break; // f0
  case 1: DataCopy(s.ub[8], s.gm, 32); break; // f1
  case 2: DataCopy(s.ub, odd, 32); break; // f2
  case 3: DataCopy(s.ub, none, 32); break; // f3
  case 4: DataCopy(never, s.gm, 32); break; // f4
  case 5: DataCopy(s.ub, s.gm, DataCopyParams(4096, 1, 0, 0)); break; // f5
  case 6: DataCopyPad(s.ub, s.gm, DataCopyExtParams(4096, 2, 0, 0, 0), DataCopyPadExtParams<half>()); break; // f6
  case 7: DataCopyPad(s.ub, s.gm, DataCopyExtParams(1, 2097152, 0, 0, 0), DataCopyPadExtParams<half>()); break; // f7
  case 8: DataCopyPad(s.ub, s.gm, DataCopyExtParams(1, 3, 0, 0, 0), DataCopyPadExtParams<half>()); break; // f8
  case 9: DataCopyPad(s.ub, s.gm, DataCopyExtParams(1, 2, 0, 0, 0), DataCopyPadExtParams<half>(true, 17, 0, 0)); break; // f9
  case 10: DataCopyPad(s.ub, s.gm, DataCopyExtParams(1, 2, 0, 0, 0), DataCopyPadExtParams<half>(true, 0, 17, 0)); break; // f10
  case 11: DataCopyPad(wide_ub, wide, DataCopyExtParams(1, 8, 0, 0, 0), DataCopyPadExtParams<int64_t>(true, 1, 0, 5)); break; // f11
  case 12: DataCopyPad(s.gm, s.ub, DataCopyExtParams(1, 5, 0, 0, 0)); break; // f12
  case 13: DataCopyPad(s.gm[4090], s.ub, DataCopyExtParams(1, 14, 0, 0, 0)); break; // f13
  case 14: InitOutput(s.gm, 4097, half(0)); break; // f14
  case 15: DataCacheCleanAndInvalid<half, CacheLine::SINGLE_CACHE_LINE>(none); break; // f15
  case 16: ReadGmByPassDCache(reinterpret_cast<__gm__ int32_t *>(src) + (1 << 28)); break; // f16
  case 17: DataCopy(s.gm, s.ub, DataCopyParams(2, 100, 0, 60)); break; // f17
  default: DataCopy(s.ub, s.gm, 0); // nothing at all: no error whatever the operands are
           DataCopy(never, none, DataCopyParams(0, 5, 0, 0));
           DataCopy(never, none, DataCopyParams(5, 0, 0, 0));
           DataCopyPad(never, none, DataCopyExtParams(0, 6, 0, 0, 0), DataCopyPadExtParams<half>());
           DataCopy(never, none, Nd2NzParams());
           DataCopy(none, never, Nz2NdParamsFull());
           InitOutput(none, 0, half(0));
  }
}

// --- atomics ---
template <class T> __global__ __mix__(0, 1) void atomic(__gm__ T *src, __gm__ T *dst, int op, int n, int times) {
  Ub<T> s(src + GetBlockIdx() * n, n);
  GlobalTensor<T> out;
  out.SetGlobalBuffer(dst, n);
  DataCopyPad(s.ub, s.gm, DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0), DataCopyPadExtParams<T>());
  if (op == 0)
    SetAtomicAdd<T>();
  else if (op == 1)
    SetAtomicMax<T>();
  else
    SetAtomicMin<T>();
  for (int i = 0; i < times; ++i)
    DataCopyPad(out, s.ub, DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0));
  DisableDmaAtomic();
}
__global__ __vector__ void atomic_config(__gm__ int32_t *out) {
  uint16_t type = 9, op = 9;
  GetStoreAtomicConfig(type, op);
  out[0] = type * 10 + op;
  SetStoreAtomicConfig<AtomicDtype::ATOMIC_S32, AtomicOp::ATOMIC_SUM>();
  GetStoreAtomicConfig(type, op);
  out[1] = type * 10 + op;
  Ub<int32_t> s(out + 8, 8, 8);
  DataCopy(s.ub, s.gm, 8);
  DataCopy(s.gm, s.ub, 8); // doubles
  SetAtomicAdd<float>();
  SetAtomicType<int32_t>();
  DataCopy(s.gm, s.ub, 8); // three times
  SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();
  DataCopy(s.gm[8], s.ub, 0);
  SetAtomicAdd<bfloat16_t>();
  GetStoreAtomicConfig(type, op);
  out[2] = type;
  SetAtomicNone();
  GetStoreAtomicConfig(type, op);
  out[3] = type;
}
__global__ __vector__ void scalars(__gm__ int64_t *out, __gm__ int32_t *fill) {
  uint64_t bits = 0x00f0000000000012ull;
  out[0] = GetBitCount<1>(bits);
  out[1] = ScalarGetCountOfValue<0>(bits);
  out[2] = CountLeadingZero(bits);
  out[3] = ScalarCountLeadingZero(0);
  out[4] = GetSFFValue<1>(bits);
  out[5] = ScalarGetSFFValue<0>(bits);
  out[6] = GetSFFValue<1>(0);
  out[7] = GetSFFValue<0>(~uint64_t(0));
  out[8] = CountBitsCntSameAsSignBit(1);
  out[9] = CountBitsCntSameAsSignBit(-2);
  out[10] = CountBitsCntSameAsSignBit(0);
  out[11] = CountBitsCntSameAsSignBit(-1);
  static_assert(CeilDivision(7, 2) == 4 && CeilDivision(8, 2) == 4 && CeilDivision(5, 0) == 0, "constexpr");
  out[12] = CeilDivision(9, 4);
  WriteGmByPassDCache(out + 13, int64_t(-5));
  out[14] = ReadGmByPassDCache(out + 13);
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(fill, 10);
  InitOutput(gm[1], 8, 7);
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(gm);
  GlobalTensor<uint64_t> words;
  words.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t *>(out), 16);
  DataCachePreload(words, int64_t(8));
  ICachePreLoad(2);
  out[15] = GetICachePreloadStatus();
}

template <class T> void go_nz(T *s, T *d, const uint16_t *p, int64_t n, int64_t m) {
  to_nz<T><<<1, 0, nullptr>>>(s, d, Nd2NzParams(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]), static_cast<int>(n), static_cast<int>(m));
}
template <class T> void go_nd(T *s, T *d, const uint16_t *p, int64_t n, int64_t m) {
  to_nd<T><<<1, 0, nullptr>>>(s, d, Nz2NdParamsFull(p[0], p[1], p[2], p[3], p[4], p[5], p[6]), static_cast<int>(n), static_cast<int>(m));
}
#define TYPES(T, name)                                                                                       \
  extern "C" void go_nz_##name(T *s, T *d, const uint16_t *p, int64_t n, int64_t m) { go_nz<T>(s, d, p, n, m); } \
  extern "C" void go_atomic_##name(T *s, T *d, int64_t op, int64_t n, int64_t times, int64_t blocks) {           \
    atomic<T><<<blocks, 0, nullptr>>>(s, d, static_cast<int>(op), static_cast<int>(n), static_cast<int>(times)); \
  }
TYPES(int8_t, int8) TYPES(int16_t, int16) TYPES(int32_t, int32) TYPES(half, float16) TYPES(float, float32)
extern "C" void go_atomic_bfloat16(bfloat16_t *s, bfloat16_t *d, int64_t op, int64_t n, int64_t times, int64_t blocks) {
  atomic<bfloat16_t><<<blocks, 0, nullptr>>>(s, d, static_cast<int>(op), static_cast<int>(n), static_cast<int>(times));
}
extern "C" void go_nd_int16(int16_t *s, int16_t *d, const uint16_t *p, int64_t n, int64_t m) { go_nd<int16_t>(s, d, p, n, m); }
extern "C" void go_nd_float32(float *s, float *d, const uint16_t *p, int64_t n, int64_t m) { go_nd<float>(s, d, p, n, m); }
extern "C" void go_slice(float *s, float *d, const uint32_t *p, int64_t n, int64_t m) {
  Slices slices;
  slices.dimensions = p[0];
  for (int i = 0; i < 3; ++i) {
    slices.dst[i] = SliceInfo(p[1 + i * 5], p[2 + i * 5], p[3 + i * 5], p[4 + i * 5], p[5 + i * 5]);
    slices.src[i] = SliceInfo(p[16 + i * 5], p[17 + i * 5], p[18 + i * 5], p[19 + i * 5], p[20 + i * 5]);
  }
  slice_in<<<1, 0, nullptr>>>(s, d, slices, static_cast<int>(n), static_cast<int>(m));
}
extern "C" void go_l1(half *s, half *d, int64_t n) { through_l1<<<1, 0, nullptr>>>(s, d, static_cast<int>(n)); }
extern "C" void go_wrong_core(half *s, int64_t what) { wrong_core<<<1, 0, nullptr>>>(s, static_cast<int>(what)); }
extern "C" void go_pad(float *s, uint8_t *d, const uint32_t *p, int64_t set, int64_t n, int64_t m) {
  DataCopyPadExtParams<float> value(p[4], p[5], p[6], static_cast<float>(p[7]));
  pad<float><<<1, 0, nullptr>>>(s, d, DataCopyExtParams(p[0], p[1], p[2], p[3], 0), value, static_cast<int>(set), static_cast<int>(n), static_cast<int>(m));
}
extern "C" void go_pad_old(half *s, half *d, int64_t n) { pad_old<<<1, 0, nullptr>>>(s, d, static_cast<int>(n)); }
extern "C" void go_faults(half *s, int64_t what) { faults<<<1, 0, nullptr>>>(s, static_cast<int>(what)); }
extern "C" void go_config(int32_t *out) { atomic_config<<<1, 0, nullptr>>>(out); }
extern "C" void go_scalars(int64_t *out, int32_t *fill) { scalars<<<1, 0, nullptr>>>(out, fill); }
"""  # noqa: E501


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("movement"))


@pytest.fixture(params=[1, 4], ids=["one thread", "four threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    runtime().ferrata_set_threads(request.param)
    yield
    runtime().ferrata_set_threads(0)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])
@pytest.mark.parametrize(
    "params",
    [(1, 3, 20, 0, 20, 16, 1, 0), (2, 5, 33, 200, 40, 8, 1, 2048), (1, 1, 1, 0, 0, 0, 0, 0),
     (3, 4, 64, 256, 64, 8, 2, 1024)],
)  # fmt: skip
def test_nd_to_nz(kernels: Kernels, memory: Device, dtype: str, params: tuple[int, ...]) -> None:
    number, rows, columns, src_matrix, src_row, c0_stride, row_stride, dst_matrix = params
    c0 = 32 // np.dtype(dtype).itemsize
    source = memory.array(np.arange(1, 1025) % 120, dtype)
    target = memory.array(np.full(8192, 121), dtype)
    want = target.copy()
    for k in range(number):
        for n in range(rows):
            for d in range(-(-columns // c0) * c0):
                value = source[k * src_matrix + n * src_row + d] if d < columns else 0
                want[k * dst_matrix + d // c0 * c0_stride * c0 + n * row_stride * c0 + d % c0] = value
    assert kernels(f"go_nz_{dtype}", source, target, memory.array(params, np.uint16), 1024, 8192) is None
    np.testing.assert_array_equal(target, want)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize("params", [(1, 3, 32, 1, 4, 40, 1), (2, 4, 48, 2, 8, 48, 400), (1, 1, 16, 0, 0, 0, 0)])
def test_nz_to_nd(kernels: Kernels, memory: Device, dtype: str, params: tuple[int, ...]) -> None:
    number, rows, columns, src_matrix, src_group, dst_row, dst_matrix = params
    source, target = memory.array(np.arange(1024), dtype), memory.array(np.full(1024, 7), dtype)
    want = target.copy()
    for k in range(number):
        for n in range(rows):
            for d in range(columns):
                value = source[k * 256 * src_matrix + d // 16 * 16 * src_group + n * 16 + d % 16]
                want[k * dst_matrix + n * dst_row + d] = value
    assert kernels(f"go_nd_{dtype}", source, target, memory.array(params, np.uint16), 1024, 1024) is None
    np.testing.assert_array_equal(target, want)


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [("nz_int16", (4096, 1, 1, 0, 0, 0, 0, 0), "ndNum is 4096; it must be 0..4095"),
     ("nz_int16", (1, 16385, 1, 0, 1, 1, 1, 0), "nValue is 16385; it must be 0..16384"),
     ("nz_int16", (1, 2, 8, 0, 0, 1, 1, 0), "srcDValue is 0; it must be 1..65535"),
     ("nz_int16", (1, 2, 20, 0, 20, 0, 1, 0), "dstNzC0Stride is 0; it must be 1..16384"),
     ("nz_int16", (1, 2, 20, 0, 20, 16385, 1, 0), "dstNzC0Stride is 16385"),
     ("nz_int16", (1, 2, 20, 0, 20, 4, 0, 0), "dstNzNStride is 0"),
     ("nz_int16", (2, 2, 20, 0, 20, 4, 1, 0), "dstNzMatrixStride is 0"),
     ("nz_int16", (2, 2, 20, 0, 20, 4, 1, 9), "must start on multiples of 32 bytes"),
     ("nz_int16", (1, 100, 20, 0, 20, 100, 1, 0), "src has 2048 bytes (SetGlobalBuffer) and 4000"),
     ("nz_int16", (1, 2, 20, 0, 20, 16000, 1, 0), "dst has 32768 bytes"),
     ("nd_int16", (4096, 1, 16, 1, 1, 16, 1), "ndNum is 4096"),
     ("nd_int16", (1, 8193, 16, 1, 1, 16, 1), "nValue is 8193; it must be 0..8192"),
     ("nd_int16", (1, 1, 20, 1, 1, 16, 1), "dValue is 20; it must be a multiple of 16"),
     ("nd_int16", (2, 1, 16, 513, 1, 16, 1), "srcNdMatrixStride is 513; it must be 1..512"),
     ("nd_int16", (1, 1, 16, 1, 4097, 16, 1), "srcNStride is 4097; it must be 0..4096"),
     ("nd_int16", (1, 2, 16, 1, 4, 0, 1), "dstDStride is 0"),
     ("nd_int16", (2, 1, 16, 1, 4, 16, 0), "dstNdMatrixStride is 0")],
)  # fmt: skip
def test_layout_parameters_out_of_range(
    kernels: Kernels, memory: Device, name: str, params: tuple[int, ...], words: str
) -> None:
    source, target = memory.array(np.zeros(1024, np.int16)), memory.array(np.zeros(8192, np.int16))
    fault = kernels(f"go_{name}", source, target, memory.array(params, np.uint16), 1024, 8192 if "nz" in name else 1024)
    assert fault is not None and fault.api == "DataCopy" and words in fault.message
    assert fault.line == kernels.line("// to nz" if "nz" in name else "// to nd")


def test_slice_of_two_dimensions(kernels: Kernels, memory: Device) -> None:
    source, target = memory.array(np.arange(256, dtype=np.float32)), memory.array(np.full(64, -1, np.float32))
    none = (0, 0, 0, 1, 0)
    ranges = [2, *(0, 15, 0, 1, 16), *(0, 1, 0, 1, 2), *none, *(8, 39, 16, 1, 64), *(1, 3, 1, 1, 4), *none]
    assert kernels("go_slice", source, target, memory.array(ranges, np.uint32), 256, 64) is None
    rows = source.reshape(4, 64)[[1, 3]]
    want = np.concatenate([rows[:, 8:16], rows[:, 32:40]], axis=1)
    np.testing.assert_array_equal(target[:32].reshape(2, 16), want)
    assert (target[32:] == -1).all()


GOOD = (0, 7, 0, 1, 8)


@pytest.mark.parametrize(
    ("dimensions", "dst", "src", "words"),
    [(0, GOOD, GOOD, "dimValue is 0; it must be 1..8"), (9, GOOD, GOOD, "dimValue is 9"),
     (1, (0, 7, 0, 1, 8), (0, 15, 0, 2, 16), "burstLen is 1 in dst and 2 in src"),
     (1, (8, 7, 0, 1, 8), GOOD, "dstSliceInfo[0].endIndex is 7"),
     (1, GOOD, (0, 9, 0, 1, 16), "srcSliceInfo[0]: startIndex 0 to endIndex 9 are 10 elements"),
     (1, GOOD, (0, 15, 0, 1, 16), "the destination's slice has 1 pieces and the source's has 2"),
     (1, (4, 11, 0, 1, 16), GOOD, "a piece of dst starts at byte 16"),
     (1, GOOD, (256, 263, 0, 1, 0), "src has 1024 bytes"),
     (2, GOOD, (0, 7, 0, 1, 7), "srcSliceInfo[0].endIndex is 7; the dimension has shapeValue 7")],
)  # fmt: skip
def test_slices_out_of_range(
    kernels: Kernels, memory: Device, dimensions: int, dst: tuple[int, ...], src: tuple[int, ...], words: str
) -> None:
    source, target = memory.array(np.zeros(256, np.float32)), memory.array(np.zeros(64, np.float32))
    rest = (0, 0, 0, 1, 1) * 2
    numbers = memory.array([dimensions, *dst, *rest, *src, *rest], np.uint32)
    fault = kernels("go_slice", source, target, numbers, 256, 64)
    assert fault is not None and fault.api == "DataCopy" and words in fault.message
    assert fault.line == kernels.line("// slice")


def test_copies_of_a_cube_core_go_through_l1(kernels: Kernels, memory: Device) -> None:
    source, target = memory.array(np.arange(257), np.float16), memory.array(np.full(256, 1), np.float16)
    assert kernels("go_l1", source, target, 256) is None
    np.testing.assert_array_equal(target, source[1:] + 1)


@pytest.mark.parametrize(
    ("what", "kind", "words", "mark"),
    [(0, "WrongCore", "UB belongs to vector cores", "// ub on cube"),
     (1, "WrongCore", "L1 belongs to cube cores", "// l1 on vector"),
     (2, "WrongPosition", "no copy from UB to L0C", "// no path")],
)  # fmt: skip
def test_path_that_the_chip_does_not_have(
    kernels: Kernels, memory: Device, what: int, kind: str, words: str, mark: str
) -> None:
    fault = kernels("go_wrong_core", memory.array(np.zeros(256, np.float16)), what)
    assert fault is not None and fault.kind == kind and words in fault.message and fault.line == kernels.line(mark)


def test_ub_to_l1_is_a_path(kernels: Kernels, memory: Device) -> None:
    assert kernels("go_wrong_core", memory.array(np.zeros(256, np.float16)), 3) is None


@pytest.mark.parametrize(
    ("params", "set_value", "row"),
    [((3, 20, 4, 1, 1, 1, 2, 9), 0, [9, 1, 2, 3, 4, 5, 9, 9]), ((3, 20, 4, 1, 0, 1, 2, 9), 6, [6, 1, 2, 3, 4, 5, 6, 6]),
     ((3, 20, 4, 0, 0, 0, 0, 9), 0, [1, 2, 3, 4, 5, 1, 1, 1]),
     ((3, 20, 4, 0, 1, 0, 1, 9), 0, [1, 2, 3, 4, 5, 9, 9, 9])],
)  # fmt: skip
def test_padding_and_dummy_elements(
    kernels: Kernels, memory: Device, params: tuple[int, ...], set_value: int, row: list[int]
) -> None:
    source = memory.array(np.concatenate([np.arange(1, 7) + 10 * i for i in range(3)]), np.float32)
    target = memory.array(np.zeros(192, np.uint8))
    assert kernels("go_pad", source, target, memory.array(params, np.uint32), set_value, 18, 192) is None
    got = target.view(np.float32).reshape(-1, 8)
    first = 1 if params[5] else 0
    for i in range(3):
        shifted = [v + 10 * i if first <= j < first + 5 or v == row[0] == 1 else v for j, v in enumerate(row)]
        assert got[i * (1 + params[3])].tolist() == shifted


def test_padding_with_the_old_structs(kernels: Kernels, memory: Device) -> None:
    source, target = memory.array(np.arange(1, 13), np.float16), memory.array(np.zeros(64), np.float16)
    assert kernels("go_pad_old", source, target, 12) is None
    first, second = [2, 1, 2, 3, 4, 5, 2, 2], [2, 8, 9, 10, 11, 12, 2, 2]
    assert target[:19].tolist() == [*first, 0, 0, 0, *second]


FAULTS = [
    (0, "OutOfBounds", "DataCopy", "dst has 8192 bytes"),
    (1, "Misaligned", "DataCopy", "dst starts at byte 16"),
    (2, "Misaligned", "DataCopy", "not aligned to its element size, 2 bytes"),
    (3, "HostPointer", "DataCopy", "src is a null pointer"),
    (4, "OutOfBounds", "DataCopy", "never allocated"),
    (5, "BadArgument", "DataCopy", "blockCount is 4096; it must be 0..4095"),
    (6, "BadArgument", "DataCopyPad", "blockCount is 4096"),
    (7, "BadArgument", "DataCopyPad", "blockLen is 2097152; it must be 0..2097151"),
    (8, "BadArgument", "DataCopyPad", "blockLen is 3 bytes"),
    (9, "BadArgument", "DataCopyPad", "leftPadding is 17; it must be 0..16"),
    (10, "BadArgument", "DataCopyPad", "rightPadding is 17"),
    (11, "BadArgument", "DataCopyPad", "paddingValue must be 0"),
    (12, "BadArgument", "DataCopyPad", "blockLen is 5 bytes"),
    (13, "OutOfBounds", "DataCopyPad", "dst has 12 bytes (SetGlobalBuffer) and 14"),
    (14, "OutOfBounds", "InitOutput", "8192 bytes"),
    (15, "HostPointer", "DataCacheCleanAndInvalid", "null pointer"),
    (16, "", "ReadGmByPassDCache", "device memory"),
    (17, "OutOfBounds", "DataCopy", "dst has 8192 bytes (SetGlobalBuffer) and 8320"),
]


@pytest.mark.parametrize(("what", "kind", "api", "words"), FAULTS)
def test_fault_names_api_operand_value_and_limit(
    kernels: Kernels, memory: Device, what: int, kind: str, api: str, words: str
) -> None:
    fault = kernels("go_faults", memory.array(np.zeros(4096, np.float16)), what)
    assert fault is not None and fault.kind.startswith(kind) and fault.api == api and words in fault.message
    assert fault.line == kernels.line(f"; break; // f{what}\n".rstrip()) if what > 9 else fault.line > 0


def test_nothing_to_copy_is_no_error(kernels: Kernels, memory: Device) -> None:
    assert kernels("go_faults", memory.array(np.zeros(4096, np.float16)), 99) is None


REDUCE = [np.add.reduce, np.maximum.reduce, np.minimum.reduce]


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("op", [0, 1, 2])
@pytest.mark.parametrize("name", ["int8", "int16", "int32", "float16", "float32", "bfloat16"])
def test_atomic_copies_of_many_cores(kernels: Kernels, memory: Device, name: str, op: int) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)
    n, blocks = 1001, 20
    values = np.random.default_rng(op).integers(-3, 4, (blocks, n)).astype(dtype)
    first = np.random.default_rng(9).integers(-3, 4, n).astype(dtype)
    source = memory.array(np.pad(values.reshape(-1), (0, 64)))
    target = memory.array(first)
    assert kernels(f"go_atomic_{name}", source, target, op, n, 1, blocks) is None
    rows = np.concatenate([first[None], values]).astype(np.float64)
    np.testing.assert_array_equal(target.astype(np.float64), REDUCE[op](rows))


@pytest.mark.usefixtures("threads")
def test_atomic_sum_loses_no_update_between_threads(kernels: Kernels, memory: Device) -> None:
    n, blocks, times = 4096, 16, 40
    source, target = memory.array(np.ones(n * blocks, np.int32)), memory.array(np.zeros(n, np.int32))
    assert kernels("go_atomic_int32", source, target, 0, n, times, blocks) is None
    assert (target == blocks * times).all()


def test_atomic_register(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.concatenate([np.zeros(8), np.arange(8)]), np.int32)
    assert kernels("go_config", out) is None
    assert out[:4].tolist() == [0, 40, 6, 0]
    assert out[8:].tolist() == [3 * i for i in range(8)]


def test_scalar_helpers(kernels: Kernels, memory: Device) -> None:
    out, fill = memory.array(np.zeros(16, np.int64)), memory.array(np.zeros(10, np.int32))
    assert kernels("go_scalars", out, fill) is None
    assert out.tolist() == [6, 58, 8, 64, 1, 0, -1, -1, 62, 62, -1, -1, 3, -5, -5, 0]
    assert fill.tolist() == [0, *[7] * 8, 0]
