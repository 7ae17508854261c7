// Transposes: 16 x 16 elements, NCHW to NHWC and back, and sixteen blocks at a time (TransDataTo5HD).
#pragma once
#include "ferrata/core/api_types.h"
#include "ferrata/core/shuffle.h"
#include "ferrata/core/tensor.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
  constexpr TransDataTo5HDParams() {}
  constexpr TransDataTo5HDParams(bool dst_high, bool src_high, ferrata::Wide repeat, ferrata::Wide dst_stride,
                                 ferrata::Wide src_stride)
      : dstHighHalf(dst_high), srcHighHalf(src_high),
        repeatTimes(repeat.fit<uint8_t>("TransDataTo5HDParams", "repeatTimes")),
        dstRepStride(dst_stride.fit<uint16_t>("TransDataTo5HDParams", "dstRepStride")),
        srcRepStride(src_stride.fit<uint16_t>("TransDataTo5HDParams", "srcRepStride")) {}
};

struct TransposeParamsExt {
  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
  constexpr TransposeParamsExt() {}
  constexpr TransposeParamsExt(ferrata::Wide n, ferrata::Wide c, ferrata::Wide h, ferrata::Wide w, TransposeType type)
      : nSize(n.fit<uint16_t>("TransposeParamsExt", "nSize")), cSize(c.fit<uint16_t>("TransposeParamsExt", "cSize")),
        hSize(h.fit<uint16_t>("TransposeParamsExt", "hSize")), wSize(w.fit<uint16_t>("TransposeParamsExt", "wSize")),
        transposeType(type) {}
};

// dst[c * 16 + r] = src[r * 16 + c]; dst may be src.
template <class T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Transpose::check<T>();
  auto call = ferrata::shuffle_call("Transpose", ferrata::Shuffle::transpose, dst.operand(), 1, loc);
  call.src[0] = src.operand();
  ferrata_shuffle(&call);
}

template <class T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const TransposeParamsExt &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::TransposeExt::check<T>();
  if (p.transposeType == TransposeType::TRANSPOSE_TYPE_NONE)
    return;
  auto call = ferrata::shuffle_call("Transpose", ferrata::Shuffle::permute, dst.operand(), 1, loc);
  call.src[0] = src.operand();
  call.src[1] = sharedTmpBuffer.operand();
  call.value[0] = p.nSize;
  call.value[1] = p.cSize;
  call.value[2] = p.hSize;
  call.value[3] = p.wSize;
  call.value[4] = static_cast<uint32_t>(p.transposeType);
  ferrata_shuffle(&call);
}

// Sixteen blocks to sixteen blocks; the lists hold what GetPhyAddr returns.
template <class T>
inline void TransDataTo5HD(const uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                           const uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams &p,
                           ferrata::Loc loc = ferrata::Loc::here(), const uint32_t *dstRoom = nullptr,
                           const uint32_t *srcRoom = nullptr) {
  ferrata::api::TransDataTo5HD::check<T>();
  auto call = ferrata::shuffle_call("TransDataTo5HD", ferrata::Shuffle::blocks_16, {}, p.repeatTimes, loc);
  call.dst.type = ferrata::type_of<T>;
  call.list[0] = dstList;
  call.list[1] = srcList;
  call.room[0] = dstRoom;
  call.room[1] = srcRoom;
  call.value[0] = p.dstHighHalf;
  call.value[1] = p.srcHighHalf;
  call.value[2] = p.dstRepStride;
  call.value[3] = p.srcRepStride;
  ferrata_shuffle(&call);
}
template <class T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams &p,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
  uint32_t dst_room[NCHW_CONV_ADDR_LIST_SIZE], src_room[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = dstList[i].GetPhyAddr();
    src[i] = srcList[i].GetPhyAddr();
    dst_room[i] = dstList[i].GetLength();
    src_room[i] = srcList[i].GetLength();
  }
  TransDataTo5HD<T>(dst, src, p, loc, dst_room, src_room);
}
template <class T>
inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                           const TransDataTo5HDParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE], from[NCHW_CONV_ADDR_LIST_SIZE];
  for (uint32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dst.GetValue(i, loc);
    from[i] = src.GetValue(i, loc);
  }
  TransDataTo5HD<T>(to, from, p, loc);
}
} // namespace AscendC
