// The flat loops of the vector unit: one instruction over n consecutive lanes. Built for the baseline, AVX2 and
// AVX-512; the executor (vector.cpp) picks a set when the library is loaded.
#pragma once
#include <stddef.h>
#include "ferrata/core/abi.h"

namespace ferrata {
struct FlatArgs {
  uint64_t scalar;    // bits of the scalar operand
  int64_t first_lane; // index of lane 0, for CreateVecIndex
  uint64_t deq_scale;
  int mode;
  bool saturate;  // half and bfloat16 results clamp
  bool keep_cast; // casts to integers keep the low bits
};
// dst may equal a source exactly; it never overlaps one otherwise.
typedef void (*Flat)(void *dst, const void *src0, const void *src1, size_t lanes, const FlatArgs &args);
typedef Flat (*FlatLookup)(Op op, Type dst, Type src);

Flat lookup_baseline(Op op, Type dst, Type src);
Flat lookup_avx2(Op op, Type dst, Type src);   // only on x86-64
Flat lookup_avx512(Op op, Type dst, Type src); // only there, and only by GCC
Flat lookup_half(Op op, Type dst, Type src);   // with AVX512-FP16, by GCC from version 12 on
} // namespace ferrata
