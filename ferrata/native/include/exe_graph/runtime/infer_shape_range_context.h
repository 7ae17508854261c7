// What InferShapeRange reads and writes: the smallest and largest shape of each port.
#pragma once
#include "extended_kernel_context.h"
#include "range.h"

namespace gert {

using TensorRange = Range<Tensor>;

class InferShapeRangeContext : public ExtendedKernelContext {
public:
  const Range<Shape> *GetInputShapeRange(size_t i) const { return InputAt<Range<Shape>>(i); }
  const Range<Shape> *GetRequiredInputShapeRange(size_t ir) const { return InputOfPort<Range<Shape>>(ir, 0); }
  const Range<Shape> *GetOptionalInputShapeRange(size_t ir) const { return InputOfPort<Range<Shape>>(ir, 0); }
  const Range<Shape> *GetDynamicInputShapeRange(size_t ir, size_t relative) const {
    return InputOfPort<Range<Shape>>(ir, relative);
  }
  const TensorRange *GetInputTensorRange(size_t i) const { return InputAt<TensorRange>(i); }
  const TensorRange *GetRequiredInputTensorRange(size_t ir) const { return InputOfPort<TensorRange>(ir, 0); }
  const TensorRange *GetOptionalInputTensorRange(size_t ir) const { return InputOfPort<TensorRange>(ir, 0); }
  const TensorRange *GetDynamicInputTensorRange(size_t ir, size_t relative) const {
    return InputOfPort<TensorRange>(ir, relative);
  }
  Range<Shape> *GetOutputShapeRange(size_t i) {
    return i < GetComputeNodeOutputNum() ? GetOutputPointer<Range<Shape>>(i) : nullptr;
  }
};
static_assert(sizeof(InferShapeRangeContext) == 48, "size of the interface");

} // namespace gert
