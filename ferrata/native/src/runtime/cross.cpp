// Synchronisation between the cores of a launch: flags, barriers, pairwise flags in GM, and taking turns.
#include <string.h>
#include "acl_state.h"
#include "launch.h"

namespace ferrata {
namespace {
const char *kind_word(const Core &core) {
  static const char *const words[] = {"a kernel without a core type", "__vector__", "__cube__", "__mix__"};
  return words[core.kind];
}

Core &here(const char *api, Loc loc) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(api, loc);
  core->last = loc;
  return *core;
}

// All cores of a type must run at once, or those of a later round are never reached.
void check_resident(const Core &core, const char *api, Loc loc) {
  const Launch &launch = *launch_of(&core);
  const Chip &chip = device_chip();
  const uint32_t most = launch.cubes ? chip.cube_cores : chip.vector_cores / (launch.vectors ? launch.vectors : 1);
  if (core.block_num > most)
    ferrata_fault(
        Fault::BadLaunch, api, loc.file, loc.line,
        "numBlocks is %u and %s runs at most %u blocks of this kernel at a time: the others start only when those end, "
        "so that a barrier among all would never open",
        core.block_num, chip.soc, most);
}

uint32_t vectors_of(const Core &core) { return core.block_num * launch_of(&core)->vectors; }

// Wait at a barrier of `count` cores, of which the caller is number `index`.
void arrive(Core &core, Barrier &barrier, uint32_t index, uint32_t count, const char *what, Loc loc) {
  Launch &launch = *launch_of(&core);
  Cross &cross = cross_of(launch);
  struct Wait {
    Cross *cross;
    Barrier *barrier;
    uint64_t round;
  } wait{&cross, &barrier, 0};
  {
    std::lock_guard<std::mutex> lock(cross.mutex);
    if (barrier.rounds.size() < count)
      barrier.rounds.resize(count);
    wait.round = barrier.rounds[index]++;
    if (++barrier.arrived == count) {
      barrier.arrived = 0;
      ++barrier.round;
    }
  }
  announce(launch);
  ferrata_wait(
      [](void *self) -> int {
        const Wait &w = *static_cast<Wait *>(self);
        std::lock_guard<std::mutex> lock(w.cross->mutex);
        return w.barrier->round > w.round;
      },
      &wait, what, loc);
}

void deliver(Launch &launch, uint32_t order, uint16_t flag, uint8_t mode, Loc loc) {
  CoreFlags &target = launch.cross->flags[order];
  if (target.counter[flag] == 15)
    ferrata_fault(
        Fault::EventMisuse, "CrossCoreSetFlag", loc.file, loc.line,
        "flag %u was set 16 times without a CrossCoreWaitFlag on core %u of the launch; its counter holds at most 15",
        flag, order);
  ++target.counter[flag];
  target.mode[flag] = mode;
  target.set_at[flag] = loc;
}

// Sets of cores first..last-1 that all are pending become one delivery.
bool all_pending(Cross &cross, uint32_t first, uint32_t last, int mode, uint16_t flag) {
  for (uint32_t i = first; i < last; ++i)
    if (!cross.flags[i].pending[mode][flag])
      return false;
  for (uint32_t i = first; i < last; ++i)
    --cross.flags[i].pending[mode][flag];
  return true;
}

void check_flag_id(const char *api, uint16_t flag, Loc loc) {
  if (flag >= cross_flags)
    ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line, "flagId is %u; it must be 0..15", flag);
}

void check_kind(const Core &core, const char *api, Loc loc) {
  if (core.kind == static_cast<uint8_t>(Kind::vector) || core.kind == static_cast<uint8_t>(Kind::cube))
    ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                  "cross-core synchronisation is off in a %s kernel: nothing would be delivered. Declare it %s",
                  kind_word(core),
                  core.kind == static_cast<uint8_t>(Kind::vector) ? "__mix__(0, 1), or use SyncAll with a workspace"
                                                                  : "__mix__(1, 0)");
}

void check_size(const char *api, const char *what, uint64_t bytes, uint64_t needed, Loc loc) {
  if (bytes < needed)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s has %llu bytes and %llu are needed", what,
                  static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(needed));
}

void check_vector_core(const Core &core, const char *api, Loc loc) {
  if (core.type == 0)
    ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                  "called on a cube core; it is for vector cores (if ASCEND_IS_AIV)");
}
} // namespace

