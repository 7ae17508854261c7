// DataCopy and DataCopyPad: every path is "n pieces of b bytes with a step on either side", plus padding on the way
// into UB.
#pragma once
#include "ferrata/core/sync.h"

namespace ferrata {
inline bool is_ub(uint8_t position) { return memory_of(static_cast<AscendC::TPosition>(position)) == Memory::ub; }

inline void check_range(const char *api, const char *field, uint64_t value, uint64_t most, Loc loc) {
  if (__builtin_expect(value > most, 0))
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s is %llu; it must be 0..%llu", field,
                  static_cast<unsigned long long>(value), static_cast<unsigned long long>(most));
}

template <class T> inline void check_pad_length(uint32_t bytes, Loc loc) {
  if (__builtin_expect(bytes % ferrata::width_of<T>, 0))
    ferrata_fault(Fault::BadArgument, "DataCopyPad", loc.file, loc.line,
                  "blockLen is %u bytes; it must be a multiple of the element size, %u", bytes,
                  static_cast<unsigned>(ferrata::width_of<T>));
}

// Fields that both directions share.
inline CopyCall copy_call(const char *api, const CopySide &dst, const CopySide &src, uint64_t blocks, uint64_t block,
                          Type type, uint8_t gm_align, Loc loc) {
  return {api, dst, src, blocks, block, gm_align, type, 0, 0, 0, 0, loc};
}

// DataCopy with DataCopyParams: lengths and gaps in 32-byte blocks.
template <class Dst, class Src>
inline void copy_blocks(const Dst &dst, const Src &src, const AscendC::DataCopyParams &p, Type type, uint8_t align,
                        uint8_t pipe, Loc loc) {
  check_range("DataCopy", "blockCount", p.blockCount, 4095, loc);
  if (p.blockCount == 0 || p.blockLen == 0)
    return;
  issue(copy_call("DataCopy", dst.side((uint64_t(p.blockLen) + p.dstGap) * 32),
                  src.side((uint64_t(p.blockLen) + p.srcGap) * 32), p.blockCount, uint64_t(p.blockLen) * 32, type,
                  align, loc),
        pipe);
}

// Which pipe copies between two local memories.
inline uint8_t local_pipe(Memory to) {
  return to == Memory::bias ? PIPE_MTE1 : to == Memory::fixbuf ? PIPE_FIX : to == Memory::l1 ? PIPE_MTE3 : PIPE_V;
}
// From L1 to the bias table: lengths and the gap in dst in 64 bytes, of what is read; half becomes float.
template <class T, class U>
inline void copy_to_bias(const CopySide &dst, const CopySide &src, uint64_t blocks, uint64_t length, uint64_t src_gap,
                         uint64_t dst_gap, Loc loc) {
  constexpr bool widens = type_of<T> == Type::f32 && type_of<U> == Type::f16;
  if (!widens && (type_of<T> != type_of<U> || (type_of<T> != Type::f32 && type_of<T> != Type::i32)))
    ferrata_fault(Fault::BadArgument, "DataCopy", loc.file, loc.line,
                  "to the bias table it copies float to float, int32_t to int32_t or half to float");
  CopySide to = dst, from = src;
  to.step = (length * (widens ? 2 : 1) + dst_gap) * 64;
  from.step = length * 64 + src_gap * 32;
  CopyCall call = copy_call("DataCopy", to, from, blocks, length * 64, type_of<U>, 1, loc);
  call.pad = widens ? 3 : 0;
  if (blocks && length)
    issue(call, PIPE_MTE1);
}
// From L1 to the Fixpipe buffer: pieces of 128 bytes, steps from start to start.
template <class T>
inline void copy_to_fixbuf(const CopySide &dst, const CopySide &src, const AscendC::DataCopyParams &p, Loc loc) {
  if (type_of<T> != Type::u64)
    ferrata_fault(Fault::BadArgument, "DataCopy", loc.file, loc.line, "to the Fixpipe buffer it copies uint64_t only");
  CopySide to = dst, from = src;
  to.step = uint64_t(p.dstGap) * 128;
  from.step = uint64_t(p.srcGap) * 32;
  if (p.blockCount && p.blockLen)
    issue(copy_call("DataCopy", to, from, p.blockCount, uint64_t(p.blockLen) * 128, type_of<T>, 1, loc), PIPE_FIX);
}
inline Memory memory_of_side(const CopySide &side) { return memory_of(static_cast<AscendC::TPosition>(side.position)); }
} // namespace ferrata

