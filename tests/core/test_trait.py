"""Tensors of TensorTraits: where element types stand, their traits may stand, and give the same values."""

from __future__ import annotations

import numpy as np
import pytest

from ferrata import errors
from tests.core.emulated import Device, Kernels

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;
using Half = TensorTrait<half>;
using Float = TensorTrait<float>;
using Tile = TensorTrait<float, TPosition::VECCALC, Layout<Shape<Std::Int<4>, Std::Int<16>>, Stride<Std::Int<16>, Std::Int<1>>>>;

__global__ __vector__ void every_kind(__gm__ half *x, __gm__ half *y, int what) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<> buffer;
  pipe.InitBuffer(in, 1, 512);
  pipe.InitBuffer(out, 1, 512);
  pipe.InitBuffer(buffer, 1024);
  GlobalTensor<Half> from, to;
  from.SetGlobalBuffer(x, 256);
  to.SetGlobalBuffer(y, 256);
  LocalTensor<Half> a = in.AllocTensor<Half>();
  DataCopyPad(a, from[16], DataCopyExtParams(1, 200 * 2, 0, 0, 0), DataCopyPadExtParams<half>(true, 0, 8, half(7)));
  in.EnQue(a);
  a = in.DeQue<Half>();
  LocalTensor<Half> b = out.AllocTensor<Half>();
  LocalTensor<Float> wide = buffer.Get<Float>(256);
  const half by = 3;
  switch (what) {
  case 0: Adds(b, a, by, 200); break;
  case 1: Muls<Half, half>(b, a, by, 128, 1, {1, 1, 8, 8}); Muls(b[128], a[128], by, 72); break;
  case 2: Maxs(b, a, by, 200); break;
  case 3: Mins(b, a, by, 200); break;
  case 4: LeakyRelu(b, a, by, 200); break;
  case 5: Add(b, a, a, 200); break;
  case 6: Cast(wide, a, RoundMode::CAST_NONE, 200); Cast(b, wide, RoundMode::CAST_RINT, 200); break;
  case 7: b = a + a; break;
  case 8: Exp(b, a, uint64_t(128), 1, {1, 1, 8, 8}); Exp(b[128], a[128], 72); break;
  case 9: b.SetValue(0, a.GetValue(3)); b(1) = a(4); for (int i = 2; i < 200; ++i) b.SetValue(i, half(0)); break;
  }
  out.EnQue(b);
  b = out.DeQue<Half>();
  DataCopyPad(to, b, DataCopyExtParams(1, 200 * 2, 0, 0, 0));
  in.FreeTensor(a);
  out.FreeTensor(b);
}
__global__ __vector__ void shifts(__gm__ uint16_t *x, __gm__ uint16_t *y) {
  using U16 = TensorTrait<uint16_t>;
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  GlobalTensor<U16> from, to;
  from.SetGlobalBuffer(x, 32);
  to.SetGlobalBuffer(y, 32);
  LocalTensor<U16> a = buffer.Get<U16>();
  DataCopy(a, from, 32);
  PipeBarrier<PIPE_ALL>();
  ShiftLeft(a, a, uint16_t(3), 32);
  ShiftRight(a, a, uint16_t(1), 32);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, a, 32);
}
__global__ __vector__ void dequant(__gm__ int32_t *x, __gm__ half *y) {
  using Int = TensorTrait<int32_t>;
  TPipe pipe;
  TBuf<> buffer, result;
  pipe.InitBuffer(buffer, 256);
  pipe.InitBuffer(result, 128);
  GlobalTensor<Int> from;
  GlobalTensor<Half> to;
  from.SetGlobalBuffer(x, 64);
  to.SetGlobalBuffer(y, 64);
  LocalTensor<Int> a = buffer.Get<Int>();
  LocalTensor<Half> b = result.Get<Half>();
  DataCopy(a, from, 64);
  PipeBarrier<PIPE_ALL>();
  SetDeqScale(half(0.5));
  AddDeqRelu<Half, Int>(b, a, a, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, b, 64);
}
__global__ __vector__ void placed(__gm__ float *y, __gm__ int32_t *facts) {
  InitSocState();
  LocalMemAllocator<Hardware::UB> memory;
  LocalTensor<Float> first = memory.Alloc<Float>(10);
  LocalTensor<Tile> second = memory.Alloc<Tile>();
  LocalTensor<Tile> third(1024);
  static_assert(Std::is_same_v<PrimT<Tile>, float> && Std::is_same_v<LocalTensor<Tile>::PrimType, float>);
  facts[0] = first.GetSize();
  facts[1] = static_cast<uint32_t>(second.GetPhyAddr() - first.GetPhyAddr());
  facts[2] = second.GetSize();
  facts[3] = third.GetSize();
  facts[4] = static_cast<uint32_t>(third.GetPhyAddr() - first.GetPhyAddr());
  facts[5] = third.GetPosition() == int32_t(TPosition::VECCALC);
  Duplicate<float>(third, 2.5f, 64);
  GlobalTensor<Tile> to;
  to.SetGlobalBuffer(y, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, third, 64);
  PipeBarrier<PIPE_ALL>();
}
extern "C" {
void run_every(half *x, half *y, int what) { every_kind<<<1, 0, 0>>>(x, y, what); }
void run_shifts(uint16_t *x, uint16_t *y) { shifts<<<1, 0, 0>>>(x, y); }
void run_dequant(int32_t *x, half *y) { dequant<<<1, 0, 0>>>(x, y); }
void run_placed(float *y, int32_t *facts) { placed<<<1, 0, 0>>>(y, facts); }
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("trait"))


