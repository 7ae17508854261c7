#include "kernel_operator.h"
#include "pick_keys.h"
using namespace AscendC;
struct PickTiling {
  int32_t count;
};
template <typename TYPE, int MODE, bool TWICE>
__global__ __aicore__ void pick_op(GM_ADDR x, GM_ADDR y, GM_ADDR x_ref, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(PickTiling);
  GET_TILING_DATA(t, tiling);
  GlobalTensor<TYPE> a, b;
  a.SetGlobalBuffer((__gm__ TYPE *)x_ref);
  b.SetGlobalBuffer((__gm__ TYPE *)y);
  for (int32_t i = 0; i < t.count; ++i)
    for (int32_t k = 0; k <= (TWICE ? 1 : 0); ++k)
      a.SetValue(i, MODE == PICK_ADD ? a.GetValue(i) + b.GetValue(i) : a.GetValue(i) * b.GetValue(i));
}
