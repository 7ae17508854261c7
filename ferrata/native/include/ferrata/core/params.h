// Parameter structs of the basic API: field order, defaults and constructors as specified.
#pragma once
#include "ferrata/core/enums.h"

namespace ferrata {
// A number for a field of 8 or 16 bits: wider, so that one that does not fit is seen, not truncated. It remembers the
// user's line.
struct Wide {
  int64_t value;
  Loc loc;
  template <class I>
  constexpr Wide(I number, Loc where = Loc::here()) : value(static_cast<int64_t>(number)), loc(where) {}
  // As the parameter or field `name` of `api`.
  template <class Field>
  constexpr Field fit(const char *api, const char *name, int64_t most = (int64_t(1) << (8 * sizeof(Field))) - 1) const {
    if (__builtin_expect(value < 0 || value > most, 0))
      ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s is %lld; it must be 0..%lld", name,
                    static_cast<long long>(value), static_cast<long long>(most));
    return static_cast<Field>(value);
  }
};
} // namespace ferrata

namespace AscendC {

// Repeat counts, 0..255. The type is wider so that 256 is seen, not truncated.
struct Repeat {
  int64_t value;
  template <class I> constexpr Repeat(I count) : value(static_cast<int64_t>(count)) {}
};

// A lane mask argument: a number of leading lanes, or an array of two 64-bit words (low, high).
struct Mask {
  ferrata::Form form;
  uint64_t low, high;
  constexpr Mask(int lanes) : Mask(static_cast<long long>(lanes)) {}
  constexpr Mask(unsigned lanes) : Mask(static_cast<unsigned long long>(lanes)) {}
  constexpr Mask(long lanes) : Mask(static_cast<long long>(lanes)) {}
  constexpr Mask(unsigned long lanes) : Mask(static_cast<unsigned long long>(lanes)) {}
  constexpr Mask(long long lanes)
      : form(ferrata::Form::mask), low(lanes < 0 ? 0 : static_cast<uint64_t>(lanes)), high(0) {}
  constexpr Mask(unsigned long long lanes) : form(ferrata::Form::mask), low(lanes), high(0) {}
  Mask(const uint64_t *bits) : form(ferrata::Form::bits), low(bits[0]), high(bits[1]) {}
};

struct UnaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  bool halfBlock = false;
  constexpr UnaryRepeatParams() {}
  constexpr UnaryRepeatParams(ferrata::Wide dstBlk, ferrata::Wide srcBlk, ferrata::Wide dstRep, ferrata::Wide srcRep,
                              bool half_block = false)
      : dstBlkStride(dstBlk.fit<uint16_t>("UnaryRepeatParams", "dstBlkStride")),
        srcBlkStride(srcBlk.fit<uint16_t>("UnaryRepeatParams", "srcBlkStride")),
        dstRepStride(dstRep.fit<uint8_t>("UnaryRepeatParams", "dstRepStride")),
        srcRepStride(srcRep.fit<uint8_t>("UnaryRepeatParams", "srcRepStride")), halfBlock(half_block) {}
};

struct BinaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  constexpr BinaryRepeatParams() {}
  constexpr BinaryRepeatParams(ferrata::Wide dstBlk, ferrata::Wide src0Blk, ferrata::Wide src1Blk, ferrata::Wide dstRep,
                               ferrata::Wide src0Rep, ferrata::Wide src1Rep)
      : dstBlkStride(dstBlk.fit<uint8_t>("BinaryRepeatParams", "dstBlkStride")),
        src0BlkStride(src0Blk.fit<uint8_t>("BinaryRepeatParams", "src0BlkStride")),
        src1BlkStride(src1Blk.fit<uint8_t>("BinaryRepeatParams", "src1BlkStride")),
        dstRepStride(dstRep.fit<uint8_t>("BinaryRepeatParams", "dstRepStride")),
        src0RepStride(src0Rep.fit<uint8_t>("BinaryRepeatParams", "src0RepStride")),
        src1RepStride(src1Rep.fit<uint8_t>("BinaryRepeatParams", "src1RepStride")) {}
};

struct CopyRepeatParams {
  uint16_t dstStride = 0;
  uint16_t srcStride = 0;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
  constexpr CopyRepeatParams() {}
  constexpr CopyRepeatParams(ferrata::Wide dst, ferrata::Wide src, ferrata::Wide dst_repeat, ferrata::Wide src_repeat)
      : dstStride(dst.fit<uint16_t>("CopyRepeatParams", "dstStride")),
        srcStride(src.fit<uint16_t>("CopyRepeatParams", "srcStride")),
        dstRepeatSize(dst_repeat.fit<uint16_t>("CopyRepeatParams", "dstRepeatSize")),
        srcRepeatSize(src_repeat.fit<uint16_t>("CopyRepeatParams", "srcRepeatSize")) {}
};

