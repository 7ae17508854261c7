// Single elements as numbers, and rounding of wide values to narrow formats: the exact, unhurried versions. The vector
// unit has fast ones for the common cases; tests hold the two against independent references.
#pragma once
#include <math.h>
#include <string.h>
#include "ferrata/core/types.h"

namespace ferrata {
// Rounding modes in the order of RoundMode.
enum Rounding : int { round_none, round_rint, round_floor, round_ceil, round_away, round_trunc, round_odd };

static inline uint32_t element_bytes(Type type) {
  static const uint8_t bytes[] = {0, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

static inline float half_to_float(uint16_t h) {
  uint32_t magnitude = (h & 0x7fffu) << 13;
  float value;
  memcpy(&value, &magnitude, 4);
  value *= 0x1p112f; // exact, also for subnormals
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = (h & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : bits;
  bits |= (h & 0x8000u) << 16;
  memcpy(&value, &bits, 4);
  return value;
}

// Nearest even.
static inline uint16_t float_to_half(float value) {
  uint32_t x;
  memcpy(&x, &value, 4);
  uint32_t sign = (x >> 16) & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u);
  if (a >= 0x477ff000u)
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (a < 0x38800000u) { // subnormal: the float adder rounds it
    float tiny;
    memcpy(&tiny, &a, 4);
    tiny += 0.5f;
    memcpy(&a, &tiny, 4);
    return static_cast<uint16_t>(sign | (a - 0x3f000000u));
  }
  return static_cast<uint16_t>(sign | (a + 0xc8000fffu + ((a >> 13) & 1)) >> 13);
}

static inline float bf16_to_float(uint16_t b) {
  uint32_t bits = static_cast<uint32_t>(b) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

// Round a finite or special double to a format with `mantissa` stored bits and exponents like IEEE's, in any mode.
// Returns the format's bits. The exponent is unbounded while rounding; what is then too large is infinite in every
// mode.
static inline uint64_t round_to_format(double value, int mantissa, int exponent_bits, int mode) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  const uint64_t sign = bits >> 63 << (mantissa + exponent_bits);
  const uint64_t infinity = ((uint64_t(1) << exponent_bits) - 1) << mantissa;
  if (value != value)
    return sign | infinity | (uint64_t(1) << (mantissa - 1));
  double magnitude = fabs(value);
  if (magnitude == HUGE_VAL)
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias;                                  // subnormal: fixed quantum
  double scaled = scalbn(magnitude, mantissa - exponent); // exact
  double whole = floor(scaled), rest = scaled - whole;
  uint64_t kept = static_cast<uint64_t>(whole);
  bool up = false;
  const bool negative = bits >> 63;
  switch (mode) {
  case round_floor:
    up = negative && rest > 0;
    break;
  case round_ceil:
    up = !negative && rest > 0;
    break;
  case round_away:
    up = rest >= 0.5;
    break;
  case round_trunc:
    break;
  case round_odd:
    kept |= rest > 0;
    break;
  default:
    up = rest > 0.5 || (rest == 0.5 && (kept & 1));
    break;
  }
  kept += up;
  // kept has an explicit leading one unless subnormal; a carry moves into the exponent by itself
  uint64_t result = kept + (static_cast<uint64_t>(exponent + bias - 1) << mantissa);
  if (result > infinity)
    result = infinity; // too large even for the format's rounding: infinite in every mode
  return sign | result;
}

static inline uint16_t to_half(double value, int mode = round_rint) {
  return static_cast<uint16_t>(round_to_format(value, 10, 5, mode));
}
static inline uint16_t to_bf16(double value, int mode = round_rint) {
  return static_cast<uint16_t>(round_to_format(value, 7, 8, mode));
}
static inline float to_float(double value, int mode) {
  uint32_t bits = static_cast<uint32_t>(round_to_format(value, 23, 8, mode));
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

static inline uint64_t element_bits(const void *p, Type type) {
  uint64_t bits = 0;
  memcpy(&bits, p, element_bytes(type));
  return bits;
}
static inline int64_t element_as_int(const void *p, Type type) {
  uint64_t bits = element_bits(p, type);
  switch (type) {
  case Type::i8:
    return static_cast<int8_t>(bits);
  case Type::i16:
    return static_cast<int16_t>(bits);
  case Type::i32:
    return static_cast<int32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}
static inline double element_as_double(const void *p, Type type) {
  uint64_t bits = element_bits(p, type);
  switch (type) {
  case Type::f16:
    return half_to_float(static_cast<uint16_t>(bits));
  case Type::bf16:
    return bf16_to_float(static_cast<uint16_t>(bits));
  case Type::f32: {
    float value;
    memcpy(&value, p, 4);
    return value;
  }
  case Type::f64: {
    double value;
    memcpy(&value, p, 8);
    return value;
  }
  default:
    return static_cast<double>(element_as_int(p, type));
  }
}
} // namespace ferrata
