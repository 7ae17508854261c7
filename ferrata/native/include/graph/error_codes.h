// Status codes of GE calls. `graphStatus` is an integer with named constants; 0 is success.
#pragma once
#include <cstdint>

namespace ge {

using graphStatus = uint32_t;
using Status = uint32_t;

inline constexpr graphStatus GRAPH_SUCCESS = 0U;
inline constexpr graphStatus GRAPH_FAILED = 4294967295U;
inline constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304U;
inline constexpr graphStatus GRAPH_PARAM_INVALID = 50331649U;
inline constexpr graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648U;
inline constexpr graphStatus GRAPH_NODE_NEED_REPASS = 50331647U;
inline constexpr graphStatus GRAPH_INVALID_IR_DEF = 50331646U;
inline constexpr graphStatus OP_WITHOUT_IR_DATATYPE_INFER_RULE = 50331645U;
inline constexpr graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644U;
inline constexpr graphStatus GRAPH_MEM_OPERATE_FAILED = 50331539U;
inline constexpr graphStatus GRAPH_NULL_PTR = 50331538U;
inline constexpr graphStatus GRAPH_MEMCPY_FAILED = 50331537U;
inline constexpr graphStatus GRAPH_MEMSET_FAILED = 50331536U;
inline constexpr graphStatus GRAPH_MATH_CAL_FAILED = 50331429U;
inline constexpr graphStatus GRAPH_ADD_OVERFLOW = 50331428U;
inline constexpr graphStatus GRAPH_MUL_OVERFLOW = 50331427U;
inline constexpr graphStatus GRAPH_RoundUp_Overflow = 50331426U;
inline constexpr Status SUCCESS = 0U;
inline constexpr Status FAILED = 4294967295U;

} // namespace ge
