// Masks, repeats and strides: see lanes.h.
#include "lanes.h"

namespace ferrata {
namespace {
uint32_t highest(const uint64_t mask[2]) {
  if (mask[1])
    return 128 - static_cast<uint32_t>(__builtin_clzll(mask[1]));
  return mask[0] ? 64 - static_cast<uint32_t>(__builtin_clzll(mask[0])) : 0;
}

} // namespace

bool resolve(const MaskArgument &call, const char *api, Loc loc, Core &core, uint32_t each, Lanes &lanes) {
  lanes.each = lanes.last = lanes.top = each;
  lanes.prefix = true;
  lanes.mask[0] = lanes.mask[1] = ~uint64_t(0);
  if (call.form == Form::count) {
    if (call.repeat < 0)
      ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "count is %lld; it must not be negative",
                    static_cast<long long>(call.repeat));
    core.mask[0] = core.mask[1] = ~uint64_t(0);
    core.mask_counter = 0;
    if (call.repeat == 0)
      return false;
    lanes.repeats = (static_cast<uint64_t>(call.repeat) + each - 1) / each;
    lanes.last = static_cast<uint32_t>(static_cast<uint64_t>(call.repeat) - (lanes.repeats - 1) * each);
    return true;
  }
  if (call.form == Form::bits) {
    core.mask[0] = call.low;
    core.mask[1] = call.high;
  } else if (call.form == Form::mask) {
    if (core.mask_counter) {
      core.mask[0] = call.low;
      core.mask[1] = 0;
    } else {
      uint64_t n = std::min<uint64_t>(call.low, std::min<uint32_t>(each, 128));
      core.mask[0] = n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
      core.mask[1] = n >= 128 ? ~uint64_t(0) : n > 64 ? (uint64_t(1) << (n - 64)) - 1 : 0;
    }
  }
  if (call.counts_per_repeat && core.mask_counter) { // here the mask counts the elements of each repeat
    lanes.each = lanes.last = lanes.top = static_cast<uint32_t>(core.mask[0]);
    lanes.repeats = static_cast<uint64_t>(call.repeat);
  } else if (core.mask_counter) {
    uint64_t n = call.repeat ? core.mask[0] : 0; // repeatTime 0 is no operation in this mode too
    lanes.repeats = (n + each - 1) / each;
    lanes.last = n ? static_cast<uint32_t>(n - (lanes.repeats - 1) * each) : 0;
    return n != 0;
  } else {
    lanes.mask[0] = each >= 64 ? core.mask[0] : core.mask[0] & ((uint64_t(1) << each) - 1);
    lanes.mask[1] = each >= 128 ? core.mask[1] : 0;
    lanes.top = highest(lanes.mask);
    const uint64_t low = lanes.top >= 64 ? ~uint64_t(0) : (uint64_t(1) << lanes.top) - 1;
    const uint64_t high = lanes.top >= 128 ? ~uint64_t(0) : lanes.top > 64 ? (uint64_t(1) << (lanes.top - 64)) - 1 : 0;
    lanes.prefix = lanes.mask[0] == low && lanes.mask[1] == high;
    lanes.last = each;
    lanes.repeats = static_cast<uint64_t>(call.repeat);
  }
  if (call.repeat < 0 || call.repeat > call.most_repeats)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "repeatTime is %lld; it must be 0..%lld",
                  static_cast<long long>(call.repeat), static_cast<long long>(call.most_repeats));
  return lanes.repeats && lanes.top;
}

Layout layout_of(const Operand &operand, bool is_dst, bool count_form, uint32_t lanes) {
  Layout l;
  l.data = operand.data;
  l.bits = bits_per_element(operand.type);
  uint32_t bytes = (lanes * l.bits + 7) / 8;
  uint32_t stride = operand.block_stride;
  if (is_dst && stride == 0)
    stride = 1; // undefined on the chip; 1 is what a guide says
  l.block = count_form ? 32 : uint64_t(stride) * 32;
  l.repeat = count_form ? bytes : uint64_t(operand.repeat_stride) * 32;
  l.packed = l.block == 32 || bytes <= 32;
  return l;
}

void gather(uint8_t *to, const Layout &from, uint64_t r, uint32_t lanes) {
  uint32_t bytes = (lanes * from.bits + 7) / 8;
  const uint8_t *start = from.data + r * from.repeat;
  for (uint32_t at = 0; at < bytes; at += 32)
    memcpy(to + at, start + at / 32 * from.block, std::min(32u, bytes - at));
}

void scatter(const Layout &to, const uint8_t *from, uint64_t r, uint32_t lanes, const uint64_t mask[2], bool all) {
  uint8_t *start = to.data + r * to.repeat;
  if (all) {
    uint32_t bytes = lanes * to.bits / 8;
    for (uint32_t at = 0; at < bytes; at += 32)
      memcpy(start + at / 32 * to.block, from + at, std::min(32u, bytes - at));
    if (lanes * to.bits % 8) // an odd number of nibbles
      start[bytes / 32 * to.block + bytes % 32] =
          static_cast<uint8_t>((start[bytes / 32 * to.block + bytes % 32] & 0xf0) | (from[bytes] & 15));
    return;
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(mask[lane / 64] >> (lane % 64) & 1))
      continue;
    uint8_t *byte = to.data + to.offset(r, lane);
    uint32_t at = lane * to.bits / 8;
    if (to.bits == 4)
      *byte = lane % 2 ? static_cast<uint8_t>((*byte & 15) | (from[at] & 0xf0))
                       : static_cast<uint8_t>((*byte & 0xf0) | (from[at] & 15));
    else
      memcpy(byte, from + at, to.bits / 8);
  }
}

