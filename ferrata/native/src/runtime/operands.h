// Checks of operands that every kind of instruction shares.
#pragma once
#include "ferrata/core/abi.h"
#include "ferrata/core/enums.h"

namespace ferrata {
// A local operand of a vector instruction: allocated, in UB, 32-byte aligned, long enough, in the right queue state.
void check_vector_operand(const char *api, const char *name, const Operand &operand, uint64_t extent, Loc loc);

[[noreturn]] void check_buffer_state(const char *api, const char *name, const Buffer *buffer, Loc loc);
inline void check_buffer(const char *api, const char *name, const Buffer *buffer, Loc loc) {
  if (buffer && (buffer->state == BufferState::free || buffer->state == BufferState::enqueued))
    check_buffer_state(api, name, buffer, loc);
}
} // namespace ferrata
