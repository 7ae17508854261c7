// The value behind ge::AttrValue and behind every attribute of an operator.
#pragma once
#include <variant>

#include "graph/attr_value.h"

namespace ge {

struct AttrHolder {
  using Value = std::variant<std::monostate, int64_t, float, bool, AscendString, Tensor, DataType, NamedAttrs, OpBytes,
                             std::vector<int64_t>, std::vector<float>, std::vector<bool>, std::vector<AscendString>,
                             std::vector<Tensor>, std::vector<DataType>, std::vector<NamedAttrs>,
                             std::vector<std::vector<int64_t>>>;
  Value value;
};

} // namespace ge

namespace ferrata::native {

// "VT_INT" and so on for a held value; "" for none.
const char *KindOf(const ge::AttrHolder &holder);
// The kind a macro's type name stands for: "ListInt" -> "VT_LIST_INT"; "" when unknown.
const char *KindOfMacroType(const char *type);

} // namespace ferrata::native
