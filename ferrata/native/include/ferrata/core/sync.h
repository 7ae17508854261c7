// Synchronisation inside a core. Instructions run in program order here, so events and barriers reduce to legality: a
// wait needs its set, a set must be consumed before the next one. The observer sees them all.
#pragma once
#include "ferrata/core/system.h"

namespace ferrata {
constexpr const char *event_names[] = {
#define FERRATA_EVENT(source, destination) #source "_" #destination,
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
};

// Checks an id of SetFlag and WaitFlag, 0..7.
inline void check_event(const char *api, AscendC::HardEvent event, int id, Loc loc) {
  if (__builtin_expect(static_cast<unsigned>(id) > 7, 0))
    ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line, "event id %d of %s is outside 0..7", id,
                  event_names[static_cast<int>(event)]);
}

inline void set_flag(AscendC::HardEvent event, int id, Loc loc) {
  check_event("SetFlag", event, id, loc);
  Core *core = ferrata::core();
  uint8_t bit = static_cast<uint8_t>(1u << id), &flags = core->flag[static_cast<int>(event)];
  if (__builtin_expect(flags & bit, 0))
    ferrata_fault(Fault::EventMisuse, "SetFlag", loc.file, loc.line,
                  "%s with id %d is set a second time without a WaitFlag in between; first set at line %d",
                  event_names[static_cast<int>(event)], id, core->flag_loc[static_cast<int>(event)].line);
  flags |= bit;
  core->flag_loc[static_cast<int>(event)] = loc;
  observe_flag(EventKind::set_flag, event, id, "SetFlag", loc);
}

inline void wait_flag(AscendC::HardEvent event, int id, Loc loc) {
  check_event("WaitFlag", event, id, loc);
  uint8_t bit = static_cast<uint8_t>(1u << id), &flags = core()->flag[static_cast<int>(event)];
  if (__builtin_expect(!(flags & bit), 0))
    ferrata_fault(Fault::EventMisuse, "WaitFlag", loc.file, loc.line,
                  "%s with id %d waits but nothing has set it: the core would hang",
                  event_names[static_cast<int>(event)], id);
  flags = static_cast<uint8_t>(flags & ~bit);
  observe_flag(EventKind::wait_flag, event, id, "WaitFlag", loc);
}

// The lowest id of an event that nobody holds, or a fault.
inline int free_event(AscendC::HardEvent event, const char *api, Loc loc) {
  unsigned free = ~unsigned(core()->reserved[static_cast<int>(event)]) & 0xff;
  if (__builtin_expect(!free, 0))
    ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line,
                  "all 8 event ids of %s are taken: at most 8 blocks or ids may be outstanding",
                  event_names[static_cast<int>(event)]);
  return __builtin_ctz(free);
}
inline int reserve_event(AscendC::HardEvent event, const char *api, Loc loc) {
  int id = free_event(event, api, loc);
  core()->reserved[static_cast<int>(event)] |= static_cast<uint8_t>(1u << id);
  return id;
}
inline void release_event(AscendC::HardEvent event, int id) {
  core()->reserved[static_cast<int>(event)] &= static_cast<uint8_t>(~(1u << id));
}

// Which cores have both pipes of an event.
constexpr bool uses_pipe(AscendC::HardEvent event, int pipe) {
  constexpr uint8_t pipes[][2] = {
#define FERRATA_EVENT(source, destination) {PIPE_##source, PIPE_##destination},
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
  };
  return pipes[static_cast<int>(event)][0] == pipe || pipes[static_cast<int>(event)][1] == pipe;
}
constexpr bool on_vector_core(AscendC::HardEvent event) {
  return !uses_pipe(event, PIPE_M) && !uses_pipe(event, PIPE_MTE1) && !uses_pipe(event, PIPE_FIX);
}
constexpr bool on_cube_core(AscendC::HardEvent event) { return !uses_pipe(event, PIPE_V); }

template <AscendC::HardEvent event> inline void check_event_core(const char *api, Loc loc) {
  if constexpr (!on_vector_core(event) || !on_cube_core(event)) {
    const bool vector = core()->type == AscendC::AIV;
    if (__builtin_expect(!(vector ? on_vector_core(event) : on_cube_core(event)), 0))
      ferrata_fault(Fault::WrongCore, api, loc.file, loc.line, "%s joins pipes of which a %s core does not have both",
                    event_names[static_cast<int>(event)], vector ? "vector" : "cube");
  }
}
} // namespace ferrata

namespace AscendC {
template <HardEvent event> inline void SetFlag(int32_t eventID, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::check_event_core<event>("SetFlag", loc);
  ferrata::set_flag(event, eventID, loc);
}
template <HardEvent event> inline void WaitFlag(int32_t eventID, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::check_event_core<event>("WaitFlag", loc);
  ferrata::wait_flag(event, eventID, loc);
}

template <pipe_t pipe> inline void PipeBarrier(ferrata::Loc loc = ferrata::Loc::here()) {
  static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist: scalar code is in order");
  ferrata::observe(ferrata::EventKind::barrier, pipe, "PipeBarrier", loc);
}
template <MemDsbT memory> inline void DataSyncBarrier(ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::observe(ferrata::EventKind::barrier, PIPE_ALL, "DataSyncBarrier", loc);
}

template <pipe_t source, pipe_t destination> constexpr HardEvent EventOf() {
#define FERRATA_EVENT(s, d)                                                                                            \
  if (source == PIPE_##s && destination == PIPE_##d)                                                                   \
    return HardEvent::s##_##d;
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
  return HardEvent::MAX;
}
template <pipe_t source, pipe_t destination> class TQueSync {
  static_assert(EventOf<source, destination>() != HardEvent::MAX, "TQueSync: no event joins these two pipes");

public:
  void SetFlag(TEventID id, ferrata::Loc loc = ferrata::Loc::here()) {
    AscendC::SetFlag<EventOf<source, destination>()>(id, loc);
  }
  void WaitFlag(TEventID id, ferrata::Loc loc = ferrata::Loc::here()) {
    AscendC::WaitFlag<EventOf<source, destination>()>(id, loc);
  }
};

using MutexID = uint8_t;
// Accepted and without effect on these chips.
struct Mutex {
  template <pipe_t pipe> static void Lock(MutexID) {}
  template <pipe_t pipe> static void Unlock(MutexID) {}
};
inline MutexID AllocMutexID() { return 0; }
inline void ReleaseMutexID(MutexID) {}
template <pipe_t aiv = PIPE_MTE3, pipe_t aic = PIPE_FIX, bool force = false> inline void SetNextTaskStart() {}
template <bool force = false> inline void WaitPreTaskEnd() {}
} // namespace AscendC
