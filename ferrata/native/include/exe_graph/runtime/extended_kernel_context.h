// The base of all contexts: the node's description, ports and attributes.
//
// "Instance index" counts actual tensors, "ir_index" counts ports of the prototype. An absent optional input has no
// instance, so later instance indices shift.
#pragma once
#include "kernel_context.h"

namespace gert {

class ExtendedKernelContext : protected KernelContext {
public:
  const ComputeNodeInfo *GetComputeNodeInfo() const {
    return static_cast<const ComputeNodeInfo *>(GetComputeNodeExtend());
  }
  const KernelExtendInfo *GetExtendInfo() const { return GetKernelExtend(); }
  using KernelContext::GetKernelName;
  using KernelContext::GetKernelType;

  const char *GetNodeType() const { return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetNodeType() : nullptr; }
  const char *GetNodeName() const { return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetNodeName() : nullptr; }
  size_t GetComputeNodeInputNum() const { return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetInputsNum() : 0; }
  size_t GetComputeNodeOutputNum() const { return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetOutputsNum() : 0; }
  const RuntimeAttrs *GetAttrs() const { return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetAttrs() : nullptr; }

  const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t ir) const {
    return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetInputInstanceInfo(ir) : nullptr;
  }
  const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t ir) const {
    return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetOutputInstanceInfo(ir) : nullptr;
  }
  const CompileTimeTensorDesc *GetInputDesc(size_t i) const {
    return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetInputTdInfo(i) : nullptr;
  }
  const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir) const { return GetDynamicInputDesc(ir, 0); }
  const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir) const { return GetDynamicInputDesc(ir, 0); }
  const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir, size_t relative) const {
    const size_t i = InputInstance(ir, relative);
    return i == kNone ? nullptr : GetInputDesc(i);
  }
  const CompileTimeTensorDesc *GetOutputDesc(size_t i) const {
    return GetComputeNodeInfo() ? GetComputeNodeInfo()->GetOutputTdInfo(i) : nullptr;
  }

protected:
  static constexpr size_t kNone = ~size_t{0};
  // Instance index of the `relative`-th tensor of input port `ir`, or kNone.
  size_t InputInstance(size_t ir, size_t relative) const {
    const AnchorInstanceInfo *info = GetIrInputInstanceInfo(ir);
    return info == nullptr || relative >= info->GetInstanceNum() ? kNone : info->GetInstanceStart() + relative;
  }
  template <typename T> const T *InputAt(size_t i) const {
    return i < GetComputeNodeInputNum() ? GetInputPointer<T>(i) : nullptr;
  }
  template <typename T> const T *InputOfPort(size_t ir, size_t relative) const {
    const size_t i = InputInstance(ir, relative);
    return i == kNone ? nullptr : InputAt<T>(i);
  }
};
static_assert(sizeof(ExtendedKernelContext) == 48, "size of the interface");

} // namespace gert
