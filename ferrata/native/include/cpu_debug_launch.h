// Host programs of the CPU run mode: kernels start with ICPU_RUN_KF instead of <<<>>>, on memory from GmAlloc.
#pragma once
#include <stddef.h>
#include "ferrata/asc.h"
#include "ferrata/runtime.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

namespace AscendC {
// Device memory, 64-byte aligned; null when there is none left.
inline void *GmAlloc(size_t size) { return ferrata_gm_alloc(size); }
inline void GmFree(void *memory) { ferrata_gm_free(memory); }
// Which cores the next runs of kernels that do not say it themselves take: both kinds, cube or vector.
inline void SetKernelMode(KernelMode mode) { ferrata_set_kernel_mode(static_cast<int>(mode)); }
} // namespace AscendC
using AscendC::GmAlloc;
using AscendC::GmFree;

#define ICPU_SET_TILING_KEY(key) ferrata_set_tiling_key(key)
// All logical blocks, synchronously.
#define ICPU_RUN_KF(function, numBlocks, ...)                                                                          \
  ::ferrata::launch(#function, numBlocks).run([&](auto... ferrata_a) { function(ferrata_a...); }, ##__VA_ARGS__)
