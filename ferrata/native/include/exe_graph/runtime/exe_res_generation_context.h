// What CalcOpParam and GenerateTask of a compile-time registration receive. They are recorded, not called.
#pragma once
#include "extended_kernel_context.h"
#include "op_execute_context.h"

namespace gert {

enum class SyncResType : uint32_t { SYNC_RES_EVENT = 0, SYNC_RES_NOTIFY = 1, END = 2 };

class ExeResGenerationContext : public ExtendedKernelContext {
public:
  ExecuteMode GetExecuteMode() const { return ExecuteMode::kDynamicExecute; }
};
static_assert(sizeof(ExeResGenerationContext) == 48, "size of the interface");

} // namespace gert
