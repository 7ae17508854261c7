// Tiling of the high-level matrix product, for host code. Not built yet: making one of these objects is one error that
// says so.
#pragma once
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {
enum class TPosition : int32_t { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM, SPM, TSCM = 15 };
enum class CubeFormat { ND = 0, NZ = 1, ZN = 2, ZZ = 3, NN = 4, ND_ALIGN = 5, SCALAR = 6, VECTOR = 7 };
enum class DataType {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_BFLOAT16 = 27,
  DT_BF16 = 27,
  DT_INT4 = 29
};
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };

class FerrataMatmulTilingLater {
public:
  template <class... Args>
  __attribute__((unavailable(
      "matmul tiling is not built yet: ferrata runs vector kernels"))) explicit FerrataMatmulTilingLater(Args &&...) {}
#define FERRATA_MATMUL(name)                                                                                           \
  template <class... Args> int32_t name(Args &&...) { return -1; }
  FERRATA_MATMUL(SetAType)
  FERRATA_MATMUL(SetBType)
  FERRATA_MATMUL(SetCType)
  FERRATA_MATMUL(SetBiasType)
  FERRATA_MATMUL(SetDequantType)
  FERRATA_MATMUL(SetShape)
  FERRATA_MATMUL(SetOrgShape)
  FERRATA_MATMUL(EnableBias)
  FERRATA_MATMUL(SetBias)
  FERRATA_MATMUL(SetBufferSpace)
  FERRATA_MATMUL(SetFixSplit)
  FERRATA_MATMUL(SetTraverse)
  FERRATA_MATMUL(SetDim)
  FERRATA_MATMUL(SetSingleShape)
  FERRATA_MATMUL(SetSingleRange)
  FERRATA_MATMUL(SetAlignSplit)
  FERRATA_MATMUL(EnableMultiCoreSplitK)
  FERRATA_MATMUL(SetSplitK)
  FERRATA_MATMUL(SetALayout)
  FERRATA_MATMUL(SetBLayout)
  FERRATA_MATMUL(SetCLayout)
  FERRATA_MATMUL(SetBatchNum)
  FERRATA_MATMUL(SetBatchInfoForNormal)
  FERRATA_MATMUL(SetMatmulConfigParams)
  FERRATA_MATMUL(SetSparse)
  FERRATA_MATMUL(SetDoubleBuffer)
  FERRATA_MATMUL(SetMadType)
  FERRATA_MATMUL(SetSplitRange)
  FERRATA_MATMUL(GetTiling)
  FERRATA_MATMUL(GetBaseM)
  FERRATA_MATMUL(GetBaseN)
  FERRATA_MATMUL(GetBaseK)
  FERRATA_MATMUL(GetSingleShape)
  FERRATA_MATMUL(GetCoreNum)
#undef FERRATA_MATMUL
};
using MatmulApiTiling = FerrataMatmulTilingLater;
using MultiCoreMatmulTiling = FerrataMatmulTilingLater;
using BatchMatmulTiling = FerrataMatmulTilingLater;
} // namespace matmul_tiling
