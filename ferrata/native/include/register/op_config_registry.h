// Settings of an operator for one chip: REGISTER_OP_AICORE_CONFIG(Add, ascend910b, f).
#pragma once
#include "op_def.h"

namespace ops {

using OpAICoreConfigFunc = OpAICoreConfig (*)();

class FERRATA_GE_API OpAICoreConfigRegister {
public:
  OpAICoreConfigRegister(const char *op_type, const char *soc, OpAICoreConfigFunc function);
};

} // namespace ops

#define REGISTER_OP_AICORE_CONFIG(op_type, soc_version, function)                                                      \
  VAR_UNUSED static const ::ops::OpAICoreConfigRegister op_aicore_config_##op_type##_##soc_version(                    \
      #op_type, #soc_version, function)
