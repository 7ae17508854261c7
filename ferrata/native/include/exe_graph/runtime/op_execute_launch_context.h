// Second of the two stages: launches with the parameters of the first.
#pragma once
#include "op_execute_context.h"

namespace gert {

enum class OpExecuteLaunchInputIndex : uint32_t {
  kParams = 0,
  kWorkspaceAddr = 1,
  kWorkspaceSize = 2,
  kStream = 3,
  kFwkData = 4,
  kNum = 5,
};

class OpExecuteLaunchContext : public ExtendedKernelContext {
public:
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetInputPointer<Tensor>(GetComputeNodeInputNum() + i) : nullptr;
  }
  template <typename T> T *GetOpApiParams() const {
    return static_cast<T *>(GetInputValue<void *>(Index(OpExecuteLaunchInputIndex::kParams)));
  }
  const TypedContinuousVector<size_t> *GetWorkspaceSizes() const {
    return GetInputPointer<TypedContinuousVector<size_t>>(Index(OpExecuteLaunchInputIndex::kWorkspaceSize));
  }
  const ContinuousVector *GetWorkspaceAddrs() const {
    return GetInputPointer<ContinuousVector>(Index(OpExecuteLaunchInputIndex::kWorkspaceAddr));
  }
  rtStream GetStream() const { return GetInputValue<rtStream>(Index(OpExecuteLaunchInputIndex::kStream)); }

private:
  size_t Index(OpExecuteLaunchInputIndex index) const {
    return GetComputeNodeInputNum() + GetComputeNodeOutputNum() + static_cast<size_t>(index);
  }
};
static_assert(sizeof(OpExecuteLaunchContext) == 48, "size of the interface");

} // namespace gert
