// The executor of vector instructions: mask state, repeats and strides. It resolves which lanes run, checks every
// operand once, and reduces the instruction to flat loops: one for a contiguous run, one per repeat otherwise, with
// lanes gathered and scattered only where the mask has holes or the blocks are apart.
#include <string.h>
#include <algorithm>
#include "launch.h"
#include "lanes.h"
#include "row_loops.h"
#include "vector_unit.h"

namespace ferrata {
namespace {

// The loops for this machine. All sets give the same bits, but for the sign of a NaN.
struct Unit {
  FlatLookup flat;
  const RowLoops *rows;
};
Unit choose_unit() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
#if !defined(__clang__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
#if __GNUC__ >= 12
      if (__builtin_cpu_supports("avx512fp16"))
        return {lookup_half, &row_loops_avx512};
#endif
      return {lookup_avx512, &row_loops_avx512};
    }
#endif
    return {lookup_avx2, &row_loops_avx2};
  }
#endif
  return {lookup_baseline, &row_loops_baseline};
}
const Unit unit = choose_unit();

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
    for (int op = 0; op < op_count; ++op)
      for (int dst = 1; dst < type_count; ++dst)
        for (int src = 0; src < type_count; ++src)
          flat[op][dst][src] = unit.flat(static_cast<Op>(op), static_cast<Type>(dst), static_cast<Type>(src));
  }
};
const Table table;
} // namespace

const RowLoops &row_loops() { return *unit.rows; }

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
  const MaskArgument mask{call->form, call->mask[0], call->mask[1], call->repeat, 255, call->op == Op::Copy};
  if (!resolve(mask, op.name, call->loc, *core, 256 / widest, lanes))
    return;
  if ((call->op == Op::ShiftLeft || call->op == Op::ShiftRight) && call->scalar > bits_per_element(call->dst.type))
    ferrata_fault(Fault::BadArgument, op.name, call->loc.file, call->loc.line,
                  "scalarValue is %llu; it must be 0..%u, the width of an element",
                  static_cast<unsigned long long>(call->scalar), bits_per_element(call->dst.type));

  const bool counted = call->form == Form::count;
  Layout dst = layout_of(call->dst, true, counted, lanes.each), src[2];
  static const char *const one_source[] = {"src"}, *const two_sources[] = {"src0", "src1"};
  const char *const *names = call->sources == 2 ? two_sources : one_source;
  const uint64_t dst_extent = extent_of(dst, lanes);
  check_vector_operand(op.name, "dst", call->dst, dst_extent, call->loc);
  bool apart = true; // sources coincide with dst or do not touch it
  for (int i = 0; i < call->sources; ++i) {
    src[i] = layout_of(call->src[i], false, counted, lanes.each);
    const uint64_t bytes = extent_of(src[i], lanes);
    check_vector_operand(op.name, names[i], call->src[i], bytes, call->loc);
    if (__builtin_expect(overlap(dst.data, dst_extent, src[i].data, bytes), 0)) {
      check_meeting(op.name, names[i], dst, src[i], lanes, call->loc);
      if (!(src[i].data == dst.data && src[i].bits == dst.bits))
        apart = false;
    }
  }

  const Type source_type = call->sources ? call->src[0].type : Type::none;
  const Flat flat =
      table.flat[static_cast<int>(call->op)][static_cast<int>(call->dst.type)][static_cast<int>(source_type)];
  if (__builtin_expect(!flat, 0))
    ferrata_fault(Fault::BadArgument, op.name, call->loc.file, call->loc.line,
                  "this combination of element types is not implemented");
  FlatArgs args{call->scalar, 0, core->deq_scale, call->mode, core->saturate != 0, core->keep_cast != 0};
  const uint64_t total = (lanes.repeats - 1) * lanes.each + std::min(lanes.last, lanes.top);
  note_work(core, dst_extent * static_cast<uint64_t>(1 + call->sources));

  // One run: every operand's lanes follow each other.
  auto contiguous = [&](const Layout &l) {
    return l.packed && (lanes.repeats == 1 || l.repeat * 8 == static_cast<uint64_t>(lanes.each) * l.bits);
  };
  const bool full = lanes.prefix && (lanes.repeats == 1 || lanes.top == lanes.each);
  if (full && apart && contiguous(dst) && (call->sources < 1 || contiguous(src[0])) &&
      (call->sources < 2 || contiguous(src[1])))
    return flat(dst.data, call->sources > 0 ? src[0].data : nullptr, call->sources > 1 ? src[1].data : nullptr, total,
                args);

  // Repeat by repeat; within one, sources are read before dst is written.
  alignas(64) uint8_t in[2][1024], out[1024];
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    uint32_t n = r + 1 == lanes.repeats ? std::min(lanes.last, lanes.top) : lanes.top;
    args.first_lane = static_cast<int64_t>(r * lanes.each);
    for (uint32_t done = 0; done < n;) { // one step, but for Copy in Counter mode
      const uint32_t step = std::min(n - done, 128u);
      if (lanes.prefix && apart && dst.packed && (call->sources < 1 || src[0].packed) &&
          (call->sources < 2 || src[1].packed)) {
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
