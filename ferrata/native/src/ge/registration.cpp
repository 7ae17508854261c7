// The registering classes of the public headers, and the C queries for loaders.
#include <algorithm>
#include <cstring>
#include <set>

#include "registry.h"

using namespace ferrata::native;

namespace ge {

BaseCustomOp::~BaseCustomOp() = default;
EagerExecuteOp::~EagerExecuteOp() = default;
CompilableOp::~CompilableOp() = default;
ShapeInferOp::~ShapeInferOp() = default;
PortableOp::~PortableOp() = default;
ArgsUpdater::~ArgsUpdater() = default;
AnnotatedArgsOp::~AnnotatedArgsOp() = default;

CustomOpCreatorRegister::CustomOpCreatorRegister(const AscendString &op_type, const BaseOpCreator &creator,
                                                 const char *file, int line) {
  (void)AddCreator(op_type.GetString(), creator, OriginOf(this, file, line));
}
CustomOpCreatorRegister::CustomOpCreatorRegister(const AscendString &op_type, const CustomOpCreateFunc creator,
                                                 const char *file, int line) {
  AddToPullList(op_type.GetString(), creator);
  BaseOpCreator wrapped;
  if (creator != nullptr)
    wrapped = [creator] { return std::unique_ptr<BaseCustomOp>(creator()); };
  (void)AddCreator(op_type.GetString(), wrapped, OriginOf(this, file, line));
}

graphStatus CustomOpFactory::RegisterCustomOpCreator(const AscendString &op_type, const BaseOpCreator &creator) {
  return AddCreator(op_type.GetString(), creator, OriginOf(__builtin_return_address(0), nullptr, 0));
}
std::unique_ptr<BaseCustomOp> CustomOpFactory::CreateCustomOp(const AscendString &op_type) {
  return NewInstance(op_type.GetString());
}
BaseCustomOp *CustomOpFactory::CreateOrGetCustomOp(const AscendString &op_type) {
  return InstanceOf(op_type.GetString());
}
graphStatus CustomOpFactory::GetAllRegisteredOps(std::vector<AscendString> &op_types) {
  op_types.clear();
  for (const auto &type : CreatorTypes())
    op_types.emplace_back(type.c_str());
  return GRAPH_SUCCESS;
}
bool CustomOpFactory::IsExistOp(const AscendString &op_type) {
  const auto types = CreatorTypes();
  return std::find(types.begin(), types.end(), op_type.GetString()) != types.end();
}
void CustomOpFactory::RemoveCustomOp(const AscendString &op_type) { RemoveCreator(op_type.GetString()); }

OperatorCreatorRegister::OperatorCreatorRegister(const char *type, Operator (*creator)(const AscendString &),
                                                 const char *file, int line) {
  (void)AddPrototype(type, creator, OriginOf(this, file, line));
}
Operator OperatorFactory::CreateOperator(const char *name, const char *type) {
  return ferrata::native::CreateOperator(name ? name : "", type ? type : "");
}
graphStatus OperatorFactory::GetOpsTypeList(std::vector<AscendString> &types) {
  types.clear();
  for (const auto &type : PrototypeTypes())
    types.emplace_back(type.c_str());
  return GRAPH_SUCCESS;
}
bool OperatorFactory::IsExistOp(const char *type) {
  const auto types = PrototypeTypes();
  return type != nullptr && std::find(types.begin(), types.end(), type) != types.end();
}

InferShapeFuncRegister::InferShapeFuncRegister(const char *type, const InferShapeFunc &function) {
  (void)AddV1(V1Kind::infer_shape, type, function);
}
InferFormatFuncRegister::InferFormatFuncRegister(const char *type, const InferFormatFunc &function) {
  (void)AddV1(V1Kind::infer_format, type, function);
}
VerifyFuncRegister::VerifyFuncRegister(const char *type, const VerifyFunc &function) {
  (void)AddV1(V1Kind::verify, type, function);
}
InferValueRangeFuncRegister::InferValueRangeFuncRegister(const char *type, WHEN_CALL,
                                                         const InferValueRangeFunc &function) {
  (void)AddV1(V1Kind::infer_value_range, type, function);
}
InferValueRangeFuncRegister::InferValueRangeFuncRegister(const char *type) {
  (void)AddV1(V1Kind::infer_value_range, type, [](Operator &) { return GRAPH_SUCCESS; });
}

} // namespace ge

