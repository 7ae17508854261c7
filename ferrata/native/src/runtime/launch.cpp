// Running a launch: cores are fibers. The launching thread runs the first ones; when they turn out to be long, a
// bounded pool of helper threads takes further cores. A core that waits gives its thread to the next core; when all
// that remain wait, that is a deadlock and every wait is named.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <algorithm>
#include <thread>
#include "gm.h"
#include "launch.h"
#include "locals.h"
#include "print.h"
#include "ferrata/chips.h"
#include "ferrata/observe.h"
#include "ferrata/runtime.h"

__thread ferrata::Core *ferrata_core;

namespace ferrata {
namespace {
constexpr size_t stack_bytes = size_t(1) << 20;
constexpr uint64_t memory_stride = uint64_t(1) << 32;

std::atomic<uint64_t> launches;
std::atomic<const ferrata_launch_observer_t *> launch_watcher;

// A launch as the observer sees it.
struct Observed {
  const ferrata_launch_observer_t *by = launch_watcher.load(std::memory_order_relaxed);
  void *begun;
  explicit Observed(const LaunchInfo *info) : begun(by ? by->begin(info->name, info->blocks) : nullptr) {}
  ~Observed() {
    if (begun)
      by->end(begun);
  }
  Observed(const Observed &) = delete;
};

uint32_t largest(Memory memory) {
  uint32_t bytes = 0;
  for (const Chip &chip : chips)
    bytes = std::max(bytes, chip.bytes[static_cast<int>(memory)]);
  return bytes;
}

void map_memory(Seat &seat, Memory memory) {
  int m = static_cast<int>(memory);
  if (!seat.mapped[m]) {
    uint8_t *start = seat.arena + static_cast<uint64_t>(m - 1) * memory_stride;
    mprotect(start, (largest(memory) + 4095u) / 4096 * 4096, PROT_READ | PROT_WRITE);
    seat.mapped[m] = true;
  }
}

Seat *new_seat() {
  Seat *seat = new Seat;
  uint64_t span = memory_stride * (static_cast<uint64_t>(Memory::count) - 1);
  void *p = mmap(nullptr, span + memory_stride, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED || !fiber_create(seat->fiber, stack_bytes)) {
    fprintf(stderr, "[ferrata] cannot reserve address space for a core\n");
    abort();
  }
  seat->arena =
      reinterpret_cast<uint8_t *>((reinterpret_cast<uint64_t>(p) + memory_stride - 1) / memory_stride * memory_stride);
  memset(static_cast<void *>(&seat->core), 0, sizeof seat->core);
  seat->core.seat = seat;
  for (int m = 1; m < static_cast<int>(Memory::count); ++m)
    seat->core.memory[m] = seat->arena + static_cast<uint64_t>(m - 1) * memory_stride;
  map_memory(*seat, Memory::ub);
  return seat;
}

thread_local std::vector<Seat *> seats; // free ones of this thread; they live as long as the process

void reset(Core &core, Launch &launch, uint32_t index) {
  identify(core, launch, index);
  if (core.serial != launch.serial) {
    core.serial = launch.serial;
    core.stored = 0;
  }
  core.entered = 0;
  core.kernel = launch.kernel;
  core.last = launch.info->loc;
  core.launch = &launch;
  memset(core.top, 0, sizeof core.top);
  memset(core.declared, 0, sizeof core.declared);
  core.mask[0] = core.mask[1] = ~uint64_t(0);
  core.mask_counter = core.saturate = core.keep_cast = core.atomic = core.pad_value_set = 0;
  core.deq_scale = core.pad_value = 0;
  core.deq_form = deq_none;
  core.merge_suspended = core.reduced = core.initialised = core.allocators = 0;
  core.placed = {};
  core.speaker = nullptr;
  memset(core.flag, 0, sizeof core.flag);
  memset(core.reserved, 0, sizeof core.reserved);
  core.pipe = core.on_chip = nullptr;
  core.workspace = launch.workspace;
  core.tiling_key = launch.tiling_key;
  core.workspace_is_whole = 0;
  core.buffers = core.allocations = 0;
  memset(core.hits, 0, sizeof core.hits);
}

// A kernel that places tensors itself has to reset the core; here it starts out reset, on the chip it does not.
void remind(const Core &core) {
  static std::mutex mutex;
  static std::vector<std::string> reminded;
  const std::string kernel = core.kernel ? core.kernel : "?";
  std::lock_guard<std::mutex> lock(mutex);
  if (std::find(reminded.begin(), reminded.end(), kernel) != reminded.end())
    return;
  reminded.push_back(kernel);
  fprintf(stderr,
          "[ferrata] warning: kernel %s has no TPipe and does not call InitSocState(): on the chip it would start with "
          "the masks and atomics that the kernel before it left\n  at %s:%d\n",
          kernel.c_str(), core.placed.file, core.placed.line);
}

// Flags that were set and never waited for would corrupt the next kernel on the core.
void check_end(Core &core) {
  if (core.placed.file && !core.initialised)
    remind(core);
  for (int event = 0; event < hard_events; ++event)
    if (core.flag[event]) {
      static const char *const names[] = {
#define FERRATA_EVENT(source, destination) #source "_" #destination,
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
      };
      ferrata_fault(Fault::EventMisuse, "SetFlag", core.flag_loc[event].file, core.flag_loc[event].line,
                    "%s with id %d is set at the end of the kernel and nothing has waited for it", names[event],
                    __builtin_ctz(core.flag[event]));
    }
}

void core_main(void *argument) {
  Seat *seat = static_cast<Seat *>(argument);
  Launch *launch = launch_of(&seat->core);
  for (bool again = true; again;) {
    again = false;
    try {
      launch->body(launch->context);
      check_end(seat->core);
    } catch (const Restart &) {
      reset(seat->core, *launch, seat->core.order);
      again = true;
    } catch (const FaultThrown &) {
    } catch (const CoreStopped &) {
    }
  }
  // Any other exception is a host object thrown by device code: it ends the process through std::terminate.
  seat->core.pipe = nullptr;
  seat->done = true;
}

void resume(Seat *seat) {
  Core *outer = ferrata_core;
  ferrata_core = &seat->core;
  if (__builtin_expect(any_locals(), 0)) {
    const std::vector<uint8_t> before = enter_locals(seat->locals);
    fiber_resume(seat->fiber);
    leave_locals(seat->locals, before);
  } else {
    fiber_resume(seat->fiber);
  }
  ferrata_core = outer;
  if (__builtin_expect(seat->crash.number != 0, 0)) {
    report_crash(*seat);
    seat->core.pipe = nullptr;
    seat->crash = {};
    seat->done = true;
  }
}

void finish(Launch &launch, Seat *seat) {
  flush_output(launch, *seat);
  for (void *block : seat->blocks)
    free(block);
  seat->blocks.clear();
  seat->locals.clear();
  seats.push_back(seat);
}

// Every core that waits, in order, with what for; cores that wait for the same at the same line share one. The first
// of them is to report it, whichever worker found out.
void describe_waits(Launch &launch) {
  std::vector<const Seat *> waiting;
  for (const std::vector<Seat *> *blocked : launch.asleep)
    waiting.insert(waiting.end(), blocked->begin(), blocked->end());
  std::sort(waiting.begin(), waiting.end(), [](const Seat *a, const Seat *b) { return a->core.order < b->core.order; });
  launch.stuck = waiting.front();
  std::vector<std::pair<std::string, std::string>> lines; // what, who
  for (const Seat *seat : waiting) {
    const std::string what = seat->waits_for + " at " + (seat->waits_at.file ? seat->waits_at.file : "?") + ":" +
                             std::to_string(seat->waits_at.line);
    const std::string who = std::string(seat->core.type ? "AIV " : "AIC ") + std::to_string(seat->core.index);
    auto same = std::find_if(lines.begin(), lines.end(), [&](const auto &line) { return line.first == what; });
    if (same == lines.end())
      lines.emplace_back(what, who);
    else
      same->second += ", " + who;
  }
  for (const auto &line : lines)
    launch.waits += "\n    " + line.second + ": " + line.first;
  const size_t ended = launch.total.load() - waiting.size();
  if (ended)
    launch.waits +=
        "\n    " + std::to_string(ended) + " of " + std::to_string(launch.total.load()) + " cores have ended";
}

// Those asleep must look again, the caller holds the mutex. They do not count as asleep from here on, though it takes
// them a while to get up: else a worker that finds nothing to do meanwhile would think that all are waiting.
void wake_sleepers(Launch &launch) {
  ++launch.version;
  launch.sleeping = 0;
  launch.changed.notify_all();
}

// Take cores until none is left, then see the waiting ones through.
void work(Launch &launch) {
  std::vector<Seat *> blocked;
  expect_crashes();
  for (;;) {
    uint32_t index;
    while (!launch.stop && (index = launch.next.load()) < launch.total.load()) {
      if (!launch.next.compare_exchange_strong(index, index + 1))
        continue;
      Seat *seat;
      if (seats.empty()) {
        seat = new_seat();
      } else {
        seat = seats.back();
        seats.pop_back();
      }
      reset(seat->core, launch, index);
      seat->done = false;
      fiber_start(seat->fiber, core_main, seat);
      resume(seat);
      if (seat->done)
        finish(launch, seat);
      else
        blocked.push_back(seat);
    }
    if (blocked.empty())
      return;
    uint64_t seen;
    {
      std::lock_guard<std::mutex> lock(launch.mutex);
      seen = launch.version;
    }
    bool moved = false;
    for (size_t i = 0; i < blocked.size();) {
      Seat *seat = blocked[i];
      if (launch.stop || launch.stuck == seat || seat->ready(seat->context)) {
        moved = true;
        resume(seat);
        if (seat->done) {
          finish(launch, seat);
          blocked.erase(blocked.begin() + static_cast<long>(i));
          continue;
        }
      }
      ++i;
    }
    if (moved) {
      announce(launch);
      continue;
    }
    std::unique_lock<std::mutex> lock(launch.mutex);
    if (launch.version != seen)
      continue;
    launch.asleep.push_back(&blocked);
    if (++launch.sleeping == launch.active) {
      describe_waits(launch);
      wake_sleepers(launch);
    } else {
      launch.changed.wait(lock, [&] { return launch.version != seen; });
    }
    launch.asleep.erase(std::find(launch.asleep.begin(), launch.asleep.end(), &blocked));
  }
}

// --- helper threads ---
struct Pool {
  std::mutex mutex;
  std::condition_variable wanted, left;
  Launch *launch = nullptr;
  int helpers = 0; // threads that exist
  int limit = 0;   // 0: as many threads as the machine has processors
  uint64_t ticket = 0;
};
Pool *pool = new Pool; // never destroyed: helpers may outlive main

int thread_limit() {
  if (pool->limit > 0)
    return pool->limit;
  static const int processors = [] {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  }();
  return processors;
}

void leave(Launch &launch) {
  std::lock_guard<std::mutex> lock(launch.mutex);
  --launch.active;
  wake_sleepers(launch); // they look again: they may now be all that is left
}

void helper(int index) {
  uint64_t seen = 0;
  for (;;) {
    Launch *launch;
    {
      std::unique_lock<std::mutex> lock(pool->mutex);
      pool->wanted.wait(lock, [&] { return pool->launch && pool->ticket != seen && index < thread_limit() - 1; });
      seen = pool->ticket;
      launch = pool->launch;
      std::lock_guard<std::mutex> inner(launch->mutex);
      ++launch->active;
    }
    work(*launch);
    std::lock_guard<std::mutex> lock(pool->mutex);
    leave(*launch);
    pool->left.notify_all();
  }
}

// In a forked child no helper thread exists any more.
__attribute__((constructor)) void watch_fork() {
  pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
}
} // namespace

// In a mix kernel a block's AICs come first, then its AIVs.
void identify(Core &core, const Launch &launch, uint32_t index) {
  const uint32_t per_block = launch.cubes + launch.vectors, place = index % per_block;
  const bool cube = place < launch.cubes;
  core.order = index;
  core.block_idx = index / per_block;
  core.block_num = static_cast<uint32_t>(launch.info->blocks);
  core.sub_idx = cube ? 0 : place - launch.cubes;
  core.sub_num = cube ? 1 : launch.vectors;
  core.index = cube ? core.block_idx * launch.cubes + place : core.block_idx * launch.vectors + core.sub_idx;
  core.count = core.block_num * (cube ? launch.cubes : launch.vectors);
  core.type = cube ? 0 : 1;
  core.kind = static_cast<uint8_t>(launch.kind);
}

void announce(Launch &launch) {
  std::lock_guard<std::mutex> lock(launch.mutex);
  if (launch.sleeping)
    wake_sleepers(launch);
  else
    ++launch.version;
}

void wake_helpers(Launch &launch) {
  launch.woken = true;
  if (launch.next.load() >= launch.total.load() || thread_limit() < 2)
    return;
  std::lock_guard<std::mutex> lock(pool->mutex);
  if (pool->launch)
    return; // another thread's launch has them
  int wanted = std::min<int>(thread_limit() - 1, static_cast<int>(launch.total.load() - launch.next.load()));
  while (pool->helpers < wanted) {
    std::thread(helper, pool->helpers).detach();
    ++pool->helpers;
  }
  pool->launch = &launch;
  ++pool->ticket;
  pool->wanted.notify_all();
}

void run(Launch &launch) {
  work(launch);
  if (!launch.woken)
    return;
  std::unique_lock<std::mutex> lock(pool->mutex);
  if (pool->launch != &launch)
    return;
  pool->launch = nullptr; // nobody joins from here on
  lock.unlock();
  leave(launch);
  lock.lock();
  pool->left.wait(lock, [&] {
    std::lock_guard<std::mutex> inner(launch.mutex);
    return launch.active == 0;
  });
}
} // namespace ferrata

