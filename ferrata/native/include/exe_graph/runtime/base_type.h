// Base types of the execution contexts.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../../graph/error_codes.h"
#include "../../graph/types.h"

namespace gert {

using rtStream = void *;
using UINT32 = uint32_t;
// Reserved bytes at the end of each value type, part of its size in the interface.
inline constexpr size_t kReservedBytes = 40;

// Element types of attributes, where a tiling function copies one into its data.
enum class AttrDataType : int32_t {
  kBool = 0,
  kString = 1,
  kInt32 = 2,
  kInt64 = 3,
  kUint32 = 4,
  kFloat32 = 5,
  kFloat16 = 6,
  kListBool = 7,
  kListString = 8,
  kListInt32 = 9,
  kListInt64 = 10,
  kListUint32 = 11,
  kListFloat32 = 12,
  kListFloat16 = 13,
  kListListInt32 = 14,
  kListListInt64 = 15,
  kBfloat16 = 16,
  kInt8 = 17,
  kInt16 = 18,
  kListInt8 = 19,
  kListInt16 = 20,
  kListListBool = 21,
  kListListFloat16 = 22,
  kListBfloat16 = 23,
  kListListBfloat16 = 24,
  kListListFloat32 = 25,
  kListListInt8 = 26,
  kListListInt16 = 27,
  kUint8 = 28,
  kListUint8 = 29,
  kListListUint8 = 30,
  kUint16 = 31,
  kListUint16 = 32,
  kListListUint16 = 33,
  kListListUint32 = 34,
  kUint64 = 35,
  kListUint64 = 36,
  kListListUint64 = 37,
  kTypeEnd = 38,
};

} // namespace gert
