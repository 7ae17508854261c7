#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

template <class Function>
__aicore__ inline void each(GM_ADDR xs, GM_ADDR bias, GM_ADDR ys, const Function &function) {
  ListTensorDesc in((__gm__ void *)xs), out((__gm__ void *)ys);
  for (uint32_t i = 0; i < in.GetSize(); ++i) {
    uint64_t shape[8];
    TensorDesc<DTYPE_XS> desc;
    desc.SetShapeAddr(shape);
    in.GetDesc(desc, i);
    uint64_t count = 1;
    for (uint64_t d = 0; d < desc.GetDim(); ++d)
      count *= desc.GetShape(static_cast<uint32_t>(d));
    GlobalTensor<DTYPE_XS> x, y, b;
    x.SetGlobalBuffer(in.GetDataPtr<DTYPE_XS>(i));
    y.SetGlobalBuffer(out.GetDataPtr<DTYPE_YS>(i));
    for (uint64_t j = 0; j < count; ++j) {
      float value = function(static_cast<float>(x.GetValue(j)));
      if (bias != nullptr) {
        b.SetGlobalBuffer((__gm__ DTYPE_XS *)bias);
        value += static_cast<float>(b.GetValue(0));
      }
      y.SetValue(j, static_cast<DTYPE_XS>(value));
    }
  }
}

extern "C" __global__ __aicore__ void many_scales(GM_ADDR xs, GM_ADDR bias, GM_ADDR ys, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2", ManyTilingOffset);
  if (TILING_KEY_IS(1)) {
    GET_TILING_DATA(t, tiling);
    each(xs, bias, ys, [&](float x) { return x * t.factor; });
  } else if (TILING_KEY_IS(2)) {
    GET_TILING_DATA(t, tiling);
    each(xs, bias, ys, [&](float x) { return x + t.offsets[0] + t.offsets[1]; });
  }
}
