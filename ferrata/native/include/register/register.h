// Front-end adapters: REGISTER_CUSTOM_OP("Add").FrameworkType(ONNX).OriginOpType("Add"). Recorded, and not used: models
// come through PyTorch here.
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "../graph/operator.h"
#include "register_types.h"

namespace domi {

using Status = uint32_t;
inline constexpr Status SUCCESS = 0U;
inline constexpr Status FAILED = 4294967295U;

using ParseParamByOpFunc = std::function<Status(const ge::Operator &, ge::Operator &)>;
using ParseParamFunc = std::function<Status(const void *, ge::Operator &)>;

class OpRegistrationData {
public:
  explicit OpRegistrationData(const char *op_type) : type_(op_type) {}
  explicit OpRegistrationData(const std::string &op_type) : type_(op_type) {}
  OpRegistrationData &FrameworkType(const domi::FrameworkType &framework) {
    framework_ = framework;
    return *this;
  }
  OpRegistrationData &OriginOpType(const char *type) {
    origin_types_.emplace_back(type);
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::string &type) { return OriginOpType(type.c_str()); }
  OpRegistrationData &OriginOpType(const std::initializer_list<std::string> &types) {
    origin_types_.insert(origin_types_.end(), types);
    return *this;
  }
  OpRegistrationData &ParseParamsFn(const ParseParamFunc &) { return *this; }
  OpRegistrationData &ParseParamsByOperatorFn(const ParseParamByOpFunc &) { return *this; }
  OpRegistrationData &ImplyType(const domi::ImplyType &imply) {
    imply_ = imply;
    return *this;
  }
  std::string GetOmOptype() const { return type_; }
  domi::FrameworkType GetFrameworkType() const { return framework_; }
  domi::ImplyType GetImplyType() const { return imply_; }
  const std::vector<std::string> &GetOriginOpTypes() const { return origin_types_; }

private:
  std::string type_;
  std::vector<std::string> origin_types_;
  domi::FrameworkType framework_ = FRAMEWORK_RESERVED;
  domi::ImplyType imply_ = domi::ImplyType::BUILDIN;
};

class OpReceiver {
public:
  OpReceiver(const OpRegistrationData &) {}
};

// Copies an attribute of the same name and value where both sides know it; nothing to do without a model.
inline Status AutoMappingByOpFn(const ge::Operator &, ge::Operator &) { return SUCCESS; }
inline Status AutoMappingFn(const void *, ge::Operator &) { return SUCCESS; }

} // namespace domi

#define DOMI_REGISTER_CUSTOM_OP(counter, name)                                                                         \
  VAR_UNUSED static const ::domi::OpReceiver register_custom_op##counter = ::domi::OpRegistrationData(name)
#define DOMI_REGISTER_CUSTOM_OP_AT(counter, name) DOMI_REGISTER_CUSTOM_OP(counter, name)
#define REGISTER_CUSTOM_OP(name) DOMI_REGISTER_CUSTOM_OP_AT(__COUNTER__, name)