using namespace ferrata;

void ferrata_launch(const LaunchInfo *info, void (*body)(void *), void *context) {
  Launch launch;
  launch.info = info;
  launch.body = body;
  launch.context = context;
  launch.kernel = info->name;
  launch.serial = launches.fetch_add(1, std::memory_order_relaxed) + 1;
  if (info->blocks < 1 || info->blocks > 65535) {
    FaultRecord record;
    record.kind = Fault::BadLaunch;
    record.kernel = info->name;
    record.api = "<<<>>>";
    record.detail = "numBlocks is " + std::to_string(info->blocks) + "; it must be 1..65535";
    record.file = info->loc.file ? info->loc.file : "";
    record.line = info->loc.line;
    deliver_fault(record, info->stream);
    return;
  }
  launch.total = static_cast<uint32_t>(info->blocks);
  take_settings(launch);
  {
    const Observed watched(info);
    run(launch);
  }
  if (!launch.faulted && launch.cross)
    check_flags_left(launch);
  deliver_output(launch);
  if (launch.faulted)
    deliver_fault(launch.fault, info->stream);
}

void ferrata_wait(int (*ready)(void *), void *context, const char *what, Loc loc) {
  Core *core = ferrata_core;
  Seat *seat = seat_of(core);
  Launch *launch = launch_of(core);
  while (!ready(context)) {
    if (!launch->woken) // the cores that this one waits for may as well run elsewhere
      wake_helpers(*launch);
    seat->ready = ready;
    seat->context = context;
    seat->waits_for = what;
    seat->waits_at = loc;
    fiber_yield(seat->fiber);
    if (launch->stop)
      throw CoreStopped();
    if (launch->stuck)
      ferrata_fault(Fault::Deadlock, what, loc.file, loc.line,
                    "every core that is left waits, and nothing can wake it:%s", launch->waits.c_str());
  }
}

