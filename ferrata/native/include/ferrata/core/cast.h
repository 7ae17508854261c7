// Cast between element types: which conversions a chip has, with which rounding modes.
#pragma once
#include "ferrata/core/vector.h"

namespace ferrata {
// Bit m is set when RoundMode m exists for src -> dst; 0: no such conversion. (The table of dav-2201; dav-3510 takes it
// too.)
constexpr uint32_t cast_modes(Type dst, Type src) {
  constexpr uint32_t none = 1, directed = 0x3e, odd = 1 << 6; // directed: RINT, FLOOR, CEIL, ROUND, TRUNC
  switch (static_cast<int>(src) * 16 + static_cast<int>(dst)) {
#define FERRATA_CAST(source, destination, modes)                                                                       \
  case static_cast<int>(Type::source) * 16 + static_cast<int>(Type::destination):                                      \
    return modes;
    FERRATA_CAST(i4, f16, none)
    FERRATA_CAST(i8, f16, none)
    FERRATA_CAST(u8, f16, none)
    FERRATA_CAST(i16, f16, none | directed)
    FERRATA_CAST(i16, f32, none)
    FERRATA_CAST(f16, i4, none | directed)
    FERRATA_CAST(f16, i8, none | directed)
    FERRATA_CAST(f16, u8, none | directed)
    FERRATA_CAST(f16, i16, directed)
    FERRATA_CAST(f16, i32, none | directed)
    FERRATA_CAST(f16, f32, none)
    FERRATA_CAST(bf16, i32, directed)
    FERRATA_CAST(bf16, f32, none)
    FERRATA_CAST(i32, i16, none)
    FERRATA_CAST(i32, f16, none | directed | odd) // ignored: the scale decides
    FERRATA_CAST(i32, f32, none | directed)
    FERRATA_CAST(i32, i64, none)
    FERRATA_CAST(f32, i16, directed)
    FERRATA_CAST(f32, f16, none | directed | odd)
    FERRATA_CAST(f32, bf16, directed)
    FERRATA_CAST(f32, i32, directed)
    FERRATA_CAST(f32, f32, directed)
    FERRATA_CAST(f32, i64, directed)
    FERRATA_CAST(i64, i32, none)
    FERRATA_CAST(i64, f32, directed)
#undef FERRATA_CAST
  default:
    return 0;
  }
}

inline void check_cast_mode(uint32_t modes, AscendC::RoundMode mode, Loc loc) {
  if (__builtin_expect(static_cast<unsigned>(mode) > 7 || !(modes >> static_cast<unsigned>(mode) & 1), 0))
    ferrata_fault(Fault::BadArgument, "Cast", loc.file, loc.line,
                  "this conversion does not have RoundMode %d; it has%s%s%s (0 NONE, 1 RINT, 2 FLOOR, 3 CEIL, 4 ROUND, "
                  "5 TRUNC, 6 ODD)",
                  static_cast<int>(mode), modes & 1 ? " NONE" : "", modes & 2 ? " RINT FLOOR CEIL ROUND TRUNC" : "",
                  modes & 64 ? " ODD" : "");
}
} // namespace ferrata

namespace AscendC {
template <class T, class U>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode, const uint32_t count,
                 ferrata::Loc loc = ferrata::Loc::here()) {
  constexpr uint32_t modes = ferrata::cast_modes(ferrata::type_of<T>, ferrata::type_of<U>);
  static_assert(modes != 0,
                "Cast: this chip has no conversion between these element types; see the cast table in the docs");
  ferrata::check_cast_mode(modes, roundMode, loc);
  constexpr uint32_t wide = ferrata::widest<T, U>;
  auto call = ferrata::vector_call(ferrata::Op::Cast, dst.operand(1, ferrata::packed<T>(wide)),
                                   src.operand(1, ferrata::packed<U>(wide)), loc);
  call.mode = static_cast<uint8_t>(roundMode);
  ferrata::issue_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode, Mask mask,
                 Repeat repeatTime, const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  constexpr uint32_t modes = ferrata::cast_modes(ferrata::type_of<T>, ferrata::type_of<U>);
  static_assert(modes != 0,
                "Cast: this chip has no conversion between these element types; see the cast table in the docs");
  ferrata::check_cast_mode(modes, roundMode, loc);
  auto call = ferrata::vector_call(ferrata::Op::Cast, dst.operand(p.dstBlkStride, p.dstRepStride),
                                   src.operand(p.srcBlkStride, p.srcRepStride), loc);
  call.mode = static_cast<uint8_t>(roundMode);
  ferrata::issue_repeat(call, mask, repeatTime, isSetMask);
}

// --- scalars ---
template <class T, class U, RoundMode roundMode> inline U Cast(T value) {
  static_assert(
      ferrata::same<T, float> &&
          ((ferrata::same<U, half> && roundMode == RoundMode::CAST_ODD) ||
           (ferrata::same<U, int32_t> && (roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                                          roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT))),
      "scalar Cast: float to half with CAST_ODD, or float to int32_t with ROUND, CEIL, FLOOR, RINT");
  uint64_t bits = ferrata_cast_scalar(value, ferrata::type_of<U>, static_cast<int>(roundMode));
  U result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}
template <class T, class U, RoundMode roundMode> inline U ScalarCast(T value) { return Cast<T, U, roundMode>(value); }
inline bfloat16_t Cast(const float &value) {
  bfloat16_t result;
  result.bits =
      static_cast<uint16_t>(ferrata_cast_scalar(value, ferrata::Type::bf16, static_cast<int>(RoundMode::CAST_RINT)));
  return result;
}
inline bfloat16_t ToBfloat16(const float &value) { return Cast(value); }
inline float Cast(const bfloat16_t &value) {
  uint32_t bits = uint32_t(value.bits) << 16;
  float result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}
inline float ToFloat(const bfloat16_t &value) { return Cast(value); }
} // namespace AscendC
