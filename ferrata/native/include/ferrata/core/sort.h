// Sorting and merging of 8-byte records: the score first, a 32-bit index in bytes 4 to 7; descending and stable.
#pragma once
#include "ferrata/core/api_types.h"
#include "ferrata/core/shuffle.h"
#include "ferrata/core/tensor.h"

namespace AscendC {

constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;

struct MrgSort4Info {
  uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN], const bool suspension, ferrata::Wide valid,
               ferrata::Wide repeat)
      : ifExhaustedSuspension(suspension), validBit(valid.fit<uint16_t>("MrgSort4Info", "validBit")),
        repeatTimes(repeat.fit<uint8_t>("MrgSort4Info", "repeatTimes")) {
    for (int i = 0; i < MRG_SORT_ELEMENT_LEN; ++i)
      elementLengths[i] = lengths[i];
  }
};

template <class T> struct MrgSortSrcList {
  LocalTensor<T> src1, src2, src3, src4;
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T> &first, const LocalTensor<T> &second, const LocalTensor<T> &third,
                 const LocalTensor<T> &fourth)
      : src1(first), src2(second), src3(third), src4(fourth) {}
};

// Elements of LocalTensor<T> that a number of records take.
template <class T> constexpr uint32_t GetSortOffset(const uint32_t elemOffset) {
  ferrata::api::GetSortOffset::check<T>();
  return elemOffset * 8 / ferrata::width_of<T>;
}
template <class T> constexpr uint32_t GetSortLen(const uint32_t elemCount) {
  ferrata::api::GetSortLen::check<T>();
  return elemCount * 8 / ferrata::width_of<T>;
}

// Groups of 32 pairs (src0[i], src1[i]), each sorted by score.
template <class T>
inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
                   const int32_t repeatTime, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Sort32::check<T>();
  auto call = ferrata::shuffle_call("Sort32", ferrata::Shuffle::sort, dst.operand(), repeatTime, loc);
  call.src[0] = src0.operand();
  call.src[1] = src1.operand();
  call.value[0] = 32;
  call.value[1] = 0;
  ferrata_shuffle(&call);
}
// Groups of 32, or all 32 * repeatTime pairs at once.
template <class T, bool isFullSort>
inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
                 const LocalTensor<T> &tmp, const int32_t repeatTime, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Sort::check<T>();
  auto call = ferrata::shuffle_call("Sort", ferrata::Shuffle::sort, dst.operand(), repeatTime, loc);
  call.src[0] = concat.operand();
  call.src[1] = index.operand();
  call.src[2] = tmp.operand();
  call.value[0] = isFullSort ? 0 : 32;
  call.value[1] = isFullSort;
  ferrata_shuffle(&call);
}
// On this chip the scores need no preparation: `concat` is src.
template <class T>
inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t repeatTime,
                   ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Concat::check<T>();
  if (repeatTime < 0 || repeatTime > 255)
    ferrata_fault(ferrata::Fault::BadArgument, "Concat", loc.file, loc.line, "repeatTime is %d; it must be 0..255",
                  repeatTime);
  if (16 * static_cast<uint32_t>(repeatTime) > src.GetSize())
    ferrata_fault(ferrata::Fault::OutOfBounds, "Concat", loc.file, loc.line, "src has %u elements and %d are needed",
                  src.GetSize(), 16 * repeatTime);
  concat = src;
}
// Records to a tensor of scores and a tensor of indices.
template <class T>
inline void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &sorted,
                    const int32_t repeatTime, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Extract::check<T>();
  auto call = ferrata::shuffle_call("Extract", ferrata::Shuffle::extract, dstValue.operand(), repeatTime, loc);
  call.src[0] = sorted.operand();
  call.src[1] = dstIndex.operand();
  ferrata_shuffle(&call);
}

// Merge two, three or four descending queues.
template <class T>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params,
                    ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::MrgSort::check<T>();
  auto call = ferrata::shuffle_call("MrgSort", ferrata::Shuffle::merge, dst.operand(), params.repeatTimes, loc);
  const LocalTensor<T> *queues[] = {&src.src1, &src.src2, &src.src3, &src.src4};
  for (int i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) {
    call.src[i] = queues[i]->operand();
    call.value[i] = params.elementLengths[i];
  }
  call.value[4] = params.ifExhaustedSuspension;
  call.value[5] = params.validBit;
  ferrata_shuffle(&call);
}
template <class T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
                    const uint16_t elementCountList[MRG_SORT_ELEMENT_LEN], uint32_t sortedNum[MRG_SORT_ELEMENT_LEN],
                    ferrata::Wide validBit, const int32_t repeatTime, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::MrgSortList::check<T>();
  if (repeatTime < 1 || repeatTime > 255)
    ferrata_fault(ferrata::Fault::BadArgument, "MrgSort", loc.file, loc.line, "repeatTime is %d; it must be 1..255",
                  repeatTime);
  MrgSort(
      dst, sortList,
      MrgSort4Info(elementCountList, isExhaustedSuspension, validBit.fit<uint16_t>("MrgSort", "validBit"), repeatTime),
      loc);
  if constexpr (isExhaustedSuspension)
    for (int i = 0; i < MRG_SORT_ELEMENT_LEN; ++i)
      sortedNum[i] = ferrata::core()->merged[i];
}
// How many records the last suspended MrgSort took from each queue.
inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                             uint16_t &mrgSortList4, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Core *core = ferrata::core();
  if (!core->merge_suspended)
    ferrata_fault(ferrata::Fault::BadArgument, "GetMrgSortResult", loc.file, loc.line,
                  "no MrgSort has run with ifExhaustedSuspension = true before");
  mrgSortList1 = core->merged[0];
  mrgSortList2 = core->merged[1];
  mrgSortList3 = core->merged[2];
  mrgSortList4 = core->merged[3];
}
} // namespace AscendC
