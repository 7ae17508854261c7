// The loops behind reductions, comparisons and selections over consecutive lanes: the fast paths of reduce.cpp
// and select.cpp. Built several times like the loops of vector_unit.h, with the same results.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace ferrata {
constexpr size_t most_rows = 16;
struct RowLoops {
  // Sums of 64 floats as a tree of adjacent pairs, added up from left to right.
  float (*sum)(const float *x, size_t groups);
  // One such sum for each group of 64, `step` floats apart in dst.
  void (*sum_each)(float *dst, size_t step, const float *x, size_t groups);
  // The same trees for repeats of 128 halves that follow each other, at most `most_rows`, every node rounded to half
  // and clamped on demand: a result for every `group` lanes, 128, 16 or 2.
  void (*sums_half)(uint16_t *dst, const uint16_t *x, size_t rows, uint32_t group, bool saturate);
  // For one repeat of 64 floats: one for each block of 8, one for each pair.
  void (*block_sums_float)(float *dst, const float *x);
  void (*pair_sums_float)(float *dst, const float *x);
  // Position of the largest or smallest of n > 0 floats (halves), zeros ordered by sign, the first of equals; n when a
  // NaN is among them.
  size_t (*extreme_float)(const float *x, size_t n, bool max);
  size_t (*extreme_half)(const uint16_t *x, size_t n, bool max);
  // Bit i: x[i] cmp y[i], or y[0] when `scalar`. n is a multiple of 8; the mode is that of CMPMODE.
  void (*compare_float)(uint8_t *bits, const float *x, const float *y, bool scalar, size_t n, int mode);
  void (*compare_half)(uint8_t *bits, const uint16_t *x, const uint16_t *y, bool scalar, size_t n, int mode);
  // dst[i] = bit i ? x[i] : y[i], or y[0] when `scalar`. dst may be x or y, and overlaps them in no other way.
  void (*select_32)(uint32_t *dst, const uint8_t *bits, const uint32_t *x, const uint32_t *y, bool scalar, size_t n);
  void (*select_16)(uint16_t *dst, const uint8_t *bits, const uint16_t *x, const uint16_t *y, bool scalar, size_t n);
  // The x[i] with bit i set, one after the other; how many. At most `room` elements are written, which is no fewer.
  size_t (*pack_32)(uint32_t *dst, const uint32_t *x, size_t n, const uint8_t *bits, size_t room);
  size_t (*pack_16)(uint16_t *dst, const uint16_t *x, size_t n, const uint8_t *bits, size_t room);
};
// Up to 64 bits of a pattern; a whole word is one load.
inline uint64_t load_bits(const uint8_t *bits, size_t n) {
  uint64_t word = 0;
  if (n == 64) {
    memcpy(&word, bits, 8);
    return word;
  }
  memcpy(&word, bits, (n + 7) / 8);
  return word & ((uint64_t(1) << n) - 1);
}
extern const RowLoops row_loops_baseline;
extern const RowLoops row_loops_avx2;   // only on x86-64
extern const RowLoops row_loops_avx512; // only there, and only by GCC
const RowLoops &row_loops();            // what this machine takes
} // namespace ferrata
