// Operator definitions: class X : public OpDef { X(const char *name) : OpDef(name) {...} }; OP_ADD(X);
//
// The definitions are recorded, each by its factory; the functions they name are registered with the V2 registry, so
// that a library written as an operator project gives the engine its inference and tiling.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "../graph/ascend_string.h"
#include "../graph/attr_value.h"
#include "../graph/types.h"
#include "op_impl_registry.h"

namespace ge {
class Operator;
} // namespace ge

namespace ops {

enum Option : uint32_t {
  IGNORE = 0,
  OPTIONAL = 1,
  REQUIRED = 2,
  DYNAMIC = 3,
  VIRTUAL = 4,
};

enum class FormatCheckOption : uint32_t {
  DEFAULT = 0,
  STRICT = 1,
  MAX = 2,
};

enum class DependScope : uint32_t {
  ALL = 0,
  TILING = 1,
  INVALID_SCOPE = 2,
};

enum class FollowType : uint32_t {
  ALL = 0,
  DTYPE = 1,
  FORMAT = 2,
  SHAPE = 3,
  INVALID_TYPE = 4,
};

enum AttrDataType : uint32_t {
  ATTR_DT_BOOL = 0,
  ATTR_DT_FLOAT = 1,
  ATTR_DT_INT = 2,
  ATTR_DT_STR = 3,
  ATTR_DT_LIST_BOOL = 4,
  ATTR_DT_LIST_FLOAT = 5,
  ATTR_DT_LIST_INT = 6,
  ATTR_DT_LIST_LIST_INT = 7,
  ATTR_DT_MAX = 8,
};

enum InitValueType : uint32_t {
  INIT_VALUE_UINT64_T = 0,
  INIT_VALUE_DEFAULT = 4294967295U,
};

enum class CommentSection : uint32_t {
  CATEGORY = 0,
  BRIEF = 1,
  CONSTRAINTS = 2,
  RESTRICTIONS = 3,
  SEE = 4,
  THIRDPARTYFWKCOMPAT = 5,
  SECTION_MAX = 6,
};

enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = 4294967295U,
};

enum class HcclServerType : uint32_t {
  AICPU = 0,
  AICORE = 1,
  CCU = 2,
  MAX = 3,
};

enum ItemFindStatus : uint32_t {
  ITEM_FIND = 0,
  ITEM_NOEXIST = 1,
};

// A number with its type, as InitValue takes one.
struct ScalarVar {
  ScalarType scalar_type = ScalarType::INVALID_DTYPE;
  union {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
  } scalar_num{0};
  ScalarVar() = default;
  ScalarVar(ScalarType type, uint64_t number) : scalar_type(type) { scalar_num.value_u64 = number; }
  ScalarVar(ScalarType type, int64_t number) : scalar_type(type) { scalar_num.value_i64 = number; }
  ScalarVar(ScalarType type, int number) : scalar_type(type) { scalar_num.value_i64 = number; }
  ScalarVar(ScalarType type, unsigned int number) : scalar_type(type) { scalar_num.value_u64 = number; }
  ScalarVar(ScalarType type, float number) : scalar_type(type) { scalar_num.value_f32 = number; }
  ScalarVar(ScalarType type, double number) : ScalarVar(type, static_cast<float>(number)) {}
};

// One port. Lists of data types and formats are aligned by place across the ports of an operator.
class FERRATA_GE_API OpParamDef {
public:
  explicit OpParamDef(const char *name) : name_(name) {}

