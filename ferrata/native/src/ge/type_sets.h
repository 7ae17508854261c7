// The meaning of a port's type text, and the common type of several types.
#pragma once
#include <string>
#include <vector>

#include "graph/types.h"

namespace ferrata::native {

struct PortTypes {
  std::string symbol;              // "T", or "" when the text is a set
  bool known = false;              // `types` holds the whole set
  std::vector<ge::DataType> types; // of a set
};
// Reads `TensorType({DT_FLOAT, DT_INT32})`, `TensorType::ALL()`, `ListTensorType(...)`, `"T"` or `T`.
PortTypes ParsePortTypes(const std::string &text);

// By PyTorch's promotion; DT_UNDEFINED when there is no common type.
ge::DataType PromoteTypes(ge::DataType a, ge::DataType b);

} // namespace ferrata::native
