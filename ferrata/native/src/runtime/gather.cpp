// Brcb, Gather, Gatherb, BilinearInterpolation and Arange.
#include "shuffle.h"

namespace ferrata {
namespace {
using Offsets = const uint32_t *;

uint64_t block_of(const Operand &dst) {
  return uint64_t(dst.block_stride ? dst.block_stride : 1) * 32;
} // 0 is undefined; 1 is what a guide says

// dst of the instructions that write eight blocks a repeat.
uint64_t blocks_extent(const ShuffleRun &run) {
  return (static_cast<uint64_t>(run.call.repeat) - 1) * run.call.dst.repeat_stride * 32 + 7 * block_of(run.call.dst) +
         32;
}

template <class T> void fill_blocks(const ShuffleCall &call) {
  const T *from = reinterpret_cast<const T *>(call.src[0].data);
  const uint64_t block = block_of(call.dst);
  for (int64_t r = 0; r < call.repeat; ++r) {
    uint8_t *to = call.dst.data + static_cast<uint64_t>(r) * call.dst.repeat_stride * 32;
    for (int j = 0; j < 8; ++j, to += block) {
      const T value = from[r * 8 + j];
      T *cell = reinterpret_cast<T *>(to);
      for (size_t i = 0; i < 32 / sizeof(T); ++i)
        cell[i] = value;
    }
  }
}

void broadcast_blocks(ShuffleRun &run) {
  run.repeats_up_to(255);
  const ShuffleCall &call = run.call;
  if (!call.repeat)
    return;
  const uint32_t width = element_bytes(call.dst.type);
  const uint64_t read = static_cast<uint64_t>(call.repeat) * 8 * width, written = blocks_extent(run);
  run.touches("src", call.src[0], read, false);
  run.touches("dst", call.dst, written, true);
  run.apart("dst", call.dst.data, written, "src", call.src[0].data, read);
  width == 2 ? fill_blocks<uint16_t>(call) : fill_blocks<uint32_t>(call);
}

// Byte offsets of what an instruction reads from src: the smallest, the largest, and the bits of all.
struct Reach {
  uint32_t low = ~0u, high = 0, bits = 0;
  void add(uint32_t offset) {
    low = std::min(low, offset);
    high = std::max(high, offset);
    bits |= offset;
  }
};

// Find the offset that is wrong and say so.
[[noreturn]] __attribute__((cold)) void bad_offset(const ShuffleRun &run, const char *name, const Lanes &lanes,
                                                   uint64_t base, uint32_t unit) {
  const Offsets offsets = reinterpret_cast<Offsets>(run.call.src[1].data);
  const Operand &src = run.call.src[0];
  for (uint64_t r = 0; r < lanes.repeats; ++r)
    for (uint32_t l = 0; l < lanes.lanes_of(r); ++l) {
      const uint64_t i = r * lanes.each + l, at = base + offsets[i];
      if (!lanes.active(l))
        continue;
      if (at % unit)
        run.fail(Fault::Misaligned, "%s[%llu] is %u: byte %llu of src is not a multiple of %u", name,
                 static_cast<unsigned long long>(i), offsets[i], static_cast<unsigned long long>(at), unit);
      if (at + unit > src.bytes)
        run.fail(Fault::OutOfBounds, "%s[%llu] is %u: byte %llu is outside src, which has %u bytes", name,
                 static_cast<unsigned long long>(i), offsets[i], static_cast<unsigned long long>(at), src.bytes);
    }
  run.fail(Fault::BadArgument, "%s has changed during the call", name);
}

// Check offsets and src; `written` bytes of dst must be apart from what is read.
void check_offsets(const ShuffleRun &run, const char *name, const Lanes &lanes, uint64_t base, uint32_t unit,
                   uint64_t written) {
  const ShuffleCall &call = run.call;
  const uint64_t slots = (lanes.repeats - 1) * lanes.each + lanes.lanes_of(lanes.repeats - 1);
  run.touches(name, call.src[1], slots * 4, false);
  const Offsets offsets = reinterpret_cast<Offsets>(call.src[1].data);
  Reach reach;
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    const Offsets row = offsets + r * lanes.each;
    const uint32_t n = lanes.lanes_of(r);
    if (lanes.prefix) {
      for (uint32_t l = 0; l < n; ++l) // vectorises
        reach.add(row[l]);
      continue;
    }
    for (uint32_t l = 0; l < n; ++l)
      if (lanes.active(l))
        reach.add(row[l]);
  }
  check_vector_operand(call.api, call.form == Shuffle::interpolate ? "src0" : "src", call.src[0], 0, call.loc);
  const uint64_t first = base + reach.low, end = base + reach.high + unit; // 64 bits: no sum wraps
  if (__builtin_expect((reach.bits | base) % unit != 0 || end > call.src[0].bytes, 0))
    bad_offset(run, name, lanes, base, unit);
  run.saw(call.src[0].data + first, end - first, false);
  if (written)
    run.apart("dst", call.dst.data, written, "src", call.src[0].data + first, end - first);
}

template <class T> void gather_row(uint8_t *dst, const uint8_t *src, Offsets offsets, uint32_t n) {
  T *to = reinterpret_cast<T *>(dst);
  for (uint32_t i = 0; i < n; ++i)
    to[i] = *reinterpret_cast<const T *>(src + offsets[i]);
}

void gather_elements(ShuffleRun &run) {
  const ShuffleCall &call = run.call;
  const uint32_t width = element_bytes(call.dst.type), each = 256 / width;
  Lanes lanes;
  if (!resolve({call.mask_form, call.mask[0], call.mask[1], call.repeat, 255, false}, call.api, call.loc, run.core,
               each, lanes))
    return;
  const Layout dst = layout_of(call.dst, true, call.mask_form == Form::count, each);
  const uint64_t written = extent_of(dst, lanes);
  run.touches("dst", call.dst, written, true);
  check_offsets(run, "srcOffset", lanes, call.value[0], width, written);
  const uint8_t *from = call.src[0].data + call.value[0];
  const Offsets offsets = reinterpret_cast<Offsets>(call.src[1].data);
  for (uint64_t r = 0; r < lanes.repeats; ++r) {
    uint8_t *to = dst.data + r * dst.repeat;
    const Offsets row = offsets + r * each;
    const uint32_t n = lanes.lanes_of(r);
    if (lanes.prefix) {
      width == 2 ? gather_row<uint16_t>(to, from, row, n) : gather_row<uint32_t>(to, from, row, n);
    } else {
      for (uint32_t l = 0; l < n; ++l)
        if (lanes.active(l))
          memcpy(to + l * width, from + row[l], width);
    }
  }
}

// Every lane of repeats of `each`.
Lanes all_lanes(uint64_t repeats, uint32_t each) {
  Lanes lanes;
  lanes.repeats = repeats;
  lanes.each = lanes.last = lanes.top = each;
  lanes.prefix = true;
  return lanes;
}

void gather_blocks(ShuffleRun &run) {
  run.repeats_up_to(255);
  const ShuffleCall &call = run.call;
  if (!call.repeat)
    return;
  const uint64_t written = blocks_extent(run), block = block_of(call.dst);
  run.touches("dst", call.dst, written, true);
  check_offsets(run, "offset", all_lanes(static_cast<uint64_t>(call.repeat), 8), 0, 32, written);
  const Offsets offsets = reinterpret_cast<Offsets>(call.src[1].data);
  for (int64_t r = 0; r < call.repeat; ++r) {
    uint8_t *to = call.dst.data + static_cast<uint64_t>(r) * call.dst.repeat_stride * 32;
    for (int j = 0; j < 8; ++j)
      memcpy(to + static_cast<uint64_t>(j) * block, call.src[0].data + offsets[r * 8 + j], 32);
  }
}

float rounded_half(float value, bool saturate) {
  uint16_t h = float_to_half(value);
  if (saturate)
    h = (h & 0x7fffu) > 0x7c00u ? uint16_t(0) : (h & 0x7fffu) == 0x7c00u ? static_cast<uint16_t>(h - 1) : h;
  return half_to_float(h);
}

void interpolate(ShuffleRun &run) {
  const ShuffleCall &call = run.call;
  const uint64_t horizontal = call.value[0], vertical = call.value[4], pairs = horizontal * vertical,
                 offset = call.value[3];
  if (!horizontal || !vertical)
    run.fail(Fault::BadArgument, "hRepeat is %u and vRepeat is %u; they must be 1..255", call.value[0], call.value[4]);
  if (offset < 128 || offset % 16)
    run.fail(Fault::BadArgument, "vROffset is %u elements; it must be a multiple of 16 from 128 to 65534",
             call.value[3]);
  Lanes lanes;
  if (!resolve({call.mask_form, call.mask[0], call.mask[1], 1, 255, false}, call.api, call.loc, run.core, 128, lanes))
    return;
  const uint64_t block = block_of(call.dst), written = (vertical - 1) * offset * 2 + 7 * block + 32;
  const uint64_t weights = call.value[1] ? pairs * 8 : pairs;
  const uint64_t src0_elements = call.src[0].bytes / 2, src1_elements = call.src[2].bytes / 2;
  run.touches("dst", call.dst, written, true);
  run.touches("src1", call.src[2], weights * 2, false);
  if (call.value[1] && 16 * src1_elements < src0_elements)
    run.fail(Fault::BadArgument,
             "src1 has %llu elements; with repeatMode it needs at least a sixteenth of the %llu of src0",
             static_cast<unsigned long long>(src1_elements), static_cast<unsigned long long>(src0_elements));
  run.touches("sharedTmpBuffer", call.src[3], 32 * (src0_elements + src1_elements), true);
  check_offsets(run, "src0Offset", all_lanes(pairs, 8), 0, 32, written);
  run.apart("dst", call.dst.data, written, "src1", call.src[2].data, weights * 2);
  const Offsets offsets = reinterpret_cast<Offsets>(call.src[1].data);
  const uint16_t *weight = reinterpret_cast<const uint16_t *>(call.src[2].data);
  const bool saturate = run.core.saturate;
  for (uint64_t v = 0; v < vertical; ++v)
    for (uint32_t b = 0; b < 8; ++b) {
      uint16_t *to = reinterpret_cast<uint16_t *>(call.dst.data + v * offset * 2 + b * block);
      for (uint32_t k = 0; k < 16; ++k) {
        if (b * 16 + k >= lanes.top || !lanes.active(b * 16 + k))
          continue;
        float total = 0;
        for (uint64_t h = 0; h < horizontal; ++h) {
          const uint64_t i = v * horizontal + h;
          const uint16_t *group = reinterpret_cast<const uint16_t *>(call.src[0].data + offsets[8 * i + b]);
          const float product =
              rounded_half(half_to_float(group[k]) * half_to_float(weight[call.value[1] ? 8 * i + b : i]), saturate);
          total = h ? rounded_half(total + product, saturate) : product;
        }
        to[k] = float_to_half(total);
      }
    }
}

// The documented chain: 8 values one by one, then blocks of 8 up to 64, then blocks of 64, each by an addition.
template <class T, class Add, class Times> void chain(T *to, int64_t count, T first, T step, Add add, Times times) {
  for (int64_t i = 0; i < std::min<int64_t>(count, 8); ++i)
    to[i] = add(first, times(step, static_cast<int>(i)));
  const T by_8 = times(step, 8), by_64 = times(step, 64);
  for (int64_t i = 8; i < std::min<int64_t>(count, 64); ++i)
    to[i] = add(to[i - 8], by_8);
  for (int64_t i = 64; i < count; ++i)
    to[i] = add(to[i - 64], by_64);
}

void arange(ShuffleRun &run) {
  const ShuffleCall &call = run.call;
  if (call.repeat <= 0)
    run.fail(Fault::BadArgument, "count is %lld; it must be greater than 0", static_cast<long long>(call.repeat));
  const Type type = call.dst.type;
  const double step = element_as_double(&call.result[0], type);
  if (step < 0)
    run.fail(Fault::BadArgument, "diffValue is %g; it must not be negative", step);
  run.touches("dst", call.dst, static_cast<uint64_t>(call.repeat) * element_bytes(type), true);
  void *to = call.dst.data;
  switch (type) {
  case Type::i16:
    return chain(
        static_cast<uint16_t *>(to), call.repeat, static_cast<uint16_t>(call.scalar),
        static_cast<uint16_t>(call.result[0]), [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(a + b); },
        [](uint16_t a, int n) { return static_cast<uint16_t>(a * static_cast<unsigned>(n)); });
  case Type::i32:
    return chain(
        static_cast<uint32_t *>(to), call.repeat, static_cast<uint32_t>(call.scalar),
        static_cast<uint32_t>(call.result[0]), [](uint32_t a, uint32_t b) { return a + b; },
        [](uint32_t a, int n) { return a * static_cast<uint32_t>(n); });
  case Type::f32: {
    float first, by;
    memcpy(&first, &call.scalar, 4);
    memcpy(&by, &call.result[0], 4);
    return chain(
        static_cast<float *>(to), call.repeat, first, by, [](float a, float b) { return a + b; },
        [](float a, int n) { return a * static_cast<float>(n); });
  }
  default:
    return chain(
        static_cast<uint16_t *>(to), call.repeat, static_cast<uint16_t>(call.scalar),
        static_cast<uint16_t>(call.result[0]),
        [](uint16_t a, uint16_t b) { return float_to_half(half_to_float(a) + half_to_float(b)); },
        [](uint16_t a, int n) { return float_to_half(half_to_float(a) * static_cast<float>(n)); });
  }
}
} // namespace

void gather_family(ShuffleRun &run) {
  switch (run.call.form) {
  case Shuffle::broadcast_blocks:
    return broadcast_blocks(run);
  case Shuffle::gather:
    return gather_elements(run);
  case Shuffle::gather_blocks:
    return gather_blocks(run);
  case Shuffle::interpolate:
    return interpolate(run);
  default:
    return arange(run);
  }
}
} // namespace ferrata
