// What CompilableOp::Compile works with: tensors without data, options of the graph, the platform.
#pragma once
#include "../../graph/ascend_string.h"
#include "extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
class OptionalInfos;
} // namespace fe

namespace gert {

class OpCompileContext : public ExtendedKernelContext {
public:
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetOutputPointer<Tensor>(i) : nullptr;
  }
  const Tensor *GetRequiredOutputTensor(size_t ir) const { return GetDynamicOutputTensor(ir, 0); }
  const Tensor *GetDynamicOutputTensor(size_t ir, size_t relative) const {
    const AnchorInstanceInfo *info = GetIrOutputInstanceInfo(ir);
    return info == nullptr || relative >= info->GetInstanceNum() ? nullptr
                                                                 : GetOutputTensor(info->GetInstanceStart() + relative);
  }

  // GRAPH_FAILED when the graph has no option `key`.
  FERRATA_GE_API ge::graphStatus GetOption(const ge::AscendString &key, ge::AscendString &value) const;
  FERRATA_GE_API ge::graphStatus GetPlatformInfos(fe::PlatFormInfos &platform, fe::OptionalInfos &optional) const;
};
static_assert(sizeof(OpCompileContext) == 48, "size of the interface");

} // namespace gert
