// ge::Operator: a handle to one node of a graph. The classes that REG_OP makes derive from it; V1 inference
// functions read input descriptions from it and write output descriptions to it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ascend_string.h"
#include "attr_value.h"
#include "error_codes.h"
#include "inference_context.h"
#include "tensor.h"
#include "types.h"

namespace ge {

class Operator;
class Graph;
class TensorType;
class ListTensorType;
class Promote;
struct OperatorImpl; // libgert's own

using SubgraphBuilder = std::function<Graph()>;
using InferShapeFunc = std::function<graphStatus(Operator &)>;
using InferFormatFunc = std::function<graphStatus(Operator &)>;
using InferValueRangeFunc = std::function<graphStatus(Operator &)>;
using VerifyFunc = std::function<graphStatus(Operator &)>;

class FERRATA_GE_API Operator {
public:
  using OpInt = int64_t;
  using OpFloat = float;
  using OpString = std::string;
  using OpAscendString = AscendString;
  using OpBool = bool;
  using OpTensor = Tensor;
  using OpType = ::ge::DataType;
  using OpNamedAttrs = ::ge::NamedAttrs;
  using OpListInt = std::vector<int64_t>;
  using OpListFloat = std::vector<float>;
  using OpListString = std::vector<std::string>;
  using OpListAscendString = std::vector<AscendString>;
  using OpListBool = std::vector<bool>;
  using OpListTensor = std::vector<Tensor>;
  using OpBytes = std::vector<uint8_t>;
  using OpListListInt = std::vector<std::vector<int64_t>>;
  using OpListType = std::vector<::ge::DataType>;
  using OpListNamedAttrs = std::vector<::ge::NamedAttrs>;

  Operator();
  explicit Operator(const char *type);
  explicit Operator(const std::string &type) : Operator("", type.c_str()) {}
  explicit Operator(const AscendString &type);
  Operator(const char *name, const char *type);
  Operator(const std::string &name, const std::string &type) : Operator(name.c_str(), type.c_str()) {}
  Operator(const AscendString &name, const AscendString &type);
  virtual ~Operator();
  Operator(const Operator &) = default;
  Operator(Operator &&) = default;
  Operator &operator=(const Operator &) = default;
  Operator &operator=(Operator &&) = default;

  bool IsEmpty() const;
  std::string GetName() const {
    AscendString name;
    (void)GetName(name);
    return ToStdString(name);
  }
  graphStatus GetName(AscendString &name) const;
  std::string GetOpType() const {
    AscendString type;
    (void)GetOpType(type);
    return ToStdString(type);
  }
  graphStatus GetOpType(AscendString &type) const;

  // Edges.
  Operator &SetInput(const std::string &dst, const Operator &src) { return SetInput(dst.c_str(), src); }
  Operator &SetInput(const std::string &dst, const Operator &src, const std::string &src_name) {
    return SetInput(dst.c_str(), src, src_name.c_str());
  }
  Operator &SetInput(const std::string &dst, const Operator &src, uint32_t src_index) {
    return SetInput(dst.c_str(), src, src_index);
  }
  Operator &SetInput(const char *dst, const Operator &src);
  Operator &SetInput(const char *dst, const Operator &src, const char *src_name);
  Operator &SetInput(const char *dst, const Operator &src, uint32_t src_index);
  Operator &SetInput(uint32_t dst_index, const Operator &src, uint32_t src_index);
  Operator &AddControlInput(const Operator &src);
  graphStatus GetInputConstData(const char *dst, Tensor &data) const;
  graphStatus GetInputConstData(const std::string &dst, Tensor &data) const {
    return GetInputConstData(dst.c_str(), data);
  }

