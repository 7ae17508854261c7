// The executor of vector instructions: mask state, repeats and strides. It resolves which lanes run, checks every operand
// once, and reduces the instruction to flat loops: one for a contiguous run, one per repeat otherwise, with lanes gathered
// and scattered only where the mask has holes or the blocks are apart.
#include <string.h>
#include <algorithm>
#include "launch.h"
#include "numbers.h"
#include "operands.h"
#include "vector_unit.h"

namespace ferrata {
namespace {

FlatLookup choose_unit() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    return lookup_avx2;
#endif
  return lookup_baseline;
}

struct OpFacts {
  const char *name;
  int sources;
  bool reads_dst;
};
constexpr OpFacts facts[] = {
#define FERRATA_OP(name, sources, reads_dst) {#name, sources, reads_dst},
#include "ferrata/core/ops.h"
#undef FERRATA_OP
};

constexpr int op_count = static_cast<int>(Op::count), type_count = 15;
// Loops by (op, dst type, src type), found once.
struct Table {
  Flat flat[op_count][type_count][type_count];
  Table() {
    FlatLookup lookup = choose_unit();
    for (int op = 0; op < op_count; ++op)
      for (int dst = 1; dst < type_count; ++dst)
        for (int src = 0; src < type_count; ++src)
          flat[op][dst][src] = lookup(static_cast<Op>(op), static_cast<Type>(dst), static_cast<Type>(src));
  }
};
const Table table;

uint32_t bits_per_element(Type type) { return type == Type::i4 ? 4 : element_bytes(type) * 8; }

// The lanes of an instruction.
struct Lanes {
  uint64_t repeats;      // number of repeats
  uint32_t each;         // lanes of a full repeat
  uint32_t last;         // lanes of the last repeat (Counter mode); `each` otherwise
  uint32_t top;          // highest active lane + 1 of a full repeat
  bool prefix;           // active lanes are 0..top-1
  uint64_t mask[2];
};

uint32_t highest(const uint64_t mask[2]) {
  if (mask[1])
    return 128 - static_cast<uint32_t>(__builtin_clzll(mask[1]));
  return mask[0] ? 64 - static_cast<uint32_t>(__builtin_clzll(mask[0])) : 0;
}

// Apply the call's mask argument to the core's mask state and read the lanes off it. False: nothing to do.
bool resolve(const VectorCall &call, const char *name, Core &core, uint32_t each, Lanes &lanes) {
  lanes.each = lanes.last = lanes.top = each;
  lanes.prefix = true;
  lanes.mask[0] = lanes.mask[1] = ~uint64_t(0);
  if (call.form == Form::count) {
    if (call.repeat < 0)
      ferrata_fault(Fault::BadArgument, name, call.loc.file, call.loc.line, "count is %lld; it must not be negative", static_cast<long long>(call.repeat));
    core.mask[0] = core.mask[1] = ~uint64_t(0);
    core.mask_counter = 0;
    if (call.repeat == 0)
      return false;
    lanes.repeats = (static_cast<uint64_t>(call.repeat) + each - 1) / each;
    lanes.last = static_cast<uint32_t>(static_cast<uint64_t>(call.repeat) - (lanes.repeats - 1) * each);
    return true;
  }
  if (call.form == Form::bits) {
    core.mask[0] = call.mask[0];
    core.mask[1] = call.mask[1];
  } else if (call.form == Form::mask) {
    if (core.mask_counter) {
      core.mask[0] = call.mask[0];
      core.mask[1] = 0;
    } else {
      uint64_t n = std::min<uint64_t>(call.mask[0], std::min<uint32_t>(each, 128));
      core.mask[0] = n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
      core.mask[1] = n >= 128 ? ~uint64_t(0) : n > 64 ? (uint64_t(1) << (n - 64)) - 1 : 0;
    }
  }
  if (call.op == Op::Copy && core.mask_counter) { // here the mask counts the elements of each repeat
    lanes.each = lanes.last = lanes.top = static_cast<uint32_t>(core.mask[0]);
    lanes.repeats = static_cast<uint64_t>(call.repeat);
  } else if (core.mask_counter) {
    uint64_t n = core.mask[0];
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
  if (call.repeat < 0 || call.repeat > 255)
    ferrata_fault(Fault::BadArgument, name, call.loc.file, call.loc.line, "repeatTime is %lld; it must be 0..255", static_cast<long long>(call.repeat));
  return lanes.repeats && lanes.top;
}

// Where an operand's lanes lie.
struct Layout {
  uint8_t *data;
  uint32_t bits;         // of an element
  uint64_t block, repeat; // strides in bytes
  bool packed;           // blocks of a repeat are adjacent
  uint64_t offset(uint64_t r, uint32_t lane) const {
    uint64_t byte = static_cast<uint64_t>(lane) * bits / 8;
    return r * repeat + byte / 32 * block + byte % 32;
  }
  // Bytes from the start to the end of the furthest lane.
  uint64_t extent(uint64_t repeats, uint32_t lanes) const {
    uint64_t bytes = (static_cast<uint64_t>(lanes) * bits + 7) / 8 - 1;
    return (repeats - 1) * repeat + bytes / 32 * block + bytes % 32 + 1;
  }
};

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

bool overlap(const uint8_t *a, uint64_t a_bytes, const uint8_t *b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

// Blocks of one repeat to or from consecutive lanes.
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
      start[bytes / 32 * to.block + bytes % 32] = static_cast<uint8_t>((start[bytes / 32 * to.block + bytes % 32] & 0xf0) | (from[bytes] & 15));
    return;
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(mask[lane / 64] >> (lane % 64) & 1))
      continue;
    uint8_t *byte = to.data + to.offset(r, lane);
    uint32_t at = lane * to.bits / 8;
    if (to.bits == 4)
      *byte = lane % 2 ? static_cast<uint8_t>((*byte & 15) | (from[at] & 0xf0)) : static_cast<uint8_t>((*byte & 0xf0) | (from[at] & 15));
    else
      memcpy(byte, from + at, to.bits / 8);
  }
}
} // namespace

