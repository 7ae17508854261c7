// The C interface: comparisons, selections, reductions, gathers, sorts, transposes and the mask registers.
#pragma once
#include "c_api/asc_compute.h"

// --- masks ---
inline void asc_set_mask_count() { AscendC::SetMaskCount(); }
inline void asc_set_mask_norm() { AscendC::SetMaskNorm(); }
inline void asc_set_vector_mask(uint64_t mask1, uint64_t mask0) { AscendC::SetVectorMask<uint8_t>(mask1, mask0); }
inline void asc_set_cmp_mask(__ubuf__ void *sel_mask, FERRATA_LOC) {
  FERRATA_SPEAKS("asc_set_cmp_mask");
  AscendC::SetCmpMask(::ferrata::at(static_cast<__ubuf__ uint8_t *>(sel_mask), "asc_set_cmp_mask", loc), loc);
}
inline void asc_get_cmp_mask(__ubuf__ void *dst, FERRATA_LOC) {
  FERRATA_SPEAKS("asc_get_cmp_mask");
  AscendC::GetCmpMask(::ferrata::at(static_cast<__ubuf__ uint8_t *>(dst), "asc_get_cmp_mask", loc), loc);
}

// --- comparisons: to bits in memory (no mask), or one repeat to the register ---
namespace ferrata {
template <class U> inline SelectCall c_compare(const char *api, AscendC::CMPMODE mode, uint8_t *dst, Loc loc) {
  check_compare(api, type_of<U>, mode, loc);
  SelectCall call = select_call(api, SelectForm::compare, static_cast<int>(mode), type_of<U>, loc);
  call.dst = operand_at(dst, api, loc);
  return call;
}
template <class T>
inline void c_compare_register(const char *api, AscendC::CMPMODE mode, T *src0, T *src1, Strides2 s, Loc loc) {
  api::CompareRegister::check<T>();
  // lanes that are masked off keep their old bits
  uint64_t *const bits = core()->compare_mask, old[2] = {bits[0], bits[1]};
  const bool counter = core()->mask_counter;
  const uint64_t mask[2] = {core()->mask[0], core()->mask[1]};
  SelectCall call = select_call(api, SelectForm::compare_register, static_cast<int>(mode), type_of<T>, loc);
  call.src[0] = operand_at(src0, api, loc, s.src0_block, s.src0_repeat);
  call.src[1] = operand_at(src1, api, loc, s.src1_block, s.src1_repeat);
  select_repeat(call, AscendC::MASK_PLACEHOLDER, 1, false);
  for (int i = 0; !counter && i < 2; ++i)
    bits[i] = (bits[i] & mask[i]) | (old[i] & ~mask[i]);
}
} // namespace ferrata
#define FERRATA_C_COMPARE(name, mode)                                                                                  \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * src0, __ubuf__ T * src1, FERRATA_C_REPEAT2),                              \
            ::ferrata::c_compare_register(#name, AscendC::CMPMODE::mode, src0, src1, FERRATA_C_STRIDES2, loc);         \
            (void)repeat;)                                                                                             \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ uint8_t *dst, __ubuf__ T *src0, __ubuf__ T *src1, FERRATA_C_REPEAT2),         \
            ::ferrata::api::Compare::check<uint8_t, T>();                                                              \
            auto call = ::ferrata::c_compare<T>(#name, AscendC::CMPMODE::mode, dst, loc);                              \
            call.src[0] = ::ferrata::operand_at(src0, #name, loc, FERRATA_FIT8(src0_block_stride),                     \
                                                FERRATA_FIT8(src0_repeat_stride));                                     \
            call.src[1] = ::ferrata::operand_at(src1, #name, loc, FERRATA_FIT8(src1_block_stride),                     \
                                                FERRATA_FIT8(src1_repeat_stride));                                     \
            (void)dst_block_stride; (void)dst_repeat_stride;                                                           \
            ::ferrata::select_repeat(call, AscendC::MASK_PLACEHOLDER, repeat.value, false);)                           \
  FERRATA_C(name##_scalar, FERRATA_C_T,                                                                                \
            (__ubuf__ uint8_t *dst, __ubuf__ T *src, ::ferrata::plain<T> value, FERRATA_C_REPEAT1),                    \
            ::ferrata::api::Compares::check<uint8_t, T>();                                                             \
            auto call = ::ferrata::c_compare<T>(#name "_scalar", AscendC::CMPMODE::mode, dst, loc);                    \
            call.src[0] = ::ferrata::operand_at(src, #name "_scalar", loc, FERRATA_FIT16(src_block_stride),            \
                                                FERRATA_FIT16(src_repeat_stride));                                     \
            call.scalar = ::ferrata::bits_of(value); call.has_scalar = true; (void)dst_block_stride;                   \
            (void)dst_repeat_stride; ::ferrata::select_repeat(call, AscendC::MASK_PLACEHOLDER, repeat.value, false);)
FERRATA_C_COMPARE(asc_lt, LT)
FERRATA_C_COMPARE(asc_gt, GT)
FERRATA_C_COMPARE(asc_eq, EQ)
FERRATA_C_COMPARE(asc_le, LE)
FERRATA_C_COMPARE(asc_ge, GE)
FERRATA_C_COMPARE(asc_ne, NE)
#undef FERRATA_C_COMPARE

// Selection by the bits of the register, the same ones in every repeat.
namespace ferrata {
template <class T> inline SelectCall c_select(T *dst, T *src0, T *src1, Strides2 s, Loc loc) {
  api::SelectRegister::check<T>();
  SelectCall call = select_call("asc_select", SelectForm::select, static_cast<int>(AscendC::SELMODE::VSEL_CMPMASK_SPR),
                                type_of<T>, loc);
  call.dst = operand_at(dst, "asc_select", loc, s.dst_block, s.dst_repeat);
  call.src[0] = operand_at(src0, "asc_select", loc, s.src0_block, s.src0_repeat);
  call.src[1] = operand_at(src1, "asc_select", loc, s.src1_block, s.src1_repeat);
  call.bits = register_bits(false);
  return call;
}
} // namespace ferrata
FERRATA_C(asc_select, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count, FERRATA_LOC),
          auto call = ::ferrata::c_select(dst, src0, src1, {1, 1, 1, 8, 8, 8}, loc);
          ::ferrata::select_count(call, count);)