namespace gert {

struct OpImplRegisterV2::Content {
  std::string type;
  Origin origin;
  OpImplFunctionsV2 functions;
  std::set<std::string> private_attrs;
  const char *file;
  int line;
};

OpImplRegisterV2::OpImplRegisterV2(const char *op_type, const char *file, int line) : content_(new Content()) {
  content_->type = op_type ? op_type : "";
  content_->file = file;
  content_->line = line;
}
OpImplRegisterV2::OpImplRegisterV2(OpImplRegisterV2 &&other) noexcept : content_(new Content(*other.content_)) {
  Register(this);
}
OpImplRegisterV2::OpImplRegisterV2(const OpImplRegisterV2 &other) : content_(new Content(*other.content_)) {
  Register(this);
}
OpImplRegisterV2::~OpImplRegisterV2() = default;
void OpImplRegisterV2::Register(const void *site) const {
  MergeV2(content_->type, content_->functions, OriginOf(site, content_->file, content_->line));
}

#define FERRATA_SET(field)                                                                                             \
  content_->functions.field = function;                                                                                \
  return *this
OpImplRegisterV2 &OpImplRegisterV2::InferShape(F::InferShapeKernelFunc function) { FERRATA_SET(infer_shape); }
OpImplRegisterV2 &OpImplRegisterV2::InferShapeRange(F::InferShapeRangeKernelFunc function) {
  FERRATA_SET(infer_shape_range);
}
OpImplRegisterV2 &OpImplRegisterV2::InferDataType(F::InferDataTypeKernelFunc function) { FERRATA_SET(infer_datatype); }
OpImplRegisterV2 &OpImplRegisterV2::InferFormat(F::InferFormatFunc function) { FERRATA_SET(infer_format); }
OpImplRegisterV2 &OpImplRegisterV2::GenSimplifiedKey(F::GenSimplifiedKeyKernelFunc function) {
  FERRATA_SET(gen_simplified_key);
}
OpImplRegisterV2 &OpImplRegisterV2::OpExecuteFunc(F::OpExecFunc function) { FERRATA_SET(op_execute_func); }
OpImplRegisterV2 &OpImplRegisterV2::CalcOpParam(F::OpCalcParamKernelFunc function) { FERRATA_SET(calc_op_param); }
OpImplRegisterV2 &OpImplRegisterV2::GenerateTask(F::OpGenTaskKernelFunc function) { FERRATA_SET(gen_task); }
OpImplRegisterV2 &OpImplRegisterV2::CheckSupport(F::OpCheckFunc function) { FERRATA_SET(check_support); }
OpImplRegisterV2 &OpImplRegisterV2::OpSelectFormat(F::OpCheckFunc function) { FERRATA_SET(op_select_format); }
OpImplRegisterV2 &OpImplRegisterV2::ExceptionDumpParseFunc(F::ExceptionDumpFunc function) {
  FERRATA_SET(exception_func);
}
#undef FERRATA_SET
OpImplRegisterV2 &OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  content_->functions.same_dtype_as_first_input = true;
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::Tiling(F::TilingKernelFunc function, size_t max_tiling_data_size) {
  content_->functions.tiling = function;
  content_->functions.max_tiling_data_size = max_tiling_data_size;
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::TilingParse(F::TilingParseFunc function, F::CompileInfoCreatorFunc creator,
                                                F::CompileInfoDeleterFunc deleter) {
  content_->functions.tiling_parse = function;
  content_->functions.compile_info_creator = creator;
  content_->functions.compile_info_deleter = deleter;
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::TilingParse(F::KernelFunc function, F::CompileInfoCreatorFunc creator,
                                                F::CompileInfoDeleterFunc deleter) {
  content_->functions.tiling_parse_kernel = function;
  content_->functions.compile_info_creator = creator;
  content_->functions.compile_info_deleter = deleter;
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::Op2StageExecuteFuncs(F::OpExecPrepareFunc prepare, F::OpExecLaunchFunc launch) {
  if (prepare != nullptr && launch != nullptr) {
    content_->functions.op_execute_prepare_func = prepare;
    content_->functions.op_execute_launch_func = launch;
  }
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name) {
  if (name != nullptr && *name != '\0')
    content_->private_attrs.insert(name);
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, int64_t) { return PrivateAttr(name); }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, const std::vector<int64_t> &) {
  return PrivateAttr(name);
}
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, const char *) { return PrivateAttr(name); }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, float) { return PrivateAttr(name); }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, bool) { return PrivateAttr(name); }
OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const char *name, const std::vector<float> &) {
  return PrivateAttr(name);
}