void check_vector_operand(const char *api, const char *name, const Operand &operand, uint64_t extent, Loc loc) {
  if (__builtin_expect(!operand.data, 0))
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has no memory: the tensor was never allocated", name);
  if (__builtin_expect(memory_of(static_cast<AscendC::TPosition>(operand.position)) != Memory::ub, 0))
    ferrata_fault(Fault::WrongPosition, api, loc.file, loc.line, "%s is not in the Unified Buffer: vector instructions work on VECIN, VECCALC and VECOUT", name);
  if (__builtin_expect(reinterpret_cast<uint64_t>(operand.data) % 32 != 0, 0))
    ferrata_fault(Fault::Misaligned, api, loc.file, loc.line, "%s starts at byte %u of the Unified Buffer; it must be a multiple of 32", name,
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(operand.data)));
  if (__builtin_expect(extent > operand.bytes, 0))
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has %u bytes and %llu are needed", name, operand.bytes, static_cast<unsigned long long>(extent));
  check_buffer(api, name, operand.buffer, loc);
}

void check_buffer_state(const char *api, const char *name, const Buffer *buffer, Loc loc) {
  if (buffer->state == BufferState::free)
    ferrata_fault(Fault::QueueMisuse, api, loc.file, loc.line, "%s was given back with FreeTensor; it must not be used any more", name);
  ferrata_fault(Fault::QueueMisuse, api, loc.file, loc.line, "%s is in the queue (EnQue); take it out with DeQue before using it", name);
}
} // namespace ferrata

using namespace ferrata;

