// Reductions, comparisons and selections: instructions whose result is not lane by lane. They share one descriptor.
#pragma once
#include "ferrata/core/cast.h"

namespace ferrata {
inline ReduceCall reduce_call(const char *api, ReduceForm form, AscendC::ReduceType type, const Operand &dst,
                              const Operand &src, Loc loc) {
  ReduceCall call;
  call.api = api;
  call.form = form;
  call.type = static_cast<uint8_t>(type);
  call.order = 0;
  call.index = false;
  call.dst = dst;
  call.src = src;
  call.loc = loc;
  return call;
}
inline void reduce_count(ReduceCall &call, int64_t count, bool set_mask = true) {
  call.mask_form = set_mask ? Form::count : Form::state;
  call.repeat = set_mask ? count : 1; // the mask state alone decides then
  issue(call);
}
inline void reduce_repeat(ReduceCall &call, const AscendC::Mask &mask, int64_t repeat, bool set_mask) {
  call.mask_form = set_mask ? mask.form : Form::state;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.repeat = repeat;
  issue(call);
}
// Strides are 32-bit parameters and must fit into 16 bits.
inline uint16_t reduce_stride(const char *api, const char *name, int64_t stride, Loc loc) {
  return Wide(stride, loc).fit<uint16_t>(api, name);
}
template <class T>
inline Operand reduce_source(const char *api, const AscendC::LocalTensor<T> &src, int64_t block_stride,
                             int64_t repeat_stride, Loc loc) {
  return src.operand(reduce_stride(api, "srcBlkStride", block_stride, loc),
                     reduce_stride(api, "srcRepStride", repeat_stride, loc));
}
} // namespace ferrata

namespace AscendC {

// --- everything to one value ---
template <class T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t count,
                      ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ReduceSumCount::check<T>();
  auto call =
      ferrata::reduce_call("ReduceSum", ferrata::ReduceForm::all, ReduceType::SUM, dst.operand(), src.operand(), loc);
  ferrata::reduce_count(call, count, isSetMask);
}
template <class T>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,
                      Mask mask, const int32_t repeatTime, const int32_t srcRepStride,
                      ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ReduceSumRepeat::check<T>();
  auto call = ferrata::reduce_call("ReduceSum", ferrata::ReduceForm::all_repeats, ReduceType::SUM, dst.operand(),
                                   ferrata::reduce_source("ReduceSum", src, 1, srcRepStride, loc), loc);
  call.scratch = sharedTmpBuffer.operand();
  ferrata::reduce_repeat(call, mask, repeatTime, true);
}
#define FERRATA_REDUCE_EXTREME(Name, kind)                                                                             \
  template <class T>                                                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,        \
                   const int32_t count, bool calIndex = 0, ferrata::Loc loc = ferrata::Loc::here()) {                  \
    ferrata::api::Name##Count::check<T>();                                                                             \
    auto call =                                                                                                        \
        ferrata::reduce_call(#Name, ferrata::ReduceForm::all, ReduceType::kind, dst.operand(), src.operand(), loc);    \
    call.index = calIndex;                                                                                             \
    call.scratch = sharedTmpBuffer.operand();                                                                          \
    ferrata::reduce_count(call, count);                                                                                \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,        \
                   Mask mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0,                 \
                   ferrata::Loc loc = ferrata::Loc::here()) {                                                          \
    ferrata::api::Name##Repeat::check<T>();                                                                            \
    auto call = ferrata::reduce_call(#Name, ferrata::ReduceForm::all_repeats, ReduceType::kind, dst.operand(),         \
                                     ferrata::reduce_source(#Name, src, 1, srcRepStride, loc), loc);                   \
    call.index = calIndex;                                                                                             \
    call.scratch = sharedTmpBuffer.operand();                                                                          \
    ferrata::reduce_repeat(call, mask, repeatTime, true);                                                              \
  }
FERRATA_REDUCE_EXTREME(ReduceMax, MAX)
FERRATA_REDUCE_EXTREME(ReduceMin, MIN)
#undef FERRATA_REDUCE_EXTREME

// --- one value per repeat, per block, per pair of lanes ---
template <ReduceType reduceType, class T, class U, bool isSetMask = true>
inline void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeatTime,
                         const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                         ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ReduceRepeat::check<T, U>();
  auto call =
      ferrata::reduce_call("ReduceRepeat", ferrata::ReduceForm::repeat, reduceType,
                           dst.operand(1, ferrata::reduce_stride("ReduceRepeat", "dstRepStride", dstRepStride, loc)),
                           ferrata::reduce_source("ReduceRepeat", src, srcBlkStride, srcRepStride, loc), loc);
  call.order = static_cast<uint8_t>(order);
  ferrata::reduce_repeat(call, mask, AscendC::Repeat(repeatTime).value, isSetMask);
}
template <ReduceType reduceType, class T, class U, bool isSetMask = true>
inline void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeatTime,
                            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                            ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ReduceDataBlock::check<T, U>();
  auto call =
      ferrata::reduce_call("ReduceDataBlock", ferrata::ReduceForm::block, reduceType,
                           dst.operand(1, ferrata::reduce_stride("ReduceDataBlock", "dstRepStride", dstRepStride, loc)),
                           ferrata::reduce_source("ReduceDataBlock", src, srcBlkStride, srcRepStride, loc), loc);
  ferrata::reduce_repeat(call, mask, repeatTime, isSetMask);
}
template <ReduceType reduceType, class T, class U, bool isSetMask = true>
inline void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, const int32_t repeatTime,
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ReducePairElem::check<T, U>();
  static_assert(reduceType == ReduceType::SUM, "ReducePairElem has only ReduceType::SUM");
  auto call =
      ferrata::reduce_call("ReducePairElem", ferrata::ReduceForm::pair, reduceType,
                           dst.operand(1, ferrata::reduce_stride("ReducePairElem", "dstRepStride", dstRepStride, loc)),
                           ferrata::reduce_source("ReducePairElem", src, srcBlkStride, srcRepStride, loc), loc);
  ferrata::reduce_repeat(call, mask, repeatTime, isSetMask);
}

