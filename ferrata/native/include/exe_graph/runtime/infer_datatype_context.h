// What InferDataType reads and writes. Bad indices give DT_UNDEFINED or GRAPH_FAILED.
#pragma once
#include "extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
public:
  ge::DataType GetInputDataType(size_t i) const { return Value(InputAt<ge::DataType>(i)); }
  ge::DataType GetRequiredInputDataType(size_t ir) const { return Value(InputOfPort<ge::DataType>(ir, 0)); }
  ge::DataType GetOptionalInputDataType(size_t ir) const { return Value(InputOfPort<ge::DataType>(ir, 0)); }
  ge::DataType GetDynamicInputDataType(size_t ir, size_t relative) const {
    return Value(InputOfPort<ge::DataType>(ir, relative));
  }
  ge::DataType GetOutputDataType(size_t i) const {
    return i < GetComputeNodeOutputNum() ? Value(GetOutputPointer<ge::DataType>(i)) : ge::DT_UNDEFINED;
  }
  ge::graphStatus SetOutputDataType(size_t i, ge::DataType type) {
    ge::DataType *out = i < GetComputeNodeOutputNum() ? GetOutputPointer<ge::DataType>(i) : nullptr;
    if (out == nullptr)
      return ge::GRAPH_FAILED;
    *out = type;
    return ge::GRAPH_SUCCESS;
  }

private:
  static ge::DataType Value(const ge::DataType *type) { return type != nullptr ? *type : ge::DT_UNDEFINED; }
};
static_assert(sizeof(InferDataTypeContext) == 48, "size of the interface");

} // namespace gert