FERRATA_C(asc_select, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src0, __ubuf__ T *src1, FERRATA_C_REPEAT2),
          auto call = ::ferrata::c_select(dst, src0, src1, FERRATA_C_STRIDES2, loc);
          ::ferrata::select_repeat(call, AscendC::MASK_PLACEHOLDER, repeat.value, false);)

// --- reductions. The count form covers what a Counter mask would, results packed. ---
namespace ferrata {
template <class T>
inline void c_reduce(const char *api, ReduceForm form, AscendC::ReduceType type, AscendC::ReduceOrder order, T *dst,
                     T *src, int64_t repeat, uint16_t dst_repeat, uint16_t src_block, uint16_t src_repeat, Loc loc,
                     bool counted = false) {
  api::ReduceRepeat::check<T, T>();
  ReduceCall call = reduce_call(api, form, type, operand_at(dst, api, loc, 1, dst_repeat),
                                operand_at(src, api, loc, src_block, src_repeat), loc);
  call.order = static_cast<uint8_t>(order);
  // half sums of repeats clamp whatever the saturation flag is, as the documentation of these functions has it
  uint8_t &saturate = core()->saturate;
  const uint8_t before = saturate;
  if (form == ReduceForm::repeat && type == AscendC::ReduceType::SUM)
    saturate = 1;
  if (counted)
    reduce_count(call, repeat);
  else
    reduce_repeat(call, AscendC::MASK_PLACEHOLDER, repeat, false);
  saturate = before;
}
} // namespace ferrata
#define FERRATA_C_REDUCE(name, form, kind, order)                                                                      \
  FERRATA_C(name, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T * src, uint32_t count, FERRATA_LOC),                      \
            ::ferrata::c_reduce(#name, ::ferrata::ReduceForm::form, AscendC::ReduceType::kind,                         \
                                AscendC::ReduceOrder::order, dst, src, count, 1, 1, 8, loc, true);)                    \
  FERRATA_C(name, FERRATA_C_T,                                                                                         \
            (__ubuf__ T * dst, __ubuf__ T * src, ::ferrata::Wide repeat, ::ferrata::Wide dst_repeat_stride,            \
             ::ferrata::Wide src_block_stride, ::ferrata::Wide src_repeat_stride, FERRATA_LOC),                        \
            ::ferrata::c_reduce(#name, ::ferrata::ReduceForm::form, AscendC::ReduceType::kind,                         \
                                AscendC::ReduceOrder::order, dst, src, repeat.value, FERRATA_FIT16(dst_repeat_stride), \
                                FERRATA_FIT16(src_block_stride), FERRATA_FIT16(src_repeat_stride), loc);)
