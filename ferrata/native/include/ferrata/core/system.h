// Who am I, mask state, numeric modes and counters: the scalar side of a core.
#pragma once
#include "ferrata/core/tensor.h"

namespace ferrata {
// The parameters of a dequantisation as one register word.
inline uint64_t deq_word(float scale, int16_t offset, bool sign, Loc loc) {
  if (offset < -256 || offset > 255)
    ferrata_fault(Fault::BadArgument, "SetDeqScale", loc.file, loc.line,
                  "offset is %d; it has nine bits and must be -256..255", offset);
  return bits_of(scale) | (uint64_t(offset & 0x1ff) << 37) | (uint64_t(sign) << 46);
}
} // namespace ferrata

// Sizes of the core's memories in bytes; the framework keeps a part of UB and L1.
constexpr uint32_t ASC_UB_SIZE = ferrata::chip_bytes(ferrata::Memory::ub) - 256;
constexpr uint32_t ASC_L1_SIZE = ferrata::chip_bytes(ferrata::Memory::l1) - 256;
constexpr uint32_t ASC_L0A_SIZE = ferrata::chip_bytes(ferrata::Memory::l0a);
constexpr uint32_t ASC_L0B_SIZE = ferrata::chip_bytes(ferrata::Memory::l0b);
constexpr uint32_t ASC_L0C_SIZE = ferrata::chip_bytes(ferrata::Memory::l0c);
constexpr uint32_t ASC_BT_SIZE = ferrata::chip_bytes(ferrata::Memory::bias);

namespace AscendC {

inline int64_t GetBlockNum() { return ferrata::core()->block_num; }
// On an AIV of a mix kernel: its index among all AIVs of the launch.
inline int64_t GetBlockIdx() {
  const ferrata::Core *core = ferrata::core();
  return core->type == AIC ? core->block_idx : int64_t(core->block_idx) * core->sub_num + core->sub_idx;
}
inline int64_t GetSubBlockIdx() { return ferrata::core()->sub_idx; }
inline int64_t GetSubBlockNum() { return ferrata::core()->sub_num; }
inline int64_t GetTaskRatio() { return ferrata::core()->sub_num; }
constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
inline void GetArchVersion(uint32_t &version) { version = ferrata::chip.npu_arch == 3510 ? 0x3510 : 0x2201; }
inline int64_t GetSystemCycle() { return ferrata_cycles(50); }
inline int64_t GetProgramCounter() { return ferrata_cycles(1000); }
inline uint32_t GetUBSizeInBytes() { return 0; }
inline uint32_t GetRuntimeUBSize() { return 0; }
inline uint32_t GetVecLen() { return 0; }
inline void Nop() {}

template <EngineType engine, auto function, class... Args> inline void Async(Args... args) {
  if constexpr ((engine == EngineType::AIV) == (g_coreType == AIV))
    function(args...);
}

// --- mask state ---
inline void SetMaskCount() { ferrata::core()->mask_counter = 1; }
inline void SetMaskNorm() { ferrata::core()->mask_counter = 0; }
inline void ResetMask() {
  ferrata::core()->mask[0] = ~uint64_t(0);
  ferrata::core()->mask[1] = ~uint64_t(0);
}
// Raw bits, high word first; in Counter mode the low word counts elements.
template <class T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  ferrata::core()->mask[0] = maskLow;
  ferrata::core()->mask[1] = maskHigh;
}
template <class T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t length, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::Core *core = ferrata::core();
  if (length < 0)
    ferrata_fault(ferrata::Fault::BadArgument, "SetVectorMask", loc.file, loc.line,
                  "length is %d; it must not be negative", length);
  uint64_t lanes = static_cast<uint64_t>(length);
  if constexpr (mode == MaskMode::COUNTER) {
    core->mask[0] = lanes;
    core->mask[1] = 0;
  } else {
    constexpr uint64_t most = 256 / ferrata::width_of<T> < 128 ? 256 / ferrata::width_of<T> : 128;
    lanes = lanes < most ? lanes : most;
    core->mask[0] = lanes >= 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
    core->mask[1] = lanes >= 128 ? ~uint64_t(0) : lanes > 64 ? (uint64_t(1) << (lanes - 64)) - 1 : 0;
  }
}

// Normal mask mode, all lanes, DMA atomics off. First statement of a kernel without TPipe.
inline void InitSocState() {
  SetMaskNorm();
  ResetMask();
  ferrata::core()->atomic = 0;
  ferrata::core()->initialised = 1;
}

