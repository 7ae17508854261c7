// The C interface: arithmetic. The element types are those of the C++ interface of the same instruction.
#pragma once
#include "c_api/asc_types.h"

namespace ferrata {
// One source (with or without a scalar), two sources; a narrow operand of the count form uses fewer blocks.
template <class T, class U>
inline void c_unary(Op op, const char *api, T *dst, U *src, uint64_t scalar, uint8_t mode, int64_t count, Loc loc) {
  constexpr uint32_t wide = widest<T, U>;
  VectorCall call = vector_call(op, operand_at(dst, api, loc, 1, packed<T>(wide)),
                                operand_at(src, api, loc, 1, packed<U>(wide)), loc);
  call.scalar = scalar;
  call.mode = mode;
  issue_count(call, count);
}
struct Strides1 {
  uint16_t dst_block, src_block, dst_repeat, src_repeat;
};
template <class T, class U>
inline void c_unary(Op op, const char *api, T *dst, U *src, uint64_t scalar, uint8_t mode, int64_t repeat, Strides1 s,
                    Loc loc) {
  VectorCall call = vector_call(op, operand_at(dst, api, loc, s.dst_block, s.dst_repeat),
                                operand_at(src, api, loc, s.src_block, s.src_repeat), loc);
  call.scalar = scalar;
  call.mode = mode;
  issue_repeat(call, AscendC::MASK_PLACEHOLDER, repeat, false);
}
template <class T, class U>
inline void c_binary(Op op, const char *api, T *dst, U *src0, U *src1, int64_t count, Loc loc) {
  constexpr uint32_t wide = widest<T, U>;
  constexpr uint16_t narrow = packed<U>(wide);
  VectorCall call = vector_call(op, operand_at(dst, api, loc, 1, packed<T>(wide)),
                                operand_at(src0, api, loc, 1, narrow), operand_at(src1, api, loc, 1, narrow), loc);
  issue_count(call, count);
}
struct Strides2 {
  uint8_t dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat;
};
template <class T, class U>
inline void c_binary(Op op, const char *api, T *dst, U *src0, U *src1, int64_t repeat, Strides2 s, Loc loc) {
  VectorCall call = vector_call(op, operand_at(dst, api, loc, s.dst_block, s.dst_repeat),
                                operand_at(src0, api, loc, s.src0_block, s.src0_repeat),
                                operand_at(src1, api, loc, s.src1_block, s.src1_repeat), loc);
  issue_repeat(call, AscendC::MASK_PLACEHOLDER, repeat, false);
}
} // namespace ferrata

#define FERRATA_C_STRIDES1                                                                                             \
  {FERRATA_FIT16(dst_block_stride), FERRATA_FIT16(src_block_stride), FERRATA_FIT16(dst_repeat_stride),                 \
   FERRATA_FIT16(src_repeat_stride)}
#define FERRATA_C_STRIDES2                                                                                             \
  {FERRATA_FIT8(dst_block_stride),  FERRATA_FIT8(src0_block_stride),  FERRATA_FIT8(src1_block_stride),                 \
   FERRATA_FIT8(dst_repeat_stride), FERRATA_FIT8(src0_repeat_stride), FERRATA_FIT8(src1_repeat_stride)}

#define FERRATA_C_UNARY(name, Name)                                                                                    \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, uint32_t count, FERRATA_LOC),                      \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, 0, 0, count, loc);)                               \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, FERRATA_C_REPEAT1),                                \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, 0, 0, repeat.value, FERRATA_C_STRIDES1, loc);)
FERRATA_C_UNARY(asc_abs, Abs)
FERRATA_C_UNARY(asc_exp, Exp)
FERRATA_C_UNARY(asc_log, Ln)
FERRATA_C_UNARY(asc_rcp, Reciprocal)
FERRATA_C_UNARY(asc_sqrt, Sqrt)
FERRATA_C_UNARY(asc_rsqrt, Rsqrt)
FERRATA_C_UNARY(asc_relu, Relu)
FERRATA_C_UNARY(asc_not, Not)
#undef FERRATA_C_UNARY

#define FERRATA_C_SCALAR(name, Name)                                                                                   \
  FERRATA_C(name, FERRATA_C_T,                                                                                         \
            (__ubuf__ T * dst, __ubuf__ T * src, ::ferrata::plain<T> value, uint32_t count, FERRATA_LOC),              \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, ::ferrata::bits_of(value), 0, count, loc);)       \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, ::ferrata::plain<T> value, FERRATA_C_REPEAT1),     \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, ::ferrata::bits_of(value), 0, repeat.value,       \
                               FERRATA_C_STRIDES1, loc);)