namespace {
// Some byte of repeat `r` of `a` is a byte of repeat `s` of `b`.
bool meet(const Layout &a, uint64_t r, const Layout &b, uint64_t s, const Lanes &lanes) {
  const auto blocks = [&](const Layout &l, uint64_t repeat) {
    return (static_cast<uint64_t>(lanes.lanes_of(repeat)) * l.bits / 8 + 31) / 32;
  };
  const auto bytes = [&](const Layout &l, uint64_t repeat, uint64_t block) {
    return std::min<uint64_t>(32, static_cast<uint64_t>(lanes.lanes_of(repeat)) * l.bits / 8 - block * 32);
  };
  const uint8_t *const a_start = a.data + r * a.repeat, *const b_start = b.data + s * b.repeat;
  const uint64_t a_blocks = blocks(a, r), b_blocks = blocks(b, s);
  if (!a_blocks || !b_blocks ||
      !overlap(a_start, (a_blocks - 1) * a.block + 32, b_start, (b_blocks - 1) * b.block + 32))
    return false;
  for (uint64_t i = 0; i < a_blocks; ++i)
    for (uint64_t j = 0; j < b_blocks; ++j)
      if (overlap(a_start + i * a.block, bytes(a, r, i), b_start + j * b.block, bytes(b, s, j)))
        return true;
  return false;
}
} // namespace

void check_meeting(const char *api, const char *source, const Layout &dst, const Layout &src, const Lanes &lanes,
                   Loc loc) {
  const bool same_start = dst.data == src.data;
  if (same_start && dst.bits < src.bits)
    return; // narrowing in place
  const bool same_blocks =
      same_start && dst.bits == src.bits && (dst.block == src.block || lanes.each * dst.bits <= 256);
  if (same_blocks && (lanes.repeats == 1 || dst.repeat == src.repeat || !dst.repeat || !src.repeat))
    return; // in place, or accumulating
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    const bool same = same_blocks && r * dst.repeat == r * src.repeat;
    if (!same && meet(dst, r, src, r, lanes))
      ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                    "dst (from byte %u of the Unified Buffer) and %s (from byte %u) overlap in repeat %llu without "
                    "being the same; within a "
                    "repeat they must coincide or be apart",
                    static_cast<uint32_t>(reinterpret_cast<uint64_t>(dst.data)), source,
                    static_cast<uint32_t>(reinterpret_cast<uint64_t>(src.data)), static_cast<unsigned long long>(r));
    if (r + 1 < lanes.repeats && meet(dst, r, src, r + 1, lanes))
      ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                    "repeat %llu writes to dst (from byte %u of the Unified Buffer) what repeat %llu reads from %s "
                    "(from byte %u); the order of the "
                    "two is not defined",
                    static_cast<unsigned long long>(r), static_cast<uint32_t>(reinterpret_cast<uint64_t>(dst.data)),
                    static_cast<unsigned long long>(r + 1), source,
                    static_cast<uint32_t>(reinterpret_cast<uint64_t>(src.data)));
  }
}

void check_vector_operand(const char *api, const char *name, const Operand &operand, uint64_t extent, Loc loc,
                          uint32_t align) {
  if (__builtin_expect(ferrata_core->type == 0, 0))
    ferrata_fault(
        Fault::WrongCore, api, loc.file, loc.line,
        "a vector instruction on a cube core (AIC), which has no vector unit: guard it with if ASCEND_IS_AIV");
  if (__builtin_expect(!operand.data, 0))
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has no memory: the tensor was never allocated",
                  name);
  if (__builtin_expect(memory_of(static_cast<AscendC::TPosition>(operand.position)) != Memory::ub, 0))
    ferrata_fault(Fault::WrongPosition, api, loc.file, loc.line,
                  "%s is not in the Unified Buffer: vector instructions work on VECIN, VECCALC and VECOUT", name);
  if (__builtin_expect(reinterpret_cast<uint64_t>(operand.data) % align != 0, 0))
    ferrata_fault(Fault::Misaligned, api, loc.file, loc.line,
                  "%s starts at byte %u of the Unified Buffer; it must be a multiple of %u", name,
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(operand.data)), align);
  if (__builtin_expect(extent > operand.bytes, 0))
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has %u bytes and %llu are needed", name,
                  operand.bytes, static_cast<unsigned long long>(extent));
  check_buffer(api, name, operand.buffer, loc);
}

void check_buffer_state(const char *api, const char *name, const Buffer *buffer, Loc loc) {
  if (buffer->state == BufferState::free)
    ferrata_fault(Fault::QueueMisuse, api, loc.file, loc.line,
                  "%s was given back with FreeTensor; it must not be used any more", name);
  ferrata_fault(Fault::QueueMisuse, api, loc.file, loc.line,
                "%s is in the queue (EnQue); take it out with DeQue before using it", name);
}
} // namespace ferrata
