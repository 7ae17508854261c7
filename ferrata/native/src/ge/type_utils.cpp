// Names of data types and formats.
#include "graph/utils/type_utils.h"

namespace ge {

namespace {

// By number; null where the number is unused.
const char *const kTypeNames[DT_MAX] = {
    "DT_FLOAT",         "DT_FLOAT16",     "DT_INT8",          "DT_INT32",          "DT_UINT8",       nullptr,
    "DT_INT16",         "DT_UINT16",      "DT_UINT32",        "DT_INT64",          "DT_UINT64",      "DT_DOUBLE",
    "DT_BOOL",          "DT_STRING",      "DT_DUAL_SUB_INT8", "DT_DUAL_SUB_UINT8", "DT_COMPLEX64",   "DT_COMPLEX128",
    "DT_QINT8",         "DT_QINT16",      "DT_QINT32",        "DT_QUINT8",         "DT_QUINT16",     "DT_RESOURCE",
    "DT_STRING_REF",    "DT_DUAL",        "DT_VARIANT",       "DT_BF16",           "DT_UNDEFINED",   "DT_INT4",
    "DT_UINT1",         "DT_INT2",        "DT_UINT2",         "DT_COMPLEX32",      "DT_HIFLOAT8",    "DT_FLOAT8_E5M2",
    "DT_FLOAT8_E4M3FN", "DT_FLOAT8_E8M0", "DT_FLOAT6_E3M2",   "DT_FLOAT6_E2M3",    "DT_FLOAT4_E2M1", "DT_FLOAT4_E1M2",
    "DT_HIFLOAT4"};

const char *const kFormatNames[FORMAT_END] = {"NCHW",
                                              "NHWC",
                                              "ND",
                                              "NC1HWC0",
                                              "FRACTAL_Z",
                                              "NC1C0HWPAD",
                                              "NHWC1C0",
                                              "FSR_NCHW",
                                              "FRACTAL_DECONV",
                                              "C1HWNC0",
                                              "FRACTAL_DECONV_TRANSPOSE",
                                              "FRACTAL_DECONV_SP_STRIDE_TRANS",
                                              "NC1HWC0_C04",
                                              "FRACTAL_Z_C04",
                                              "CHWN",
                                              "FRACTAL_DECONV_SP_STRIDE8_TRANS",
                                              "HWCN",
                                              "NC1KHKWHWC0",
                                              "BN_WEIGHT",
                                              "FILTER_HWCK",
                                              "HASHTABLE_LOOKUP_LOOKUPS",
                                              "HASHTABLE_LOOKUP_KEYS",
                                              "HASHTABLE_LOOKUP_VALUE",
                                              "HASHTABLE_LOOKUP_OUTPUT",
                                              "HASHTABLE_LOOKUP_HITS",
                                              "C1HWNCoC0",
                                              "MD",
                                              "NDHWC",
                                              "FRACTAL_ZZ",
                                              "FRACTAL_NZ",
                                              "NCDHW",
                                              "DHWCN",
                                              "NDC1HWC0",
                                              "FRACTAL_Z_3D",
                                              "CN",
                                              "NC",
                                              "DHWNC",
                                              "FRACTAL_Z_3D_TRANSPOSE",
                                              "FRACTAL_ZN_LSTM",
                                              "FRACTAL_Z_G",
                                              "RESERVED",
                                              "ALL",
                                              "NULL",
                                              "ND_RNN_BIAS",
                                              "FRACTAL_ZN_RNN",
                                              "NYUV",
                                              "NYUV_A",
                                              "NCL",
                                              "FRACTAL_Z_WINO",
                                              "C1HWC0",
                                              "FRACTAL_NZ_C0_16",
                                              "FRACTAL_NZ_C0_32",
                                              "FRACTAL_NZ_C0_2",
                                              "FRACTAL_NZ_C0_4",
                                              "FRACTAL_NZ_C0_8"};

const char *NameOf(DataType type) {
  if (type == DT_BF16)
    return "DT_BFLOAT16"; // the text form differs from the enumerator
  return type >= 0 && type < DT_MAX && kTypeNames[type] != nullptr ? kTypeNames[type] : "UNDEFINED";
}
const char *NameOf(Format format) {
  const int32_t primary = GetPrimaryFormat(format);
  return primary < FORMAT_END ? kFormatNames[primary] : "RESERVED";
}

} // namespace

AscendString TypeUtils::DataTypeToAscendString(const DataType &type) { return NameOf(type); }
DataType TypeUtils::AscendStringToDataType(const AscendString &name) {
  for (int32_t i = 0; i < DT_MAX; ++i)
    if (kTypeNames[i] != nullptr && name == kTypeNames[i])
      return static_cast<DataType>(i);
  return name == "DT_BFLOAT16" ? DT_BF16 : name == "DT_FLOAT32" ? DT_FLOAT : DT_UNDEFINED;
}
bool TypeUtils::IsDataTypeValid(DataType type) {
  return type >= 0 && type < DT_MAX && type != DT_UNDEFINED && kTypeNames[type] != nullptr;
}
AscendString TypeUtils::FormatToAscendString(const Format &format) { return NameOf(format); }
Format TypeUtils::AscendStringToFormat(const AscendString &name) {
  for (int32_t i = 0; i < FORMAT_END; ++i)
    if (name == kFormatNames[i])
      return static_cast<Format>(i);
  return FORMAT_RESERVED;
}
bool TypeUtils::IsFormatValid(Format format) {
  const int32_t primary = GetPrimaryFormat(format);
  return primary < FORMAT_END && primary != FORMAT_RESERVED;
}

} // namespace ge
