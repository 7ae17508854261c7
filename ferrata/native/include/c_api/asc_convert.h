// The C interface: conversions, one function for each pair of types and way to round, and dequantisation.
#pragma once
#include "c_api/asc_compute.h"

#define FERRATA_C_CAST(name, D, S, mode)                                                                               \
  FERRATA_C(name, , (__ubuf__ D * dst, __ubuf__ S * src, uint32_t count, FERRATA_LOC),                                 \
            ::ferrata::c_unary(::ferrata::Op::Cast, #name, dst, src, 0,                                                \
                               static_cast<uint8_t>(AscendC::RoundMode::mode), count, loc);)                           \
  FERRATA_C(name, , (__ubuf__ D * dst, __ubuf__ S * src, FERRATA_C_REPEAT1),                                           \
            ::ferrata::c_unary(::ferrata::Op::Cast, #name, dst, src, 0,                                                \
                               static_cast<uint8_t>(AscendC::RoundMode::mode), repeat.value, FERRATA_C_STRIDES1,       \
                               loc);)
// Suffixes: nearest even, nearest away from zero, down, up, toward zero.
#define FERRATA_C_ROUNDED(name, D, S)                                                                                  \
  FERRATA_C_CAST(name##_rn, D, S, CAST_RINT)                                                                           \
  FERRATA_C_CAST(name##_rna, D, S, CAST_ROUND)                                                                         \
  FERRATA_C_CAST(name##_rd, D, S, CAST_FLOOR)                                                                          \
  FERRATA_C_CAST(name##_ru, D, S, CAST_CEIL)                                                                           \
  FERRATA_C_CAST(name##_rz, D, S, CAST_TRUNC)
FERRATA_C_CAST(asc_bfloat162float, float, bfloat16_t, CAST_NONE)
FERRATA_C_CAST(asc_half2float, float, half, CAST_NONE)
FERRATA_C_CAST(asc_int162float, float, int16_t, CAST_NONE)
FERRATA_C_CAST(asc_int322int16, int16_t, int32_t, CAST_NONE)
FERRATA_C_CAST(asc_int322int64, int64_t, int32_t, CAST_NONE)
FERRATA_C_CAST(asc_int642int32, int32_t, int64_t, CAST_NONE)
FERRATA_C_CAST(asc_int42half, half, int4b_t, CAST_NONE)
FERRATA_C_CAST(asc_int82half, half, int8_t, CAST_NONE)
FERRATA_C_CAST(asc_uint82half, half, uint8_t, CAST_NONE)
FERRATA_C_ROUNDED(asc_bfloat162int32, int32_t, bfloat16_t)
FERRATA_C_ROUNDED(asc_float2bfloat16, bfloat16_t, float)
FERRATA_C_ROUNDED(asc_float2float, float, float)
FERRATA_C_ROUNDED(asc_float2int16, int16_t, float)
FERRATA_C_ROUNDED(asc_float2int32, int32_t, float)
FERRATA_C_ROUNDED(asc_float2int64, int64_t, float)
FERRATA_C_ROUNDED(asc_half2int16, int16_t, half)
FERRATA_C_ROUNDED(asc_half2int32, int32_t, half)
FERRATA_C_ROUNDED(asc_int642float, float, int64_t)
#define FERRATA_C_ANY(name, D, S) FERRATA_C_CAST(name, D, S, CAST_NONE) FERRATA_C_ROUNDED(name, D, S)
FERRATA_C_ANY(asc_float2half, half, float)
FERRATA_C_CAST(asc_float2half_ro, half, float, CAST_ODD)
FERRATA_C_ANY(asc_half2int4, int4b_t, half)
FERRATA_C_ANY(asc_half2int8, int8_t, half)
FERRATA_C_ANY(asc_half2uint8, uint8_t, half)
FERRATA_C_ANY(asc_int162half, half, int16_t)
FERRATA_C_ANY(asc_int322float, float, int32_t)
#undef FERRATA_C_ANY
#undef FERRATA_C_ROUNDED

// --- dequantisation; asc_set_deq_scale must come first ---
inline void asc_set_deq_scale(half scale) { AscendC::SetDeqScale(scale); }
inline void asc_set_deq_scale(float scale, int16_t offset, bool sign_mode, FERRATA_LOC) {
  FERRATA_SPEAKS("asc_set_deq_scale");
  AscendC::SetDeqScale(scale, offset, sign_mode, loc);
}
inline void asc_set_deq_scale(__ubuf__ uint64_t *tmp, float scale_arr[ASC_VDEQ_SIZE], int16_t offset_arr[ASC_VDEQ_SIZE],
                              bool sign_mode_arr[ASC_VDEQ_SIZE], FERRATA_LOC) {
  FERRATA_SPEAKS("asc_set_deq_scale");
  AscendC::SetDeqScale(::ferrata::at(tmp, "asc_set_deq_scale", loc),
                       AscendC::VdeqInfo(scale_arr, offset_arr, sign_mode_arr), loc);
}
FERRATA_C(asc_deq_int322half, , (__ubuf__ half * dst, __ubuf__ int32_t *src, uint32_t count, FERRATA_LOC),
          ::ferrata::check_deq_form("asc_deq_int322half", ::ferrata::deq_half, "asc_set_deq_scale(scale)", loc);
          ::ferrata::c_unary(::ferrata::Op::Cast, "asc_deq_int322half", dst, src, 0, 0, count, loc);)
FERRATA_C(asc_deq_int322half, , (__ubuf__ half * dst, __ubuf__ int32_t *src, FERRATA_C_REPEAT1),
          ::ferrata::check_deq_form("asc_deq_int322half", ::ferrata::deq_half, "asc_set_deq_scale(scale)", loc);
          ::ferrata::c_unary(::ferrata::Op::Cast, "asc_deq_int322half", dst, src, 0, 0, repeat.value,
                             FERRATA_C_STRIDES1, loc);)
// One parameter set or a table of 16; the upper or the lower half of each destination block.
#define FERRATA_C_DEQUANT(name, table, high)                                                                           \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ int16_t *src, uint32_t count, FERRATA_LOC),                 \
            ::ferrata::api::CastDequant::check<T, int16_t>();                                                          \
            auto call = ::ferrata::dequant_call<T>(::ferrata::operand_at(dst, #name, loc),                             \
                                                   ::ferrata::operand_at(src, #name, loc), table, high,                \
                                                   ::ferrata::Form::count, count, loc);                                \
            ferrata_shuffle(&call);)                                                                                   \
  FERRATA_C(                                                                                                           \
      name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ int16_t *src, FERRATA_C_REPEAT1),                                 \
      ::ferrata::api::CastDequant::check<T, int16_t>();                                                                \
      auto call = ::ferrata::dequant_call<T>(                                                                          \
          ::ferrata::operand_at(dst, #name, loc, FERRATA_FIT16(dst_block_stride), FERRATA_FIT16(dst_repeat_stride)),   \
          ::ferrata::operand_at(src, #name, loc, FERRATA_FIT16(src_block_stride), FERRATA_FIT16(src_repeat_stride)),   \
          table, high, ::ferrata::Form::state, repeat.value, loc);                                                     \
      ferrata_shuffle(&call);)
FERRATA_C_DEQUANT(asc_deq_int162b8_h, false, true)
FERRATA_C_DEQUANT(asc_deq_int162b8_l, false, false)
FERRATA_C_DEQUANT(asc_vdeq_int162b8_h, true, true)
FERRATA_C_DEQUANT(asc_vdeq_int162b8_l, true, false)
#undef FERRATA_C_DEQUANT
