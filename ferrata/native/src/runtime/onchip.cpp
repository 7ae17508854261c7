// Objects that a kernel declares in on-chip memory: placed from the start of each memory in the order in which their
// declarations run, once per core, before what a TPipe or an allocator gives out later; and the dynamic part of UB, at
// its end, so that neither has to know the other's size.
#include <algorithm>
#include "acl_state.h"
#include "launch.h"

namespace ferrata {
namespace {
constexpr int most_objects = 256;

struct Objects {
  int count;
  struct {
    const void *site;
    uint8_t *data;
  } object[most_objects];
};

Objects &objects_of(Core &core) {
  if (!core.on_chip)
    core.on_chip = ferrata_core_block(sizeof(Objects)); // zeroed
  return *static_cast<Objects *>(core.on_chip);
}

uint32_t alignment(Memory memory) {
  switch (memory) {
  case Memory::ub:
  case Memory::l1:
    return 32;
  case Memory::l0a:
  case Memory::l0b:
    return 512;
  default:
    return 64;
  }
}
} // namespace
} // namespace ferrata

using namespace ferrata;

void *ferrata_on_chip(Memory memory, const void *site, uint64_t bytes, Loc loc) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel("an on-chip array", loc);
  core->last = loc;
  Objects &all = objects_of(*core);
  for (int i = 0; i < all.count; ++i)
    if (all.object[i].site == site)
      return all.object[i].data;
  // a live TPipe has given out what lies before its bump pointer
  uint32_t &top = (core->pipe ? core->top : core->declared)[static_cast<int>(memory)];
  const uint64_t align = alignment(memory), start = (top + align - 1) / align * align;
  ferrata_note_allocation(memory, "on-chip array", bytes, 1, start + bytes,
                          device_chip().bytes[static_cast<int>(memory)], loc);
  if (all.count == most_objects)
    ferrata_fault(Fault::BadArgument, "on-chip array", loc.file, loc.line, "more than %d arrays in one kernel",
                  most_objects);
  uint8_t *data = ferrata_local_memory(memory) + start;
  all.object[all.count++] = {site, data};
  top = static_cast<uint32_t>((start + bytes + align - 1) / align * align);
  return data;
}

void *ferrata_dynamic_ub(Loc loc) {
  const char *api = "dynamic UB";
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(api, loc);
  core->last = loc;
  const uint64_t bytes = launch_of(core)->info->dynamic_ub, limit = device_chip().bytes[static_cast<int>(Memory::ub)];
  if (!bytes)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "the launch gives no dynamic UB; its size is the second launch argument");
  const uint64_t start = bytes <= limit ? (limit - bytes) / 32 * 32 : 0,
                 before =
                     std::max(core->top[static_cast<int>(Memory::ub)], core->declared[static_cast<int>(Memory::ub)]);
  if (bytes > limit || before > start)
    ferrata_note_allocation(Memory::ub, api, bytes, 1, before + bytes, limit, loc);
  return ferrata_local_memory(Memory::ub) + start;
}
