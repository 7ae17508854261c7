// What a tiling parser works with: the description of the compiled kernel, and the object to fill from it.
#pragma once
#include "extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
} // namespace fe

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
public:
  const char *GetCompiledJson() const { return GetInputValue<const char *>(0); }
  fe::PlatFormInfos *GetPlatformInfo() const { return GetInputValue<fe::PlatFormInfos *>(1); }
  template <typename T> T *GetCompiledInfo() {
    void **info = GetOutputPointer<void *>(0);
    return info != nullptr ? static_cast<T *>(*info) : nullptr;
  }
};
static_assert(sizeof(TilingParseContext) == 48, "size of the interface");

} // namespace gert
