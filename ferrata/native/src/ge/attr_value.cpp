// Storage and conversion of attribute values.
#include <cstring>
#include <map>

#include "attr_holder.h"

namespace ge {

struct NamedAttrs::Content {
  std::string name;
  std::map<std::string, AttrValue> attrs;
};

NamedAttrs::NamedAttrs() : content_(std::make_shared<Content>()) {}
void NamedAttrs::SetName(const AscendString &name) { content_->name = name.GetString(); }
graphStatus NamedAttrs::GetName(AscendString &name) const {
  name = AscendString(content_->name.c_str());
  return GRAPH_SUCCESS;
}
graphStatus NamedAttrs::SetAttr(const AscendString &name, const AttrValue &value) {
  content_->attrs[name.GetString()] = value;
  return GRAPH_SUCCESS;
}
graphStatus NamedAttrs::GetAttr(const AscendString &name, AttrValue &value) const {
  const auto found = content_->attrs.find(name.GetString());
  if (found == content_->attrs.end())
    return GRAPH_FAILED;
  value = found->second;
  return GRAPH_SUCCESS;
}
std::vector<AscendString> NamedAttrs::GetAllNames() const {
  std::vector<AscendString> names;
  for (const auto &attr : content_->attrs)
    names.emplace_back(attr.first.c_str());
  return names;
}

AttrValue::AttrValue() : holder_(std::make_shared<AttrHolder>()) {}

#define FERRATA_ATTR(T, kind)                                                                                          \
  graphStatus AttrValue::SetAttrValue(const T &value) {                                                                \
    holder_ = std::make_shared<AttrHolder>(AttrHolder{value});                                                         \
    return GRAPH_SUCCESS;                                                                                              \
  }                                                                                                                    \
  graphStatus AttrValue::GetAttrValue(T &value) const {                                                                \
    const T *held = std::get_if<T>(&holder_->value);                                                                   \
    if (held == nullptr)                                                                                               \
      return GRAPH_FAILED;                                                                                             \
    value = *held;                                                                                                     \
    return GRAPH_SUCCESS;                                                                                              \
  }
FERRATA_ATTR_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR

namespace {

template <typename From, typename To> std::vector<To> Convert(const std::vector<From> &from) {
  std::vector<To> to;
  for (const auto &item : from)
    to.push_back(static_cast<To>(item));
  return to;
}

template <typename T> graphStatus GetInteger(const AttrValue &attr, T &value) {
  int64_t wide = 0;
  if (attr.GetAttrValue(wide) != GRAPH_SUCCESS || wide < std::numeric_limits<T>::min() ||
      wide > static_cast<int64_t>(std::numeric_limits<T>::max()))
    return GRAPH_FAILED;
  value = static_cast<T>(wide);
  return GRAPH_SUCCESS;
}
template <typename Held, typename T> graphStatus GetList(const AttrValue &attr, std::vector<T> &value) {
  std::vector<Held> held;
  if (attr.GetAttrValue(held) != GRAPH_SUCCESS)
    return GRAPH_FAILED;
  value = Convert<Held, T>(held);
  return GRAPH_SUCCESS;
}

} // namespace

graphStatus AttrValue::SetAttrValue(const int32_t &value) { return SetAttrValue(int64_t{value}); }
graphStatus AttrValue::SetAttrValue(const uint32_t &value) { return SetAttrValue(int64_t{value}); }
graphStatus AttrValue::SetAttrValue(const std::vector<int32_t> &value) {
  return SetAttrValue(Convert<int32_t, int64_t>(value));
}
graphStatus AttrValue::SetAttrValue(const std::vector<uint32_t> &value) {
  return SetAttrValue(Convert<uint32_t, int64_t>(value));
}
graphStatus AttrValue::GetAttrValue(int32_t &value) const { return GetInteger(*this, value); }
graphStatus AttrValue::GetAttrValue(uint32_t &value) const { return GetInteger(*this, value); }
graphStatus AttrValue::GetAttrValue(std::vector<int32_t> &value) const { return GetList<int64_t>(*this, value); }
graphStatus AttrValue::GetAttrValue(std::vector<uint32_t> &value) const { return GetList<int64_t>(*this, value); }

} // namespace ge

namespace ferrata::native {

const char *KindOf(const ge::AttrHolder &holder) {
  static const char *const kinds[] = {"",
#define FERRATA_ATTR(T, kind) #kind,
                                      FERRATA_ATTR_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR
  };
  return kinds[holder.value.index()];
}

const char *KindOfMacroType(const char *type) {
  static const std::map<std::string, const char *> kinds = {
      {"Int", "VT_INT"},
      {"Float", "VT_FLOAT"},
      {"String", "VT_STRING"},
      {"AscendString", "VT_STRING"},
      {"Bool", "VT_BOOL"},
      {"Tensor", "VT_TENSOR"},
      {"Type", "VT_DATA_TYPE"},
      {"NamedAttrs", "VT_NAMED_ATTRS"},
      {"Bytes", "VT_BYTES"},
      {"ListInt", "VT_LIST_INT"},
      {"ListFloat", "VT_LIST_FLOAT"},
      {"ListString", "VT_LIST_STRING"},
      {"ListAscendString", "VT_LIST_STRING"},
      {"ListBool", "VT_LIST_BOOL"},
      {"ListTensor", "VT_LIST_TENSOR"},
      {"ListListInt", "VT_LIST_LIST_INT"},
      {"ListType", "VT_LIST_DATA_TYPE"},
      {"ListNamedAttrs", "VT_LIST_NAMED_ATTRS"},
  };
  const auto found = kinds.find(type);
  return found == kinds.end() ? "" : found->second;
}

} // namespace ferrata::native
