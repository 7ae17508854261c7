// Clocks and profiling marks of device code.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"

// Cycles of the core, for differences. (The C library's clock() takes no argument either, so a kernel calls this one by
// its namespace or through the name below.)
inline uint64_t asc_clock() { return static_cast<uint64_t>(ferrata_cycles(1850)); }
inline void asc_time_stamp(uint32_t descId, ferrata::Loc loc = ferrata::Loc::here()) {
  AscendC::PrintTimeStamp(descId, loc);
}
inline void asc_prof_start() {}
inline void asc_prof_stop() {}
template <pipe_t pipe = PIPE_S> inline void asc_mark_stamp(uint16_t) {}
template <pipe_t pipe, uint16_t index> inline void asc_mark_stamp() {}
