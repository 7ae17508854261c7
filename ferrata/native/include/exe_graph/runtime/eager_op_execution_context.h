// What EagerExecuteOp::Execute works with: input tensors, outputs and workspaces to allocate, the stream.
//
// The framework owns all memory that it hands out here; authors never free it.
#pragma once
#include "extended_kernel_context.h"
#include "kernel_args.h"

namespace gert {

class EagerOpExecutionContext : public ExtendedKernelContext {
public:
  // After the node's inputs, and after its outputs.
  enum class AdditionalInputIndex : uint32_t { kDeviceAllocator = 0, kStream = 1, kNum = 2 };
  enum class AdditionalOutputIndex : uint32_t { kWorkSpace = 0, kArgsHandler = 1, kNum = 2 };

  rtStream GetStream() const {
    return GetComputeNodeInfo() == nullptr
               ? nullptr
               : GetInputValue<rtStream>(GetComputeNodeInputNum() + static_cast<size_t>(AdditionalInputIndex::kStream));
  }

  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }

  // Fills shape, format and type of output `i` and allocates it, rounded up to 512 bytes, unless memory was assigned
  // before. Null for a bad index, a failed allocation, text types, or an output that shares its name with an input.
  FERRATA_GE_API Tensor *MallocOutputTensor(size_t i, const StorageShape &shape, const StorageFormat &format,
                                            ge::DataType type);
  // Output `out` becomes input `in`: memory, shape, format, type. Null when the ports differ in name.
  FERRATA_GE_API Tensor *MakeOutputRefInput(size_t out, size_t in) const;
  // `bytes` rounded up to 512, released after the node.
  FERRATA_GE_API void *MallocWorkSpace(size_t bytes);
  // Also answers for i == number of outputs (the slot after them), as the interface defines it.
  const Tensor *GetOutputTensor(size_t i) const {
    return i > GetComputeNodeOutputNum() ? nullptr : GetOutputPointer<Tensor>(i);
  }
  // A device copy of `bytes` bytes at `host`, valid until the node has run. Null for null or 0.
  FERRATA_GE_API const KernelArgs *MallocReadOnlyDevArgs(void *host, size_t bytes) const;
};
static_assert(sizeof(EagerOpExecutionContext) == 48, "size of the interface");

} // namespace gert
