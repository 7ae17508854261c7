// The string of every GE boundary. It does not depend on which std::string the author's build uses, and neither does
// anything else that libgert exports: functions with a std::string are inline and pass an AscendString on.
#pragma once
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler_def.h"

namespace ge {

// Shared, immutable text that may be null. Null and empty differ when compared; null sorts first.
class AscendString {
public:
  AscendString() = default;
  AscendString(const char *text) : AscendString(text, text != nullptr ? strlen(text) : 0) {}
  AscendString(const char *text, size_t length) {
    if (text == nullptr)
      return;
    char *block = new char[sizeof(size_t) + length + 1];
    memcpy(block, &length, sizeof(size_t));
    memcpy(block + sizeof(size_t), text, length);
    block[sizeof(size_t) + length] = '\0';
    block_ = std::shared_ptr<char>(block, std::default_delete<char[]>());
  }

  const char *GetString() const { return block_ ? block_.get() + sizeof(size_t) : ""; }
  size_t GetLength() const {
    size_t length = 0;
    if (block_)
      memcpy(&length, block_.get(), sizeof(size_t));
    return length;
  }
  size_t Find(const AscendString &part) const {
    return block_ && part.block_ ? Text().find(part.Text()) : std::string::npos;
  }
  size_t Hash() const { return std::hash<std::string>{}(Text()); }

  bool operator<(const AscendString &other) const { return Compare(other) < 0; }
  bool operator>(const AscendString &other) const { return Compare(other) > 0; }
  bool operator<=(const AscendString &other) const { return Compare(other) <= 0; }
  bool operator>=(const AscendString &other) const { return Compare(other) >= 0; }
  bool operator==(const AscendString &other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString &other) const { return Compare(other) != 0; }
  bool operator==(const char *other) const { return *this == AscendString(other); }
  bool operator!=(const char *other) const { return *this != AscendString(other); }

private:
  std::string Text() const { return std::string(GetString(), GetLength()); }
  int Compare(const AscendString &other) const {
    if (!block_ || !other.block_)
      return (block_ ? 1 : 0) - (other.block_ ? 1 : 0);
    return Text().compare(other.Text());
  }

  std::shared_ptr<char> block_; // length, characters, NUL
};

inline std::string ToStdString(const AscendString &text) { return std::string(text.GetString(), text.GetLength()); }
inline AscendString ToAscendString(const std::string &text) { return AscendString(text.data(), text.size()); }
inline std::vector<std::string> ToStdStrings(const std::vector<AscendString> &texts) {
  std::vector<std::string> converted;
  for (const AscendString &text : texts)
    converted.push_back(ToStdString(text));
  return converted;
}
inline std::vector<AscendString> ToAscendStrings(const std::vector<std::string> &texts) {
  std::vector<AscendString> converted;
  for (const std::string &text : texts)
    converted.push_back(ToAscendString(text));
  return converted;
}

} // namespace ge

template <> struct std::hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &text) const { return text.Hash(); }
};