  // Descriptions of input and output tensors. A bad name or index gives an empty description or GRAPH_FAILED.
  TensorDesc GetInputDesc(const std::string &name) const { return GetInputDescByName(name.c_str()); }
  TensorDesc GetInputDescByName(const char *name) const;
  TensorDesc GetInputDesc(uint32_t index) const;
  graphStatus TryGetInputDesc(const char *name, TensorDesc &desc) const;
  graphStatus TryGetInputDesc(const std::string &name, TensorDesc &desc) const {
    return TryGetInputDesc(name.c_str(), desc);
  }
  graphStatus UpdateInputDesc(const char *name, const TensorDesc &desc);
  graphStatus UpdateInputDesc(const std::string &name, const TensorDesc &desc) {
    return UpdateInputDesc(name.c_str(), desc);
  }
  graphStatus UpdateInputDesc(uint32_t index, const TensorDesc &desc);
  TensorDesc GetOutputDesc(const std::string &name) const { return GetOutputDescByName(name.c_str()); }
  TensorDesc GetOutputDescByName(const char *name) const;
  TensorDesc GetOutputDesc(uint32_t index) const;
  graphStatus UpdateOutputDesc(const char *name, const TensorDesc &desc);
  graphStatus UpdateOutputDesc(const std::string &name, const TensorDesc &desc) {
    return UpdateOutputDesc(name.c_str(), desc);
  }
  graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc &desc);
  TensorDesc GetDynamicInputDesc(const std::string &name, uint32_t index) const {
    return GetDynamicInputDesc(name.c_str(), index);
  }
  TensorDesc GetDynamicInputDesc(const char *name, uint32_t index) const;
  graphStatus UpdateDynamicInputDesc(const std::string &name, uint32_t index, const TensorDesc &desc) {
    return UpdateDynamicInputDesc(name.c_str(), index, desc);
  }
  graphStatus UpdateDynamicInputDesc(const char *name, uint32_t index, const TensorDesc &desc);
  TensorDesc GetDynamicOutputDesc(const std::string &name, uint32_t index) const {
    return GetDynamicOutputDesc(name.c_str(), index);
  }
  TensorDesc GetDynamicOutputDesc(const char *name, uint32_t index) const;
  graphStatus UpdateDynamicOutputDesc(const std::string &name, uint32_t index, const TensorDesc &desc) {
    return UpdateDynamicOutputDesc(name.c_str(), index, desc);
  }
  graphStatus UpdateDynamicOutputDesc(const char *name, uint32_t index, const TensorDesc &desc);
  size_t GetInputsSize() const;
  size_t GetOutputsSize() const;
  int GetDynamicInputNum(const std::string &name) const { return GetDynamicInputNum(name.c_str()); }
  int GetDynamicInputNum(const char *name) const;
  int GetDynamicOutputNum(const std::string &name) const { return GetDynamicOutputNum(name.c_str()); }
  int GetDynamicOutputNum(const char *name) const;

  // Runs the V1 functions registered for the type.
  graphStatus InferShapeAndType();
  graphStatus VerifyAllAttr(bool disable_common_verifier = false);
  void SetInferenceContext(const InferenceContextPtr &context);
  InferenceContextPtr GetInferenceContext() const;

