// First of the two stages: computes parameters and workspace sizes.
#pragma once
#include <vector>

#include "op_execute_context.h"

namespace gert {

enum class OpExecutePrepareInputExtendIndex : uint32_t { kExecuteOption = 0, kFwkData = 1, kStream = 2, kNum = 3 };
enum class OpExecutePrepareOutputIndex : uint32_t { kParams = 0, kWorkspaceSize = 1, kNum = 2 };

class OpExecutePrepareContext : public ExtendedKernelContext {
public:
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetInputPointer<Tensor>(GetComputeNodeInputNum() + i) : nullptr;
  }
  // GRAPH_FAILED without a deleter.
  ge::graphStatus SetOpApiParams(void *params, Chain::Deleter deleter) {
    Chain *slot = GetOutput(static_cast<size_t>(OpExecutePrepareOutputIndex::kParams));
    if (slot == nullptr || deleter == nullptr)
      return ge::GRAPH_FAILED;
    slot->Set(params, deleter);
    return ge::GRAPH_SUCCESS;
  }
  template <typename T> ge::graphStatus SetOpApiParamsWithDefaultDeleter(T *params) {
    return SetOpApiParams(params, [](void *pointer) { delete static_cast<T *>(pointer); });
  }
  ge::graphStatus SetWorkspaceSizes(const std::vector<uint64_t> &sizes) {
    auto *out = GetOutputPointer<TypedContinuousVector<size_t>>(
        static_cast<size_t>(OpExecutePrepareOutputIndex::kWorkspaceSize));
    if (out == nullptr || out->SetSize(sizes.size()) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    for (size_t i = 0; i < sizes.size(); ++i)
      out->MutableData()[i] = sizes[i];
    return ge::GRAPH_SUCCESS;
  }
};
static_assert(sizeof(OpExecutePrepareContext) == 48, "size of the interface");

} // namespace gert
