// Which lanes an instruction works on and where they lie: the one mechanism behind masks, repeats and strides.
#pragma once
#include <string.h>
#include <algorithm>
#include "numbers.h"
#include "ferrata/core/abi.h"
#include "ferrata/core/enums.h"

namespace ferrata {
// The mask and repeat arguments of a call.
struct MaskArgument {
  Form form;
  uint64_t low, high;
  int64_t repeat;
  int64_t most_repeats;
  bool counts_per_repeat; // Copy: in Counter mode the mask counts the elements of each repeat
};

struct Lanes {
  uint64_t repeats; // number of repeats
  uint32_t each;    // lanes of a full repeat
  uint32_t last;    // lanes of the last repeat (counted forms); `each` otherwise
  uint32_t top;     // highest active lane + 1 of a full repeat
  bool prefix;      // active lanes are 0..top-1
  uint64_t mask[2];
  uint32_t lanes_of(uint64_t r) const { return r + 1 == repeats ? std::min(last, top) : top; }
  bool active(uint32_t lane) const { return prefix || (mask[lane / 64] >> (lane % 64) & 1); }
};

// Apply the call's mask argument to the core's mask state and read the lanes off it. False: nothing to do.
bool resolve(const MaskArgument &argument, const char *api, Loc loc, Core &core, uint32_t each, Lanes &lanes);

inline uint32_t bits_per_element(Type type) { return type == Type::i4 ? 4 : element_bytes(type) * 8; }

// Where an operand's lanes lie: lane l of repeat r at r * repeat + block * (its 32-byte block) + rest.
struct Layout {
  uint8_t *data;
  uint32_t bits;          // of an element
  uint64_t block, repeat; // strides in bytes
  bool packed;            // blocks of a repeat are adjacent
  uint64_t offset(uint64_t r, uint32_t lane) const {
    uint64_t byte = static_cast<uint64_t>(lane) * bits / 8;
    return r * repeat + byte / 32 * block + byte % 32;
  }
  // Bytes from the start to the end of the furthest lane.
  uint64_t extent(uint64_t repeats, uint32_t lanes) const {
    uint64_t bytes = (static_cast<uint64_t>(lanes) * bits + 7) / 8 - 1;
    return (repeats - 1) * repeat + bytes / 32 * block + bytes % 32 + 1;
  }
};

Layout layout_of(const Operand &operand, bool is_dst, bool count_form, uint32_t lanes);

inline uint64_t extent_of(const Layout &layout, const Lanes &lanes) {
  uint64_t extent = layout.extent(lanes.repeats, std::min(lanes.last, lanes.top));
  return lanes.repeats > 1 ? std::max(extent, layout.extent(lanes.repeats - 1, lanes.top)) : extent;
}

// Blocks of one repeat to consecutive lanes, and back under a mask.
void gather(uint8_t *to, const Layout &from, uint64_t r, uint32_t lanes);
void scatter(const Layout &to, const uint8_t *from, uint64_t r, uint32_t lanes, const uint64_t mask[2], bool all);

inline bool overlap(const uint8_t *a, uint64_t a_bytes, const uint8_t *b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// The ranges of dst and a source meet. Within a repeat they must be the same bytes, or apart; and what a repeat wrote,
// the next one must not read, unless a repeat stride of 0 makes the repeats accumulate.
void check_meeting(const char *api, const char *source, const Layout &dst, const Layout &src, const Lanes &lanes,
                   Loc loc);

// A local operand of a vector instruction: allocated, in UB, aligned, long enough, in the right queue state.
void check_vector_operand(const char *api, const char *name, const Operand &operand, uint64_t extent, Loc loc,
                          uint32_t align = 32);

[[noreturn]] void check_buffer_state(const char *api, const char *name, const Buffer *buffer, Loc loc);
inline void check_buffer(const char *api, const char *name, const Buffer *buffer, Loc loc) {
  if (buffer && (buffer->state == BufferState::free || buffer->state == BufferState::enqueued))
    check_buffer_state(api, name, buffer, loc);
}
} // namespace ferrata
