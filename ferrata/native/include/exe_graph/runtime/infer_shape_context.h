// What InferShape reads and writes: origin shapes, and the values of inputs that are known constants.
#pragma once
#include "extended_kernel_context.h"

namespace gert {

enum class InputExternLayout : uint32_t { kInferShapeFunc = 1, kInferenceContext = 2 };

class InferShapeContext : public ExtendedKernelContext {
public:
  const Shape *GetInputShape(size_t i) const { return InputAt<Shape>(i); }
  const Shape *GetRequiredInputShape(size_t ir) const { return InputOfPort<Shape>(ir, 0); }
  const Shape *GetOptionalInputShape(size_t ir) const { return InputOfPort<Shape>(ir, 0); }
  const Shape *GetDynamicInputShape(size_t ir, size_t relative) const { return InputOfPort<Shape>(ir, relative); }
  // With data only when the input is a constant.
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  Shape *GetOutputShape(size_t i) { return i < GetComputeNodeOutputNum() ? GetOutputPointer<Shape>(i) : nullptr; }
};
static_assert(sizeof(InferShapeContext) == 48, "size of the interface");

} // namespace gert