uint8_t *ferrata_local_memory(Memory memory) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel("local memory", {});
  map_memory(*seat_of(core), memory);
  return core->memory[static_cast<int>(memory)];
}

void ferrata_note_allocation(Memory memory, const char *what, uint64_t each, uint32_t count, uint64_t end,
                             uint64_t limit, Loc loc) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(what, loc);
  core->last = loc;
  if (count && core->allocations < max_allocations)
    core->allocation[core->allocations++] = {what, static_cast<uint32_t>(std::min<uint64_t>(each, ~uint32_t(0))), count,
                                             memory, loc};
  if (end <= limit)
    return;
  static const char *const names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BiasTable", "Fixpipe buffer"};
  std::string text;
  for (uint32_t i = 0; i < core->allocations; ++i) {
    const Allocation &a = core->allocation[i];
    if (a.memory != memory)
      continue;
    text += "\n    line " + std::to_string(a.loc.line) + ": " + a.what + ", " + std::to_string(a.count) + " x " +
            std::to_string(a.bytes) + " bytes";
  }
  const char *name = names[static_cast<int>(memory)];
  const bool stray = !count && on_stack(end - each, 0xffffffffu); // LocalTensor(position, address, ...)
  ferrata_fault(Fault::UbOverBudget, what, loc.file, loc.line, "%s has %llu bytes and %llu are needed%s. Allocated:%s",
                name, static_cast<unsigned long long>(limit), static_cast<unsigned long long>(end),
                stray ? on_stack_hint : "", text.empty() ? " nothing yet" : text.c_str());
}

