// Low-level access to the slots of a context. Bad indices give null or a default value.
#pragma once
#include "context_extend.h"
#include "kernel_run_context.h"

namespace gert {

class KernelContext {
public:
  size_t GetInputNum() const { return context_.input_size; }
  size_t GetOutputNum() const { return context_.output_size; }
  const Chain *GetInput(size_t i) const { return i < context_.input_size ? context_.values[i] : nullptr; }
  Chain *MutableInput(size_t i) { return i < context_.input_size ? context_.values[i] : nullptr; }
  const Chain *GetOutput(size_t i) const { return i < context_.output_size ? context_.output_start[i] : nullptr; }
  Chain *GetOutput(size_t i) { return i < context_.output_size ? context_.output_start[i] : nullptr; }
  Chain *GetOutput2(size_t i) const { return i < context_.output_size ? context_.output_start[i] : nullptr; }

  template <typename T> const T *GetInputPointer(size_t i) const {
    const Chain *slot = GetInput(i);
    return slot != nullptr ? slot->GetPointer<T>() : nullptr;
  }
  template <typename T> T *MutableInputPointer(size_t i) {
    Chain *slot = MutableInput(i);
    return slot != nullptr ? slot->GetPointer<T>() : nullptr;
  }
  template <typename T> T GetInputValue(size_t i) const {
    const Chain *slot = GetInput(i);
    return slot != nullptr ? slot->GetValue<T>() : T{};
  }
  const char *GetInputStrPointer(size_t i) const { return GetInputValue<const char *>(i); }
  template <typename T> T *GetOutputPointer(size_t i) {
    Chain *slot = GetOutput(i);
    return slot != nullptr ? slot->GetPointer<T>() : nullptr;
  }
  template <typename T> const T *GetOutputPointer(size_t i) const {
    const Chain *slot = GetOutput(i);
    return slot != nullptr ? slot->GetPointer<T>() : nullptr;
  }

  const void *GetComputeNodeExtend() const { return context_.compute_node_info; }
  const KernelExtendInfo *GetKernelExtend() const {
    return static_cast<const KernelExtendInfo *>(context_.kernel_extend_info);
  }
  const char *GetKernelName() const { return GetKernelExtend() ? GetKernelExtend()->GetKernelName() : nullptr; }
  const char *GetKernelType() const { return GetKernelExtend() ? GetKernelExtend()->GetKernelType() : nullptr; }
  KernelRunContext *GetContext() { return &context_; }
  const KernelRunContext *GetContext() const { return &context_; }

private:
  KernelRunContext context_;
};
static_assert(sizeof(KernelContext) == 48, "size of the interface");

} // namespace gert
