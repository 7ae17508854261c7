// Questions about data types that several operators ask.
#pragma once
#include "../graph/types.h"

namespace Ops {
namespace Base {

inline bool IsFloatingPoint(ge::DataType type) {
  return type == ge::DT_FLOAT || type == ge::DT_FLOAT16 || type == ge::DT_BF16 || type == ge::DT_DOUBLE;
}
inline bool IsIntegral(ge::DataType type, bool include_bool = false) {
  switch (type) {
  case ge::DT_INT8:
  case ge::DT_INT16:
  case ge::DT_INT32:
  case ge::DT_INT64:
  case ge::DT_UINT8:
  case ge::DT_UINT16:
  case ge::DT_UINT32:
  case ge::DT_UINT64:
    return true;
  default:
    return include_bool && type == ge::DT_BOOL;
  }
}
inline bool IsComplex(ge::DataType type) {
  return type == ge::DT_COMPLEX32 || type == ge::DT_COMPLEX64 || type == ge::DT_COMPLEX128;
}

} // namespace Base
} // namespace Ops
