// Names of older kernels that no page of the documentation has: the device compiler's own intrinsics for flags,
// barriers and the block's number, the scalar abs, and the constants of <float.h> and <math.h>
// (docs/design/unclear.md).
#pragma once
#include <float.h>
#include "ferrata/core/sync.h"

// As <math.h> has them, whichever comes first.
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif

namespace ferrata {
constexpr AscendC::HardEvent event_of(pipe_t source, pipe_t destination) {
#define FERRATA_EVENT(s, d)                                                                                            \
  if (source == PIPE_##s && destination == PIPE_##d)                                                                   \
    return AscendC::HardEvent::s##_##d;
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
  return AscendC::HardEvent::MAX;
}

// The event of two pipes on the running core, or the fault.
inline AscendC::HardEvent checked_event(const char *api, pipe_t source, pipe_t destination, Loc loc) {
  constexpr const char *names[] = {"PIPE_S",    "PIPE_V",    "PIPE_M",   "PIPE_MTE1",
                                   "PIPE_MTE2", "PIPE_MTE3", "PIPE_ALL", "PIPE_FIX"};
  const AscendC::HardEvent event = event_of(source, destination);
  const bool vector = core()->type == AscendC::AIV;
  if (event == AscendC::HardEvent::MAX || !(vector ? on_vector_core(event) : on_cube_core(event)))
    ferrata_fault(event == AscendC::HardEvent::MAX ? Fault::EventMisuse : Fault::WrongCore, api, loc.file, loc.line,
                  "no event of a %s core goes from %s to %s", vector ? "vector" : "cube", names[source & 7],
                  names[destination & 7]);
  return event;
}
} // namespace ferrata

inline void set_flag(pipe_t source, pipe_t destination, int id, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::Speaking speaking("set_flag");
  ferrata::set_flag(ferrata::checked_event("set_flag", source, destination, loc), id, loc);
}
inline void wait_flag(pipe_t source, pipe_t destination, int id, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::Speaking speaking("wait_flag");
  ferrata::wait_flag(ferrata::checked_event("wait_flag", source, destination, loc), id, loc);
}
inline void pipe_barrier(pipe_t pipe, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::observe(ferrata::EventKind::barrier, pipe, "pipe_barrier", loc);
}
// The block's number as block_idx has it, the same on both vector cores of a mix kernel.
inline int64_t get_block_idx() { return ferrata::core()->block_idx; }
inline int64_t get_block_num() { return ferrata::core()->block_num; }
inline int64_t get_subblockid() { return ferrata::core()->sub_idx; }
inline int64_t get_subblockdim() { return ferrata::core()->sub_num; }

// The functions of <stdlib.h> and <cmath> are better than this where they are declared, and so is one of the user's.
template <class T, class... None, ferrata::EnableIf<ferrata::is_number<T> && sizeof...(None) == 0> = 0>
constexpr auto abs(T value, None...) -> decltype(+value) {
  return value < T(0) ? -value : +value;
}
