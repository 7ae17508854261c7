// Parts of the executor of copies that its files share.
#pragma once
#include "ferrata/core/abi.h"

namespace ferrata {
// A side of a copy may be touched over `extent` bytes: allocated, in bounds, aligned, in the right queue state.
void check_copy_side(const char *api, const char *name, const CopySide &side, uint64_t extent, uint32_t gm_align,
                     Loc loc);
// The chip has a wire from one memory to the other, and this core has both.
void check_copy_path(const char *api, const Core &core, const CopySide &dst, const CopySide &src, Loc loc);
bool is_gm(const CopySide &side);

// The core's atomic mode, applied to what it writes to GM: `pieces` runs of `bytes` each, the steps apart.
void atomic_store(const Core &core, uint8_t *to, const uint8_t *from, uint64_t pieces, uint64_t bytes, uint64_t to_step,
                  uint64_t from_step);
} // namespace ferrata
