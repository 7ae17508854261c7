// GatherMask: the elements whose pattern bit is 1, packed. Works in place, since it never writes ahead of what it
// reads.
#include "row_loops.h"
#include "shuffle.h"

namespace ferrata {
namespace {
// Fixed patterns: first element and distance.
struct Comb {
  uint32_t first, step;
};
constexpr Comb combs[] = {{0, 0}, {0, 2}, {1, 2}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 1}};

template <class T> size_t pack_comb(T *to, const T *from, uint32_t n, Comb comb) {
  if (comb.step == 1) {
    memmove(to, from, n * sizeof(T));
    return n;
  }
  size_t taken = 0;
  for (uint32_t k = comb.first; k < n; k += comb.step)
    to[taken++] = from[k];
  return taken;
}

inline uint64_t ones(uint64_t x) { // without a processor's own instruction, but inline
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}

// Nothing behind `end` is written.
size_t pack_bits(uint16_t *to, const uint16_t *from, uint32_t n, const uint8_t *bits, const uint16_t *end) {
  return row_loops().pack_16(to, from, n, bits, static_cast<size_t>(end - to));
}
size_t pack_bits(uint32_t *to, const uint32_t *from, uint32_t n, const uint8_t *bits, const uint32_t *end) {
  return row_loops().pack_32(to, from, n, bits, static_cast<size_t>(end - to));
}

uint64_t count_bits(const uint8_t *bits, uint32_t n) {
  uint64_t count = 0;
  for (uint32_t k = 0; k < n; k += 64)
    count += ones(load_bits(bits + k / 8, std::min(64u, n - k)));
  return count;
}

template <class T> void run_pack(ShuffleRun &run, uint32_t each) {
  ShuffleCall &call = run.call;
  const uint64_t repeats = static_cast<uint64_t>(call.repeat);
  const uint32_t pattern = call.value[0];
  const uint64_t src_block = uint64_t(call.src[0].block_stride) * 32,
                 src_step = uint64_t(call.src[0].repeat_stride) * 32;
  const uint64_t bits_step = uint64_t(call.src[1].repeat_stride) * 32;
  const uint64_t last = uint64_t(each) * sizeof(T) - 1;
  run.touches("src0", call.src[0], (repeats - 1) * src_step + last / 32 * src_block + last % 32 + 1, false);
  uint64_t count = 0;
  if (pattern) {
    const Comb comb = combs[pattern];
    count = repeats * (each > comb.first ? (each - comb.first + comb.step - 1) / comb.step : 0);
  } else {
    run.touches("src1Pattern", call.src[1], (repeats - 1) * bits_step + (each + 7) / 8, false);
    for (uint64_t r = 0; r < repeats; ++r)
      count += count_bits(call.src[1].data + r * bits_step, each);
  }
  run.touches("dst", call.dst, count * sizeof(T), true);
  T *to = reinterpret_cast<T *>(call.dst.data), *const end = to + count;
  const bool packed = src_block == 32 || last < 32;
  constexpr uint32_t per_block = 32 / sizeof(T);
  for (uint64_t r = 0; r < repeats; ++r) {
    const uint8_t *row = call.src[0].data + r * src_step, *bits = call.src[1].data + r * bits_step;
    if (packed) {
      const T *from = reinterpret_cast<const T *>(row);
      to += pattern ? pack_comb(to, from, each, combs[pattern]) : pack_bits(to, from, each, bits, end);
      continue;
    }
    // blocks hold a multiple of 4 elements, so a fixed pattern starts anew in each
    for (uint32_t k = 0; k < each; k += per_block, row += src_block) {
      const uint32_t n = std::min(per_block, each - k);
      const T *from = reinterpret_cast<const T *>(row);
      to += pattern ? pack_comb(to, from, n, combs[pattern]) : pack_bits(to, from, n, bits + k / 8, end);
    }
  }
  call.result[0] = count;
}
} // namespace

void pack(ShuffleRun &run) {
  ShuffleCall &call = run.call;
  call.result[0] = 0;
  run.core.mask_counter = 0; // a side effect of the instruction
  const uint32_t width = element_bytes(call.dst.type);
  if (call.value[1] && !call.value[2])
    run.fail(Fault::BadArgument,
             "mask is 0; with reduceMode it counts the elements of a repeat and must be at least 1");
  if (!call.repeat)
    return;
  const uint32_t each = call.value[1] ? call.value[2] : 256 / width;
  width == 2 ? run_pack<uint16_t>(run, each) : run_pack<uint32_t>(run, each);
}
} // namespace ferrata
