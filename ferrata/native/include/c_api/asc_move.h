// The C interface: copies between GM and the Unified Buffer, and inside it.
#pragma once
#include "c_api/asc_types.h"

namespace ferrata {
inline CopySide c_gm(const void *pointer, uint64_t step) {
  return {const_cast<uint8_t *>(static_cast<const uint8_t *>(pointer)),
          ~uint64_t(0),
          step,
          static_cast<uint8_t>(AscendC::TPosition::GM),
          nullptr,
          nullptr};
}
inline CopySide c_ub(const void *pointer, uint64_t step, const char *api, Loc loc) {
  return at(static_cast<const uint8_t *>(pointer), api, loc).side(step);
}
// n_burst pieces of len_burst blocks of 32 bytes, gaps end to start in blocks; or `size` bytes, whole blocks.
inline void c_copy(const char *api, const CopySide &dst, const CopySide &src, uint64_t blocks, uint64_t bytes,
                   uint8_t pipe, Loc loc) {
  if (blocks && bytes)
    issue(copy_call(api, dst, src, blocks, bytes, Type::u8, 1, loc), pipe);
}
inline uint64_t c_blocks_only(const char *api, uint32_t size, Loc loc) {
  if (__builtin_expect(size % 32, 0))
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "size is %u bytes; it must be a multiple of 32 (the _align functions take any)", size);
  return size;
}
} // namespace ferrata

#define FERRATA_C_COPY(name, Dst, Src, to, from, pipe)                                                                 \
  FERRATA_C(name, , (Dst * dst, Src * src, uint32_t size, FERRATA_LOC), [[maybe_unused]] const char *api = #name;      \
            const uint64_t bytes = ::ferrata::c_blocks_only(api, size, loc);                                           \
            [[maybe_unused]] const uint64_t step_d = bytes; [[maybe_unused]] const uint64_t step_s = bytes;            \
            ::ferrata::c_copy(api, to, from, 1, bytes, pipe, loc);)                                                    \
  FERRATA_C(name, ,                                                                                                    \
            (Dst * dst, Src * src, ::ferrata::Wide n_burst, ::ferrata::Wide len_burst, ::ferrata::Wide src_gap,        \
             ::ferrata::Wide dst_gap, FERRATA_LOC),                                                                    \
            [[maybe_unused]] const char *api = #name;                                                                  \
            ::ferrata::check_range(api, "n_burst", FERRATA_FIT16(n_burst), 4095, loc);                                 \
            const uint64_t bytes = uint64_t(FERRATA_FIT16(len_burst)) * 32;                                            \
            [[maybe_unused]] const uint64_t step_d = bytes + uint64_t(FERRATA_FIT16(dst_gap)) * 32;                    \
            [[maybe_unused]] const uint64_t step_s = bytes + uint64_t(FERRATA_FIT16(src_gap)) * 32;                    \
            ::ferrata::c_copy(api, to, from, static_cast<uint64_t>(n_burst.value), bytes, pipe, loc);)
FERRATA_C_COPY(asc_copy_gm2ub, __ubuf__ void, __gm__ void, ::ferrata::c_ub(dst, step_d, api, loc),
               ::ferrata::c_gm(src, step_s), PIPE_MTE2)
FERRATA_C_COPY(asc_copy_ub2gm, __gm__ void, __ubuf__ void, ::ferrata::c_gm(dst, step_d),
               ::ferrata::c_ub(src, step_s, api, loc), PIPE_MTE3)
FERRATA_C_COPY(asc_copy_ub2ub, __ubuf__ void, __ubuf__ void, ::ferrata::c_ub(dst, step_d, api, loc),
               ::ferrata::c_ub(src, step_s, api, loc), PIPE_V)
#undef FERRATA_C_COPY

// Any length: bytes; paddings in elements; gaps in bytes on the GM side and in blocks on the other, as DataCopyPad has
// them.
template <class T> inline void asc_set_copy_pad_val(T pad_value) { AscendC::SetPadValue<T>(pad_value); }
FERRATA_C(asc_copy_gm2ub_align, FERRATA_C_T,
          (__ubuf__ T * dst, __gm__ T *src, ::ferrata::Wide n_burst, uint32_t len_burst,
           ::ferrata::Wide left_padding_num, ::ferrata::Wide right_padding_num, uint32_t src_gap, uint32_t dst_gap,
           FERRATA_LOC),
          AscendC::GlobalTensor<T> from;
          from.SetGlobalBuffer(src); T value; __builtin_memcpy(&value, &::ferrata::core()->pad_value, sizeof(T));
          AscendC::DataCopyPad(::ferrata::at(dst, "asc_copy_gm2ub_align", loc), from,
                               AscendC::DataCopyExtParams(n_burst, len_burst, src_gap, dst_gap, 0),
                               AscendC::DataCopyPadExtParams<T>(left_padding_num.value || right_padding_num.value,
                                                                left_padding_num, right_padding_num, value),
                               loc);)
FERRATA_C(asc_copy_gm2ub_align, FERRATA_C_T, (__ubuf__ T * dst, __gm__ T *src, uint32_t size, FERRATA_LOC),
          asc_copy_gm2ub_align(dst, src, 1, size, 0, 0, 0, 0, loc);)
FERRATA_C(asc_copy_ub2gm_align, FERRATA_C_T,
          (__gm__ T * dst, __ubuf__ T *src, ::ferrata::Wide n_burst, uint32_t len_burst,
           ::ferrata::Wide left_padding_num, ::ferrata::Wide right_padding_num, uint32_t src_gap, uint32_t dst_gap,
           FERRATA_LOC),
          (void)left_padding_num;
          (void)right_padding_num; AscendC::GlobalTensor<T> to; to.SetGlobalBuffer(dst);
          AscendC::DataCopyPad(to, ::ferrata::at(src, "asc_copy_ub2gm_align", loc),
                               AscendC::DataCopyExtParams(n_burst, len_burst, src_gap, dst_gap, 0), loc);)
FERRATA_C(asc_copy_ub2gm_align, FERRATA_C_T, (__gm__ T * dst, __ubuf__ T *src, uint32_t size, FERRATA_LOC),
          asc_copy_ub2gm_align(dst, src, 1, size, 0, 0, 0, 0, loc);)
