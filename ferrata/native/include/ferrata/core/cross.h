// Synchronisation between cores: flags, barriers, pairwise flags through GM, and sections that run in block order. The
// calls are checked and carried out by the library, which lets other cores run while one waits.
#pragma once
#include "ferrata/core/sync.h"

namespace ferrata {
// `id` is the flag or event, `detail` the mode, the block or the number of cores.
inline void observe_cross(EventKind kind, uint8_t pipe, const char *api, int id, int detail, Loc loc) {
  Event event{};
  event.kind = kind;
  event.pipe = pipe;
  event.id = static_cast<int16_t>(id);
  event.hard_event = static_cast<uint16_t>(detail);
  event.api = api;
  event.loc = loc;
  observe(event);
}
} // namespace ferrata

namespace AscendC {
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(ferrata::Wide flag, ferrata::Loc loc = ferrata::Loc::here()) {
  const uint16_t flagId = flag.fit<uint16_t>("CrossCoreSetFlag", "flagId");
  static_assert(modeId <= 2, "CrossCoreSetFlag: this chip has modes 0 (all cores of a type), 1 (the vector cores of a "
                             "block) and 2 (cube and vector)");
  static_assert(
      pipe != PIPE_S && pipe != PIPE_ALL,
      "CrossCoreSetFlag: the pipe must be one whose instructions are waited for: V, M, MTE1, MTE2, MTE3 or FIX");
  ferrata::observe_cross(ferrata::EventKind::cross_set, pipe, "CrossCoreSetFlag", flagId, modeId, loc);
  ferrata_cross_set(modeId, flagId, loc);
}
// The template arguments have no effect on this chip: all later instructions of the core wait.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(ferrata::Wide flag, ferrata::Loc loc = ferrata::Loc::here()) {
  const uint16_t flagId = flag.fit<uint16_t>("CrossCoreWaitFlag", "flagId");
  ferrata_cross_wait(flagId, loc);
  ferrata::observe_cross(ferrata::EventKind::cross_wait, PIPE_S, "CrossCoreWaitFlag", flagId, modeId, loc);
}

// Barrier among all vector cores, or among all cores of a mix kernel.
template <bool isAIVOnly = true> inline void SyncAll(ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::observe_cross(ferrata::EventKind::cross_barrier, PIPE_ALL, "SyncAll", 0, isAIVOnly, loc);
  ferrata_sync_all(isAIVOnly, loc);
}
// The same through GM, for vector kernels: 32 zeroed bytes of `gmWorkspace` and 32 bytes of `ubWorkspace` a core.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                    const int32_t usedCores = 0, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::observe_cross(ferrata::EventKind::cross_barrier, PIPE_ALL, "SyncAll", 1, usedCores, loc);
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata_soft_sync_all(gm.data, gm.bytes, ubWorkspace.GetLength(), usedCores, loc);
}

// One core tells another: slot (blockIdx, eventID) of a zeroed workspace.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                  int32_t eventID, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata::observe_cross(ferrata::EventKind::cross_set, PIPE_MTE3, "IBSet", eventID, blockIdx, loc);
  ferrata_pair_set(gm.data, gm.bytes, ubWorkspace.GetLength(), blockIdx, eventID, isAIVOnly, loc);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                   int32_t eventID, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata_pair_wait(gm.data, gm.bytes, ubWorkspace.GetLength(), blockIdx, eventID, isAIVOnly, loc);
  ferrata::observe_cross(ferrata::EventKind::cross_wait, PIPE_S, "IBWait", eventID, blockIdx, loc);
}

// Sections between WaitPreBlock and NotifyNextBlock run in ascending core order, so that float sums come out the same.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace,
                                          ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata_turn(0, gm.data, gm.bytes, ubWorkspace.GetLength(), loc);
}
inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace,
                         ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata_turn(1, gm.data, gm.bytes, ubWorkspace.GetLength(), loc);
  ferrata::observe_cross(ferrata::EventKind::cross_wait, PIPE_S, "WaitPreBlock", 0, 0, loc);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace,
                            ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide gm = gmWorkspace.side(0);
  ferrata::observe_cross(ferrata::EventKind::cross_set, PIPE_MTE3, "NotifyNextBlock", 0, 0, loc);
  ferrata_turn(2, gm.data, gm.bytes, ubWorkspace.GetLength(), loc);
}
} // namespace AscendC