FERRATA_C_REDUCE(asc_datablock_reduce_sum, block, SUM, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_datablock_reduce_max, block, MAX, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_datablock_reduce_min, block, MIN, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_pair_reduce_sum, pair, SUM, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_repeat_reduce_sum, repeat, SUM, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_repeat_reduce_max_value_index, repeat, MAX, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_repeat_reduce_max_index_value, repeat, MAX, ORDER_INDEX_VALUE)
FERRATA_C_REDUCE(asc_repeat_reduce_max_only_value, repeat, MAX, ORDER_ONLY_VALUE)
FERRATA_C_REDUCE(asc_repeat_reduce_max_only_index, repeat, MAX, ORDER_ONLY_INDEX)
FERRATA_C_REDUCE(asc_repeat_reduce_min_value_index, repeat, MIN, ORDER_VALUE_INDEX)
FERRATA_C_REDUCE(asc_repeat_reduce_min_index_value, repeat, MIN, ORDER_INDEX_VALUE)
FERRATA_C_REDUCE(asc_repeat_reduce_min_only_value, repeat, MIN, ORDER_ONLY_VALUE)
FERRATA_C_REDUCE(asc_repeat_reduce_min_only_index, repeat, MIN, ORDER_ONLY_INDEX)
#undef FERRATA_C_REDUCE
#define FERRATA_C_LAST(name, T)                                                                                        \
  inline void name(T &val, uint32_t &index, FERRATA_LOC) {                                                             \
    const ::ferrata::Core &core = ::ferrata::reduced(#name, 2, loc);                                                   \
    __builtin_memcpy(static_cast<void *>(&val), &core.reduced_value, sizeof(T));                                       \
    index = static_cast<uint32_t>(core.reduced_index);                                                                 \
  }
FERRATA_C_LAST(asc_get_reduce_max_cnt, half)
FERRATA_C_LAST(asc_get_reduce_max_cnt, float)
FERRATA_C_LAST(asc_get_reduce_min_cnt, half)
FERRATA_C_LAST(asc_get_reduce_min_cnt, float)
#undef FERRATA_C_LAST

// --- copies, broadcasts and gathers inside the Unified Buffer ---
FERRATA_C(asc_copy, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src, uint32_t count, FERRATA_LOC),
          ::ferrata::api::Copy::check<T>();
          ::ferrata::c_unary(::ferrata::Op::Copy, "asc_copy", dst, src, 0, 0, count, loc);)
FERRATA_C(asc_copy, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src, FERRATA_C_REPEAT1),
          ::ferrata::api::Copy::check<T>();
          ::ferrata::c_unary(::ferrata::Op::Copy, "asc_copy", dst, src, 0, 0, repeat.value, FERRATA_C_STRIDES1, loc);)
FERRATA_C(asc_brcb, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, ::ferrata::Wide dst_block_stride, ::ferrata::Wide dst_repeat_stride,
           ::ferrata::Wide repeat, FERRATA_LOC),
          AscendC::Brcb(::ferrata::at(dst, "asc_brcb", loc), ::ferrata::at(src, "asc_brcb", loc), repeat.value,
                        AscendC::BrcbRepeatParams(dst_block_stride, dst_repeat_stride), loc);)
FERRATA_C(asc_gather, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset, uint32_t count, FERRATA_LOC),
          AscendC::Gather(::ferrata::at(dst, "asc_gather", loc), ::ferrata::at(src, "asc_gather", loc),
                          ::ferrata::at(src_offset, "asc_gather", loc), 0u, count, loc);)
FERRATA_C(asc_gather, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset, ::ferrata::Wide dst_repeat_stride,
           ::ferrata::Wide repeat, FERRATA_LOC),
          ::ferrata::api::Gather::check<T>();
          auto call = ::ferrata::shuffle_call("asc_gather", ::ferrata::Shuffle::gather,
                                              ::ferrata::operand_at(dst, "asc_gather", loc, 1,
                                                                    FERRATA_FIT16(dst_repeat_stride)),
                                              repeat.value, loc);
          call.src[0] = ::ferrata::operand_at(src, "asc_gather", loc);
          call.src[1] = ::ferrata::operand_at(src_offset, "asc_gather", loc); call.value[0] = 0;
          ferrata_shuffle(&call);)
