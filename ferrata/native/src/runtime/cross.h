// What the cores of one launch share to wait for each other: the hardware's flag counters, and barriers. Made when the
// first core uses one; every access holds `mutex`. The waits themselves are the scheduler's (ferrata_wait).
#pragma once
#include <stdint.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include "ferrata/core/loc.h"

namespace ferrata {
struct Core;
struct Launch;

constexpr int cross_flags = 16;

// The flags of one core. A set is `pending` until everybody that its mode asks for has set too; then it is delivered.
struct CoreFlags {
  uint8_t counter[cross_flags] = {};     // delivered and not yet waited for, 0..15
  uint32_t pending[3][cross_flags] = {}; // by mode
  uint8_t mode[cross_flags] = {};        // of the latest set or delivery
  Loc set_at[cross_flags] = {};
};

// A barrier counts arrivals; the last one of a round opens it.
struct Barrier {
  uint32_t arrived = 0;
  uint64_t round = 0;
  std::vector<uint32_t> rounds; // of each participant
};

// InitDetermineComputeWorkspace and its two partners: sections finished by each core.
struct Turns {
  std::vector<uint32_t> finished;
};

struct Cross {
  std::mutex mutex;
  std::vector<CoreFlags> flags;               // by Core::order
  uint32_t waiting_sets[2][cross_flags] = {}; // mode 0: cores of the type with a pending set
  Barrier vectors, all;
  std::map<const void *, Barrier> software; // by workspace
  std::map<const void *, Turns> turns;      // by workspace
};

Cross &cross_of(Launch &launch);
// After a launch: a flag that nobody waited for would be found by the next kernel.
void check_flags_left(Launch &launch);
} // namespace ferrata
