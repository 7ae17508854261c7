// Implementation functions of an operator type: IMPL_OP(Add).InferShape(f).Tiling(g);
//
// The chain of calls fills an object; copying it into the static variable registers it. Later registrations of a
// type override field by field.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "../exe_graph/runtime/base_type.h"
#include "../graph/ascend_string.h"
#include "../graph/compiler_def.h"
#include "../exe_graph/runtime/infer_datatype_context.h"
#include "../exe_graph/runtime/infer_shape_context.h"
#include "../exe_graph/runtime/infer_shape_range_context.h"
#include "../exe_graph/runtime/tiling_context.h"
#include "../exe_graph/runtime/tiling_parse_context.h"
#include "../exe_graph/runtime/op_execute_context.h"

namespace gert {

class OpExecutePrepareContext;
class OpExecuteLaunchContext;
class ExeResGenerationContext;
class InferFormatContext;

struct OpImplFunctionsV2 {
  using InferShapeKernelFunc = UINT32 (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = UINT32 (*)(InferShapeRangeContext *);
  using InferDataTypeKernelFunc = UINT32 (*)(InferDataTypeContext *);
  using InferFormatFunc = UINT32 (*)(InferFormatContext *);
  using TilingKernelFunc = UINT32 (*)(TilingContext *);
  using TilingParseFunc = UINT32 (*)(TilingParseContext *);
  using KernelFunc = UINT32 (*)(KernelContext *);
  using CompileInfoCreatorFunc = void *(*)();
  using CompileInfoDeleterFunc = void (*)(void *);
  using GenSimplifiedKeyKernelFunc = UINT32 (*)(TilingContext *, char *);
  using OpExecFunc = UINT32 (*)(OpExecuteContext *);
  using OpExecPrepareFunc = UINT32 (*)(OpExecutePrepareContext *);
  using OpExecLaunchFunc = UINT32 (*)(OpExecuteLaunchContext *);
  using OpCalcParamKernelFunc = UINT32 (*)(ExeResGenerationContext *);
  using OpGenTaskKernelFunc = UINT32 (*)(const ExeResGenerationContext *, std::vector<std::vector<uint8_t>> &);
  using OpCheckFunc = UINT32 (*)(const void *, ge::AscendString &);
  using ExceptionDumpFunc = UINT32 (*)(const void *);

  InferShapeKernelFunc infer_shape = nullptr;
  InferShapeRangeKernelFunc infer_shape_range = nullptr;
  InferDataTypeKernelFunc infer_datatype = nullptr;
  InferFormatFunc infer_format = nullptr;
  TilingKernelFunc tiling = nullptr;
  TilingParseFunc tiling_parse = nullptr;
  KernelFunc tiling_parse_kernel = nullptr;
  CompileInfoCreatorFunc compile_info_creator = nullptr;
  CompileInfoDeleterFunc compile_info_deleter = nullptr;
  GenSimplifiedKeyKernelFunc gen_simplified_key = nullptr;
  OpExecFunc op_execute_func = nullptr;
  OpExecPrepareFunc op_execute_prepare_func = nullptr;
  OpExecLaunchFunc op_execute_launch_func = nullptr;
  OpCalcParamKernelFunc calc_op_param = nullptr;
  OpGenTaskKernelFunc gen_task = nullptr;
  OpCheckFunc check_support = nullptr;
  OpCheckFunc op_select_format = nullptr;
  ExceptionDumpFunc exception_func = nullptr;
  size_t max_tiling_data_size = 2048;
  uint64_t inputs_dependency = 0; // bit i: the values of input i are needed by shape inference
  uint64_t tiling_dependency = 0;
  uint64_t tiling_dependency_on_aicpu = 0;
  uint64_t host_inputs = 0;
  uint64_t output_shape_depend_compute = 0;
  uint64_t nullable_outputs = 0;
  bool same_dtype_as_first_input = false;

  bool HasDataDependency() const { return inputs_dependency != 0; }
  bool IsInputDataDependency(size_t i) const { return i < 64 && ((inputs_dependency >> i) & 1U) != 0; }
};
using OpImplFunctions = OpImplFunctionsV2;

struct TypesToImpl {
  const char *op_type;
  OpImplFunctions funcs;
};
using TypesToImplV2 = TypesToImpl;

class FERRATA_GE_API OpImplRegisterV2 {
public:
  using F = OpImplFunctionsV2;
  explicit OpImplRegisterV2(const char *op_type, const char *file = __builtin_FILE(), int line = __builtin_LINE());
  OpImplRegisterV2(OpImplRegisterV2 &&other) noexcept;
  OpImplRegisterV2(const OpImplRegisterV2 &other);
  OpImplRegisterV2 &operator=(const OpImplRegisterV2 &) = delete;
  OpImplRegisterV2 &operator=(OpImplRegisterV2 &&) = delete;
  ~OpImplRegisterV2();