Cross &cross_of(Launch &launch) {
  std::lock_guard<std::mutex> lock(launch.mutex);
  if (!launch.cross) {
    launch.cross = std::make_unique<Cross>();
    launch.cross->flags.resize(launch.total.load());
  }
  return *launch.cross;
}

void check_flags_left(Launch &launch) {
  for (uint32_t order = 0; order < launch.cross->flags.size(); ++order) {
    const CoreFlags &core = launch.cross->flags[order];
    for (int flag = 0; flag < cross_flags; ++flag) {
      if (!core.counter[flag])
        continue;
      const uint32_t per_block = launch.cubes + launch.vectors, place = order % per_block;
      launch.faulted = true;
      launch.fault.kind = Fault::EventMisuse;
      launch.fault.api = "CrossCoreSetFlag";
      launch.fault.kernel = launch.kernel;
      launch.fault.block = order / per_block;
      launch.fault.blocks = static_cast<uint32_t>(launch.info->blocks);
      launch.fault.core = place < launch.cubes ? "AIC" : "AIV";
      launch.fault.file = core.set_at[flag].file ? core.set_at[flag].file : "";
      launch.fault.line = core.set_at[flag].line;
      launch.fault.detail =
          "flag " + std::to_string(flag) + " was set for this core " + std::to_string(core.counter[flag]) +
          " time(s) more than it called CrossCoreWaitFlag; the next kernel on the core would find it set";
      return;
    }
  }
}
} // namespace ferrata

using namespace ferrata;

void ferrata_cross_set(int mode, uint16_t flag, Loc loc) {
  const char *api = "CrossCoreSetFlag";
  Core &core = here(api, loc);
  check_flag_id(api, flag, loc);
  check_kind(core, api, loc);
  Launch &launch = *launch_of(&core);
  const bool both = launch.cubes && launch.vectors;
  if (mode == 2 && !both)
    ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                  "mode 2 joins a cube core and its vector cores, and this kernel runs on %s cores only; declare it "
                  "__mix__(1, 1) or (1, 2)",
                  launch.cubes ? "cube" : "vector");
  if (mode == 1 && core.type == 0)
    ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                  "mode 1 joins the vector cores of a block; this is a cube core");
  if (mode == 0)
    check_resident(core, api, loc);
  Cross &cross = cross_of(launch);
  {
    std::lock_guard<std::mutex> lock(cross.mutex);
    CoreFlags &own = cross.flags[core.order];
    for (int other = 0; other < 3; ++other)
      if (other != mode && own.pending[other][flag])
        ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line,
                      "flag %u is used in mode %d while a set of it in mode %d (line %d) is still open", flag, mode,
                      other, own.set_at[flag].line);
    if (own.counter[flag] && own.mode[flag] != mode)
      ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line,
                    "flag %u changes from mode %d to mode %d while this core has not waited for the former", flag,
                    own.mode[flag], mode);
    const uint32_t per_block = launch.cubes + launch.vectors, block = core.block_idx * per_block;
    if (mode == 2 && core.type == 0) {
      for (uint32_t i = 0; i < launch.vectors; ++i)
        deliver(launch, block + launch.cubes + i, flag, 2, loc);
    } else {
      if (own.pending[mode][flag] == 15)
        ferrata_fault(Fault::EventMisuse, api, loc.file, loc.line,
                      "flag %u was set 16 times while the other cores have not set it", flag);
      own.set_at[flag] = loc;
      const bool first = own.pending[mode][flag]++ == 0;
      if (mode == 0) {
        uint32_t &ready = cross.waiting_sets[core.type][flag];
        ready += first;
        if (ready == core.count) {
          for (uint32_t i = 0; i < cross.flags.size(); ++i)
            if ((i % per_block < launch.cubes) == (core.type == 0)) {
              if (--cross.flags[i].pending[0][flag] == 0)
                --ready;
              deliver(launch, i, flag, 0, loc);
            }
        }
      } else if (all_pending(cross, block + launch.cubes, block + per_block, mode, flag)) {
        if (mode == 1)
          for (uint32_t i = block + launch.cubes; i < block + per_block; ++i)
            deliver(launch, i, flag, 1, loc);
        else
          deliver(launch, block, flag, 2, loc);
      }
    }
  }
  announce(launch);
}