void *ferrata_core_block(uint64_t bytes) {
  void *block = calloc(1, bytes);
  if (Core *core = ferrata_core)
    seat_of(core)->blocks.push_back(block);
  return block;
}

int64_t ferrata_cycles(int mhz) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec * 1000000000LL + now.tv_nsec) * mhz / 1000;
}

void ferrata_check_gm(const void *address, uint64_t bytes, const char *api, const char *operand, Loc loc,
                      const void *base) {
  Core *core = ferrata_core;
  const uint8_t *begin = static_cast<const uint8_t *>(address),
                *owner = base ? static_cast<const uint8_t *>(base) : begin;
  if (core)
    for (const GmRange &hit : core->hits)
      if (owner >= hit.begin && owner < hit.end && begin >= hit.begin && begin < hit.end &&
          bytes <= static_cast<uint64_t>(hit.end - begin))
        return;
  GmBlock block;
  if (!gm_block(owner, block) && !gm_block(begin, block)) {
    if (!address)
      ferrata_fault(Fault::HostPointer, api, loc.file, loc.line, "%s is a null pointer", operand);
    if (gm_reserved(owner))
      ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line,
                    "%s at %p lies in device memory that is not allocated (freed, or far outside its block)", operand,
                    address);
    ferrata_fault(Fault::HostPointer, api, loc.file, loc.line,
                  "%s at %p is not device memory. A host pointer was passed to the kernel, or an address ran far out "
                  "of its block; "
                  "device memory comes from aclrtMalloc or an npu tensor",
                  operand, address);
  }
  if (begin >= block.base && bytes <= block.legal && static_cast<uint64_t>(begin - block.base) <= block.legal - bytes) {
    if (core)
      core->hits[core->next_hit++ % range_cache] = {block.base, block.base + block.legal};
    return;
  }
  const long long offset = begin - block.base;
  ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line,
                "%s touches bytes %lld to %lld of a device memory block that has %llu", operand, offset,
                offset + static_cast<long long>(bytes) - 1, static_cast<unsigned long long>(block.bytes));
}

uint64_t ferrata_launch_count(void) { return launches.load(); }

void ferrata_set_launch_observer(const ferrata_launch_observer_t *watcher) { launch_watcher.store(watcher); }

void ferrata_set_threads(int threads) {
  std::lock_guard<std::mutex> lock(pool->mutex);
  pool->limit = threads;
}

namespace {
std::atomic<Observer> observer;
}
void ferrata_set_observer(Observer function) { observer = function; }
void ferrata_observe(const Event *event) {
  if (Observer function = observer.load(std::memory_order_relaxed))
    function(ferrata_core, event);
}