// The names before the last renaming; Block... and Pair... take repeatTime before the mask.
#define FERRATA_OLD_REDUCE(Kind, kind)                                                                                 \
  template <class T, bool isSetMask = true>                                                                            \
  inline void BlockReduce##Kind(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,        \
                                Mask mask, const int32_t dstRepStride, const int32_t srcBlkStride,                     \
                                const int32_t srcRepStride, ferrata::Loc loc = ferrata::Loc::here()) {                 \
    const ferrata::Speaking speaking("BlockReduce" #Kind);                                                             \
    ReduceDataBlock<ReduceType::kind, T, T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride,         \
                                                       srcRepStride, loc);                                             \
  }
FERRATA_OLD_REDUCE(Sum, SUM)
FERRATA_OLD_REDUCE(Max, MAX)
FERRATA_OLD_REDUCE(Min, MIN)
#undef FERRATA_OLD_REDUCE
template <class T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, const int32_t repeatTime,
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("WholeReduceSum");
  ReduceRepeat<ReduceType::SUM, T, T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                 ReduceOrder::ORDER_VALUE_INDEX, loc);
}
#define FERRATA_OLD_REDUCE(Kind, kind)                                                                                 \
  template <class T, bool isSetMask = true>                                                                            \
  inline void WholeReduce##Kind(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,                       \
                                const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,      \
                                const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,        \
                                ferrata::Loc loc = ferrata::Loc::here()) {                                             \
    const ferrata::Speaking speaking("WholeReduce" #Kind);                                                             \
    ReduceRepeat<ReduceType::kind, T, T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride,            \
                                                    srcRepStride, order, loc);                                         \
  }
FERRATA_OLD_REDUCE(Max, MAX)
FERRATA_OLD_REDUCE(Min, MIN)
#undef FERRATA_OLD_REDUCE
template <class T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                            const int32_t mask, const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride,
                            const int32_t srcRepStride, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("RepeatReduceSum");
  WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, loc);
}
template <class T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime, Mask mask,
                          const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                          ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("PairReduceSum");
  ReducePairElem<ReduceType::SUM, T, T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                   loc);
}

// --- what the last reduction left in the registers ---
} // namespace AscendC
namespace ferrata {
// The register was written by a reduction of this kind: 1 a sum, 2 an extreme.
inline const Core &reduced(const char *api, uint8_t kind, Loc loc) {
  const Core *core = ferrata::core();
  if (__builtin_expect(core->reduced != kind, 0))
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s; %s must be called before",
                  core->reduced == 0   ? "no reduction has run in this kernel"
                  : core->reduced == 1 ? "the last reduction was a sum"
                                       : "the last reduction was a maximum or minimum",
                  kind == 1 ? "ReduceSum with a count" : "ReduceRepeat, ReduceMax or ReduceMin");
  return *core;
}
} // namespace ferrata
namespace AscendC {
template <class T>
inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Core &core = ferrata::reduced("GetReduceRepeatMaxMinSpr", 2, loc);
  __builtin_memcpy(&maxMinValue, &core.reduced_value, sizeof(T));
  __builtin_memcpy(&maxMinIndex, &core.reduced_index, sizeof(T));
}
template <class T> inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, ferrata::Loc loc = ferrata::Loc::here()) {
  __builtin_memcpy(&maxMinValue, &ferrata::reduced("GetReduceRepeatMaxMinSpr", 2, loc).reduced_value, sizeof(T));
}
template <class T>
inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("GetReduceMaxMinCount");
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex, loc);
}
template <class T> inline void GetReduceMaxMinCount(T &maxMinValue, ferrata::Loc loc = ferrata::Loc::here()) {
  GetReduceRepeatMaxMinSpr(maxMinValue, loc);
}
template <class T> inline T GetReduceRepeatSumSpr(ferrata::Loc loc = ferrata::Loc::here()) {
  T value;
  __builtin_memcpy(&value, &ferrata::reduced("GetReduceRepeatSumSpr", 1, loc).reduced_value, sizeof(T));
  return value;
}
template <class T> inline T GetAccVal(ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("GetAccVal");
  return GetReduceRepeatSumSpr<T>(loc);
}
} // namespace AscendC