void ferrata_cross_wait(uint16_t flag, Loc loc) {
  const char *api = "CrossCoreWaitFlag";
  Core &core = here(api, loc);
  check_flag_id(api, flag, loc);
  check_kind(core, api, loc);
  Cross &cross = cross_of(*launch_of(&core));
  struct Wait {
    Cross *cross;
    uint8_t *counter;
  } wait{&cross, &cross.flags[core.order].counter[flag]};
  char what[48];
  snprintf(what, sizeof what, "CrossCoreWaitFlag(%u)", flag);
  ferrata_wait(
      [](void *self) -> int { // takes the flag when it is there
        const Wait &w = *static_cast<Wait *>(self);
        std::lock_guard<std::mutex> lock(w.cross->mutex);
        if (!*w.counter)
          return 0;
        return 1;
      },
      &wait, what, loc);
  std::lock_guard<std::mutex> lock(cross.mutex);
  --*wait.counter; // only this core takes from its own counters
}

void ferrata_sync_all(int vectors_only, Loc loc) {
  const char *api = vectors_only ? "SyncAll" : "SyncAll<false>";
  Core &core = here(api, loc);
  check_kind(core, api, loc);
  Launch &launch = *launch_of(&core);
  check_resident(core, api, loc);
  Cross &cross = cross_of(launch);
  if (!vectors_only) {
    if (!launch.cubes || !launch.vectors)
      ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                    "this barrier joins cube and vector cores, and the kernel runs on %s cores only: it would hang. "
                    "Use SyncAll<true>() or "
                    "declare the kernel __mix__(1, 1) or (1, 2)",
                    launch.cubes ? "cube" : "vector");
    arrive(core, cross.all, core.order, launch.total.load(), "SyncAll<false>()", loc);
    return;
  }
  if (core.type == 0) // the barrier is among vector cores; cube cores pass
    return;
  arrive(core, cross.vectors, core.index, vectors_of(core), "SyncAll()", loc);
}

void ferrata_soft_sync_all(const void *workspace, uint64_t workspace_bytes, uint64_t ub_bytes, int used, Loc loc) {
  const char *api = "SyncAll(gm, ub)";
  Core &core = here(api, loc);
  if (core.type == 0)
    return;
  check_resident(core, api, loc);
  const uint32_t all = vectors_of(core);
  if (used < 0 || static_cast<uint32_t>(used) > all)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "usedCores is %d; it must be 0 (all) or at most the %u vector cores of the launch", used, all);
  const uint32_t count = used ? static_cast<uint32_t>(used) : all;
  if (core.index >= count)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "usedCores is %u and core %u calls it; only cores 0..%u take part", count, core.index, count - 1);
  check_size(api, "gmWorkspace", workspace_bytes, uint64_t(all) * 32, loc);
  check_size(api, "ubWorkspace", ub_bytes, uint64_t(all) * 32, loc);
  ferrata_check_gm(workspace, uint64_t(all) * 32, api, "gmWorkspace", loc);
  Cross &cross = cross_of(*launch_of(&core));
  Barrier *barrier;
  int32_t *slot = const_cast<int32_t *>(static_cast<const int32_t *>(workspace)) + core.index * 8;
  {
    std::lock_guard<std::mutex> lock(cross.mutex);
    barrier = &cross.software[workspace];
    if (barrier->rounds.size() < count)
      barrier->rounds.resize(count);
    if (barrier->rounds[core.index] == 0)
      for (int i = 0; i < 8; ++i)
        if (slot[i])
          ferrata_fault(
              Fault::BadArgument, api, loc.file, loc.line,
              "gmWorkspace is not zero before the kernel: byte %u holds %d. Clear it on the host before each launch",
              core.index * 32 + static_cast<uint32_t>(i) * 4, slot[i]);
    *slot = static_cast<int32_t>(barrier->rounds[core.index] + 1);
  }
  arrive(core, *barrier, core.index, count, api, loc);
}