namespace AscendC {

#define FERRATA_COPY_TYPES(Name, T)                                                                                    \
  FERRATA_TAKES(Name, T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, half, bfloat16_t,   \
                float, double, bool)

// --- contiguous: whole 32-byte blocks; a remainder is dropped, as on the chip ---
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  if (uint64_t bytes = uint64_t(count) * ferrata::width_of<T> / 32 * 32)
    ferrata::issue(ferrata::copy_call("DataCopy", dst.side(bytes), src.side(bytes), 1, bytes, ferrata::type_of<T>,
                                      ferrata::width_of<T>, loc),
                   PIPE_MTE2);
}
template <class T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  if (uint64_t bytes = uint64_t(count) * ferrata::width_of<T> / 32 * 32)
    ferrata::issue(ferrata::copy_call("DataCopy", dst.side(bytes), src.side(bytes), 1, bytes, ferrata::type_of<T>,
                                      ferrata::width_of<T>, loc),
                   PIPE_MTE3);
}
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  const ferrata::Memory to = ferrata::memory_of_side(dst.side(0));
  const uint64_t wanted = uint64_t(count) * ferrata::width_of<T>;
  if (to == ferrata::Memory::bias)
    ferrata::copy_to_bias<T, T>(dst.side(0), src.side(0), 1, wanted / 64, 0, 0, loc);
  else if (to == ferrata::Memory::fixbuf)
    ferrata_fault(ferrata::Fault::BadArgument, "DataCopy", loc.file, loc.line,
                  "the Fixpipe buffer is filled with DataCopyParams, not with a count");
  else if (uint64_t bytes = wanted / 32 * 32)
    ferrata::issue(
        ferrata::copy_call("DataCopy", dst.side(bytes), src.side(bytes), 1, bytes, ferrata::type_of<T>, 1, loc),
        ferrata::local_pipe(to));
}

// --- strided, in 32-byte blocks ---
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  ferrata::copy_blocks(dst, src, params, ferrata::type_of<T>, ferrata::width_of<T>, PIPE_MTE2, loc);
}
template <class T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  ferrata::copy_blocks(dst, src, params, ferrata::type_of<T>, ferrata::width_of<T>, PIPE_MTE3, loc);
}
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopy, T);
  const ferrata::Memory to = ferrata::memory_of_side(dst.side(0));
  if (to == ferrata::Memory::fixbuf)
    ferrata::copy_to_fixbuf<T>(dst.side(0), src.side(0), params, loc);
  else if (to == ferrata::Memory::bias)
    ferrata::copy_to_bias<T, T>(dst.side(0), src.side(0), params.blockCount, params.blockLen, params.srcGap,
                                params.dstGap, loc);
  else
    ferrata::copy_blocks(dst, src, params, ferrata::type_of<T>, 1, ferrata::local_pipe(to), loc);
}
// Two types: only to the bias table, where half becomes float.
template <class T, class U, ferrata::EnableIf<!ferrata::same<T, U>> = 0>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  static_assert(ferrata::type_of<T> == ferrata::type_of<U> ||
                    (ferrata::type_of<T> == ferrata::Type::f32 && ferrata::type_of<U> == ferrata::Type::f16),
                "DataCopy between two types: half to float, into the bias table (position C2)");
  if (ferrata::memory_of_side(dst.side(0)) != ferrata::Memory::bias)
    ferrata_fault(ferrata::Fault::WrongPosition, "DataCopy", loc.file, loc.line,
                  "only a copy to the bias table (position C2) converts half to float");
  ferrata::copy_to_bias<T, U>(dst.side(0), src.side(0), params.blockCount, params.blockLen, params.srcGap,
                              params.dstGap, loc);
}
template <class Dst, class Src>
inline void DataCopy(const Dst &dst, const Src &src, const DataCopyParams &params, const DataCopyEnhancedParams &,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  DataCopy(dst, src, params, loc);
}

