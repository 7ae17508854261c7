// Tiling functions that run on the device's own CPU: DEVICE_IMPL_OP_OPTILING(Add).Tiling(f). Recorded only.
#pragma once
#include <functional>

#include "../exe_graph/runtime/tiling_context.h"
#include "../graph/compiler_def.h"

namespace optiling {

using SinkTilingFunc = std::function<ge::graphStatus(gert::TilingContext *)>;

class FERRATA_GE_API DeviceOpImplRegister {
public:
  explicit DeviceOpImplRegister(const char *op_type);
  DeviceOpImplRegister(const DeviceOpImplRegister &other);
  DeviceOpImplRegister &Tiling(SinkTilingFunc function);

private:
  const char *type_;
  SinkTilingFunc function_;
};

} // namespace optiling

#define DEVICE_IMPL_OP_OPTILING(op_type) FERRATA_DEVICE_OPTILING(op_type, __COUNTER__)
#define FERRATA_DEVICE_OPTILING(op_type, counter) FERRATA_DEVICE_OPTILING_INNER(op_type, counter)
#define FERRATA_DEVICE_OPTILING_INNER(op_type, counter)                                                                \
  VAR_UNUSED static ::optiling::DeviceOpImplRegister device_optiling_##op_type##_##counter =                           \
      ::optiling::DeviceOpImplRegister(#op_type)