namespace {
// Slot of IBSet and IBWait.
int32_t *pair_slot(const Core &core, const char *api, const void *workspace, uint64_t bytes, uint64_t ub_bytes,
                   int block, int event, int vectors_only, Loc loc) {
  check_vector_core(core, api, loc);
  const int64_t cores = static_cast<int64_t>(core.block_num) * (vectors_only ? 1 : 2);
  if (block < 0 || block >= cores)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "blockIdx is %d; it must be 0..%lld", block,
                  static_cast<long long>(cores - 1));
  if (event < 0)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "eventID is %d; it must not be negative", event);
  const uint64_t offset = static_cast<uint64_t>(cores * event + block) * 32;
  check_size(api, "gmWorkspace", bytes, offset + 32, loc);
  check_size(api, "ubWorkspace", ub_bytes, 32, loc);
  const uint8_t *slot = static_cast<const uint8_t *>(workspace) + offset;
  ferrata_check_gm(slot, 32, api, "gmWorkspace", loc);
  return reinterpret_cast<int32_t *>(const_cast<uint8_t *>(slot));
}
} // namespace

void ferrata_pair_set(const void *workspace, uint64_t bytes, uint64_t ub_bytes, int block, int event, int vectors_only,
                      Loc loc) {
  Core &core = here("IBSet", loc);
  int32_t *slot = pair_slot(core, "IBSet", workspace, bytes, ub_bytes, block, event, vectors_only, loc);
  int32_t old = __atomic_exchange_n(slot, 1, __ATOMIC_ACQ_REL);
  if (old == 1)
    ferrata_fault(Fault::EventMisuse, "IBSet", loc.file, loc.line,
                  "slot (blockIdx %d, eventID %d) is already set: an IBWait is missing, or gmWorkspace was not zero",
                  block, event);
  if (old)
    ferrata_fault(Fault::BadArgument, "IBSet", loc.file, loc.line,
                  "gmWorkspace is not zero before the kernel: slot (blockIdx %d, eventID %d) holds %d", block, event,
                  old);
  announce(*launch_of(&core));
}

void ferrata_pair_wait(const void *workspace, uint64_t bytes, uint64_t ub_bytes, int block, int event, int vectors_only,
                       Loc loc) {
  Core &core = here("IBWait", loc);
  int32_t *slot = pair_slot(core, "IBWait", workspace, bytes, ub_bytes, block, event, vectors_only, loc);
  char what[64];
  snprintf(what, sizeof what, "IBWait(blockIdx %d, eventID %d)", block, event);
  ferrata_wait([](void *self) -> int { return __atomic_load_n(static_cast<int32_t *>(self), __ATOMIC_ACQUIRE) == 1; },
               slot, what, loc);
  __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
}

void ferrata_turn(int step, const void *workspace, uint64_t bytes, uint64_t ub_bytes, Loc loc) {
  static const char *const names[] = {"InitDetermineComputeWorkspace", "WaitPreBlock", "NotifyNextBlock"};
  const char *api = names[step];
  Core &core = here(api, loc);
  check_vector_core(core, api, loc);
  check_resident(core, api, loc);
  const uint32_t count = vectors_of(core);
  check_size(api, "gmWorkspace", bytes, uint64_t(count) * 32, loc);
  check_size(api, "ubWorkspace", ub_bytes, uint64_t(count) * 32 + 32, loc);
  ferrata_check_gm(workspace, uint64_t(count) * 32, api, "gmWorkspace", loc);
  Launch &launch = *launch_of(&core);
  Cross &cross = cross_of(launch);
  struct Wait {
    Cross *cross;
    Turns *turns;
    uint32_t index;
  } wait{&cross, nullptr, core.index};
  {
    std::lock_guard<std::mutex> lock(cross.mutex);
    auto found = cross.turns.find(workspace);
    if (step == 0) {
      cross.turns[workspace].finished.resize(count);
      return;
    }
    if (found == cross.turns.end())
      ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                    "gmWorkspace was not prepared: call InitDetermineComputeWorkspace first");
    wait.turns = &found->second;
    if (step == 2)
      ++wait.turns->finished[core.index];
  }
  if (step == 2) {
    announce(launch);
    return;
  }
  char what[48];
  snprintf(what, sizeof what, "WaitPreBlock on core %u", core.index);
  ferrata_wait(
      [](void *self) -> int { // all lower cores have finished one section more than this one; core 0 follows the last
        const Wait &w = *static_cast<Wait *>(self);
        std::lock_guard<std::mutex> lock(w.cross->mutex);
        const std::vector<uint32_t> &finished = w.turns->finished;
        const uint32_t round = finished[w.index];
        if (w.index == 0)
          return finished.back() >= round;
        for (uint32_t i = 0; i < w.index; ++i)
          if (finished[i] <= round)
            return 0;
        return 1;
      },
      &wait, what, loc);
}
