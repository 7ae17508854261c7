// The executor of comparisons and selections.
#include "lanes.h"
#include "launch.h"
#include "row_loops.h"

namespace ferrata {
namespace {
// In the order of CMPMODE. NaN compares false in every mode, NE included.
template <class T> bool compared(int mode, T a, T b) {
  if (a != a || b != b)
    return false;
  switch (mode) {
  case 0:
    return a < b;
  case 1:
    return a > b;
  case 2:
    return a == b;
  case 3:
    return a <= b;
  case 4:
    return a >= b;
  default:
    return a != b;
  }
}

bool compare_lane(const SelectCall &call, const uint8_t *a, const uint8_t *b) {
  if (call.type == Type::i32)
    return compared(call.mode, element_as_int(a, Type::i32), element_as_int(b, Type::i32));
  return compared(call.mode, element_as_double(a, call.type), element_as_double(b, call.type));
}

void put_bit(uint8_t *bits, uint64_t i, bool value) {
  uint8_t mask = static_cast<uint8_t>(1u << (i % 8));
  bits[i / 8] = static_cast<uint8_t>(value ? bits[i / 8] | mask : bits[i / 8] & ~mask);
}
bool get_bit(const uint8_t *bits, uint64_t i) { return bits[i / 8] >> (i % 8) & 1; }

struct Sources {
  Layout layout[2];
  alignas(32) uint8_t rows[2][512];
  bool packed(const SelectCall &call) const { return layout[0].packed && (call.has_scalar || layout[1].packed); }
  bool contiguous(const SelectCall &call) const {
    return layout[0].repeat == 256 && (call.has_scalar || layout[1].repeat == 256);
  }
  const uint8_t *row(int i, uint64_t r) const { return layout[i].data + r * layout[i].repeat; }
  // The lanes of repeat r; a scalar fills its row.
  void load(const SelectCall &call, uint64_t r, uint32_t lanes, uint32_t width) {
    gather(rows[0], layout[0], r, lanes);
    if (!call.has_scalar)
      gather(rows[1], layout[1], r, lanes);
    else
      for (uint32_t i = 0; i < lanes; ++i)
        memcpy(rows[1] + i * width, &call.scalar, width);
  }
};
} // namespace
} // namespace ferrata

using namespace ferrata;

// The mode is one that this form of the instruction has.
static void check_mode(const SelectCall &call) {
  if (call.form != SelectForm::select && call.mode > 5)
    ferrata_fault(Fault::BadArgument, call.api, call.loc.file, call.loc.line,
                  "cmpMode is %d; it must be one of LT, GT, EQ, LE, GE, NE (0..5)", call.mode);
  if (call.form == SelectForm::select && (call.has_scalar ? call.mode != 1 : call.mode != 0 && call.mode != 2))
    ferrata_fault(Fault::BadArgument, call.api, call.loc.file, call.loc.line,
                  call.has_scalar ? "selMode is %d; with a scalar it must be VSEL_TENSOR_SCALAR_MODE (1)"
                                  : "selMode is %d; between two tensors it must be VSEL_CMPMASK_SPR (0) or "
                                    "VSEL_TENSOR_TENSOR_MODE (2)",
                  call.mode);
}