  // Attributes. GetAttr: GRAPH_FAILED when there is none of that name and kind.
#define FERRATA_ATTR(T, kind)                                                                                          \
  Operator &SetAttr(const char *name, const T &value);                                                                 \
  Operator &SetAttr(const std::string &name, const T &value) { return SetAttr(name.c_str(), value); }                  \
  graphStatus GetAttr(const char *name, T &value) const;                                                               \
  graphStatus GetAttr(const std::string &name, T &value) const { return GetAttr(name.c_str(), value); }
  FERRATA_ATTR_TYPES(FERRATA_ATTR)
  FERRATA_ATTR(AttrValue, )
#undef FERRATA_ATTR
#define FERRATA_ATTR(T)                                                                                                \
  Operator &SetAttr(const char *name, const T &value);                                                                 \
  Operator &SetAttr(const std::string &name, const T &value) { return SetAttr(name.c_str(), value); }                  \
  graphStatus GetAttr(const char *name, T &value) const;                                                               \
  graphStatus GetAttr(const std::string &name, T &value) const { return GetAttr(name.c_str(), value); }
  FERRATA_ATTR_CONVERTED_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR
  Operator &SetAttr(const char *name, const char *value) { return SetAttr(name, AscendString(value)); }
  Operator &SetAttr(const char *name, const std::string &value) { return SetAttr(name, ToAscendString(value)); }
  Operator &SetAttr(const std::string &name, const std::string &value) { return SetAttr(name.c_str(), value); }
  Operator &SetAttr(const char *name, const std::vector<std::string> &value) {
    return SetAttr(name, ToAscendStrings(value));
  }
  Operator &SetAttr(const std::string &name, const std::vector<std::string> &value) {
    return SetAttr(name.c_str(), value);
  }
  graphStatus GetAttr(const char *name, std::string &value) const {
    AttrValue held;
    return GetAttr(name, held) == GRAPH_SUCCESS ? held.GetAttrValue(value) : GRAPH_FAILED;
  }
  graphStatus GetAttr(const std::string &name, std::string &value) const { return GetAttr(name.c_str(), value); }
  graphStatus GetAttr(const char *name, std::vector<std::string> &value) const {
    AttrValue held;
    return GetAttr(name, held) == GRAPH_SUCCESS ? held.GetAttrValue(value) : GRAPH_FAILED;
  }
  graphStatus GetAttr(const std::string &name, std::vector<std::string> &value) const {
    return GetAttr(name.c_str(), value);
  }
  Operator &SetAttr(const std::string &name, const char *value) { return SetAttr(name.c_str(), value); }
  Operator &SetAttr(const char *name, double value) { return SetAttr(name, static_cast<float>(value)); }
  graphStatus GetAllAttrNamesAndTypes(std::vector<std::pair<AscendString, AscendString>> &attrs) const;

  // Sub-graphs.
  size_t GetSubgraphNamesCount() const;
  std::vector<std::string> GetSubgraphNames() const {
    std::vector<AscendString> names;
    (void)GetSubgraphNames(names);
    return ToStdStrings(names);
  }
  graphStatus GetSubgraphNames(std::vector<AscendString> &names) const;
  SubgraphBuilder GetSubgraphBuilder(const char *name) const;
  SubgraphBuilder GetDynamicSubgraphBuilder(const char *name, uint32_t index) const;
  Graph GetSubgraph(const char *name) const;
  Graph GetDynamicSubgraph(const char *name, uint32_t index) const;

  OperatorImpl *Impl() const { return impl_.get(); }

protected:
  // What the macros of operator_reg.h call. `types` is the text of the author's type argument.
  void InputRegister(const char *name, const char *types);
  void OptionalInputRegister(const char *name, const char *types);
  void DynamicInputPortRegister(const char *name, const char *types);
  void OutputRegister(const char *name, const char *types);
  void DynamicOutputPortRegister(const char *name, const char *types);
  void RequiredAttrRegister(const char *name, const char *type);
  void AttrKindRegister(const char *name, const char *type);
  void DataTypeRegister(const char *symbol, const TensorType &types);
  void DataTypeRegister(const char *symbol, const ListTensorType &types);
  void DataTypeRegister(const char *symbol, const Promote &promoted);
  void SubgraphRegister(const char *name, bool dynamic);
  void DynamicInputRegister(const char *name, uint32_t count, bool push_back = true);
  void DynamicInputRegisterByIndex(const char *name, uint32_t count, size_t index);
  void DynamicOutputRegister(const char *name, uint32_t count, bool push_back = true);
  void SubgraphCountRegister(const char *name, uint32_t count);
  void SetSubgraphBuilder(const char *name, uint32_t index, const SubgraphBuilder &builder);

private:
  friend class OperatorFactory;
  std::shared_ptr<OperatorImpl> impl_;
};

} // namespace ge
