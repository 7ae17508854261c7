// Tiling structs of library objects for direct launches: plain structs with the layout of the host's classes.
#pragma once
#include <stdint.h>

namespace AscendC {
namespace tiling {
struct TCubeTiling {
  int32_t usedCoreNum, M, N, Ka, Kb, singleCoreM, singleCoreN, singleCoreK, baseM, baseN, baseK, depthA1, depthB1,
      stepM, stepN, isBias, transLength, iterateOrder, shareMode, shareL1Size, shareL0CSize, shareUbSize, batchM,
      batchN, singleBatchM, singleBatchN, stepKa, stepKb, depthAL1CacheUB, depthBL1CacheUB, dbL0A, dbL0B, dbL0C,
      ALayoutInfoB, ALayoutInfoS, ALayoutInfoN, ALayoutInfoG, ALayoutInfoD, BLayoutInfoB, BLayoutInfoS, BLayoutInfoN,
      BLayoutInfoG, BLayoutInfoD, CLayoutInfoB, CLayoutInfoS1, CLayoutInfoN, CLayoutInfoG, CLayoutInfoS2, BatchNum,
      mxTypePara;
};
static_assert(sizeof(TCubeTiling) == 50 * 4, "TCubeTiling is 50 words");
} // namespace tiling
} // namespace AscendC
using AscendC::tiling::TCubeTiling;
