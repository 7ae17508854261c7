// Prototype macros: REG_OP(X).INPUT(x, TensorType({DT_FLOAT})) ... .OP_END_FACTORY_REG(X)
//
// REG_OP opens a class with an unfinished member function; every following macro closes that function, adds its own
// members and opens the next function, in which `OpReg()` waits for the dot of the next macro. Constructing an
// operator runs all these functions, and so tells libgert the ports and attributes.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph.h"
#include "operator.h"
#include "operator_factory.h"
#include "operator_types.h"
#include "tensor.h"
#include "types.h"

namespace ge {
// The object before the first dot.
class OpReg {
public:
  OpReg &N() { return *this; }
};
} // namespace ge

#define REG_OP(x)                                                                                                      \
  namespace op {                                                                                                       \
  class x : public ::ge::Operator {                                                                                    \
    using ferrata_this = x;                                                                                            \
                                                                                                                       \
  public:                                                                                                              \
    x() : ::ge::Operator(#x) { ferrata_declare(); }                                                                    \
    explicit x(const char *name) : ::ge::Operator(name, #x) { ferrata_declare(); }                                     \
    explicit x(const std::string &name) : ::ge::Operator(name.c_str(), #x) { ferrata_declare(); }                      \
    explicit x(const ::ge::AscendString &name) : ::ge::Operator(name.GetString(), #x) { ferrata_declare(); }           \
                                                                                                                       \
  private:                                                                                                             \
    void ferrata_declare() {                                                                                           \
      ::ge::OpReg()

#define FERRATA_REG_OPEN(kind, x)                                                                                      \
  N();                                                                                                                 \
  ferrata_##kind##_##x();                                                                                              \
  }                                                                                                                    \
                                                                                                                       \
public:

#define FERRATA_REG_NEXT(kind, x)                                                                                      \
private:                                                                                                               \
  void ferrata_##kind##_##x() {

#define FERRATA_REG_INPUT(x)                                                                                           \
  static const std::string name_in_##x() { return #x; }                                                                \
  ferrata_this &set_input_##x(::ge::Operator &v, const std::string &srcName) {                                         \
    ::ge::Operator::SetInput(#x, v, srcName.c_str());                                                                  \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_input_##x(::ge::Operator &v, uint32_t index) {                                                     \
    ::ge::Operator::SetInput(#x, v, index);                                                                            \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_input_##x##_by_name(::ge::Operator &v, const char *srcName) {                                      \
    ::ge::Operator::SetInput(#x, v, srcName);                                                                          \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_input_##x(::ge::Operator &v) {                                                                     \
    ::ge::Operator::SetInput(#x, v);                                                                                   \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ::ge::TensorDesc get_input_desc_##x() const { return ::ge::Operator::GetInputDescByName(#x); }                       \
  ::ge::graphStatus update_input_desc_##x(const ::ge::TensorDesc &desc) {                                              \
    return ::ge::Operator::UpdateInputDesc(#x, desc);                                                                  \
  }

#define INPUT(x, t)                                                                                                    \
  FERRATA_REG_OPEN(input, x)                                                                                           \
  FERRATA_REG_INPUT(x)                                                                                                 \
  FERRATA_REG_NEXT(input, x)                                                                                           \
  ::ge::Operator::InputRegister(#x, #t);                                                                               \
  ::ge::OpReg()

#define OPTIONAL_INPUT(x, t)                                                                                           \
  FERRATA_REG_OPEN(input, x)                                                                                           \
  FERRATA_REG_INPUT(x)                                                                                                 \
  FERRATA_REG_NEXT(input, x)                                                                                           \
  ::ge::Operator::OptionalInputRegister(#x, #t);                                                                       \
  ::ge::OpReg()

#define OUTPUT(x, t)                                                                                                   \
  FERRATA_REG_OPEN(output, x)                                                                                          \
  static const std::string name_out_##x() { return #x; }                                                               \
  ::ge::TensorDesc get_output_desc_##x() const { return ::ge::Operator::GetOutputDescByName(#x); }                     \
  ::ge::graphStatus update_output_desc_##x(const ::ge::TensorDesc &desc) {                                             \
    return ::ge::Operator::UpdateOutputDesc(#x, desc);                                                                 \
  }                                                                                                                    \
  FERRATA_REG_NEXT(output, x)                                                                                          \
  ::ge::Operator::OutputRegister(#x, #t);                                                                              \
  ::ge::OpReg()

#define DYNAMIC_INPUT(x, t)                                                                                            \
  FERRATA_REG_OPEN(input, x)                                                                                           \
  static const std::string name_in_##x() { return #x; }                                                                \
  ferrata_this &create_dynamic_input_##x(uint32_t num, bool isPushBack = true) {                                       \
    ::ge::Operator::DynamicInputRegister(#x, num, isPushBack);                                                         \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &create_dynamic_input_byindex_##x(uint32_t num, size_t index) {                                         \
    ::ge::Operator::DynamicInputRegisterByIndex(#x, num, index);                                                       \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ::ge::TensorDesc get_dynamic_input_desc_##x(uint32_t index) const {                                                  \
    return ::ge::Operator::GetDynamicInputDesc(#x, index);                                                             \
  }                                                                                                                    \
  ::ge::graphStatus update_dynamic_input_desc_##x(uint32_t index, const ::ge::TensorDesc &desc) {                      \
    return ::ge::Operator::UpdateDynamicInputDesc(#x, index, desc);                                                    \
  }                                                                                                                    \
  ferrata_this &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v) {                                          \
    ::ge::Operator::SetInput((#x + std::to_string(dstIndex)).c_str(), v);                                              \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v, const std::string &srcName) {              \
    ::ge::Operator::SetInput((#x + std::to_string(dstIndex)).c_str(), v, srcName.c_str());                             \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_dynamic_input_##x(uint32_t dstIndex, ::ge::Operator &v, const char *srcName) {                     \
    ::ge::Operator::SetInput((#x + std::to_string(dstIndex)).c_str(), v, srcName);                                     \
    return *this;                                                                                                      \
  }                                                                                                                    \
  FERRATA_REG_NEXT(input, x)                                                                                           \
  ::ge::Operator::DynamicInputPortRegister(#x, #t);                                                                    \
  ::ge::OpReg()

#define DYNAMIC_OUTPUT(x, t)                                                                                           \
  FERRATA_REG_OPEN(output, x)                                                                                          \
  static const std::string name_out_##x() { return #x; }                                                               \
  ferrata_this &create_dynamic_output_##x(uint32_t num, bool isPushBack = true) {                                      \
    ::ge::Operator::DynamicOutputRegister(#x, num, isPushBack);                                                        \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ::ge::TensorDesc get_dynamic_output_desc_##x(uint32_t index) const {                                                 \
    return ::ge::Operator::GetDynamicOutputDesc(#x, index);                                                            \
  }                                                                                                                    \
  ::ge::graphStatus update_dynamic_output_desc_##x(uint32_t index, const ::ge::TensorDesc &desc) {                     \
    return ::ge::Operator::UpdateDynamicOutputDesc(#x, index, desc);                                                   \
  }                                                                                                                    \
  FERRATA_REG_NEXT(output, x)                                                                                          \
  ::ge::Operator::DynamicOutputPortRegister(#x, #t);                                                                   \
  ::ge::OpReg()

// String kinds also answer with an AscendString.
#define FERRATA_REG_ATTR(x, Type)                                                                                      \
  static const std::string name_attr_##x() { return #x; }                                                              \
  template <typename T = Op##Type>                                                                                     \
  std::enable_if_t<std::is_same_v<T, std::string>, ::ge::graphStatus> get_attr_##x(::ge::AscendString &val) const {    \
    return ::ge::Operator::GetAttr(#x, val);                                                                           \
  }                                                                                                                    \
  template <typename T = Op##Type>                                                                                     \
  std::enable_if_t<std::is_same_v<T, std::vector<std::string>>, ::ge::graphStatus> get_attr_##x(                       \
      std::vector<::ge::AscendString> &val) const {                                                                    \
    return ::ge::Operator::GetAttr(#x, val);                                                                           \
  }                                                                                                                    \
  ferrata_this &set_attr_##x(const Op##Type &v) {                                                                      \
    ::ge::Operator::SetAttr(#x, v);                                                                                    \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ferrata_this &set_attr_##x(const std::function<Op##Type()> &) { return *this; }

#define ATTR(x, Type, ...)                                                                                             \
  FERRATA_REG_OPEN(attr, x)                                                                                            \
  Op##Type get_attr_##x() const {                                                                                      \
    Op##Type ret = __VA_ARGS__;                                                                                        \
    if (::ge::Operator::GetAttr(#x, ret) == ::ge::GRAPH_SUCCESS)                                                       \
      return ret;                                                                                                      \
    Op##Type declared = __VA_ARGS__;                                                                                   \
    return declared;                                                                                                   \
  }                                                                                                                    \
  FERRATA_REG_ATTR(x, Type)                                                                                            \
  FERRATA_REG_NEXT(attr, x)                                                                                            \
  Op##Type defaultAttr = __VA_ARGS__;                                                                                  \
  ::ge::Operator::AttrKindRegister(#x, #Type);                                                                         \
  ::ge::Operator::SetAttr(#x, defaultAttr);                                                                            \
  ::ge::OpReg()

#define REQUIRED_ATTR(x, Type)                                                                                         \
  FERRATA_REG_OPEN(attr, x)                                                                                            \
  Op##Type get_attr_##x() const {                                                                                      \
    Op##Type ret{};                                                                                                    \
    (void)::ge::Operator::GetAttr(#x, ret);                                                                            \
    return ret;                                                                                                        \
  }                                                                                                                    \
  FERRATA_REG_ATTR(x, Type)                                                                                            \
  FERRATA_REG_NEXT(attr, x)                                                                                            \
  ::ge::Operator::RequiredAttrRegister(#x, #Type);                                                                     \
  ::ge::OpReg()

#define DATATYPE(x, t)                                                                                                 \
  FERRATA_REG_OPEN(datatype, x)                                                                                        \
  FERRATA_REG_NEXT(datatype, x)                                                                                        \
  using namespace ::ge;                                                                                                \
  ::ge::Operator::DataTypeRegister(#x, t);                                                                             \
  ::ge::OpReg()

#define GRAPH(x)                                                                                                       \
  FERRATA_REG_OPEN(graph, x)                                                                                           \
  static const std::string name_graph_##x() { return #x; }                                                             \
  ::ge::SubgraphBuilder get_subgraph_builder_##x() const { return ::ge::Operator::GetSubgraphBuilder(#x); }            \
  ferrata_this &set_subgraph_builder_##x(const ::ge::SubgraphBuilder &v) {                                             \
    ::ge::Operator::SetSubgraphBuilder(#x, 0, v);                                                                      \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ::ge::Graph get_subgraph_##x() const { return ::ge::Operator::GetSubgraph(#x); }                                     \
  FERRATA_REG_NEXT(graph, x)                                                                                           \
  ::ge::Operator::SubgraphRegister(#x, false);                                                                         \
  ::ge::OpReg()

#define DYNAMIC_GRAPH(x)                                                                                               \
  FERRATA_REG_OPEN(graph, x)                                                                                           \
  static const std::string name_graph_##x() { return #x; }                                                             \
  ferrata_this &create_dynamic_subgraph_##x(uint32_t num) {                                                            \
    ::ge::Operator::SubgraphCountRegister(#x, num);                                                                    \
    return *this;                                                                                                      \
  }                                                                                                                    \
  ::ge::SubgraphBuilder get_dynamic_subgraph_builder_##x(uint32_t index) const {                                       \
    return ::ge::Operator::GetDynamicSubgraphBuilder(#x, index);                                                       \
  }                                                                                                                    \
  ::ge::Graph get_dynamic_subgraph_##x(uint32_t index) const { return ::ge::Operator::GetDynamicSubgraph(#x, index); } \
  ferrata_this &set_dynamic_subgraph_builder_##x(uint32_t index, const ::ge::SubgraphBuilder &v) {                     \
    ::ge::Operator::SetSubgraphBuilder(#x, index, v);                                                                  \
    return *this;                                                                                                      \
  }                                                                                                                    \
  FERRATA_REG_NEXT(graph, x)                                                                                           \
  ::ge::Operator::SubgraphRegister(#x, true);                                                                          \
  ::ge::OpReg()

#define OP_END_FACTORY_REG(x)                                                                                          \
  N();                                                                                                                 \
  static_assert(std::is_same_v<x, ferrata_this>, "OP_END_FACTORY_REG names another operator than REG_OP");             \
  }                                                                                                                    \
  }                                                                                                                    \
  ;                                                                                                                    \
  VAR_UNUSED static const ::ge::OperatorCreatorRegister ferrata_register_##x(                                          \
      #x, [](const ::ge::AscendString &name) -> ::ge::Operator { return x(name); });                                   \
  }

// --- V1 functions ---

#define IMPLEMT_INFERFUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_COMMON_INFERFUNC(func_name) static ::ge::graphStatus func_name(::ge::Operator &op)
#define IMPLEMT_VERIFIER(op_name, func_name) static ::ge::graphStatus func_name(op::op_name op)
#define IMPLEMT_INFERFORMAT_FUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPL_INFER_VALUE_RANGE_FUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_COMMON_INFERFORMAT_FUNC(func_name) static ::ge::graphStatus func_name(::ge::Operator &op)

// A function of op::X on an operator that the engine holds.
#define FERRATA_V1_OF(op_name, x)                                                                                      \
  [](::ge::Operator &v) -> ::ge::graphStatus {                                                                         \
    op::op_name derived;                                                                                               \
    static_cast<::ge::Operator &>(derived) = v;                                                                        \
    return x(derived);                                                                                                 \
  }
#define FERRATA_V1_REG(Kind, op_name, ...) FERRATA_V1_REG_AT(Kind, op_name, __COUNTER__, __VA_ARGS__)
#define FERRATA_V1_REG_AT(Kind, op_name, counter, ...) FERRATA_V1_REG_INNER(Kind, op_name, counter, __VA_ARGS__)
#define FERRATA_V1_REG_INNER(Kind, op_name, counter, ...)                                                              \
  VAR_UNUSED static const ::ge::Kind ferrata_v1_##op_name##counter(#op_name, __VA_ARGS__)

#define INFER_FUNC_REG(op_name, x) FERRATA_V1_REG(InferShapeFuncRegister, op_name, FERRATA_V1_OF(op_name, x))
#define COMMON_INFER_FUNC_REG(op_name, x) FERRATA_V1_REG(InferShapeFuncRegister, op_name, x)
#define VERIFY_FUNC_REG(op_name, x) FERRATA_V1_REG(VerifyFuncRegister, op_name, FERRATA_V1_OF(op_name, x))
#define INFER_FORMAT_FUNC_REG(op_name, x) FERRATA_V1_REG(InferFormatFuncRegister, op_name, FERRATA_V1_OF(op_name, x))
#define COMMON_INFER_FORMAT_FUNC_REG(op_name, x) FERRATA_V1_REG(InferFormatFuncRegister, op_name, x)
#define INFER_VALUE_RANGE_DEFAULT_REG(op_name)                                                                         \
  VAR_UNUSED static const ::ge::InferValueRangeFuncRegister ferrata_value_range_##op_name(#op_name)
#define INFER_VALUE_RANGE_CUSTOM_FUNC_REG(op_name, when_call, x)                                                       \
  FERRATA_V1_REG(InferValueRangeFuncRegister, op_name, when_call, FERRATA_V1_OF(op_name, x))

#define ELMTWISE_INFER_SHAPEANDTYPE(in_name, out_name) ::ge::ElementwiseInferFor(in_name, out_name)
#define BROADCAST_INFER(in1_name, in2_name, out_name) ::ge::BroadcastInferFor(in1_name, in2_name, out_name)