// --- DataCopyPad: lengths in bytes; GM-side strides in bytes, UB-side strides in 32-byte blocks after the rounded
// block ---
template <class T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                        const DataCopyPadExtParams<PrimT<T>> &pad, ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopyPad, T);
  ferrata::check_range("DataCopyPad", "blockCount", p.blockCount, 4095, loc);
  ferrata::check_range("DataCopyPad", "blockLen", p.blockLen, 2097151, loc);
  ferrata::check_range("DataCopyPad", "leftPadding", pad.leftPadding, 32 / ferrata::width_of<T>, loc);
  ferrata::check_range("DataCopyPad", "rightPadding", pad.rightPadding, 32 / ferrata::width_of<T>, loc);
  if (p.blockCount == 0 || p.blockLen == 0)
    return;
  ferrata::check_pad_length<T>(p.blockLen, loc);
  if constexpr (ferrata::width_of<T> == 8)
    if (__builtin_expect(pad.isPad && ferrata::bits_of(pad.paddingValue) != 0, 0))
      ferrata_fault(ferrata::Fault::BadArgument, "DataCopyPad", loc.file, loc.line,
                    "paddingValue must be 0 for 64-bit elements");
  uint64_t left = pad.leftPadding * ferrata::width_of<T>, right = pad.rightPadding * ferrata::width_of<T>;
  uint64_t rounded = (left + p.blockLen + right + 31) / 32 * 32;
  ferrata::CopyCall call = ferrata::copy_call("DataCopyPad", dst.side(rounded + uint64_t(p.dstStride) * 32),
                                              src.side(uint64_t(p.blockLen) + p.srcStride), p.blockCount, p.blockLen,
                                              ferrata::type_of<T>, 1, loc);
  call.left = static_cast<uint16_t>(left);
  call.right = static_cast<uint16_t>(right);
  const ferrata::Core *core = ferrata::core();
  bool given = (pad.isPad && left + right) || (!pad.isPad && core->pad_value_set);
  call.pad = given ? 1 : 2;
  call.pad_value = pad.isPad ? ferrata::bits_of(pad.paddingValue) : core->pad_value;
  ferrata::issue(call, PIPE_MTE2);
}
template <class T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p,
                        ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_COPY_TYPES(DataCopyPad, T);
  ferrata::check_range("DataCopyPad", "blockCount", p.blockCount, 4095, loc);
  ferrata::check_range("DataCopyPad", "blockLen", p.blockLen, 2097151, loc);
  if (p.blockCount == 0 || p.blockLen == 0)
    return;
  ferrata::check_pad_length<T>(p.blockLen, loc);
  uint64_t rounded = (uint64_t(p.blockLen) + 31) / 32 * 32;
  ferrata::issue(ferrata::copy_call("DataCopyPad", dst.side(uint64_t(p.blockLen) + p.dstStride),
                                    src.side(rounded + uint64_t(p.srcStride) * 32), p.blockCount, p.blockLen,
                                    ferrata::type_of<T>, 1, loc),
                 PIPE_MTE3);
}
// The older 16-bit structs.
template <class T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                        const DataCopyPadParams &pad, ferrata::Loc loc = ferrata::Loc::here()) {
  DataCopyPadExtParams<T> wide;
  wide.isPad = pad.isPad;
  wide.leftPadding = pad.leftPadding;
  wide.rightPadding = pad.rightPadding;
  __builtin_memcpy(&wide.paddingValue, &pad.paddingValue, sizeof(T));
  DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), wide, loc);
}
template <class T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
                        ferrata::Loc loc = ferrata::Loc::here()) {
  DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), loc);
}

template <class T, TPosition position = TPosition::MAX> inline void SetPadValue(T value) {
  ferrata::core()->pad_value = ferrata::bits_of(value);
  ferrata::core()->pad_value_set = 1;
}
#undef FERRATA_COPY_TYPES
} // namespace AscendC
