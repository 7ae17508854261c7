// The executor of regular copies (n pieces of b bytes) between GM and a core's memories: checks the path and both
// sides, pads on the way in, combines atomically on the way out when the core is in an atomic mode. A contiguous copy
// is one memmove.
#include <string.h>
#include <algorithm>
#include "launch.h"
#include "movement.h"
#include "numbers.h"
#include "stream.h"
#include "lanes.h"

namespace ferrata {
namespace {
constexpr const char *memory_names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BiasTable", "Fixpipe buffer", "?"};

Memory memory_at(const CopySide &side) { return memory_of(static_cast<AscendC::TPosition>(side.position)); }

constexpr uint32_t bit(Memory memory) { return 1u << static_cast<int>(memory); }
// Where a copy may go, by where it comes from. UB to L1 has no wire: it goes through GM, which does not show here.
constexpr uint32_t paths[] = {
    bit(Memory::ub) | bit(Memory::l1),                   // GM
    bit(Memory::gm) | bit(Memory::ub) | bit(Memory::l1), // UB
    bit(Memory::gm) | bit(Memory::bias) | bit(Memory::fixbuf),
    0,
    0,
    0,
    0,
    0,
    0, // L1, others
};

void fill(uint8_t *to, uint64_t bytes, const void *element, uint32_t width) {
  for (uint64_t at = 0; at < bytes; at += width)
    memcpy(to + at, element, std::min<uint64_t>(width, bytes - at));
}

// Pieces of a fixed size, so that each becomes a few vector moves.
template <uint64_t bytes>
void move_pieces(uint8_t *to, const uint8_t *from, uint64_t pieces, uint64_t to_step, uint64_t from_step) {
  for (uint64_t i = 0; i < pieces; ++i)
    memmove(to + i * to_step, from + i * from_step, bytes);
}
} // namespace

bool is_gm(const CopySide &side) { return memory_at(side) == Memory::gm; }

void check_copy_path(const char *api, const Core &core, const CopySide &dst, const CopySide &src, Loc loc) {
  const Memory to = memory_at(dst), from = memory_at(src);
  if (__builtin_expect(!(paths[static_cast<int>(from)] & bit(to)), 0))
    ferrata_fault(Fault::WrongPosition, api, loc.file, loc.line, "there is no copy from %s to %s",
                  memory_names[static_cast<int>(from)], memory_names[static_cast<int>(to)]);
  const bool on_vector = to == Memory::ub || from == Memory::ub;
  if (__builtin_expect(on_vector != (core.type == 1), 0))
    ferrata_fault(Fault::WrongCore, api, loc.file, loc.line,
                  on_vector ? "UB belongs to vector cores and this is a cube core (AIC)"
                            : "L1 belongs to cube cores and this is a vector core (AIV)");
}

void check_copy_side(const char *api, const char *name, const CopySide &side, uint64_t extent, uint32_t gm_align,
                     Loc loc) {
  if (__builtin_expect(!side.data, 0))
    ferrata_fault(is_gm(side) ? Fault::HostPointer : Fault::OutOfBounds, api, loc.file, loc.line,
                  is_gm(side) ? "%s is a null pointer" : "%s has no memory: the tensor was never allocated", name);
  if (__builtin_expect(extent > side.bytes, 0))
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has %llu bytes%s and %llu are needed", name,
                  static_cast<unsigned long long>(side.bytes), is_gm(side) ? " (SetGlobalBuffer)" : "",
                  static_cast<unsigned long long>(extent));
  if (is_gm(side)) {
    if (__builtin_expect(reinterpret_cast<uint64_t>(side.data) % gm_align, 0))
      ferrata_fault(Fault::Misaligned, api, loc.file, loc.line, "%s at %p is not aligned to its element size, %u bytes",
                    name, static_cast<void *>(side.data), gm_align);
    ferrata_check_gm(side.data, extent, api, name, loc, side.base);
    return;
  }
  const Memory memory = memory_at(side);
  const uint32_t align = memory == Memory::bias ? 64 : memory == Memory::fixbuf ? 128 : 32;
  if (__builtin_expect(reinterpret_cast<uint64_t>(side.data) % align, 0))
    ferrata_fault(Fault::Misaligned, api, loc.file, loc.line,
                  "%s starts at byte %u of its memory; it must be a multiple of %u", name,
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(side.data)), align);
  check_buffer(api, name, side.buffer, loc);
}
} // namespace ferrata

using namespace ferrata;

void ferrata_copy(const CopyCall *call) {
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(call->api, call->loc);
  core->last = call->loc;
  const bool widens = call->pad == 3;
  const uint64_t padded = call->left + call->block + call->right;
  const uint64_t rounded = widens ? call->block * 2 : call->pad ? (padded + 31) / 32 * 32 : call->block;
  const uint64_t last = call->blocks - 1;
  const uint32_t align = memory_at(call->dst) == Memory::l1 ? 1 : call->gm_align;
  check_copy_path(call->api, *core, call->dst, call->src, call->loc);
  check_copy_side(call->api, "dst", call->dst, last * call->dst.step + rounded, align, call->loc);
  check_copy_side(call->api, "src", call->src, last * call->src.step + call->block, align, call->loc);
  note_work(core, 2 * call->block * call->blocks);
  uint8_t *to = call->dst.data;
  const uint8_t *from = call->src.data;
  if (__builtin_expect(core->atomic && is_gm(call->dst), 0)) {
    atomic_store(*core, to, from, call->blocks, call->block, call->dst.step, call->src.step);
    return;
  }
  if (!call->pad || rounded == call->block) {
    if (call->blocks == 1 || (call->dst.step == call->block && call->src.step == call->block)) {
      if (is_gm(call->dst))
        store_to_gm(*core, to, from, call->blocks * call->block);
      else
        memmove(to, from, call->blocks * call->block);
    } else if (call->block == 32)
      move_pieces<32>(to, from, call->blocks, call->dst.step, call->src.step);
    else if (call->block == 64)
      move_pieces<64>(to, from, call->blocks, call->dst.step, call->src.step);
    else
      for (uint64_t i = 0; i < call->blocks; ++i)
        memmove(to + i * call->dst.step, from + i * call->src.step, call->block);
    return;
  }
  if (widens) {
    for (uint64_t i = 0; i < call->blocks; ++i, to += call->dst.step, from += call->src.step)
      for (uint64_t k = 0; k < call->block / 2; ++k) {
        const float value = half_to_float(reinterpret_cast<const uint16_t *>(from)[k]);
        memcpy(to + k * 4, &value, 4);
      }
    return;
  }
  const uint32_t width = element_bytes(call->type);
  for (uint64_t i = 0; i < call->blocks; ++i, to += call->dst.step, from += call->src.step) {
    memmove(to + call->left, from, call->block);
    const void *value = call->pad == 1 ? static_cast<const void *>(&call->pad_value) : from;
    fill(to, call->left, value, width);
    fill(to + call->left + call->block, rounded - call->left - call->block, value, width);
  }
}