void ferrata_select(const SelectCall *call) {
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(call->api, call->loc);
  core->last = call->loc;
  check_mode(*call);
  const uint32_t width = element_bytes(call->type), each = 256 / width;
  MaskArgument mask{call->mask_form, call->mask[0], call->mask[1], call->repeat, 255, false};
  Lanes lanes;
  if (call->form == SelectForm::compare) { // whole groups; the mask has no effect
    if (mask.form == Form::count)
      mask.repeat -= mask.repeat % each;
    else
      mask = {Form::count, 0, 0, call->repeat * each, 255, false};
    const uint64_t saved[2] = {core->mask[0], core->mask[1]};
    const uint8_t counter = core->mask_counter;
    if (call->repeat < 0 || (call->mask_form != Form::count && call->repeat > 255))
      ferrata_fault(Fault::BadArgument, call->api, call->loc.file, call->loc.line,
                    "repeatTime is %lld; it must be 0..255", static_cast<long long>(call->repeat));
    const bool some = resolve(mask, call->api, call->loc, *core, each, lanes);
    if (call->mask_form != Form::count) {
      core->mask[0] = saved[0];
      core->mask[1] = saved[1];
      core->mask_counter = counter;
    }
    if (!some)
      return;
  } else if (!resolve(mask, call->api, call->loc, *core, each, lanes)) {
    return;
  }
  const bool counted = call->mask_form == Form::count;
  Sources sources;
  for (int i = 0; i < (call->has_scalar ? 1 : 2); ++i) {
    sources.layout[i] = layout_of(call->src[i], false, counted, each);
    check_vector_operand(call->api, i ? "src1" : "src0", call->src[i], extent_of(sources.layout[i], lanes), call->loc);
  }
  const uint64_t total = (lanes.repeats - 1) * each + lanes.lanes_of(lanes.repeats - 1);
  note_work(core, total * width * 2);

  if (call->form != SelectForm::select) {
    uint8_t *bits = reinterpret_cast<uint8_t *>(core->compare_mask);
    if (call->form == SelectForm::compare) {
      check_vector_operand(call->api, "dst", call->dst, (total + 7) / 8, call->loc);
      bits = call->dst.data;
    } else {
      memset(bits, 0, 16);
    }
    if (call->form == SelectForm::compare && call->type != Type::i32 && sources.packed(*call) &&
        !overlap(bits, total / 8, sources.layout[0].data, extent_of(sources.layout[0], lanes)) &&
        (call->has_scalar || !overlap(bits, total / 8, sources.layout[1].data, extent_of(sources.layout[1], lanes)))) {
      const uint64_t step = sources.contiguous(*call) ? total : each; // whole groups in either case
      for (uint64_t at = 0; at < total; at += step) {
        const uint8_t *x = sources.row(0, at / each), *y = call->has_scalar
                                                               ? reinterpret_cast<const uint8_t *>(&call->scalar)
                                                               : sources.row(1, at / each);
        if (call->type == Type::f32)
          row_loops().compare_float(bits + at / 8, reinterpret_cast<const float *>(x),
                                    reinterpret_cast<const float *>(y), call->has_scalar, step, call->mode);
        else
          row_loops().compare_half(bits + at / 8, reinterpret_cast<const uint16_t *>(x),
                                   reinterpret_cast<const uint16_t *>(y), call->has_scalar, step, call->mode);
      }
      return;
    }
    for (uint64_t r = 0; r < lanes.repeats; ++r) {
      const uint32_t n = lanes.lanes_of(r);
      sources.load(*call, r, n, width);
      for (uint32_t i = 0; i < n; ++i)
        if (lanes.active(i))
          put_bit(bits, r * each + i, compare_lane(*call, sources.rows[0] + i * width, sources.rows[1] + i * width));
    }
    return;
  }

  const Layout dst = layout_of(call->dst, true, counted, each);
  const uint64_t written = extent_of(dst, lanes);
  check_vector_operand(call->api, "dst", call->dst, written, call->loc);
  for (int i = 0; i < (call->has_scalar ? 1 : 2); ++i)
    if (__builtin_expect(overlap(dst.data, written, sources.layout[i].data, extent_of(sources.layout[i], lanes)), 0))
      check_meeting(call->api, i ? "src1" : "src0", dst, sources.layout[i], lanes, call->loc);
  const bool per_repeat = call->mode == 0; // the first bits serve every repeat
  const uint8_t *bits =
      call->bits.data ? call->bits.data : reinterpret_cast<const uint8_t *>(core->compare_mask); // else the register's
  if (call->bits.data || !per_repeat)
    check_vector_operand(call->api, "selMask", call->bits,
                         ((per_repeat ? std::min<uint64_t>(total, each) : total) + 7) / 8, call->loc);
  if (per_repeat && call->bits.data)
    memcpy(core->compare_mask, bits, std::min<uint32_t>(16, call->bits.bytes));
  const auto apart = [&](const uint8_t *data, uint64_t bytes) {
    return data == dst.data || !overlap(dst.data, extent_of(dst, lanes), data, bytes);
  };
  if (lanes.prefix && dst.packed && sources.packed(*call) &&
      apart(sources.layout[0].data, extent_of(sources.layout[0], lanes)) &&
      (sources.layout[0].data != dst.data || sources.layout[0].repeat == dst.repeat) &&
      (call->has_scalar || (apart(sources.layout[1].data, extent_of(sources.layout[1], lanes)) &&
                            (sources.layout[1].data != dst.data || sources.layout[1].repeat == dst.repeat))) &&
      !overlap(dst.data, extent_of(dst, lanes), bits, (total + 7) / 8)) {
    const bool whole =
        !per_repeat && (lanes.repeats == 1 || (lanes.top == each && dst.repeat == 256 && sources.contiguous(*call)));
    for (uint64_t r = 0; r < (whole ? 1 : lanes.repeats); ++r) {
      const uint64_t n = whole ? total : lanes.lanes_of(r);
      uint8_t *to = dst.data + r * dst.repeat;
      const uint8_t *from = bits + (per_repeat ? 0 : r * each / 8), *x = sources.row(0, r),
                    *y = call->has_scalar ? reinterpret_cast<const uint8_t *>(&call->scalar) : sources.row(1, r);
      if (width == 4)
        row_loops().select_32(reinterpret_cast<uint32_t *>(to), from, reinterpret_cast<const uint32_t *>(x),
                              reinterpret_cast<const uint32_t *>(y), call->has_scalar, n);
      else
        row_loops().select_16(reinterpret_cast<uint16_t *>(to), from, reinterpret_cast<const uint16_t *>(x),
                              reinterpret_cast<const uint16_t *>(y), call->has_scalar, n);
    }
    return;
  }
  alignas(32) uint8_t out[512];
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    const uint32_t n = lanes.lanes_of(r);
    sources.load(*call, r, n, width);
    for (uint32_t i = 0; i < n; ++i)
      memcpy(out + i * width, sources.rows[get_bit(bits, per_repeat ? i : r * each + i) ? 0 : 1] + i * width, width);
    scatter(dst, out, r, n, lanes.mask, lanes.prefix);
  }
}

uint64_t ferrata_cast_scalar(float value, Type to, int mode) {
  if (to == Type::f16)
    return to_half(value, mode);
  if (to == Type::bf16)
    return to_bf16(value, mode);
  double whole = mode == round_floor  ? floor(value)
                 : mode == round_ceil ? ceil(value)
                 : mode == round_away ? round(value)
                                      : nearbyint(value);
  int32_t result = whole != whole           ? 0
                   : whole >= 2147483647.0  ? INT32_MAX
                   : whole <= -2147483648.0 ? INT32_MIN
                                            : static_cast<int32_t>(whole);
  return static_cast<uint32_t>(result);
}
