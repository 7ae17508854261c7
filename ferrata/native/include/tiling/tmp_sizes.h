// Scratch that kernel calls need, in bytes, as tiling functions ask for it.
#pragma once
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {
// Concat prepares nothing on these chips.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t, const uint32_t) {
  return 0;
}
// A record for each element.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elemCount, const uint32_t) {
  return elemCount * 8;
}
inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
} // namespace AscendC
