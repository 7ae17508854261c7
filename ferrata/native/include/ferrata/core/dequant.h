// Dequantisation: SetDeqScale with a table, CastDequant, AddDeqRelu.
#pragma once
#include "ferrata/core/cast.h"
#include "ferrata/core/shuffle.h"
#include "ferrata/core/system.h"

namespace AscendC {

constexpr int32_t VDEQ_TENSOR_SIZE = 16;

struct VdeqInfo {
  float vdeqScale[VDEQ_TENSOR_SIZE] = {};
  int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
  bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
  VdeqInfo() = default;
  VdeqInfo(const float scale[VDEQ_TENSOR_SIZE], const int16_t offset[VDEQ_TENSOR_SIZE],
           const bool sign[VDEQ_TENSOR_SIZE]) {
    for (int i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
      vdeqScale[i] = scale[i];
      vdeqOffset[i] = offset[i];
      vdeqSignMode[i] = sign[i];
    }
  }
};

// Write the 16 parameter words to `vdeq` and make the register point there.
template <class T>
inline void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &vdeqInfo, ferrata::Loc loc = ferrata::Loc::here()) {
  if (vdeq.GetLength() < 8 * VDEQ_TENSOR_SIZE)
    ferrata_fault(ferrata::Fault::OutOfBounds, "SetDeqScale", loc.file, loc.line, "vdeq has %u bytes and %d are needed",
                  vdeq.GetLength(), 8 * VDEQ_TENSOR_SIZE);
  const LocalTensor<uint64_t> words = vdeq.template ReinterpretCast<uint64_t>();
  for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i)
    words.SetValue(i, ferrata::deq_word(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i], loc),
                   loc);
  ferrata::core()->deq_scale = vdeq.GetPhyAddr();
  ferrata::core()->deq_form = ferrata::deq_table;
}
} // namespace AscendC

namespace ferrata {
// The scale that `api` needs was set.
inline void check_deq_form(const char *api, uint8_t form, const char *call, Loc loc) {
  if (core()->deq_form != form)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s must be called before", call);
}

// Int16 to 8 bits: 16 results in one half of each destination block.
template <class T>
inline ShuffleCall dequant_call(const Operand &dst, const Operand &src, bool table, bool high, Form form,
                                int64_t repeat, Loc loc) {
  check_deq_form("CastDequant", table ? deq_table : deq_scalar,
                 table ? "SetDeqScale(vdeq, vdeqInfo)" : "SetDeqScale(scale, offset, signMode)", loc);
  ShuffleCall call = shuffle_call("CastDequant", Shuffle::dequant, dst, repeat, loc);
  call.mask_form = form;
  call.src[0] = src;
  call.value[0] = table;
  call.value[1] = high;
  return call;
}
} // namespace ferrata

namespace AscendC {
template <class T, class U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,
                        ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::CastDequant::check<T, U>();
  if constexpr (ferrata::same<T, half>) {
    ferrata::check_deq_form("CastDequant", ferrata::deq_half, "SetDeqScale(scale)", loc);
    Cast(dst, src, RoundMode::CAST_NONE, count, loc);
  } else {
    auto call =
        ferrata::dequant_call<T>(dst.operand(), src.operand(), isVecDeq, halfBlock, ferrata::Form::count, count, loc);
    ferrata_shuffle(&call);
  }
}
template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
inline void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, Repeat repeatTime,
                        const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::CastDequant::check<T, U>();
  if constexpr (ferrata::same<T, half>) {
    ferrata::check_deq_form("CastDequant", ferrata::deq_half, "SetDeqScale(scale)", loc);
    Cast<T, U, isSetMask>(dst, src, RoundMode::CAST_NONE, mask, repeatTime, p, loc);
  } else {
    auto call = ferrata::dequant_call<T>(dst.operand(p.dstBlkStride, p.dstRepStride),
                                         src.operand(p.srcBlkStride, p.srcRepStride), isVecDeq, halfBlock,
                                         isSetMask ? mask.form : ferrata::Form::state, repeatTime.value, loc);
    call.mask[0] = mask.low;
    call.mask[1] = mask.high;
    ferrata_shuffle(&call);
  }
}
template <class T, class U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,
                    ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("CastDeq");
  CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count, loc);
}
template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
inline void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, Mask mask, Repeat repeatTime,
                    const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("CastDeq");
  CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeatTime, p, loc);
}

// max(0, half((src0 + src1) * scale)), the scale from SetDeqScale(half).
inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0, const LocalTensor<int32_t> &src1,
                       const int32_t &count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::check_deq_form("AddDeqRelu", ferrata::deq_half, "SetDeqScale(scale)", loc);
  auto call = ferrata::shuffle_call("AddDeqRelu", ferrata::Shuffle::dequant_sum, dst.operand(1, 4), count, loc);
  call.mask_form = ferrata::Form::count;
  call.src[0] = src0.operand();
  call.src[1] = src1.operand();
  ferrata_shuffle(&call);
}
template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0, const LocalTensor<int32_t> &src1,
                       Mask mask, Repeat repeatTime, const BinaryRepeatParams &p,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::check_deq_form("AddDeqRelu", ferrata::deq_half, "SetDeqScale(scale)", loc);
  auto call = ferrata::shuffle_call("AddDeqRelu", ferrata::Shuffle::dequant_sum,
                                    dst.operand(p.dstBlkStride, p.dstRepStride), repeatTime.value, loc);
  call.mask_form = isSetMask ? mask.form : ferrata::Form::state;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.src[1] = src1.operand(p.src1BlkStride, p.src1RepStride);
  ferrata_shuffle(&call);
}
// For tensors of TensorTraits.
template <class T, class U>
inline void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                       const int32_t &count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::AddDeqRelu::check<T, U>();
  const LocalTensor<half> &to = dst;
  const LocalTensor<int32_t> &first = src0, &second = src1;
  AddDeqRelu(to, first, second, count, loc);
}
template <class T, class U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, Mask mask,
                       Repeat repeatTime, const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::AddDeqRelu::check<T, U>();
  const LocalTensor<half> &to = dst;
  const LocalTensor<int32_t> &first = src0, &second = src1;
  AddDeqRelu<isSetMask>(to, first, second, mask, repeatTime, p, loc);
}
} // namespace AscendC
