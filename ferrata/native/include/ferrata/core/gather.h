// Filling and gathering inside the Unified Buffer: Brcb, Arange, Gather, Gatherb, GatherMask, BilinearInterpolation.
#pragma once
#include "ferrata/core/api_types.h"
#include "ferrata/core/shuffle.h"
#include "ferrata/core/tensor.h"

namespace AscendC {

// Only dstBlkStride and dstRepStride are used; the constructors' order is not the fields'.
struct BrcbRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  constexpr BrcbRepeatParams() {}
  constexpr BrcbRepeatParams(ferrata::Wide dstBlk, ferrata::Wide dstRep)
      : dstRepStride(dstRep.fit<uint16_t>("BrcbRepeatParams", "dstRepStride")),
        dstBlkStride(dstBlk.fit<uint16_t>("BrcbRepeatParams", "dstBlkStride")) {}
};
struct GatherRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  constexpr GatherRepeatParams() {}
  constexpr GatherRepeatParams(ferrata::Wide dstBlk, ferrata::Wide dstRep)
      : dstRepStride(dstRep.fit<uint8_t>("GatherRepeatParams", "dstRepStride")),
        dstBlkStride(dstBlk.fit<uint8_t>("GatherRepeatParams", "dstBlkStride")) {}
};

struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
  constexpr GatherMaskParams() {}
  constexpr GatherMaskParams(ferrata::Wide block, ferrata::Wide repeat, ferrata::Wide src0Rep, ferrata::Wide src1Rep)
      : src0BlockStride(block.fit<uint8_t>("GatherMaskParams", "src0BlockStride")),
        repeatTimes(repeat.fit<uint16_t>("GatherMaskParams", "repeatTimes")),
        src0RepeatStride(src0Rep.fit<uint16_t>("GatherMaskParams", "src0RepeatStride")),
        src1RepeatStride(src1Rep.fit<uint8_t>("GatherMaskParams", "src1RepeatStride")) {}
};
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
constexpr GatherMaskMode defaultGahterMaskMode = GatherMaskMode::VERSION_V2; // the specification has both spellings

// Block j of repeat r is filled with src[8 r + j].
template <class T>
inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, Repeat repeatTime, const BrcbRepeatParams &p,
                 ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Brcb::check<T>();
  auto call = ferrata::shuffle_call("Brcb", ferrata::Shuffle::broadcast_blocks,
                                    dst.operand(p.dstBlkStride, p.dstRepStride), repeatTime.value, loc);
  call.src[0] = src.operand();
  ferrata_shuffle(&call);
}

// The first `size` elements of GM. Cores are not synchronised.
template <class T>
inline void Fill(const GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                 ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::FillGm::check<T>();
  const ferrata::CopySide side = gmWorkspaceAddr.side(0);
  ferrata::observe(ferrata::EventKind::access, PIPE_MTE3, "Fill", loc, side.data, size * ferrata::width_of<T>, true);
  ferrata_fill_gm(&side, size, ferrata::width_of<T>, ferrata::bits_of(value), loc, "Fill");
}
// The name before release 9.
template <class T>
inline void InitGlobalMemory(const GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                             ferrata::Loc loc = ferrata::Loc::here()) {
  Fill(gmWorkspaceAddr, size, value, loc);
}

// dst[i] = firstValue + i * diffValue, by the chain of additions that the specification describes.
template <class T>
inline void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count,
                   ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Arange::check<T>();
  auto call = ferrata::shuffle_call("Arange", ferrata::Shuffle::arange, dst.operand(), count, loc);
  call.scalar = ferrata::bits_of(firstValue);
  call.result[0] = ferrata::bits_of(diffValue);
  ferrata_shuffle(&call);
}
// The name before release 9.
template <class T>
inline void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count,
                             ferrata::Loc loc = ferrata::Loc::here()) {
  Arange(dst, firstValue, diffValue, count, loc);
}

