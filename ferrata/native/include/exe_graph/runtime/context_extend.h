// Names of the kernel behind a context.
#pragma once
#include "base_type.h"
#include "compute_node_info.h"

namespace gert {

class KernelExtendInfo {
public:
  const char *GetKernelName() const { return name_; }
  void SetKernelName(const char *name) { name_ = name; }
  const char *GetKernelType() const { return type_; }
  void SetKernelType(const char *type) { type_ = type; }

private:
  const char *name_ = nullptr;
  const char *type_ = nullptr;
  uint8_t reserved_[56] = {0}; // NOLINT: part of the size
};
static_assert(sizeof(KernelExtendInfo) == 72, "size of the interface");

} // namespace gert
