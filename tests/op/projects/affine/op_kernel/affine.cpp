// z = x * scale + sum(shifts) + bias, element by element; bias has the shape of x or is absent.
#include "kernel_operator.h"
#include "affine_tiling.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void affine(GM_ADDR x, GM_ADDR bias, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(AffineTiling);
  GET_TILING_DATA(t, tiling);
  TPipe pipe;
  TBuf<TPosition::VECCALC> first, second;
  pipe.InitBuffer(first, t.tile * sizeof(DTYPE_X));
  pipe.InitBuffer(second, t.tile * sizeof(DTYPE_X));
  GlobalTensor<DTYPE_X> in, add;
  GlobalTensor<DTYPE_Z> out;
  in.SetGlobalBuffer((__gm__ DTYPE_X *)x);
  out.SetGlobalBuffer((__gm__ DTYPE_Z *)z);
  const int32_t shift = t.shifts[0] + t.shifts[1] + t.shifts[2];
  for (uint32_t at = 0; at < t.total; at += t.tile) {
    const uint32_t n = t.total - at < t.tile ? t.total - at : t.tile;
    const DataCopyExtParams whole{1, static_cast<uint32_t>(n * sizeof(DTYPE_X)), 0, 0, 0};
    const DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
    LocalTensor<DTYPE_X> a = first.Get<DTYPE_X>(), b = second.Get<DTYPE_X>();
    DataCopyPad(a, in[at], whole, pad);
    PipeBarrier<PIPE_ALL>();
#if ORIG_DTYPE_X == DT_INT32
    Muls(a, a, static_cast<int32_t>(t.scale), n);
#else
    Muls(a, a, static_cast<DTYPE_X>(t.scale), n);
#endif
    Adds(a, a, static_cast<DTYPE_X>(shift), n);
    if (TILING_KEY_IS(11)) {
      add.SetGlobalBuffer((__gm__ DTYPE_X *)bias);
      DataCopyPad(b, add[at], whole, pad);
      PipeBarrier<PIPE_ALL>();
      Add(a, a, b, n);
    } else if (TILING_KEY_IS(10)) {
    }
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(out[at], a, whole);
    PipeBarrier<PIPE_ALL>();
  }
}
