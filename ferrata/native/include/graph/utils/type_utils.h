// Names of data types and formats.
#pragma once
#include <string>

#include "../ascend_string.h"
#include "../types.h"

namespace ge {

class FERRATA_GE_API TypeUtils {
public:
  // "DT_FLOAT"; "UNDEFINED" for an unknown number.
  static std::string DataTypeToSerialString(DataType type) { return ToStdString(DataTypeToAscendString(type)); }
  static AscendString DataTypeToAscendString(const DataType &type);
  // DT_UNDEFINED for an unknown name. "DT_BFLOAT16" and "DT_FLOAT32" are accepted.
  static DataType SerialStringToDataType(const std::string &name) {
    return AscendStringToDataType(AscendString(name.c_str()));
  }
  static DataType AscendStringToDataType(const AscendString &name);
  static bool IsDataTypeValid(DataType type);
  // "ND"; "RESERVED" for an unknown number.
  static std::string FormatToSerialString(Format format) { return ToStdString(FormatToAscendString(format)); }
  static AscendString FormatToAscendString(const Format &format);
  static Format SerialStringToFormat(const std::string &name) {
    return AscendStringToFormat(AscendString(name.c_str()));
  }
  static Format AscendStringToFormat(const AscendString &name);
  static bool IsFormatValid(Format format);
};

} // namespace ge