void ferrata_vector(const VectorCall *call) {
  const OpFacts &op = facts[static_cast<int>(call->op)];
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(op.name, call->loc);
  core->last = call->loc;
  uint32_t widest = element_bytes(call->dst.type);
  for (int i = 0; i < call->sources; ++i)
    widest = std::max(widest, element_bytes(call->src[i].type));
  Lanes lanes;
  if (!resolve(*call, op.name, *core, 256 / widest, lanes))
    return;
  if ((call->op == Op::ShiftLeft || call->op == Op::ShiftRight) && call->scalar > bits_per_element(call->dst.type))
    ferrata_fault(Fault::BadArgument, op.name, call->loc.file, call->loc.line, "scalarValue must be 0..%u, the width of an element", bits_per_element(call->dst.type));

  const bool counted = call->form == Form::count;
  Layout dst = layout_of(call->dst, true, counted, lanes.each), src[2];
  static const char *const one_source[] = {"src"}, *const two_sources[] = {"src0", "src1"};
  const char *const *names = call->sources == 2 ? two_sources : one_source;
  auto extent = [&](const Layout &l) {
    uint64_t e = l.extent(lanes.repeats, std::min(lanes.last, lanes.top));
    return lanes.repeats > 1 ? std::max(e, l.extent(lanes.repeats - 1, lanes.top)) : e;
  };
  const uint64_t dst_extent = extent(dst);
  check_vector_operand(op.name, "dst", call->dst, dst_extent, call->loc);
  bool apart = true; // sources coincide with dst or do not touch it
  for (int i = 0; i < call->sources; ++i) {
    src[i] = layout_of(call->src[i], false, counted, lanes.each);
    const uint64_t bytes = extent(src[i]);
    check_vector_operand(op.name, names[i], call->src[i], bytes, call->loc);
    if (overlap(dst.data, dst_extent, src[i].data, bytes) && !(src[i].data == dst.data && src[i].bits == dst.bits))
      apart = false;
  }

  const Type source_type = call->sources ? call->src[0].type : Type::none;
  const Flat flat = table.flat[static_cast<int>(call->op)][static_cast<int>(call->dst.type)][static_cast<int>(source_type)];
  if (__builtin_expect(!flat, 0))
    ferrata_fault(Fault::BadArgument, op.name, call->loc.file, call->loc.line, "this combination of element types is not implemented");
  FlatArgs args{call->scalar, 0, core->deq_scale, call->mode, core->saturate != 0, core->keep_cast != 0};
  const uint64_t total = (lanes.repeats - 1) * lanes.each + std::min(lanes.last, lanes.top);
  note_work(core, dst_extent * static_cast<uint64_t>(1 + call->sources));

  // One run: every operand's lanes follow each other.
  auto contiguous = [&](const Layout &l) { return l.packed && (lanes.repeats == 1 || l.repeat * 8 == static_cast<uint64_t>(lanes.each) * l.bits); };
  const bool full = lanes.prefix && (lanes.repeats == 1 || lanes.top == lanes.each);
  if (full && apart && contiguous(dst) && (call->sources < 1 || contiguous(src[0])) && (call->sources < 2 || contiguous(src[1])))
    return flat(dst.data, call->sources > 0 ? src[0].data : nullptr, call->sources > 1 ? src[1].data : nullptr, total, args);

  // Repeat by repeat; within one, sources are read before dst is written.
  alignas(64) uint8_t in[2][1024], out[1024];
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    uint32_t n = r + 1 == lanes.repeats ? std::min(lanes.last, lanes.top) : lanes.top;
    args.first_lane = static_cast<int64_t>(r * lanes.each);
    for (uint32_t done = 0; done < n;) { // one step, but for Copy in Counter mode
      const uint32_t step = std::min(n - done, 128u);
      if (lanes.prefix && apart && dst.packed && (call->sources < 1 || src[0].packed) && (call->sources < 2 || src[1].packed)) {
        flat(dst.data + r * dst.repeat, call->sources > 0 ? src[0].data + r * src[0].repeat : nullptr,
             call->sources > 1 ? src[1].data + r * src[1].repeat : nullptr, n, args);
        break;
      }
      Layout to = dst;
      to.data += dst.offset(0, done);
      for (int i = 0; i < call->sources; ++i) {
        Layout from = src[i];
        from.data += src[i].offset(0, done);
        gather(in[i], from, r, step);
      }
      if (op.reads_dst)
        gather(out, to, r, step);
      flat(out, in[0], in[1], step, args);
      scatter(to, out, r, step, lanes.mask, lanes.prefix);
      done += step;
    }
  }
}
