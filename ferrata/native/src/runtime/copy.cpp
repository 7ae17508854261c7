// The executor of copies between GM and a core's memories: checks both sides, pads on the way in, combines atomically on
// the way out when the core is in an atomic mode.
#include <string.h>
#include <algorithm>
#include <mutex>
#include "launch.h"
#include "numbers.h"
#include "lanes.h"

namespace ferrata {
namespace {
std::mutex atomic_mutex; // an element's read-modify-write is indivisible across cores

bool is_gm(const CopySide &side) { return memory_of(static_cast<AscendC::TPosition>(side.position)) == Memory::gm; }

void check_side(const CopyCall &call, const CopySide &side, const char *name, uint64_t block) {
  const uint64_t extent = (call.blocks - 1) * side.step + block;
  const Loc loc = call.loc;
  if (__builtin_expect(!side.data, 0))
    ferrata_fault(is_gm(side) ? Fault::HostPointer : Fault::OutOfBounds, call.api, loc.file, loc.line,
                  is_gm(side) ? "%s is a null pointer" : "%s has no memory: the tensor was never allocated", name);
  if (__builtin_expect(extent > side.bytes, 0))
    ferrata_fault(Fault::OutOfBounds, call.api, loc.file, loc.line, "%s has %llu bytes%s and %llu are needed", name,
                  static_cast<unsigned long long>(side.bytes), is_gm(side) ? " (SetGlobalBuffer)" : "", static_cast<unsigned long long>(extent));
  if (is_gm(side)) {
    if (__builtin_expect(reinterpret_cast<uint64_t>(side.data) % call.gm_align, 0))
      ferrata_fault(Fault::Misaligned, call.api, loc.file, loc.line, "%s at %p is not aligned to its element size, %u bytes", name, static_cast<void *>(side.data), call.gm_align);
    ferrata_check_gm(side.data, extent, call.api, name, loc, side.base);
    return;
  }
  if (__builtin_expect(reinterpret_cast<uint64_t>(side.data) % 32, 0))
    ferrata_fault(Fault::Misaligned, call.api, loc.file, loc.line, "%s starts at byte %u of its memory; it must be a multiple of 32", name,
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(side.data)));
  check_buffer(call.api, name, side.buffer, loc);
}

template <class T> T combine(uint8_t mode, T old, T value) {
  switch (mode) {
  case 1: return static_cast<T>(old + value);
  case 2: return value > old ? value : old;
  default: return value < old ? value : old;
  }
}
template <class T> void combine_run(uint8_t mode, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T old, value;
    memcpy(&old, to + at, sizeof(T));
    memcpy(&value, from + at, sizeof(T));
    old = combine<T>(mode, old, value);
    memcpy(to + at, &old, sizeof(T));
  }
}
// int32 wraps; 16-bit floats combine in float and are rounded once.
void atomic_run(const Core &core, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  switch (core.atomic_type) {
  case Type::i8: return combine_run<int8_t>(core.atomic, to, from, bytes);
  case Type::i16: return combine_run<int16_t>(core.atomic, to, from, bytes);
  case Type::i32:
    if (core.atomic == 1)
      return combine_run<uint32_t>(core.atomic, to, from, bytes);
    return combine_run<int32_t>(core.atomic, to, from, bytes);
  case Type::f32: return combine_run<float>(core.atomic, to, from, bytes);
  default: break;
  }
  for (uint64_t at = 0; at + 2 <= bytes; at += 2) {
    float old = static_cast<float>(element_as_double(to + at, core.atomic_type)), value = static_cast<float>(element_as_double(from + at, core.atomic_type));
    float result = combine<float>(core.atomic, old, value);
    uint16_t bits = core.atomic_type == Type::f16 ? to_half(result) : to_bf16(result);
    memcpy(to + at, &bits, 2);
  }
}

void fill(uint8_t *to, uint64_t bytes, const void *element, uint32_t width) {
  for (uint64_t at = 0; at < bytes; at += width)
    memcpy(to + at, element, std::min<uint64_t>(width, bytes - at));
}
} // namespace
} // namespace ferrata

using namespace ferrata;

void ferrata_copy(const CopyCall *call) {
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(call->api, call->loc);
  core->last = call->loc;
  const uint64_t padded = call->left + call->block + call->right;
  const uint64_t rounded = call->pad ? (padded + 31) / 32 * 32 : call->block;
  check_side(*call, call->dst, "dst", rounded);
  check_side(*call, call->src, "src", call->block);
  note_work(core, 2 * call->block * call->blocks);
  const bool atomic = core->atomic && is_gm(call->dst);
  if (call->blocks > 1 && !call->pad && !atomic && call->dst.step == call->block && call->src.step == call->block) {
    memmove(call->dst.data, call->src.data, call->blocks * call->block);
    return;
  }
  const uint32_t width = element_bytes(call->type);
  for (uint64_t i = 0; i < call->blocks; ++i) {
    uint8_t *to = call->dst.data + i * call->dst.step;
    const uint8_t *from = call->src.data + i * call->src.step;
    if (__builtin_expect(atomic, 0)) {
      std::lock_guard<std::mutex> lock(atomic_mutex);
      atomic_run(*core, to, from, call->block);
      continue;
    }
    if (!call->pad || (rounded == call->block)) {
      memmove(to, from, call->block);
      continue;
    }
    memmove(to + call->left, from, call->block);
    const void *value = call->pad == 1 ? static_cast<const void *>(&call->pad_value) : from;
    fill(to, call->left, value, width);
    fill(to + call->left + call->block, rounded - call->left - call->block, value, width);
  }
}
