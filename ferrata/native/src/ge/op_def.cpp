// Operator definitions: what OpDef and its parts record.
#include "register/op_def.h"

#include <map>
#include <mutex>

#include "register/device_op_impl_registry.h"
#include "register/op_config_registry.h"
#include "register/op_ct_impl_registry.h"

#include "definition.h"

namespace ops {

namespace {

template <typename Def> Def &GetOrCreate(std::vector<Def> &defs, const char *name) {
  for (auto &def : defs)
    if (def.GetName() == ge::AscendString(name))
      return def;
  defs.emplace_back(name);
  return defs.back();
}

std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(int64_t value) { return std::to_string(value); }
std::string Text(float value) { return std::to_string(value); }
template <typename T> std::string Text(const std::vector<T> &values) {
  std::string text = "[";
  for (const auto &value : values)
    text += (text.size() > 1 ? "," : "") + Text(static_cast<T>(value));
  return text + "]";
}

} // namespace

#define FERRATA_PARAM(signature, ...)                                                                                  \
  OpParamDef &OpParamDef::signature {                                                                                  \
    __VA_ARGS__;                                                                                                       \
    return *this;                                                                                                      \
  }
FERRATA_PARAM(ParamType(Option param_type), param_type_ = param_type)
FERRATA_PARAM(DataType(std::vector<ge::DataType> types), types_ = std::move(types))
FERRATA_PARAM(DataTypeList(std::vector<ge::DataType> types), types_ = std::move(types); type_list_ = true)
FERRATA_PARAM(Format(std::vector<ge::Format> formats), formats_ = std::move(formats))
FERRATA_PARAM(FormatList(std::vector<ge::Format> formats), formats_ = std::move(formats); format_list_ = true)
FERRATA_PARAM(DataTypeForBinQuery(std::vector<ge::DataType> types), query_types_ = std::move(types))
FERRATA_PARAM(FormatForBinQuery(std::vector<ge::Format> formats), query_formats_ = std::move(formats))
FERRATA_PARAM(UnknownShapeFormat(std::vector<ge::Format> formats), unknown_formats_ = std::move(formats))
FERRATA_PARAM(ValueDepend(Option value_depend), value_depend_ = value_depend)
FERRATA_PARAM(ValueDepend(Option value_depend, DependScope scope), value_depend_ = value_depend; depend_scope_ = scope)
FERRATA_PARAM(IgnoreContiguous(), ignore_contiguous_ = true)
FERRATA_PARAM(AutoContiguous(), auto_contiguous_ = true)
FERRATA_PARAM(Scalar(), scalar_ = true)
FERRATA_PARAM(ScalarList(), scalar_list_ = true)
FERRATA_PARAM(To(const ge::DataType type), to_type_ = type)
FERRATA_PARAM(To(const char *name), to_name_ = name)
FERRATA_PARAM(Version(uint32_t version), version_ = version)
FERRATA_PARAM(InitValue(uint64_t value), init_values_ = {ScalarVar(ScalarType::UINT64, value)})
FERRATA_PARAM(InitValue(const ScalarVar &value), init_values_ = {value})
FERRATA_PARAM(InitValue(const std::vector<ScalarVar> &values), init_values_ = values)
FERRATA_PARAM(OutputShapeDependOnCompute(), depends_on_compute_ = true)
FERRATA_PARAM(Follow(const char *param_name), follow_ = param_name)
FERRATA_PARAM(Follow(const char *param_name, FollowType follow_type), follow_ = param_name; follow_type_ = follow_type)
FERRATA_PARAM(Comment(const char *comment), comment_ = comment)
#undef FERRATA_PARAM

template <typename T> OpAttrDef &OpAttrDef::Set(AttrDataType type, const T &value, const char *text) {
  type_ = type;
  default_ = text;
  (void)value_.SetAttrValue(value);
  return *this;
}
OpAttrDef &OpAttrDef::AttrType(Option attr_type) {
  required_ = attr_type == Option::REQUIRED;
  return *this;
}
#define FERRATA_ATTR_SETTER(method, type, T)                                                                           \
  OpAttrDef &OpAttrDef::method() { return Set(type, T{}, ""); }                                                        \
  OpAttrDef &OpAttrDef::method(T value) { return Set(type, value, Text(value).c_str()); }
FERRATA_ATTR_SETTER(Bool, ATTR_DT_BOOL, bool)
FERRATA_ATTR_SETTER(Float, ATTR_DT_FLOAT, float)
FERRATA_ATTR_SETTER(Int, ATTR_DT_INT, int64_t)
FERRATA_ATTR_SETTER(ListBool, ATTR_DT_LIST_BOOL, std::vector<bool>)
FERRATA_ATTR_SETTER(ListFloat, ATTR_DT_LIST_FLOAT, std::vector<float>)
FERRATA_ATTR_SETTER(ListInt, ATTR_DT_LIST_INT, std::vector<int64_t>)
FERRATA_ATTR_SETTER(ListListInt, ATTR_DT_LIST_LIST_INT, std::vector<std::vector<int64_t>>)
#undef FERRATA_ATTR_SETTER
OpAttrDef &OpAttrDef::String() { return Set(ATTR_DT_STR, ge::AscendString(""), ""); }
OpAttrDef &OpAttrDef::String(const char *value) { return Set(ATTR_DT_STR, ge::AscendString(value), value); }
OpAttrDef &OpAttrDef::Version(uint32_t version) {
  version_ = version;
  return *this;
}
OpAttrDef &OpAttrDef::Comment(const char *comment) {
  comment_ = comment;
  return *this;
}

OpParamDef &OpAICoreConfig::Input(const char *name) { return GetOrCreate(inputs_, name); }
OpParamDef &OpAICoreConfig::Output(const char *name) { return GetOrCreate(outputs_, name); }
#define FERRATA_FLAG(method, key)                                                                                      \
  OpAICoreConfig &OpAICoreConfig::method(bool flag) { return ExtendCfgInfo(key, flag ? "true" : "false"); }
FERRATA_FLAG(DynamicCompileStaticFlag, "dynamicCompileStatic.flag")
FERRATA_FLAG(DynamicFormatFlag, "dynamicFormat.flag")
FERRATA_FLAG(DynamicRankSupportFlag, "dynamicRankSupport.flag")
FERRATA_FLAG(DynamicShapeSupportFlag, "dynamicShapeSupport.flag")
FERRATA_FLAG(NeedCheckSupportFlag, "needCheckSupport.flag")
FERRATA_FLAG(PrecisionReduceFlag, "precision_reduce.flag")
#undef FERRATA_FLAG
OpAICoreConfig &OpAICoreConfig::ExtendCfgInfo(const char *key, const char *value) {
  settings_[key] = value;
  return *this;
}

#define FERRATA_AICORE(signature, field)                                                                               \
  OpAICoreDef &OpAICoreDef::signature {                                                                                \
    field = function;                                                                                                  \
    return *this;                                                                                                      \
  }
FERRATA_AICORE(SetTiling(gert::OpImplFunctionsV2::TilingKernelFunc function), tiling_)
FERRATA_AICORE(SetCheckSupport(StringCheckFunc function), check_support_)
FERRATA_AICORE(SetOpSelectFormat(StringCheckFunc function), select_format_)
FERRATA_AICORE(SetOpSupportInfo(StringCheckFunc function), support_info_)
FERRATA_AICORE(SetOpSpecInfo(StringCheckFunc function), spec_info_)
FERRATA_AICORE(SetParamGeneralize(ParamGeneralizeFunc function), generalize_)
#undef FERRATA_AICORE
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc) {
  configs_.emplace(soc, OpAICoreConfig(soc));
  return *this;
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc, OpAICoreConfig &config) {
  configs_[soc] = config;
  return *this;
}