X = (np.arange(256) % 61 - 30).astype(np.float16) / np.float16(4)
EXPECTED = {
    0: X + np.float16(3),
    1: X * np.float16(3),
    2: np.maximum(X, np.float16(3)),
    3: np.minimum(X, np.float16(3)),
    4: np.where(X < 0, X * np.float16(3), X),
    5: X + X,
    6: X,
    7: X + X,
    8: np.exp(X.astype(np.float64)).astype(np.float16),
}


@pytest.mark.parametrize("what", EXPECTED)
def test_calls_on_traits(what: int, kernels: Kernels, memory: Device) -> None:
    x, y = memory.array(X), memory.array(np.zeros(256, np.float16))
    assert kernels("run_every", x, y, what) is None
    np.testing.assert_array_equal(y[:200], EXPECTED[what][16:216])
    assert not y[200:].any()


def test_elements_of_traits(kernels: Kernels, memory: Device) -> None:
    x, y = memory.array(X), memory.array(np.zeros(256, np.float16))
    assert kernels("run_every", x, y, 9) is None
    assert (y[0], y[1]) == (X[19], X[20])


def test_shifts_of_traits(kernels: Kernels, memory: Device) -> None:
    values = np.arange(32, dtype=np.uint16) * 2049
    x, y = memory.array(values), memory.array(np.zeros(32, np.uint16))
    assert kernels("run_shifts", x, y) is None
    np.testing.assert_array_equal(y, (values << 3) >> 1)


def test_add_deq_relu_of_traits(kernels: Kernels, memory: Device) -> None:
    values = np.arange(64, dtype=np.int32) - 20
    x, y = memory.array(values), memory.array(np.zeros(64, np.float16))
    assert kernels("run_dequant", x, y) is None
    np.testing.assert_array_equal(y, np.maximum(values, 0))


def test_position_and_size_come_from_the_trait(kernels: Kernels, memory: Device) -> None:
    y, facts = memory.array(np.zeros(64, np.float32)), memory.array(np.zeros(8, np.int32))
    assert kernels("run_placed", y, facts) is None
    assert list(facts[:6]) == [10, 64, 64, 64, 1024, 1]
    assert (y == 2.5).all()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("Adds(b, a, half(1), 8);", "Adds on dav-2201 takes"),
        ("LocalTensor<TensorTrait<half>> c(64);", "the size of this TensorTrait is not known"),
    ],
)
def test_a_wrong_use_is_a_compile_error(statement: str, message: str, tmp_path: object) -> None:
    text = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        "__global__ __vector__ void k() { LocalTensor<TensorTrait<uint8_t>> a, b; LocalTensor<TensorTrait<half>> x;\n"
        f"{statement.replace('half(1)', 'uint8_t(1)')} }}\n"
        'extern "C" void run() { k<<<1, 0, 0>>>(); }\n'
    )
    from pathlib import Path

    with pytest.raises(errors.FerrataError, match=message):
        Kernels(text, Path(str(tmp_path)))