FERRATA_C(asc_gather_datablock, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset, ::ferrata::Wide dst_repeat_stride,
           ::ferrata::Wide dst_block_stride, ::ferrata::Wide repeat, FERRATA_LOC),
          ::ferrata::api::Gatherb::check<T>();
          auto call = ::ferrata::shuffle_call("asc_gather_datablock", ::ferrata::Shuffle::gather_blocks,
                                              ::ferrata::operand_at(dst, "asc_gather_datablock", loc,
                                                                    FERRATA_FIT8(dst_block_stride),
                                                                    FERRATA_FIT16(dst_repeat_stride)),
                                              repeat.value, loc);
          call.src[0] = ::ferrata::operand_at(src, "asc_gather_datablock", loc);
          call.src[1] = ::ferrata::operand_at(src_offset, "asc_gather_datablock", loc); ferrata_shuffle(&call);)

// Packing by bits; how many elements were taken is read with asc_get_rsvd_count.
namespace ferrata {
struct PackStrides {
  uint8_t src0_block;
  uint16_t src0_repeat;
  uint8_t src1_repeat;
};
template <class T>
inline void c_pack(const char *api, T *dst, T *src0, T *src1, uint32_t pattern, uint32_t lanes, int64_t repeat,
                   PackStrides s, Loc loc) {
  static_assert(one_of<T, uint16_t, uint32_t>, "asc_reduce and asc_squeeze take uint16_t or uint32_t");
  if (pattern > 7)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "pattern_mode is %u; it must be 0..7", pattern);
  ShuffleCall call = shuffle_call(api, Shuffle::pack, operand_at(dst, api, loc), repeat, loc);
  call.src[0] = operand_at(src0, api, loc, s.src0_block, s.src0_repeat);
  if (pattern == 0)
    call.src[1] = operand_at(src1, api, loc, 1, s.src1_repeat);
  call.value[0] = pattern;
  call.value[1] = lanes != 0;
  call.value[2] = lanes;
  ferrata_shuffle(&call);
  core()->reserved_count = call.result[0];
}
} // namespace ferrata
FERRATA_C(asc_reduce, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count, FERRATA_LOC),
          ::ferrata::c_pack("asc_reduce", dst, src0, src1, 0, count, count != 0, {1, 8, 8}, loc);)
FERRATA_C(asc_reduce, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src0, __ubuf__ T *src1, ::ferrata::Wide repeat,
           ::ferrata::Wide src0_block_stride, uint32_t pattern_mode, ::ferrata::Wide src0_repeat_stride,
           ::ferrata::Wide src1_repeat_stride, FERRATA_LOC),
          const ::ferrata::PackStrides strides{FERRATA_FIT8(src0_block_stride), FERRATA_FIT16(src0_repeat_stride),
                                               FERRATA_FIT8(src1_repeat_stride)};
          ::ferrata::c_pack("asc_reduce", dst, src0, src1, pattern_mode, 0, repeat.fit<uint16_t>(nullptr, "repeat"),
                            strides, loc);)
FERRATA_C_T inline void asc_squeeze(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, FERRATA_C_REPEAT2) {
  FERRATA_SPEAKS("asc_squeeze");
  (void)dst_block_stride, (void)src1_block_stride, (void)dst_repeat_stride;
  ::ferrata::c_pack(
      "asc_squeeze", dst, src0, src1, 0, 0, repeat.fit<uint8_t>(nullptr, "repeat"),
      {FERRATA_FIT8(src0_block_stride), FERRATA_FIT8(src0_repeat_stride), FERRATA_FIT8(src1_repeat_stride)}, loc);
}
inline int64_t asc_get_rsvd_count() { return static_cast<int64_t>(::ferrata::core()->reserved_count); }

// --- sorting ---
FERRATA_C(asc_bitsort, FERRATA_C_T,
          (__ubuf__ T * dst, __ubuf__ T *src0, __ubuf__ uint32_t *src1, int32_t repeat, FERRATA_LOC),
          AscendC::Sort32(::ferrata::at(dst, "asc_bitsort", loc), ::ferrata::at(src0, "asc_bitsort", loc),
                          ::ferrata::at(src1, "asc_bitsort", loc), repeat, loc);)