FERRATA_C_SCALAR(asc_add_scalar, Adds)
FERRATA_C_SCALAR(asc_mul_scalar, Muls)
FERRATA_C_SCALAR(asc_max_scalar, Maxs)
FERRATA_C_SCALAR(asc_min_scalar, Mins)
FERRATA_C_SCALAR(asc_leakyrelu, LeakyRelu)
#undef FERRATA_C_SCALAR

namespace ferrata {
// The bits of -value: subtracting is adding it. For integers this wraps, as the subtraction does.
template <class T> inline uint64_t negated(T value) {
  if constexpr (one_of<T, half, float>)
    return bits_of(static_cast<T>(-static_cast<float>(value)));
  else
    return bits_of(static_cast<T>(0u - static_cast<uint32_t>(value)));
}
} // namespace ferrata
FERRATA_C(asc_sub_scalar, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, ::ferrata::plain<T> value, uint32_t count, FERRATA_LOC),
          ::ferrata::api::Adds::check<T>();
          ::ferrata::c_unary(::ferrata::Op::Adds, "asc_sub_scalar", dst, src, ::ferrata::negated<T>(value), 0, count,
                             loc);)
FERRATA_C(asc_sub_scalar, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, ::ferrata::plain<T> value, FERRATA_C_REPEAT1),
          ::ferrata::api::Adds::check<T>();
          ::ferrata::c_unary(::ferrata::Op::Adds, "asc_sub_scalar", dst, src, ::ferrata::negated<T>(value), 0,
                             repeat.value, FERRATA_C_STRIDES1, loc);)

// Shifts take the distance as a 32-bit number whatever the element type.
#define FERRATA_C_SHIFT(name, Name, Distance, round)                                                                   \
  FERRATA_C(                                                                                                           \
      name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, Distance value, uint32_t count, FERRATA_LOC),            \
      ::ferrata::api::Name::check<T>();                                                                                \
      ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, static_cast<uint32_t>(value), round, count, loc);)      \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, Distance value, FERRATA_C_REPEAT1),                \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_unary(::ferrata::Op::Name, #name, dst, src, static_cast<uint32_t>(value), round,              \
                               repeat.value, FERRATA_C_STRIDES1, loc);)
FERRATA_C_SHIFT(asc_shiftleft, ShiftLeft, uint32_t, 0)
FERRATA_C_SHIFT(asc_shiftright, ShiftRight, int64_t, 0)
FERRATA_C_SHIFT(asc_shiftright_round, ShiftRight, int64_t, 1)
#undef FERRATA_C_SHIFT

