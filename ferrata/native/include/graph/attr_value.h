// Values of attributes: AttrValue holds one of any kind, NamedAttrs a named set of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ascend_string.h"
#include "ferrata_attr_types.h"
#include "tensor.h"

namespace ge {

class AttrValue;
class NamedAttrs;
using OpBytes = std::vector<uint8_t>;
struct AttrHolder; // libgert's own

class FERRATA_GE_API NamedAttrs {
public:
  NamedAttrs();
  void SetName(const AscendString &name);
  graphStatus GetName(AscendString &name) const;
  graphStatus SetAttr(const AscendString &name, const AttrValue &value);
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const;
  std::vector<AscendString> GetAllNames() const;

private:
  struct Content;
  std::shared_ptr<Content> content_;
};

class FERRATA_GE_API AttrValue {
public:
  using INT = int64_t;
  using FLOAT = float;
  using STR = std::string;

  AttrValue();
  // GRAPH_FAILED when the value is of another kind.
#define FERRATA_ATTR(T, kind)                                                                                          \
  graphStatus SetAttrValue(const T &value);                                                                            \
  graphStatus GetAttrValue(T &value) const;
  FERRATA_ATTR_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR
#define FERRATA_ATTR(T)                                                                                                \
  graphStatus SetAttrValue(const T &value);                                                                            \
  graphStatus GetAttrValue(T &value) const;
  FERRATA_ATTR_CONVERTED_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR
  graphStatus SetAttrValue(const char *value) { return SetAttrValue(AscendString(value)); }
  graphStatus SetAttrValue(const std::string &value) { return SetAttrValue(ToAscendString(value)); }
  graphStatus SetAttrValue(const std::vector<std::string> &value) { return SetAttrValue(ToAscendStrings(value)); }
  graphStatus GetAttrValue(std::string &value) const {
    AscendString text;
    const graphStatus status = GetAttrValue(text);
    if (status == GRAPH_SUCCESS)
      value = ToStdString(text);
    return status;
  }
  graphStatus GetAttrValue(std::vector<std::string> &value) const {
    std::vector<AscendString> texts;
    const graphStatus status = GetAttrValue(texts);
    if (status == GRAPH_SUCCESS)
      value = ToStdStrings(texts);
    return status;
  }
  template <typename T> graphStatus GetValue(T &value) const { return GetAttrValue(value); }
  template <typename T> static AttrValue CreateFrom(const T &value) {
    AttrValue made;
    (void)made.SetAttrValue(value);
    return made;
  }
  AttrHolder *Holder() const { return holder_.get(); }

private:
  std::shared_ptr<AttrHolder> holder_;
};

} // namespace ge
