#pragma once
#include "kernel_operator.h"
#include "scale_shift.h"
// y = mode(alpha * x + beta)
namespace scale_shift {
template <typename T>
__global__ __vector__ void scale_shift_kernel(GM_ADDR x, GM_ADDR y, TilingData tiling);
}
