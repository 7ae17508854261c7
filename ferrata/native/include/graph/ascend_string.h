// The string of every GE boundary: it does not depend on the author's std::string ABI.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "compiler_def.h"

namespace ge {

// Shared, immutable text that may be null. Null and empty differ when compared; null sorts first.
class AscendString {
public:
  AscendString() = default;
  AscendString(const char *text) : text_(text ? std::make_shared<std::string>(text) : nullptr) {}
  AscendString(const char *text, size_t length) : text_(text ? std::make_shared<std::string>(text, length) : nullptr) {}

  const char *GetString() const { return text_ ? text_->c_str() : ""; }
  size_t GetLength() const { return text_ ? text_->length() : 0; }
  size_t Find(const AscendString &part) const {
    return text_ && part.text_ ? text_->find(*part.text_) : std::string::npos;
  }
  size_t Hash() const { return std::hash<std::string>{}(text_ ? *text_ : std::string()); }

  bool operator<(const AscendString &other) const { return Compare(other) < 0; }
  bool operator>(const AscendString &other) const { return Compare(other) > 0; }
  bool operator<=(const AscendString &other) const { return Compare(other) <= 0; }
  bool operator>=(const AscendString &other) const { return Compare(other) >= 0; }
  bool operator==(const AscendString &other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString &other) const { return Compare(other) != 0; }
  bool operator==(const char *other) const { return *this == AscendString(other); }
  bool operator!=(const char *other) const { return *this != AscendString(other); }

private:
  int Compare(const AscendString &other) const {
    if (!text_ || !other.text_)
      return (text_ ? 1 : 0) - (other.text_ ? 1 : 0);
    return text_->compare(*other.text_);
  }

  std::shared_ptr<std::string> text_;
};

} // namespace ge

template <> struct std::hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &text) const { return text.Hash(); }
};
