// What InferFormat reads and writes: the formats of each port.
#pragma once
#include "../exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferFormatContext : public ExtendedKernelContext {
public:
  StorageFormat *GetInputFormat(size_t i) { return const_cast<StorageFormat *>(InputAt<StorageFormat>(i)); }
  StorageFormat *GetRequiredInputFormat(size_t ir) {
    return const_cast<StorageFormat *>(InputOfPort<StorageFormat>(ir, 0));
  }
  StorageFormat *GetOptionalInputFormat(size_t ir) {
    return const_cast<StorageFormat *>(InputOfPort<StorageFormat>(ir, 0));
  }
  StorageFormat *GetDynamicInputFormat(size_t ir, size_t relative) {
    return const_cast<StorageFormat *>(InputOfPort<StorageFormat>(ir, relative));
  }
  StorageFormat *GetOutputFormat(size_t i) {
    return i < GetComputeNodeOutputNum() ? GetOutputPointer<StorageFormat>(i) : nullptr;
  }
  StorageFormat *GetRequiredOutputFormat(size_t ir) { return GetDynamicOutputFormat(ir, 0); }
  StorageFormat *GetDynamicOutputFormat(size_t ir, size_t relative) {
    const AnchorInstanceInfo *info = GetIrOutputInstanceInfo(ir);
    return info == nullptr || relative >= info->GetInstanceNum() ? nullptr
                                                                 : GetOutputFormat(info->GetInstanceStart() + relative);
  }
};
static_assert(sizeof(InferFormatContext) == 48, "size of the interface");

} // namespace gert
