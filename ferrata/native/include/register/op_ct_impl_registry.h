// Functions that only a compiler calls: IMPL_OP_CT(Add).CheckSupport(f). They are recorded, not called.
#pragma once
#include "op_impl_registry.h"

namespace gert {

class OpCtImplRegisterV2 : public OpImplRegisterV2 {
public:
  explicit OpCtImplRegisterV2(const char *op_type, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : OpImplRegisterV2(op_type, file, line) {}

  OpCtImplRegisterV2 &CalcOpParam(F::OpCalcParamKernelFunc function) {
    OpImplRegisterV2::CalcOpParam(function);
    return *this;
  }
  OpCtImplRegisterV2 &GenerateTask(F::OpGenTaskKernelFunc function) {
    OpImplRegisterV2::GenerateTask(function);
    return *this;
  }
  OpCtImplRegisterV2 &CheckSupport(F::OpCheckFunc function) {
    OpImplRegisterV2::CheckSupport(function);
    return *this;
  }
  OpCtImplRegisterV2 &OpSelectFormat(F::OpCheckFunc function) {
    OpImplRegisterV2::OpSelectFormat(function);
    return *this;
  }
  OpCtImplRegisterV2 &GetOpSpecificInfo(F::OpCheckFunc) { return *this; }
};

} // namespace gert

#define IMPL_OP_CT(op_type) FERRATA_IMPL_OP_CT(op_type, __COUNTER__)
#define FERRATA_IMPL_OP_CT(op_type, counter) FERRATA_IMPL_OP_CT_INNER(op_type, counter)
#define FERRATA_IMPL_OP_CT_INNER(op_type, counter)                                                                     \
  VAR_UNUSED static ::gert::OpCtImplRegisterV2 op_ct_impl_register_##op_type##_##counter =                             \
      ::gert::OpCtImplRegisterV2(#op_type)

extern "C" {
FERRATA_GE_API size_t GetRegisteredOpCtNum();
FERRATA_GE_API int32_t GetOpCtImplFunctions(gert::TypesToImpl *out, size_t count);
}