struct DataCopyParams {
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
  constexpr DataCopyParams() {}
  constexpr DataCopyParams(ferrata::Wide count, ferrata::Wide len, ferrata::Wide src, ferrata::Wide dst)
      : blockCount(count.fit<uint16_t>("DataCopyParams", "blockCount")),
        blockLen(len.fit<uint16_t>("DataCopyParams", "blockLen")),
        srcGap(src.fit<uint16_t>("DataCopyParams", "srcGap")), dstGap(dst.fit<uint16_t>("DataCopyParams", "dstGap")) {}
};

enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL = 0,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class pad_t : uint8_t { PAD_NONE = 0 };

// Accepted and without effect on these chips.
struct DataCopyEnhancedParams {
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;
  constexpr DataCopyEnhancedParams() {}
  constexpr DataCopyEnhancedParams(BlockMode mode, DeqScale scale, uint64_t value, uint8_t sid, bool relu, pad_t pad,
                                   uint64_t pad_value)
      : blockMode(mode), deqScale(scale), deqValue(value), sidStoreMode(sid), isRelu(relu), padMode(pad),
        padValue(pad_value) {}
};

struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;
  constexpr DataCopyExtParams() {}
  constexpr DataCopyExtParams(ferrata::Wide count, uint32_t len, uint32_t src, uint32_t dst, uint32_t reserved)
      : blockCount(count.fit<uint16_t>("DataCopyExtParams", "blockCount")), blockLen(len), srcStride(src),
        dstStride(dst), rsv(reserved) {}
};

// What a plain number may stand for in place of a T: bfloat16_t has no conversions, and a template's `{false, 0, 0, 0}`
// is legal.
template <class T> struct PadNumber {
  struct type {
    explicit type(const type &, const type &);
  };
};
template <> struct PadNumber<bfloat16_t> {
  using type = int;
};

template <class T> struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue{};
  DataCopyPadExtParams() {}
  DataCopyPadExtParams(bool pad, ferrata::Wide left, ferrata::Wide right, T value)
      : isPad(pad), leftPadding(left.fit<uint8_t>("DataCopyPadExtParams", "leftPadding")),
        rightPadding(right.fit<uint8_t>("DataCopyPadExtParams", "rightPadding")), paddingValue(value) {}
  DataCopyPadExtParams(bool pad, ferrata::Wide left, ferrata::Wide right, typename PadNumber<T>::type number)
      : isPad(pad), leftPadding(left.fit<uint8_t>("DataCopyPadExtParams", "leftPadding")),
        rightPadding(right.fit<uint8_t>("DataCopyPadExtParams", "rightPadding")) {
    uint32_t bits = __builtin_bit_cast(uint32_t, static_cast<float>(number));
    paddingValue.bits = static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
  }
};

struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
  constexpr DataCopyPadParams() {}
  constexpr DataCopyPadParams(bool pad, ferrata::Wide left, ferrata::Wide right, uint64_t value)
      : isPad(pad), leftPadding(left.fit<uint8_t>("DataCopyPadParams", "leftPadding")),
        rightPadding(right.fit<uint8_t>("DataCopyPadParams", "rightPadding")), paddingValue(value) {}
};

struct ShapeInfo {
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[8] = {};
  uint32_t originalShape[8] = {};
  DataFormat dataFormat = DataFormat::ND;
  ShapeInfo() {}
  ShapeInfo(ferrata::Wide rank, const uint32_t dims[], ferrata::Wide original_rank, const uint32_t original[],
            DataFormat format)
      : shapeDim(rank.fit<uint8_t>("ShapeInfo", "shapeDim", 8)),
        originalShapeDim(original_rank.fit<uint8_t>("ShapeInfo", "originalShapeDim", 8)), dataFormat(format) {
    for (int i = 0; i < shapeDim; ++i)
      shape[i] = dims[i];
    for (int i = 0; i < originalShapeDim; ++i)
      originalShape[i] = original[i];
  }
  ShapeInfo(ferrata::Wide rank, const uint32_t dims[], DataFormat format) : ShapeInfo(rank, dims, rank, dims, format) {}
  ShapeInfo(ferrata::Wide rank, const uint32_t dims[]) : ShapeInfo(rank, dims, DataFormat::ND) {}
};

inline int GetShapeSize(const ShapeInfo &info) {
  int size = 1;
  for (int i = 0; i < info.shapeDim; ++i)
    size *= static_cast<int>(info.shape[i]);
  return size;
}
} // namespace AscendC