// dst[i] = the element of src at byte srcBaseAddr + srcOffset[i].
template <class T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
                   const uint32_t srcBaseAddr, const uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Gather::check<T>();
  auto call = ferrata::shuffle_call("Gather", ferrata::Shuffle::gather, dst.operand(), count, loc);
  call.mask_form = ferrata::Form::count;
  call.src[0] = src.operand();
  call.src[1] = srcOffset.operand();
  call.value[0] = srcBaseAddr;
  ferrata_shuffle(&call);
}
template <class T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
                   const uint32_t srcBaseAddr, Mask mask, Repeat repeatTime, ferrata::Wide dstRepStride,
                   ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Gather::check<T>();
  auto call = ferrata::shuffle_call("Gather", ferrata::Shuffle::gather,
                                    dst.operand(1, dstRepStride.fit<uint16_t>("Gather", "dstRepStride")),
                                    repeatTime.value, loc);
  call.mask_form = mask.form;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.src[0] = src.operand();
  call.src[1] = srcOffset.operand();
  call.value[0] = srcBaseAddr;
  ferrata_shuffle(&call);
}
// The same for whole blocks, eight to a repeat.
template <class T>
inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                    Repeat repeatTime, const GatherRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Gatherb::check<T>();
  auto call = ferrata::shuffle_call("Gatherb", ferrata::Shuffle::gather_blocks,
                                    dst.operand(p.dstBlkStride, p.dstRepStride), repeatTime.value, loc);
  call.src[0] = src.operand();
  call.src[1] = offset.operand();
  ferrata_shuffle(&call);
}

// Pack the elements whose pattern bit is 1. The mode is a reserved selector.
template <class T, class U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::GatherMaskUser::check<T, U>();
  auto call = ferrata::shuffle_call("GatherMask", ferrata::Shuffle::pack, dst.operand(), p.repeatTimes, loc);
  call.src[0] = src0.operand(p.src0BlockStride, p.src0RepeatStride);
  call.src[1] = src1Pattern.operand(1, p.src1RepeatStride);
  call.value[0] = 0;
  call.value[1] = reduceMode;
  call.value[2] = mask;
  ferrata_shuffle(&call);
  rsvdCnt = call.result[0];
}
template <class T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint32_t src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::GatherMaskFixed::check<T>();
  if (src1Pattern < 1 || src1Pattern > 7)
    ferrata_fault(ferrata::Fault::BadArgument, "GatherMask", loc.file, loc.line, "src1Pattern is %u; it must be 1..7",
                  src1Pattern);
  auto call = ferrata::shuffle_call("GatherMask", ferrata::Shuffle::pack, dst.operand(), p.repeatTimes, loc);
  call.src[0] = src0.operand(p.src0BlockStride, p.src0RepeatStride);
  call.value[0] = src1Pattern;
  call.value[1] = reduceMode;
  call.value[2] = mask;
  ferrata_shuffle(&call);
  rsvdCnt = call.result[0];
}

// Sums of gathered and weighted groups of eight blocks.
template <class T>
inline void
BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src0Offset,
                      const LocalTensor<T> &src1, Mask mask, ferrata::Wide hRepeat, bool repeatMode,
                      ferrata::Wide dstBlkStride, ferrata::Wide vROffset, ferrata::Wide vRepeat,
                      const LocalTensor<uint8_t> &sharedTmpBuffer, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::BilinearInterpolation::check<T>();
  constexpr const char *api = "BilinearInterpolation";
  const uint16_t block_stride = dstBlkStride.fit<uint16_t>(api, "dstBlkStride");
  auto call = ferrata::shuffle_call(api, ferrata::Shuffle::interpolate, dst.operand(block_stride), 1, loc);
  call.mask_form = mask.form;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.src[0] = src0.operand();
  call.src[1] = src0Offset.operand();
  call.src[2] = src1.operand();
  call.src[3] = sharedTmpBuffer.operand();
  call.value[0] = hRepeat.fit<uint8_t>(api, "hRepeat");
  call.value[1] = repeatMode;
  call.value[2] = block_stride;
  call.value[3] = vROffset.fit<uint16_t>(api, "vROffset");
  call.value[4] = vRepeat.fit<uint8_t>(api, "vRepeat");
  ferrata_shuffle(&call);
}
} // namespace AscendC