  OpImplRegisterV2 &InferShape(F::InferShapeKernelFunc function);
  OpImplRegisterV2 &InferShapeRange(F::InferShapeRangeKernelFunc function);
  OpImplRegisterV2 &InferDataType(F::InferDataTypeKernelFunc function);
  OpImplRegisterV2 &InferFormat(F::InferFormatFunc function);
  OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput();
  OpImplRegisterV2 &Tiling(F::TilingKernelFunc function, size_t max_tiling_data_size = 2048);
  template <typename T> OpImplRegisterV2 &TilingParse(F::TilingParseFunc function) {
    return TilingParse(function, [](void) -> void * { return new T(); }, [](void *p) { delete static_cast<T *>(p); });
  }
  template <typename T> OpImplRegisterV2 &TilingParse(F::KernelFunc function) {
    return TilingParse(function, [](void) -> void * { return new T(); }, [](void *p) { delete static_cast<T *>(p); });
  }
  OpImplRegisterV2 &TilingParse(F::TilingParseFunc function, F::CompileInfoCreatorFunc creator,
                                F::CompileInfoDeleterFunc deleter);
  OpImplRegisterV2 &TilingParse(F::KernelFunc function, F::CompileInfoCreatorFunc creator,
                                F::CompileInfoDeleterFunc deleter);
  OpImplRegisterV2 &GenSimplifiedKey(F::GenSimplifiedKeyKernelFunc function);
  // Null, empty and repeated names are ignored.
  OpImplRegisterV2 &PrivateAttr(const char *name);
  OpImplRegisterV2 &PrivateAttr(const char *name, int64_t value);
  OpImplRegisterV2 &PrivateAttr(const char *name, const std::vector<int64_t> &value);
  OpImplRegisterV2 &PrivateAttr(const char *name, const char *value);
  OpImplRegisterV2 &PrivateAttr(const char *name, float value);
  OpImplRegisterV2 &PrivateAttr(const char *name, bool value);
  OpImplRegisterV2 &PrivateAttr(const char *name, const std::vector<float> &value);
  // Indices from 64 on are refused.
  OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                               std::initializer_list<TilingPlacement> placements);
  OpImplRegisterV2 &HostInputs(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
  OpImplRegisterV2 &NullableOutputs(std::initializer_list<int32_t> outputs);
  OpImplRegisterV2 &OpExecuteFunc(F::OpExecFunc function);
  // Both are needed.
  OpImplRegisterV2 &Op2StageExecuteFuncs(F::OpExecPrepareFunc prepare, F::OpExecLaunchFunc launch);
  OpImplRegisterV2 &CalcOpParam(F::OpCalcParamKernelFunc function);
  OpImplRegisterV2 &GenerateTask(F::OpGenTaskKernelFunc function);
  OpImplRegisterV2 &CheckSupport(F::OpCheckFunc function);
  OpImplRegisterV2 &OpSelectFormat(F::OpCheckFunc function);
  OpImplRegisterV2 &ExceptionDumpParseFunc(F::ExceptionDumpFunc function);

private:
  void Register(const void *site) const;
  struct Content;
  std::unique_ptr<Content> content_;
};
using OpImplRegister = OpImplRegisterV2;

} // namespace gert

#define FERRATA_IMPL_OP(op_type, counter) FERRATA_IMPL_OP_INNER(op_type, counter)
#define FERRATA_IMPL_OP_INNER(op_type, counter)                                                                        \
  VAR_UNUSED static ::gert::OpImplRegisterV2 op_impl_register_##op_type##_##counter = ::gert::OpImplRegisterV2(#op_type)

#define IMPL_OP(op_type) FERRATA_IMPL_OP(op_type, __COUNTER__)
#define IMPL_OP_DEFAULT() FERRATA_IMPL_OP(DefaultImpl, __COUNTER__)
// One per type and program.
#define IMPL_OP_INFERSHAPE(op_type)                                                                                    \
  ::gert::OpImplRegisterV2 op_impl_register_infershape_##op_type = ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type)                                                                                      \
  ::gert::OpImplRegisterV2 op_impl_register_optiling_##op_type = ::gert::OpImplRegisterV2(#op_type)

// Queries on what has been registered, for loaders.
extern "C" {
FERRATA_GE_API size_t GetRegisteredOpNum();
// -1 unless `count` is exactly the number; sorted by type.
FERRATA_GE_API int32_t GetOpImplFunctions(gert::TypesToImpl *out, size_t count);
FERRATA_GE_API int32_t GetOpImplFunctionsV2(gert::TypesToImplV2 *out, size_t count);
}
// Ports of a prototype as (name, required|optional|dynamic), attributes as (name, VT_INT ...). GRAPH_FAILED for an
// unknown type.
extern "C" FERRATA_GE_API ge::graphStatus
GetRegisteredIrDef(const char *op_type, std::vector<std::pair<ge::AscendString, ge::AscendString>> &inputs,
                   std::vector<std::pair<ge::AscendString, ge::AscendString>> &outputs,
                   std::vector<std::pair<ge::AscendString, ge::AscendString>> &attrs);
