// One running launch and the seats that its cores sit in.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include "cross.h"
#include "fiber.h"
#include "fault.h"
#include "place.h"
#include "ferrata/core/abi.h"

namespace ferrata {

// A signal of the processor that a core's code raised (crash.cpp). number 0: none.
struct Crash {
  int number = 0, code = 0;
  const void *address = nullptr; // that the instruction touched
  Frames frames;
};

// What a core runs on: a stack and a set of on-chip memories. Seats are kept and reused by their thread, so that one
// core after another works in the same warm cache lines.
struct Seat {
  Fiber fiber;
  uint8_t *arena =
      nullptr; // 4 GiB-aligned; memory m starts at (m - 1) * 4 GiB, so an address' low 32 bits are the offset
  bool mapped[static_cast<int>(Memory::count)] = {};
  bool done = false;
  int (*ready)(void *) = nullptr; // what the core waits for
  void *context = nullptr;
  std::string waits_for;
  Loc waits_at;
  std::vector<void *> blocks;  // ferrata_core_block
  std::vector<uint8_t> locals; // values of __BLOCK_LOCAL__ objects while another core runs
  std::string printed;
  Crash crash;
  Core core;
};

struct Launch {
  const LaunchInfo *info;
  void (*body)(void *);
  void *context;
  std::atomic<uint32_t> next{0};
  std::atomic<uint32_t> total{0};
  std::atomic<bool> stop{false};
  Kind kind = Kind::any;
  uint32_t cubes = 0, vectors = 1; // AICs and AIVs per block
  const char *kernel = nullptr;
  uint64_t serial = 0; // number of the launch in this process
  bool entered = false;
  bool kind_declared = false;   // by the kernel's qualifiers
  bool kind_by_key = false;     // by KERNEL_TASK_TYPE for the launch's key
  void *cube_variant = nullptr; // the kernel as compiled for cube cores
  uint64_t tiling_key = 0;
  void *workspace = nullptr;    // the system's part
  std::unique_ptr<Cross> cross; // flags and barriers between cores, made when the first core uses one
  // work done so far by the launching thread, to decide when helpers pay
  uint64_t work = 0;
  bool woken = false;
  // sleeping workers
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t version = 0;
  int active = 1, sleeping = 0;                    // workers; sleeping: since the current version
  const Seat *stuck = nullptr;                     // in a deadlock: the first core that waits, which reports it
  std::vector<const std::vector<Seat *> *> asleep; // the waiting cores of each sleeping worker
  std::string waits;                               // in a deadlock: who waits for what
  // results
  bool faulted = false;
  FaultRecord fault;
  uint32_t fault_order = 0; // of the core that raised it
  struct Output {
    uint32_t core;
    std::string text;
  };
  std::vector<Output> output;
};

inline Seat *seat_of(const Core *core) { return static_cast<Seat *>(core->seat); }
inline Launch *launch_of(const Core *core) { return static_cast<Launch *>(core->launch); }

// Which core of which block the `index`-th one of a launch is.
void identify(Core &core, const Launch &launch, uint32_t index);
// The thread's settings for its next launch: tiling key, system workspace.
void take_settings(Launch &launch);
// The thread is about to run cores: signals in it can be told from its stack. After a core ended in one: its fault.
void expect_crashes();
void report_crash(Seat &seat);
struct Restart {}; // thrown on a core that turned out to be of another type: the kernel starts again

void wake_helpers(Launch &launch);
// A core did something that another one may be waiting for.
void announce(Launch &launch);

// Called by bulk instructions: after enough bytes the other threads are asked to take cores. A hand-over costs some ten
// microseconds, so short launches never pay it.
constexpr uint64_t bytes_before_help = 768 * 1024;
inline void note_work(Core *core, uint64_t bytes) {
  Launch *launch = launch_of(core);
  if (__builtin_expect(!launch->woken, 1)) {
    launch->work += bytes;
    if (__builtin_expect(launch->work > bytes_before_help, 0))
      wake_helpers(*launch);
  }
}
} // namespace ferrata