// --- numeric modes ---
template <SaturationMode mode> inline void SetSaturationFlag(bool saturate) {
  static_assert(mode == SaturationMode::FLOAT || mode == SaturationMode::CAST,
                "this chip has SaturationMode FLOAT and CAST");
  if constexpr (mode == SaturationMode::FLOAT)
    ferrata::core()->saturate = saturate;
  else
    ferrata::core()->keep_cast = !saturate;
}
template <SaturationMode mode> inline bool GetSaturationFlag() {
  return mode == SaturationMode::FLOAT ? ferrata::core()->saturate : !ferrata::core()->keep_cast;
}
template <int8_t startBit, int8_t endBit> inline void SetCtrlSpr(int64_t value) {
  static_assert(startBit == 48 && endBit == 48, "only bit 48 of CTRL can be written on this chip");
  ferrata::core()->saturate = value == 0;
}
template <int8_t startBit, int8_t endBit> inline int64_t GetCtrlSpr() {
  static_assert(startBit == 48 && endBit == 48, "only bit 48 of CTRL can be read here");
  return !ferrata::core()->saturate;
}
inline void SetDeqScale(half scale) {
  ferrata::core()->deq_scale = ferrata::bits_of(scale);
  ferrata::core()->deq_form = ferrata::deq_half;
}
inline void SetDeqScale(float scale, int16_t offset, bool signMode, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::core()->deq_scale = ferrata::deq_word(scale, offset, signMode, loc);
  ferrata::core()->deq_form = ferrata::deq_scalar;
}

// --- DMA atomics ---
template <class T> inline void SetAtomicType() {
  FERRATA_TAKES(SetAtomicType, T, int8_t, int16_t, half, bfloat16_t, int32_t, float);
  ferrata::core()->atomic_type = ferrata::type_of<T>;
}
template <class T> inline void SetAtomicAdd() {
  SetAtomicType<T>();
  ferrata::core()->atomic = 1;
}
template <class T> inline void SetAtomicMax() {
  SetAtomicType<T>();
  ferrata::core()->atomic = 2;
}
template <class T> inline void SetAtomicMin() {
  SetAtomicType<T>();
  ferrata::core()->atomic = 3;
}
inline void DisableDmaAtomic() { ferrata::core()->atomic = 0; }
inline void SetAtomicNone() { DisableDmaAtomic(); }

// --- scalar helpers ---
template <int value> inline int64_t GetBitCount(uint64_t bits) { return __builtin_popcountll(value ? bits : ~bits); }
template <int value> inline int64_t ScalarGetCountOfValue(uint64_t bits) { return GetBitCount<value>(bits); }
inline int64_t CountLeadingZero(uint64_t bits) { return bits ? __builtin_clzll(bits) : 64; }
inline int64_t ScalarCountLeadingZero(uint64_t bits) { return CountLeadingZero(bits); }
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value);
}
template <int value> inline int64_t GetSFFValue(uint64_t bits) {
  return __builtin_ffsll(static_cast<long long>(value ? bits : ~bits)) - 1;
}
template <int value> inline int64_t ScalarGetSFFValue(uint64_t bits) { return GetSFFValue<value>(bits); }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

// --- caches: scalar accesses are coherent here, so these only check their arguments ---
template <class T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst, ferrata::Loc loc = ferrata::Loc::here()) {
  static_assert(destination != DcciDst::CACHELINE_ATOMIC,
                "DataCacheCleanAndInvalid: this chip has no CACHELINE_ATOMIC");
  if constexpr (line == CacheLine::SINGLE_CACHE_LINE)
    ferrata_check_gm(dst.GetPhyAddr(), 1, "DataCacheCleanAndInvalid", "dst", loc);
}
template <class T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const LocalTensor<T> &) {
  static_assert(destination != DcciDst::CACHELINE_ATOMIC,
                "DataCacheCleanAndInvalid: this chip has no CACHELINE_ATOMIC");
}
template <class T>
inline void DataCachePreload(const GlobalTensor<uint64_t> &src, const T cacheOffset,
                             ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_TAKES(DataCachePreload, T, int16_t, int64_t);
  ferrata_check_gm(reinterpret_cast<const uint8_t *>(src.GetPhyAddr()) + cacheOffset, 1, "DataCachePreload", "src",
                   loc);
}
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }
template <class T> inline T ReadGmByPassDCache(__gm__ T *address, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata_check_gm(address, sizeof(T), "ReadGmByPassDCache", "address", loc);
  return *address;
}
template <class T>
inline void WriteGmByPassDCache(__gm__ T *address, T value, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata_check_gm(address, sizeof(T), "WriteGmByPassDCache", "address", loc);
  *address = value;
}
} // namespace AscendC