  OpParamDef &ParamType(Option param_type);
  OpParamDef &DataType(std::vector<ge::DataType> types);
  OpParamDef &DataTypeList(std::vector<ge::DataType> types);
  OpParamDef &Format(std::vector<ge::Format> formats);
  OpParamDef &FormatList(std::vector<ge::Format> formats);
  OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> types);
  OpParamDef &FormatForBinQuery(std::vector<ge::Format> formats);
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats);
  OpParamDef &ValueDepend(Option value_depend);
  OpParamDef &ValueDepend(Option value_depend, DependScope scope);
  OpParamDef &IgnoreContiguous();
  OpParamDef &AutoContiguous();
  OpParamDef &Scalar();
  OpParamDef &ScalarList();
  // After Scalar or ScalarList: the type that the number is converted to, or the port whose type it takes.
  OpParamDef &To(const ge::DataType type);
  OpParamDef &To(const char *name);
  OpParamDef &Version(uint32_t version);
  OpParamDef &InitValue(uint64_t value);
  OpParamDef &InitValue(const ScalarVar &value);
  OpParamDef &InitValue(const std::vector<ScalarVar> &values);
  OpParamDef &OutputShapeDependOnCompute();
  OpParamDef &Follow(const char *param_name);
  OpParamDef &Follow(const char *param_name, FollowType follow_type);
  OpParamDef &Comment(const char *comment);

  const ge::AscendString &GetName() const { return name_; }
  Option GetParamType() const { return param_type_; }
  const std::vector<ge::DataType> &GetDataTypes() const { return types_; }
  const std::vector<ge::Format> &GetFormats() const { return formats_; } // empty: ND
  bool IsDataTypeList() const { return type_list_; }
  Option GetValueDepend() const { return value_depend_; }
  DependScope GetDependScope() const { return depend_scope_; }
  const ge::AscendString &GetFollowName() const { return follow_; }
  FollowType GetFollowType() const { return follow_type_; }
  bool IsFormatList() const { return format_list_; }
  const std::vector<ScalarVar> &GetInitValues() const { return init_values_; } // one, or one per column; empty: none
  bool DependsOnCompute() const { return depends_on_compute_; }
  bool IsScalar() const { return scalar_; }
  bool IsScalarList() const { return scalar_list_; }
  ge::DataType GetToType() const { return to_type_; } // DT_UNDEFINED: not given
  const ge::AscendString &GetToName() const { return to_name_; }

private:
  ge::AscendString name_, follow_, to_name_, comment_;
  Option param_type_ = Option::REQUIRED, value_depend_ = Option::IGNORE;
  DependScope depend_scope_ = DependScope::ALL;
  FollowType follow_type_ = FollowType::ALL;
  std::vector<ge::DataType> types_, query_types_;
  std::vector<ge::Format> formats_, query_formats_, unknown_formats_;
  std::vector<ScalarVar> init_values_;
  ge::DataType to_type_ = ge::DT_UNDEFINED;
  bool type_list_ = false, format_list_ = false, ignore_contiguous_ = false, auto_contiguous_ = false;
  bool scalar_ = false, scalar_list_ = false, depends_on_compute_ = false;
  uint32_t version_ = 0;
};

// An attribute; required unless AttrType makes it optional.
class FERRATA_GE_API OpAttrDef {
public:
  explicit OpAttrDef(const char *name) : name_(name) {}

  OpAttrDef &AttrType(Option attr_type);
  OpAttrDef &Bool();
  OpAttrDef &Bool(bool value);
  OpAttrDef &Float();
  OpAttrDef &Float(float value);
  OpAttrDef &Int();
  OpAttrDef &Int(int64_t value);
  OpAttrDef &String();
  OpAttrDef &String(const char *value);
  OpAttrDef &ListBool();
  OpAttrDef &ListBool(std::vector<bool> value);
  OpAttrDef &ListFloat();
  OpAttrDef &ListFloat(std::vector<float> value);
  OpAttrDef &ListInt();
  OpAttrDef &ListInt(std::vector<int64_t> value);
  OpAttrDef &ListListInt();
  OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value);
  OpAttrDef &Version(uint32_t version);
  OpAttrDef &Comment(const char *comment);

  const ge::AscendString &GetName() const { return name_; }
  bool IsRequired() const { return required_; }
  AttrDataType GetDataType() const { return type_; }
  const ge::AscendString &GetDefault() const { return default_; } // as text
  const ge::AttrValue &GetDefaultValue() const { return value_; } // of its type, zero or empty without a value

private:
  template <typename T> OpAttrDef &Set(AttrDataType type, const T &value, const char *text);

  ge::AscendString name_, default_, comment_;
  ge::AttrValue value_;
  AttrDataType type_ = ATTR_DT_BOOL;
  bool required_ = true;
  uint32_t version_ = 0;
};

// Settings for one chip, which override the operator's own.
class FERRATA_GE_API OpAICoreConfig {
public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char *soc) : soc_(soc) {}

  OpParamDef &Input(const char *name);
  OpParamDef &Output(const char *name);
  OpAICoreConfig &DynamicCompileStaticFlag(bool flag);
  OpAICoreConfig &DynamicFormatFlag(bool flag);
  OpAICoreConfig &DynamicRankSupportFlag(bool flag);
  OpAICoreConfig &DynamicShapeSupportFlag(bool flag);
  OpAICoreConfig &NeedCheckSupportFlag(bool flag);
  OpAICoreConfig &PrecisionReduceFlag(bool flag);
  OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value);
  const std::map<ge::AscendString, ge::AscendString> &GetCfgInfo() const { return settings_; }
  const std::vector<OpParamDef> &GetInputs() const { return inputs_; }
  const std::vector<OpParamDef> &GetOutputs() const { return outputs_; }

