// Element types of kernels: half, bfloat16_t and int4b_t as scalars, and the number that the library knows a type by.
#pragma once
#include "ferrata/core/abi.h"

// IEEE binary16 of the compiler: immediates, arithmetic and conversions as for float.
#if defined(__FLT16_MANT_DIG__) && (defined(__x86_64__) || defined(__clang__) || __GNUC__ >= 13)
using half = _Float16;
#elif defined(__FLT16_MANT_DIG__) && defined(__aarch64__)
typedef float half __attribute__((mode(HF))); // the same type: GCC before 13 has it there, but the name in C only
#else
// IEEE binary16 for compilers without _Float16: a value of 16 bits that computes as float.
class half {
public:
  half() = default;
  half(float value) : bits_(from(value)) {}
  operator float() const { return to(bits_); }
  half &operator+=(float value) { return *this = half(to(bits_) + value); }
  half &operator-=(float value) { return *this = half(to(bits_) - value); }
  half &operator*=(float value) { return *this = half(to(bits_) * value); }
  half &operator/=(float value) { return *this = half(to(bits_) / value); }

private:
  static float to(uint16_t h) {
    uint32_t magnitude = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
    float value;
    __builtin_memcpy(&value, &magnitude, 4);
    value *= 0x1p112f;
    uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    bits = ((h & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : bits) | sign;
    __builtin_memcpy(&value, &bits, 4);
    return value;
  }
  static uint16_t from(float value) {
    uint32_t x;
    __builtin_memcpy(&x, &value, 4);
    uint32_t sign = (x >> 16) & 0x8000u, a = x & 0x7fffffffu;
    if (a >= 0x7f800000u)
      return static_cast<uint16_t>(sign | (a > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (a >= 0x477ff000u)
      return static_cast<uint16_t>(sign | 0x7c00u);
    if (a < 0x38800000u) { // subnormal: let the float adder round
      float tiny;
      __builtin_memcpy(&tiny, &a, 4);
      tiny += 0.5f;
      __builtin_memcpy(&a, &tiny, 4);
      return static_cast<uint16_t>(sign | (a - 0x3f000000u));
    }
    a += 0xc8000fffu + ((a >> 13) & 1);
    return static_cast<uint16_t>(sign | (a >> 13));
  }
  uint16_t bits_;
};
#endif

namespace ferrata {
template <class T> constexpr bool is_number = false;
template <> inline constexpr bool is_number<float> = true;
template <> inline constexpr bool is_number<double> = true;
template <> inline constexpr bool is_number<half> = true;
template <> inline constexpr bool is_number<signed char> = true;
template <> inline constexpr bool is_number<short> = true;
template <> inline constexpr bool is_number<int> = true;
template <> inline constexpr bool is_number<long> = true;
template <> inline constexpr bool is_number<long long> = true;

// To bfloat16, nearest even.
inline uint16_t bf16_bits(float value) {
  uint32_t x;
  __builtin_memcpy(&x, &value, 4);
  if (value != value)
    return static_cast<uint16_t>(x >> 16 | 0x40u);
  return static_cast<uint16_t>((x + 0x7fffu + (x >> 16 & 1)) >> 16);
}
} // namespace ferrata

// bfloat16: a storage type. Numbers come and go through AscendC::Cast, as on the chip; static_cast<bfloat16_t>(0),
// which kernels for several types say, works too.
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  template <class T, class = decltype(static_cast<float>(T()))>
  explicit bfloat16_t(T value) : bits(ferrata::bf16_bits(static_cast<float>(value))) {}
  constexpr bool operator==(bfloat16_t o) const { return bits == o.bits; }
  constexpr bool operator!=(bfloat16_t o) const { return bits != o.bits; }
};

namespace AscendC {
// Signed 4-bit elements, two to a byte. Exists only as an element type: LocalTensor<int4b_t> from ReinterpretCast.
struct int4b_t {
  uint8_t bits;
};
} // namespace AscendC
using AscendC::int4b_t;

namespace ferrata {
template <class T> struct TypeOf {
  static constexpr Type value = Type::none;
};
#define FERRATA_TYPE_OF(T, v)                                                                                          \
  template <> struct TypeOf<T> {                                                                                       \
    static constexpr Type value = Type::v;                                                                             \
  };
FERRATA_TYPE_OF(bool, b1)
FERRATA_TYPE_OF(int4b_t, i4)
FERRATA_TYPE_OF(int8_t, i8)
FERRATA_TYPE_OF(char, i8)
FERRATA_TYPE_OF(uint8_t, u8)
FERRATA_TYPE_OF(int16_t, i16)
FERRATA_TYPE_OF(uint16_t, u16)
FERRATA_TYPE_OF(int, i32)
FERRATA_TYPE_OF(unsigned, u32)
FERRATA_TYPE_OF(long, i64)
FERRATA_TYPE_OF(unsigned long, u64)
FERRATA_TYPE_OF(long long, i64)
FERRATA_TYPE_OF(unsigned long long, u64)
FERRATA_TYPE_OF(half, f16)
FERRATA_TYPE_OF(bfloat16_t, bf16)
FERRATA_TYPE_OF(float, f32)
FERRATA_TYPE_OF(double, f64)
#undef FERRATA_TYPE_OF

// The element type that T stands for: T itself, or what a TensorTrait (trait.h) carries.
template <class T> struct PrimOf {
  using type = T;
};
template <class T> constexpr Type type_of = TypeOf<T>::value;

template <class T, class U> constexpr bool same = false;
template <class T> constexpr bool same<T, T> = true;
template <bool condition> struct Enable {};
template <> struct Enable<true> {
  using type = int;
};
template <bool condition> using EnableIf = typename Enable<condition>::type;
template <class T, class... Allowed> constexpr bool one_of = (same<T, Allowed> || ...);

// Bytes of an element; of a pair of int4b_t.
template <class T> constexpr uint32_t width_of = sizeof(typename PrimOf<T>::type);
// Elements to bytes; int4b_t packs two into one.
template <class T> constexpr uint64_t bytes_of(uint64_t elements) {
  return type_of<T> == Type::i4 ? (elements + 1) / 2 : elements * width_of<T>;
}
template <class T> constexpr uint64_t elements_of(uint64_t bytes) {
  return type_of<T> == Type::i4 ? bytes * 2 : bytes / width_of<T>;
}

// The scalar of a call on tensors of a TensorTrait: their element type.
template <class T, class U>
using IfTrait = EnableIf<!same<T, typename PrimOf<T>::type> && same<typename PrimOf<T>::type, U>>;

// Bits of a scalar operand.
template <class T> inline uint64_t bits_of(const T &value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
} // namespace ferrata

namespace AscendC {
template <class T> using PrimT = typename ferrata::PrimOf<T>::type;
} // namespace AscendC

// `Name` takes these element types on this chip; anything else is a compile error that lists them.
#define FERRATA_TAKES(Name, T, ...) FERRATA_TAKES_TEXT(Name, T, __VA_ARGS__)
#define FERRATA_TAKES_TEXT(Name, T, ...)                                                                               \
  static_assert(::ferrata::one_of<typename ::ferrata::PrimOf<T>::type, __VA_ARGS__>,                                   \
                #Name " does not take this element type on this chip: it takes " #__VA_ARGS__)
