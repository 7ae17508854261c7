#pragma once
#include "kernel_operator.h"
struct NormTiling {
    int64_t rows;
    int64_t cols;
    float eps;
    int32_t hasGamma;
};
namespace ops {
extern __global__ __aicore__ void row_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling);
__global__ __vector__ void accumulate(__gm__ float* x, __gm__ const float* delta, uint32_t n, bool log);
}