namespace {
uint64_t Bits(std::initializer_list<int32_t> indices) {
  uint64_t bits = 0;
  for (const int32_t index : indices)
    if (index >= 0 && index < 64)
      bits |= uint64_t{1} << index;
  return bits;
}
} // namespace

OpImplRegisterV2 &OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  content_->functions.inputs_dependency |= Bits(inputs);
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
  content_->functions.tiling_dependency |= Bits(inputs);
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                               std::initializer_list<TilingPlacement> placements) {
  for (const TilingPlacement placement : placements)
    if (placement == TilingPlacement::TILING_ON_AICPU)
      content_->functions.tiling_dependency_on_aicpu |= Bits(inputs);
  return TilingInputsDataDependency(inputs);
}
OpImplRegisterV2 &OpImplRegisterV2::HostInputs(std::initializer_list<int32_t> inputs) {
  content_->functions.host_inputs |= Bits(inputs);
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs) {
  content_->functions.output_shape_depend_compute |= Bits(outputs);
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::NullableOutputs(std::initializer_list<int32_t> outputs) {
  content_->functions.nullable_outputs |= Bits(outputs);
  return *this;
}

} // namespace gert

// --- queries for loaders ---

namespace {
const char *Keep(const std::string &text) {
  static std::set<std::string> *kept = new std::set<std::string>(); // loaders hold the pointers
  return kept->insert(text).first->c_str();
}
} // namespace

uint32_t GetRegisteredCustomOpCreatorAbiVersion() { return 1; }
size_t GetRegisteredCustomOpCreatorNum() { return PullList().size(); }
int32_t GetRegisteredCustomOpCreators(ge::CustomOpTypeToCreator *out, size_t count, size_t struct_size) {
  const auto &list = PullList();
  if (count < list.size() || (out == nullptr && count > 0) || struct_size < sizeof(ge::CustomOpTypeToCreator))
    return -1;
  auto *place = reinterpret_cast<uint8_t *>(out);
  for (const auto &item : list) {
    const ge::CustomOpTypeToCreator entry{static_cast<uint32_t>(sizeof(ge::CustomOpTypeToCreator)), Keep(item.first),
                                          item.second};
    memcpy(place, &entry, sizeof(entry));
    place += struct_size;
  }
  return 0;
}

size_t GetRegisteredOpNum() { return AllV2().size(); }
int32_t GetOpImplFunctions(gert::TypesToImpl *out, size_t count) {
  const auto all = AllV2();
  if (count != all.size() || (out == nullptr && count > 0))
    return -1;
  for (size_t i = 0; i < count; ++i)
    out[i] = {Keep(all[i].first), all[i].second};
  return 0;
}
int32_t GetOpImplFunctionsV2(gert::TypesToImplV2 *out, size_t count) { return GetOpImplFunctions(out, count); }

ge::graphStatus GetRegisteredIrDef(const char *op_type,
                                   std::vector<std::pair<ge::AscendString, ge::AscendString>> &inputs,
                                   std::vector<std::pair<ge::AscendString, ge::AscendString>> &outputs,
                                   std::vector<std::pair<ge::AscendString, ge::AscendString>> &attrs) {
  const Prototype *prototype = op_type != nullptr ? PrototypeOf(op_type) : nullptr;
  if (prototype == nullptr)
    return ge::GRAPH_FAILED;
  static const char *const kinds[] = {"required", "optional", "dynamic"};
  for (const auto &port : prototype->sample.Impl()->ir_inputs)
    inputs.emplace_back(port.name.c_str(), kinds[static_cast<size_t>(port.kind)]);
  for (const auto &port : prototype->sample.Impl()->ir_outputs)
    outputs.emplace_back(port.name.c_str(), kinds[static_cast<size_t>(port.kind)]);
  for (const auto &attr : prototype->sample.Impl()->ir_attrs)
    attrs.emplace_back(attr.name.c_str(), KindOfMacroType(attr.type.c_str()));
  return ge::GRAPH_SUCCESS;
}
