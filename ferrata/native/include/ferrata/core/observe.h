// The observer hook. FERRATA_OBSERVER 0 (none) compiles to nothing; 1 (check) and 2 (trace) hand every instruction and
// synchronisation to the observer that the library was given.
#pragma once
#include "ferrata/core/params.h"

#ifndef FERRATA_OBSERVER
#define FERRATA_OBSERVER 0
#endif

namespace ferrata {
constexpr int observer_level = FERRATA_OBSERVER;

inline void observe([[maybe_unused]] EventKind kind, [[maybe_unused]] uint8_t pipe, [[maybe_unused]] const char *api,
                    [[maybe_unused]] Loc loc, [[maybe_unused]] const void *address = nullptr,
                    [[maybe_unused]] uint64_t bytes = 0, [[maybe_unused]] bool write = false) {
  if constexpr (observer_level != 0) {
    Event event{kind, pipe, write, -1, 0, api, nullptr, nullptr, address, bytes, loc};
    ferrata_observe(&event);
  }
}

inline void observe_flag([[maybe_unused]] EventKind kind, [[maybe_unused]] AscendC::HardEvent event,
                         [[maybe_unused]] int id, [[maybe_unused]] const char *api, [[maybe_unused]] Loc loc) {
  if constexpr (observer_level != 0) {
    Event seen{kind, PIPE_S, 0, static_cast<int16_t>(id), static_cast<uint16_t>(event), api, nullptr, nullptr, nullptr, 0, loc};
    ferrata_observe(&seen);
  }
}

// Hand a vector instruction to the library; the observer sees it first.
inline void issue(const VectorCall &call) {
  if constexpr (observer_level != 0) {
    Event event{EventKind::vector, PIPE_V, 0, -1, 0, nullptr, &call, nullptr, nullptr, 0, call.loc};
    ferrata_observe(&event);
  }
  ferrata_vector(&call);
}

inline void issue(const CopyCall &call, [[maybe_unused]] uint8_t pipe) {
  if constexpr (observer_level != 0) {
    Event event{EventKind::copy, pipe, 0, -1, 0, call.api, nullptr, &call, nullptr, 0, call.loc};
    ferrata_observe(&event);
  }
  ferrata_copy(&call);
}
} // namespace ferrata
