// Data types, formats and placements of tensors: the numbers every GE header and library agrees on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compiler_def.h"
#include "error_codes.h"

namespace ge {

inline constexpr int64_t UNKNOWN_DIM = -1;
inline constexpr int64_t UNKNOWN_DIM_NUM = -2;
inline const std::vector<int64_t> UNKNOWN_SHAPE{-1};
inline const std::vector<int64_t> UNKNOWN_RANK{-2};
inline const std::vector<int64_t> DUMMY_SHAPE{-3};

// Sizes of types narrower than a byte are given as kDataTypeSizeBitOffset + bits.
inline constexpr int kDataTypeSizeBitOffset = 1000;
inline constexpr int kBitNumOfOneByte = 8;

enum DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_DUAL_SUB_INT8 = 14,
  DT_DUAL_SUB_UINT8 = 15,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_RESOURCE = 23,
  DT_STRING_REF = 24,
  DT_DUAL = 25,
  DT_VARIANT = 26,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
  DT_FLOAT8_E8M0 = 37,
  DT_FLOAT6_E3M2 = 38,
  DT_FLOAT6_E2M3 = 39,
  DT_FLOAT4_E2M1 = 40,
  DT_FLOAT4_E1M2 = 41,
  DT_HIFLOAT4 = 42,
  DT_MAX = 43,
};

enum Format : int32_t {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_NC1C0HWPAD = 5,
  FORMAT_NHWC1C0 = 6,
  FORMAT_FSR_NCHW = 7,
  FORMAT_FRACTAL_DECONV = 8,
  FORMAT_C1HWNC0 = 9,
  FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
  FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
  FORMAT_NC1HWC0_C04 = 12,
  FORMAT_FRACTAL_Z_C04 = 13,
  FORMAT_CHWN = 14,
  FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
  FORMAT_HWCN = 16,
  FORMAT_NC1KHKWHWC0 = 17,
  FORMAT_BN_WEIGHT = 18,
  FORMAT_FILTER_HWCK = 19,
  FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
  FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
  FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
  FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
  FORMAT_HASHTABLE_LOOKUP_HITS = 24,
  FORMAT_C1HWNCoC0 = 25,
  FORMAT_MD = 26,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_ZZ = 28,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_DHWCN = 31,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
  FORMAT_CN = 34,
  FORMAT_NC = 35,
  FORMAT_DHWNC = 36,
  FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
  FORMAT_FRACTAL_ZN_LSTM = 38,
  FORMAT_FRACTAL_Z_G = 39,
  FORMAT_RESERVED = 40,
  FORMAT_ALL = 41,
  FORMAT_NULL = 42,
  FORMAT_ND_RNN_BIAS = 43,
  FORMAT_FRACTAL_ZN_RNN = 44,
  FORMAT_NYUV = 45,
  FORMAT_NYUV_A = 46,
  FORMAT_NCL = 47,
  FORMAT_FRACTAL_Z_WINO = 48,
  FORMAT_C1HWC0 = 49,
  FORMAT_FRACTAL_NZ_C0_16 = 50,
  FORMAT_FRACTAL_NZ_C0_32 = 51,
  FORMAT_FRACTAL_NZ_C0_2 = 52,
  FORMAT_FRACTAL_NZ_C0_4 = 53,
  FORMAT_FRACTAL_NZ_C0_8 = 54,
  FORMAT_END = 55,
  FORMAT_MAX = 255,
};

enum Placement : int32_t {
  kPlacementHost = 0,
  kPlacementDevice = 1,
  kPlacementEnd = 2,
};

enum DeviceType : int32_t {
  NPU = 0,
  CPU = 1,
};

enum UnknowShapeOpType : int32_t {
  DEPEND_IN_SHAPE = 1,
  DEPEND_CONST_VALUE = 2,
  DEPEND_SHAPE_RANGE = 3,
  DEPEND_COMPUTE = 4,
};

enum IrInputType : int32_t {
  kIrInputRequired = 0,
  kIrInputOptional = 1,
  kIrInputDynamic = 2,
  kIrInputTypeEnd = 3,
};

enum IrOutputType : int32_t {
  kIrOutputRequired = 0,
  kIrOutputDynamic = 1,
  kIrOutputTypeEnd = 2,
};

// Bytes of one element; -1 for text and undefined types; 1000 + bits for types narrower than a byte.
inline int GetSizeByDataType(DataType type) {
  constexpr int16_t sizes[DT_MAX] = {4,    2,    1,    4, 1, -1, 2, 2, 4,    8,    8,    8,    1,   -1, 1,
                                     1,    8,    16,   1, 2, 4,  1, 2, 8,    -1,   5,    8,    2,   -1, 1004,
                                     1001, 1002, 1002, 4, 1, 1,  1, 1, 1006, 1006, 1004, 1004, 1004};
  return type < 0 || type >= DT_MAX ? -1 : sizes[type];
}

// Bytes of `count` elements, types narrower than a byte rounded up to whole bytes; text has a 16-byte header each.
// -1 for a negative count, an unsupported type, or an overflow.
inline int64_t GetSizeInBytes(int64_t count, DataType type) {
  if (count < 0)
    return -1;
  int64_t bytes = 0;
  if (type == DT_STRING || type == DT_STRING_REF)
    return __builtin_mul_overflow(count, int64_t{16}, &bytes) ? -1 : bytes;
  const int size = GetSizeByDataType(type);
  if (size <= 0)
    return -1;
  if (size < kDataTypeSizeBitOffset)
    return __builtin_mul_overflow(count, int64_t{size}, &bytes) ? -1 : bytes;
  int64_t bits = 0;
  if (__builtin_mul_overflow(count, int64_t{size - kDataTypeSizeBitOffset}, &bits))
    return -1;
  return bits / kBitNumOfOneByte + (bits % kBitNumOfOneByte != 0);
}

// A format word: primary format in bits 0-7, sub-format in bits 8-23, C0 code in bits 24-27 (C0 = 2^(code-1)).
inline int32_t GetPrimaryFormat(int32_t word) { return static_cast<int32_t>(static_cast<uint32_t>(word) & 0xffU); }
inline int32_t GetSubFormat(int32_t word) {
  return static_cast<int32_t>((static_cast<uint32_t>(word) & 0xffff00U) >> 8U);
}
inline bool HasSubFormat(int32_t word) { return GetSubFormat(word) > 0; }
inline bool HasC0Format(int32_t word) { return ((static_cast<uint32_t>(word) >> 24U) & 0xfU) != 0; }
inline int64_t GetC0Value(int32_t word) {
  return HasC0Format(word) ? int64_t{1} << (((static_cast<uint32_t>(word) >> 24U) & 0xfU) - 1U) : -1;
}
inline int32_t GetFormatFromSub(int32_t primary, int32_t sub) {
  return static_cast<int32_t>((static_cast<uint32_t>(primary) & 0xffU) |
                              ((static_cast<uint32_t>(sub) & 0xffffU) << 8U));
}
inline int32_t GetFormatFromC0(int32_t format, int32_t c0_code) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) & 0xffffffU) |
                              ((static_cast<uint32_t>(c0_code) & 0xfU) << 24U));
}
inline int32_t GetFormatFromSubAndC0(int32_t primary, int32_t sub, int32_t c0_code) {
  return GetFormatFromC0(GetFormatFromSub(primary, sub), c0_code);
}

} // namespace ge