private:
  ge::AscendString soc_;
  std::vector<OpParamDef> inputs_, outputs_;
  std::map<ge::AscendString, ge::AscendString> settings_;
};

class FERRATA_GE_API OpAICoreDef {
public:
  using CheckFunc = gert::OpImplFunctionsV2::OpCheckFunc;
  using StringCheckFunc = int32_t (*)(const ge::Operator &, ge::AscendString &);
  using ParamGeneralizeFunc = int32_t (*)(const ge::Operator &, const ge::AscendString &, ge::AscendString &);

  OpAICoreDef &SetTiling(gert::OpImplFunctionsV2::TilingKernelFunc function);
  OpAICoreDef &SetCheckSupport(StringCheckFunc function);
  OpAICoreDef &SetOpSelectFormat(StringCheckFunc function);
  OpAICoreDef &SetOpSupportInfo(StringCheckFunc function);
  OpAICoreDef &SetOpSpecInfo(StringCheckFunc function);
  OpAICoreDef &SetParamGeneralize(ParamGeneralizeFunc function);
  OpAICoreDef &AddConfig(const char *soc);
  OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &config);

  gert::OpImplFunctionsV2::TilingKernelFunc GetTiling() const { return tiling_; }
  const std::map<ge::AscendString, OpAICoreConfig> &GetConfigs() const { return configs_; }

private:
  gert::OpImplFunctionsV2::TilingKernelFunc tiling_ = nullptr;
  StringCheckFunc check_support_ = nullptr, select_format_ = nullptr, support_info_ = nullptr, spec_info_ = nullptr;
  ParamGeneralizeFunc generalize_ = nullptr;
  std::map<ge::AscendString, OpAICoreConfig> configs_;
};

class FERRATA_GE_API OpAICPUDef {};
class FERRATA_GE_API OpHostCPUDef {};

class FERRATA_GE_API OpMC2Def {
public:
  OpMC2Def &HcclGroup(const char *name);
  OpMC2Def &HcclGroup(std::vector<const char *> names);
  OpMC2Def &HcclServerType(ops::HcclServerType type, const char *soc = nullptr);

private:
  std::vector<ge::AscendString> groups_;
  std::map<ge::AscendString, ops::HcclServerType> servers_;
};

class FERRATA_GE_API OpDef {
public:
  explicit OpDef(const char *type);
  OpDef(const OpDef &);
  OpDef &operator=(const OpDef &);
  virtual ~OpDef();

  // Get or create, by name.
  OpParamDef &Input(const char *name);
  OpParamDef &Output(const char *name);
  OpAttrDef &Attr(const char *name);

  OpDef &Comment(CommentSection section, const char *comment);
  OpDef &Comment(const char *comment);
  OpDef &SetInferShape(gert::OpImplFunctionsV2::InferShapeKernelFunc function);
  OpDef &SetInferShapeRange(gert::OpImplFunctionsV2::InferShapeRangeKernelFunc function);
  OpDef &SetInferDataType(gert::OpImplFunctionsV2::InferDataTypeKernelFunc function);
  gert::OpImplFunctionsV2::InferShapeKernelFunc &GetInferShape();
  gert::OpImplFunctionsV2::InferShapeRangeKernelFunc &GetInferShapeRange();
  gert::OpImplFunctionsV2::InferDataTypeKernelFunc &GetInferDataType();
  OpAICoreDef &AICore();
  OpAICPUDef &AICPU();
  OpHostCPUDef &HostCPU();
  OpMC2Def &MC2();
  OpDef &FormatMatchMode(FormatCheckOption option);
  OpDef &EnableFallBack();

  ge::AscendString GetOpType() const;
  const std::vector<OpParamDef> &GetInputs() const;
  const std::vector<OpParamDef> &GetOutputs() const;
  const std::vector<OpAttrDef> &GetAttrs() const;

private:
  struct Content;
  std::unique_ptr<Content> content_;
};

using OpDefCreator = OpDef (*)(const char *);

// Definitions by type; the first of a type stays.
class FERRATA_GE_API OpDefFactory {
public:
  static int OpDefRegister(const char *type, OpDefCreator creator);
  static std::vector<ge::AscendString> &GetAllOp();
  static OpDef OpDefCreate(const char *type);
};

} // namespace ops

// Further arguments (chips) are ignored, as in the original.
#define OP_ADD(op_type, ...)                                                                                           \
  static ::ops::OpDef ferrata_create_##op_type(const char *name) { return op_type(name); }                             \
  VAR_UNUSED static const int ferrata_op_def_##op_type =                                                               \
      ::ops::OpDefFactory::OpDefRegister(#op_type, &ferrata_create_##op_type)
