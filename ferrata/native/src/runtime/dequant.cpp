// CastDequant to 8 bits and AddDeqRelu.
#include <vector>
#include "shuffle.h"

namespace ferrata {
namespace {
// The parameters of one lane, from a register word: a scale of 1-8-10 bits, a signed offset of 9 bits, the sign of the
// result.
struct Parameters {
  double scale;
  int offset;
  bool is_signed;
  explicit Parameters(uint64_t word) {
    const uint32_t bits = static_cast<uint32_t>(word) & 0xffffe000u;
    float value;
    memcpy(&value, &bits, 4);
    scale = value;
    offset = static_cast<int>(word >> 37 & 0x1ff);
    offset = offset > 255 ? offset - 512 : offset;
    is_signed = word >> 46 & 1;
  }
  uint8_t operator()(int16_t x) const {
    const double least = is_signed ? -128 : 0, largest = is_signed ? 127 : 255;
    const double y = nearbyint(x * scale) + offset;
    return static_cast<uint8_t>(static_cast<int>(y != y ? 0 : y < least ? least : y > largest ? largest : y));
  }
};

void dequant(ShuffleRun &run) {
  ShuffleCall &call = run.call;
  Lanes lanes;
  if (!resolve({call.mask_form, call.mask[0], call.mask[1], call.repeat, 255, false}, call.api, call.loc, run.core, 128,
               lanes))
    return;
  const bool counted = call.mask_form == Form::count;
  const uint32_t high = call.value[1] ? 16 : 0;
  const bool wants_signed = call.dst.type == Type::i8;
  Operand spread = call.dst;
  spread.type = Type::i16; // one destination block for each source block
  const Layout dst = layout_of(spread, true, counted, 128), src = layout_of(call.src[0], false, counted, 128);
  const uint64_t furthest = extent_of(dst, lanes) - 2; // of 16-bit lanes; here each has a byte in its half of the block
  run.touches("dst", call.dst, furthest / 32 * 32 + high + furthest % 32 / 2 + 1, true);
  run.touches("src", call.src[0], extent_of(src, lanes), false);
  uint64_t words[16];
  if (call.value[0]) {
    const uint8_t *table = reinterpret_cast<const uint8_t *>(run.core.deq_scale);
    run.saw(table, sizeof words, false);
    memcpy(words, table, sizeof words);
  } else {
    std::fill_n(words, 16, run.core.deq_scale);
  }
  std::vector<Parameters> lane(words, words + 16);
  for (int j = 0; j < 16; ++j)
    if (lane[static_cast<size_t>(j)].is_signed != wants_signed)
      run.fail(Fault::BadArgument, "signMode is %s in the dequantisation parameters%s; dst is %s",
               wants_signed ? "false" : "true", call.value[0] ? " (vdeqSignMode)" : "",
               wants_signed ? "int8_t and needs true" : "uint8_t and needs false");
  alignas(32) int16_t row[128];
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    const uint32_t n = lanes.lanes_of(r);
    gather(reinterpret_cast<uint8_t *>(row), src, r, n);
    for (uint32_t l = 0; l < n; ++l)
      if (lanes.active(l))
        dst.data[r * dst.repeat + l / 16 * dst.block + high + l % 16] = lane[l % 16](row[l]);
  }
}

void dequant_sum(ShuffleRun &run) {
  ShuffleCall &call = run.call;
  Lanes lanes;
  if (!resolve({call.mask_form, call.mask[0], call.mask[1], call.repeat, 255, false}, call.api, call.loc, run.core, 64,
               lanes))
    return;
  const bool counted = call.mask_form == Form::count, saturate = run.core.saturate;
  const Layout dst = layout_of(call.dst, true, counted, 64);
  const Layout src[2] = {layout_of(call.src[0], false, counted, 64), layout_of(call.src[1], false, counted, 64)};
  run.touches("dst", call.dst, extent_of(dst, lanes), true);
  run.touches("src0", call.src[0], extent_of(src[0], lanes), false);
  run.touches("src1", call.src[1], extent_of(src[1], lanes), false);
  const double scale = half_to_float(static_cast<uint16_t>(run.core.deq_scale));
  alignas(32) uint32_t a[64], b[64];
  alignas(32) uint16_t out[64];
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    const uint32_t n = lanes.lanes_of(r);
    gather(reinterpret_cast<uint8_t *>(a), src[0], r, n);
    gather(reinterpret_cast<uint8_t *>(b), src[1], r, n);
    for (uint32_t l = 0; l < n; ++l) {
      uint16_t h = to_half(static_cast<int32_t>(a[l] + b[l]) * scale); // the sum wraps
      if (saturate)
        h = (h & 0x7fffu) > 0x7c00u ? uint16_t(0) : (h & 0x7fffu) == 0x7c00u ? static_cast<uint16_t>(h - 1) : h;
      out[l] = h & 0x8000u && (h & 0x7fffu) <= 0x7c00u ? uint16_t(0) : h;
    }
    scatter(dst, reinterpret_cast<const uint8_t *>(out), r, n, lanes.mask, lanes.prefix);
  }
}
} // namespace

void dequant_family(ShuffleRun &run) { run.call.form == Shuffle::dequant ? dequant(run) : dequant_sum(run); }
} // namespace ferrata
