// What an OpExecuteFunc works with: tensors, stream, workspaces. One call does everything.
#pragma once
#include "extended_kernel_context.h"

namespace gert {

enum class OpExecuteInputExtendIndex : uint32_t {
  kAllocate = 0,
  kStream = 1,
  kExecuteOption = 2,
  kExecuteFunc = 3,
  kFwkData = 4,
  kNum = 5,
};

enum class ExecuteMode : uint32_t { kStaticOffloadExecute = 0, kDynamicExecute = 1, kEnd = 2 };

// Behind the slot kExecuteOption.
struct OpExecuteOptions {
  int32_t precision_mode;
  int32_t deterministic;
  char allow_hf32[3];
};

class OpExecuteContext : public ExtendedKernelContext {
public:
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetInputPointer<Tensor>(GetComputeNodeInputNum() + i) : nullptr;
  }
  rtStream GetStream() const { return Extra<rtStream>(OpExecuteInputExtendIndex::kStream); }
  FERRATA_GE_API void *MallocWorkspace(size_t bytes);
  FERRATA_GE_API void FreeWorkspace();
  bool GetDeterministic() const { return Options() != nullptr && Options()->deterministic != 0; }
  const char *GetAllowHf32() const { return Options() != nullptr ? Options()->allow_hf32 : nullptr; }
  int32_t GetPrecisionMode() const { return Options() != nullptr ? Options()->precision_mode : 0; }

private:
  template <typename T> T Extra(OpExecuteInputExtendIndex index) const {
    return GetInputValue<T>(GetComputeNodeInputNum() + GetComputeNodeOutputNum() + static_cast<size_t>(index));
  }
  const OpExecuteOptions *Options() const {
    return Extra<const OpExecuteOptions *>(OpExecuteInputExtendIndex::kExecuteOption);
  }
};
static_assert(sizeof(OpExecuteContext) == 48, "size of the interface");

} // namespace gert
