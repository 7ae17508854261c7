// The observer hook. FERRATA_OBSERVER 0 (none) compiles to nothing; 1 (check) and 2 (trace) hand every instruction and
// synchronisation to the observer that the library was given.
#pragma once
#include "ferrata/core/params.h"

#ifndef FERRATA_OBSERVER
#define FERRATA_OBSERVER 0
#endif

namespace ferrata {
constexpr int observer_level = FERRATA_OBSERVER;

// Tell the observer; nothing is left of this where there is none.
inline void observe(const Event &event) {
  if constexpr (observer_level != 0)
    ferrata_observe(&event);
}
inline void observe(EventKind kind, uint8_t pipe, const char *api, Loc loc, const void *address = nullptr,
                    uint64_t bytes = 0, bool write = false) {
  observe({kind, pipe, write, -1, 0, api, nullptr, nullptr, nullptr, nullptr, address, bytes, loc});
}
inline void observe_flag(EventKind kind, AscendC::HardEvent event, int id, const char *api, Loc loc) {
  observe({kind, PIPE_S, 0, static_cast<int16_t>(id), static_cast<uint16_t>(event), api, nullptr, nullptr, nullptr,
           nullptr, nullptr, 0, loc});
}

// Hand an instruction to the library; the observer sees it first.
inline void issue(const VectorCall &call) {
  observe({EventKind::vector, PIPE_V, 0, -1, 0, nullptr, &call, nullptr, nullptr, nullptr, nullptr, 0, call.loc});
  ferrata_vector(&call);
}
inline void issue(const ReduceCall &call) {
  observe({EventKind::reduce, PIPE_V, 0, -1, 0, call.api, nullptr, nullptr, &call, nullptr, nullptr, 0, call.loc});
  ferrata_reduce(&call);
}
inline void issue(const SelectCall &call) {
  observe({EventKind::select, PIPE_V, 0, -1, 0, call.api, nullptr, nullptr, nullptr, &call, nullptr, 0, call.loc});
  ferrata_select(&call);
}
inline void issue(const CopyCall &call, uint8_t pipe) {
  observe({EventKind::copy, pipe, 0, -1, 0, call.api, nullptr, &call, nullptr, nullptr, nullptr, 0, call.loc});
  ferrata_copy(&call);
}
} // namespace ferrata