OpMC2Def &OpMC2Def::HcclGroup(const char *name) { return HcclGroup(std::vector<const char *>{name}); }
OpMC2Def &OpMC2Def::HcclGroup(std::vector<const char *> names) {
  groups_.insert(groups_.end(), names.begin(), names.end());
  return *this;
}
OpMC2Def &OpMC2Def::HcclServerType(ops::HcclServerType type, const char *soc) {
  servers_[soc ? soc : ""] = type;
  return *this;
}

struct OpDef::Content {
  ge::AscendString type;
  std::vector<OpParamDef> inputs, outputs;
  std::vector<OpAttrDef> attrs;
  std::map<CommentSection, std::vector<std::string>> comments;
  gert::OpImplFunctionsV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplFunctionsV2::InferShapeRangeKernelFunc infer_shape_range = nullptr;
  gert::OpImplFunctionsV2::InferDataTypeKernelFunc infer_datatype = nullptr;
  OpAICoreDef ai_core;
  OpAICPUDef ai_cpu;
  OpHostCPUDef host_cpu;
  OpMC2Def mc2;
  FormatCheckOption format_check = FormatCheckOption::DEFAULT;
  bool fallback = false;
};

// References to ports stay valid while further ones are made.
OpDef::OpDef(const char *type) : content_(new Content()) {
  content_->type = type ? type : "";
  content_->inputs.reserve(64);
  content_->outputs.reserve(64);
  content_->attrs.reserve(64);
}
OpDef::OpDef(const OpDef &other) : content_(new Content(*other.content_)) {}
OpDef &OpDef::operator=(const OpDef &other) {
  *content_ = *other.content_;
  return *this;
}
OpDef::~OpDef() = default;

