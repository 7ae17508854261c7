// Clocks and profiling marks of device code. In a kernel `clock()` is the core's cycle count: the rewriter turns it
// into _FCLK, since the C library has a function of that name.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"

// Cycles of the core, for differences.
inline uint64_t asc_clock() { return static_cast<uint64_t>(ferrata_cycles(1850)); }
#undef _FCLK
#define _FCLK() ::asc_clock()
inline void asc_time_stamp(uint32_t descId, ferrata::Loc loc = ferrata::Loc::here()) {
  AscendC::PrintTimeStamp(descId, loc);
}
inline void asc_prof_start() {}
inline void asc_prof_stop() {}
template <pipe_t pipe = PIPE_S> inline void asc_mark_stamp(uint16_t) {}
template <pipe_t pipe, uint16_t index> inline void asc_mark_stamp() {}