namespace ferrata {
template <class T>
inline void c_merge(T *dst, T *const src[4], Wide repeat, const uint16_t lengths[4], bool suspend, uint32_t valid_bit,
                    Loc loc) {
  AscendC::LocalTensor<T> queue[4];
  for (int i = 0; i < 4; ++i)
    if (valid_bit >> i & 1)
      queue[i] = at(src[i], "asc_mrgsort4", loc);
  AscendC::MrgSort(at(dst, "asc_mrgsort4", loc), AscendC::MrgSortSrcList<T>(queue[0], queue[1], queue[2], queue[3]),
                   AscendC::MrgSort4Info(lengths, suspend, Wide(valid_bit, loc), repeat), loc);
}
} // namespace ferrata
#define FERRATA_C_MERGE(T)                                                                                             \
  FERRATA_C(asc_mrgsort4, ,                                                                                            \
            (__ubuf__ T * dst, __ubuf__ T * src[ASC_C_API_MRGSORT_ELEMENT_LEN], ::ferrata::Wide repeat,                \
             ::ferrata::Wide element_length_0, ::ferrata::Wide element_length_1, ::ferrata::Wide element_length_2,     \
             ::ferrata::Wide element_length_3, bool if_exhausted_suspension, uint32_t valid_bit, FERRATA_LOC),         \
            const uint16_t lengths[4] = {FERRATA_FIT16(element_length_0), FERRATA_FIT16(element_length_1),             \
                                         FERRATA_FIT16(element_length_2), FERRATA_FIT16(element_length_3)};            \
            ::ferrata::c_merge<T>(dst, src, repeat, lengths, if_exhausted_suspension, valid_bit, loc);)
FERRATA_C_MERGE(half)
FERRATA_C_MERGE(float)
#undef FERRATA_C_MERGE
inline void asc_get_vms4_sr(uint16_t sorted_num[ASC_C_API_MRGSORT_ELEMENT_LEN], FERRATA_LOC) {
  FERRATA_SPEAKS("asc_get_vms4_sr");
  AscendC::GetMrgSortResult(sorted_num[0], sorted_num[1], sorted_num[2], sorted_num[3], loc);
}

// --- transposes ---
FERRATA_C(asc_transpose, FERRATA_C_T, (__ubuf__ T * dst, __ubuf__ T *src, FERRATA_LOC),
          AscendC::Transpose(::ferrata::at(dst, "asc_transpose", loc), ::ferrata::at(src, "asc_transpose", loc), loc);)
// An address register holds eight block addresses; a transpose takes a register and the one behind it.
template <class T> inline void asc_set_va_reg(ub_addr8_t addr, __ubuf__ T **src_array) {
  for (int i = 0; i < 8; ++i)
    ::ferrata::core()->block_address[addr * 8 + i] = reinterpret_cast<uint64_t>(src_array[i]);
}
namespace ferrata {
template <class T>
inline void c_blocks(const char *api, ub_addr8_t dst, ub_addr8_t src, Wide repeat, Wide dst_stride, Wide src_stride,
                     bool dst_high, bool src_high, Loc loc) {
  if (dst > VA6 || src > VA6)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "%s is VA7; the transpose takes it and the next one, so it must be VA0..VA6",
                  dst > VA6 ? "dst" : "src");
  AscendC::TransDataTo5HD<T>(core()->block_address + dst * 8, core()->block_address + src * 8,
                             AscendC::TransDataTo5HDParams(dst_high, src_high, repeat, dst_stride, src_stride), loc);
}
} // namespace ferrata
FERRATA_C(asc_transto5hd_b32, ,
          (ub_addr8_t dst, ub_addr8_t src, ::ferrata::Wide repeat, ::ferrata::Wide dst_stride,
           ::ferrata::Wide src_stride, FERRATA_LOC),
          ::ferrata::c_blocks<uint32_t>("asc_transto5hd_b32", dst, src, repeat, dst_stride, src_stride, false, false,
                                        loc);)
FERRATA_C(asc_transto5hd_b16, ,
          (ub_addr8_t dst, ub_addr8_t src, ::ferrata::Wide repeat, ::ferrata::Wide dst_stride,
           ::ferrata::Wide src_stride, FERRATA_LOC),
          ::ferrata::c_blocks<uint16_t>("asc_transto5hd_b16", dst, src, repeat, dst_stride, src_stride, false, false,
                                        loc);)
FERRATA_C(asc_transto5hd_b8, ,
          (ub_addr8_t dst, ub_addr8_t src, ::ferrata::Wide repeat, ::ferrata::Wide dst_stride,
           ::ferrata::Wide src_stride, bool dst_high_half, bool src_high_half, FERRATA_LOC),
          ::ferrata::c_blocks<uint8_t>("asc_transto5hd_b8", dst, src, repeat, dst_stride, src_stride, dst_high_half,
                                       src_high_half, loc);)