OpParamDef &OpDef::Input(const char *name) { return GetOrCreate(content_->inputs, name); }
OpParamDef &OpDef::Output(const char *name) { return GetOrCreate(content_->outputs, name); }
OpAttrDef &OpDef::Attr(const char *name) { return GetOrCreate(content_->attrs, name); }
OpDef &OpDef::Comment(CommentSection section, const char *comment) {
  content_->comments[section].emplace_back(comment);
  return *this;
}
OpDef &OpDef::Comment(const char *comment) { return Comment(CommentSection::BRIEF, comment); }
OpDef &OpDef::SetInferShape(gert::OpImplFunctionsV2::InferShapeKernelFunc function) {
  content_->infer_shape = function;
  return *this;
}
OpDef &OpDef::SetInferShapeRange(gert::OpImplFunctionsV2::InferShapeRangeKernelFunc function) {
  content_->infer_shape_range = function;
  return *this;
}
OpDef &OpDef::SetInferDataType(gert::OpImplFunctionsV2::InferDataTypeKernelFunc function) {
  content_->infer_datatype = function;
  return *this;
}
gert::OpImplFunctionsV2::InferShapeKernelFunc &OpDef::GetInferShape() { return content_->infer_shape; }
gert::OpImplFunctionsV2::InferShapeRangeKernelFunc &OpDef::GetInferShapeRange() { return content_->infer_shape_range; }
gert::OpImplFunctionsV2::InferDataTypeKernelFunc &OpDef::GetInferDataType() { return content_->infer_datatype; }
OpAICoreDef &OpDef::AICore() { return content_->ai_core; }
OpAICPUDef &OpDef::AICPU() { return content_->ai_cpu; }
OpHostCPUDef &OpDef::HostCPU() { return content_->host_cpu; }
OpMC2Def &OpDef::MC2() { return content_->mc2; }
OpDef &OpDef::FormatMatchMode(FormatCheckOption option) {
  content_->format_check = option;
  return *this;
}
OpDef &OpDef::EnableFallBack() {
  content_->fallback = true;
  return *this;
}
ge::AscendString OpDef::GetOpType() const { return content_->type; }
const std::vector<OpParamDef> &OpDef::GetInputs() const { return content_->inputs; }
const std::vector<OpParamDef> &OpDef::GetOutputs() const { return content_->outputs; }
const std::vector<OpAttrDef> &OpDef::GetAttrs() const { return content_->attrs; }

namespace {
struct Definitions {
  std::mutex mutex;
  std::map<std::string, OpDefCreator> creators;
  std::vector<ge::AscendString> types;
  std::map<std::pair<std::string, std::string>, OpAICoreConfigFunc> configs;
};
Definitions &All() {
  static Definitions *definitions = new Definitions();
  return *definitions;
}
} // namespace

int OpDefFactory::OpDefRegister(const char *type, OpDefCreator creator) {
  {
    std::lock_guard<std::mutex> lock(All().mutex);
    const auto added = All().creators.emplace(type, creator);
    if (!added.second && !ferrata::native::DefinitionsReplace())
      return 1;
    added.first->second = creator; // a project that is loaded again
    if (added.second)
      All().types.emplace_back(type);
  }
  OpDef definition = creator(type);
  ferrata::native::Define(definition, reinterpret_cast<const void *>(creator));
  gert::OpImplRegisterV2 functions(type, "", 0);
  functions.InferShape(definition.GetInferShape())
      .InferShapeRange(definition.GetInferShapeRange())
      .InferDataType(definition.GetInferDataType());
  for (size_t i = 0; i < definition.GetInputs().size(); ++i) {
    const OpParamDef &input = definition.GetInputs()[i];
    if (input.GetValueDepend() == Option::REQUIRED && input.GetDependScope() == DependScope::ALL)
      functions.InputsDataDependency({static_cast<int32_t>(i)});
  }
  if (definition.AICore().GetTiling() != nullptr)
    functions.Tiling(definition.AICore().GetTiling());
  const gert::OpImplRegisterV2 registered(functions); // copying registers
  return 0;
}
std::vector<ge::AscendString> &OpDefFactory::GetAllOp() { return All().types; }
OpDef OpDefFactory::OpDefCreate(const char *type) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto found = All().creators.find(type);
  return found == All().creators.end() ? OpDef("default") : found->second(type);
}

OpAICoreConfigRegister::OpAICoreConfigRegister(const char *op_type, const char *soc, OpAICoreConfigFunc function) {
  std::lock_guard<std::mutex> lock(All().mutex);
  All().configs.emplace(std::make_pair(op_type, soc), function);
}

} // namespace ops

namespace optiling {

namespace {
std::map<std::string, SinkTilingFunc> &DeviceTiling() {
  static auto *functions = new std::map<std::string, SinkTilingFunc>();
  return *functions;
}
} // namespace

DeviceOpImplRegister::DeviceOpImplRegister(const char *op_type) : type_(op_type) {}
DeviceOpImplRegister::DeviceOpImplRegister(const DeviceOpImplRegister &other)
    : type_(other.type_), function_(other.function_) {
  DeviceTiling()[type_] = function_;
}
DeviceOpImplRegister &DeviceOpImplRegister::Tiling(SinkTilingFunc function) {
  function_ = std::move(function);
  return *this;
}

} // namespace optiling

size_t GetRegisteredOpCtNum() { return GetRegisteredOpNum(); }
int32_t GetOpCtImplFunctions(gert::TypesToImpl *out, size_t count) { return GetOpImplFunctions(out, count); }