#define FERRATA_C_BINARY(name, Name)                                                                                   \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src0, __ubuf__ T * src1, uint32_t count, FERRATA_LOC),  \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_binary(::ferrata::Op::Name, #name, dst, src0, src1, count, loc);)                             \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src0, __ubuf__ T * src1, FERRATA_C_REPEAT2),            \
            ::ferrata::api::Name::check<T>();                                                                          \
            ::ferrata::c_binary(::ferrata::Op::Name, #name, dst, src0, src1, repeat.value, FERRATA_C_STRIDES2, loc);)
FERRATA_C_BINARY(asc_add, Add)
FERRATA_C_BINARY(asc_sub, Sub)
FERRATA_C_BINARY(asc_mul, Mul)
FERRATA_C_BINARY(asc_div, Div)
FERRATA_C_BINARY(asc_max, Max)
FERRATA_C_BINARY(asc_min, Min)
FERRATA_C_BINARY(asc_and, And)
FERRATA_C_BINARY(asc_or, Or)
FERRATA_C_BINARY(asc_mul_add, FusedMulAdd)
FERRATA_C_BINARY(asc_mul_add_relu, MulAddRelu)
#undef FERRATA_C_BINARY

// A destination of another type: Name where the types are equal, Other where they differ.
#define FERRATA_C_MIXED(name, Name, Other)                                                                             \
  FERRATA_C(name, FERRATA_C_TU, (__ubuf__ T * dst, __ubuf__ U * src0, __ubuf__ U * src1, uint32_t count, FERRATA_LOC), \
            constexpr auto op = ::ferrata::c_mixed<T, U, ::ferrata::api::Name, ::ferrata::api::Other>(                 \
                ::ferrata::Op::Name, ::ferrata::Op::Other);                                                            \
            ::ferrata::c_binary(op, #name, dst, src0, src1, count, loc);)                                              \
  FERRATA_C(name, FERRATA_C_TU, (__ubuf__ T * dst, __ubuf__ U * src0, __ubuf__ U * src1, FERRATA_C_REPEAT2),           \
            constexpr auto op = ::ferrata::c_mixed<T, U, ::ferrata::api::Name, ::ferrata::api::Other>(                 \
                ::ferrata::Op::Name, ::ferrata::Op::Other);                                                            \
            ::ferrata::c_binary(op, #name, dst, src0, src1, repeat.value, FERRATA_C_STRIDES2, loc);)
namespace ferrata {
template <class T, class U, class Same, class Other> constexpr Op c_mixed(Op same_type, Op other) {
  if constexpr (same<T, U>)
    Same::template check<T>();
  else
    Other::template check<T, U>();
  return same<T, U> ? same_type : other;
}
} // namespace ferrata
FERRATA_C_MIXED(asc_add_relu, AddRelu, AddReluCast)
FERRATA_C_MIXED(asc_sub_relu, SubRelu, SubReluCast)
#undef FERRATA_C_MIXED

#define FERRATA_C_PRODUCT(name, D)                                                                                     \
  FERRATA_C(name, , (__ubuf__ D * dst, __ubuf__ half * src0, __ubuf__ half * src1, uint32_t count, FERRATA_LOC),       \
            ::ferrata::c_binary(::ferrata::Op::MulCast, #name, dst, src0, src1, count, loc);)                          \
  FERRATA_C(                                                                                                           \
      name, , (__ubuf__ D * dst, __ubuf__ half * src0, __ubuf__ half * src1, FERRATA_C_REPEAT2),                       \
      ::ferrata::c_binary(::ferrata::Op::MulCast, #name, dst, src0, src1, repeat.value, FERRATA_C_STRIDES2, loc);)
FERRATA_C_PRODUCT(asc_mul_cast_half2int8, int8_t)
FERRATA_C_PRODUCT(asc_mul_cast_half2uint8, uint8_t)
#undef FERRATA_C_PRODUCT

// dst is read: dst + src0 * src1, dst + src * value.
FERRATA_C(asc_fma, FERRATA_C_TU, (__ubuf__ T * dst, __ubuf__ U *src0, __ubuf__ U *src1, uint32_t count, FERRATA_LOC),
          ::ferrata::api::MulAddDst::check<T, U>();
          ::ferrata::c_binary(::ferrata::Op::MulAddDst, "asc_fma", dst, src0, src1, count, loc);)
FERRATA_C(asc_fma, FERRATA_C_TU, (__ubuf__ T * dst, __ubuf__ U *src0, __ubuf__ U *src1, FERRATA_C_REPEAT2),
          ::ferrata::api::MulAddDst::check<T, U>();
          ::ferrata::c_binary(::ferrata::Op::MulAddDst, "asc_fma", dst, src0, src1, repeat.value, FERRATA_C_STRIDES2,
                              loc);)
FERRATA_C(asc_axpy, FERRATA_C_TU,
          (__ubuf__ T * dst, __ubuf__ U *src, ::ferrata::plain<U> value, uint32_t count, FERRATA_LOC),
          ::ferrata::api::Axpy::check<T, U>();
          ::ferrata::c_unary(::ferrata::Op::Axpy, "asc_axpy", dst, src, ::ferrata::bits_of(value), 0, count, loc);)
FERRATA_C(asc_axpy, FERRATA_C_TU, (__ubuf__ T * dst, __ubuf__ U *src, ::ferrata::plain<U> value, FERRATA_C_REPEAT1),
          ::ferrata::api::Axpy::check<T, U>();
          ::ferrata::c_unary(::ferrata::Op::Axpy, "asc_axpy", dst, src, ::ferrata::bits_of(value), 0, repeat.value,
                             FERRATA_C_STRIDES1, loc);)

// Fill with a scalar.
namespace ferrata {
template <class T>
inline VectorCall c_duplicate(T *dst, T value, uint16_t block_stride, uint16_t repeat_stride, Loc loc) {
  api::Duplicate::check<T>();
  VectorCall call = vector_call(Op::Duplicate, operand_at(dst, "asc_duplicate", loc, block_stride, repeat_stride), loc);
  call.scalar = bits_of(value);
  return call;
}
} // namespace ferrata
FERRATA_C(asc_duplicate, FERRATA_C_T, (__ubuf__ T * dst, ::ferrata::plain<T> src, uint32_t count, FERRATA_LOC),
          auto call = ::ferrata::c_duplicate<T>(dst, src, 1, 8, loc);
          ::ferrata::issue_count(call, count);)
FERRATA_C(asc_duplicate, FERRATA_C_T,
          (__ubuf__ T * dst, ::ferrata::plain<T> src, ::ferrata::Wide repeat, ::ferrata::Wide dst_block_stride,
           ::ferrata::Wide dst_repeat_stride, FERRATA_LOC),
          auto call = ::ferrata::c_duplicate<T>(dst, src, FERRATA_FIT16(dst_block_stride),
                                                FERRATA_FIT16(dst_repeat_stride), loc);
          ::ferrata::issue_repeat(call, AscendC::MASK_PLACEHOLDER, repeat.value, false);)
