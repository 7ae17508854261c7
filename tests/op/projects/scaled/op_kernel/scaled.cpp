// y = x * alpha + beta + the sum of the weights, by the scalar unit.
#include "kernel_operator.h"
struct ScaledSizes {
  int64_t x, weights;
};

extern "C" __global__ __aicore__ void scaled(GM_ADDR x, GM_ADDR alpha, GM_ADDR beta, GM_ADDR weights, GM_ADDR y,
                                             GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ScaledSizes);
  GET_TILING_DATA(sizes, tiling);
  auto *from = (__gm__ DTYPE_X *)x;
  auto *to = (__gm__ DTYPE_Y *)y;
  float sum = beta ? static_cast<float>(*(__gm__ DTYPE_BETA *)beta) : 0.0f;
  for (int64_t i = 0; i < sizes.weights; ++i)
    sum += ((__gm__ DTYPE_WEIGHTS *)weights)[i];
  const float factor = static_cast<float>(*(__gm__ DTYPE_ALPHA *)alpha);
  for (int64_t i = 0; i < sizes.x; ++i)
    to[i] = static_cast<DTYPE_Y>(static_cast<float>(from[i]) * factor + sum);
}
