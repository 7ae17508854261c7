// What ArgsUpdater::UpdateHostArgs works with: the argument blocks that Execute asked for, in that order.
#pragma once
#include "eager_op_execution_context.h"

namespace gert {

class UpdateArgsContext : public ExtendedKernelContext {
public:
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetOutputPointer<Tensor>(i) : nullptr;
  }
  // The index-th block; its host bytes are writable.
  FERRATA_GE_API const KernelArgs *GetKernelArgs(ge::Placement placement, size_t index) const;
};
static_assert(sizeof(UpdateArgsContext) == 48, "size of the interface");

} // namespace gert
