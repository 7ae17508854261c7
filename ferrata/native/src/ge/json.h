// Writing JSON text, as the bridge hands structures to Python.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace ferrata::native {

class Json {
public:
  Json &Begin(char bracket) {
    Comma();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json &End(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  Json &Key(const char *name) {
    Comma();
    Quote(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  Json &Value(const std::string &value) {
    Comma();
    Quote(value);
    return *this;
  }
  Json &Value(const char *value) { return Value(std::string(value)); }
  Json &Value(bool value) { return Raw(value ? "true" : "false"); }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>> Json &Value(T value) {
    return Raw(std::to_string(value));
  }
  Json &Value(double value) {
    char text[40];
    snprintf(text, sizeof(text), "%.17g", value);
    if (value != value)
      return Raw("NaN"); // Python reads these names
    if (text[0] == 'i' || text[1] == 'i')
      return Raw(value > 0 ? "Infinity" : "-Infinity");
    return Raw(text);
  }
  Json &Null() { return Raw("null"); }
  template <typename T> Json &Item(const char *name, const T &value) { return Key(name).Value(value); }
  Json &Raw(const std::string &value) {
    Comma();
    text_ += value;
    return *this;
  }
  const std::string &Text() const { return text_; }

private:
  void Comma() {
    if (!first_)
      text_ += ',';
    first_ = false;
  }
  // Bytes above 0x7e travel as \u00xx: the reader turns them back into bytes (latin-1).
  void Quote(const std::string &value) {
    text_ += '"';
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == '"' || byte == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20 || byte > 0x7e) {
        char escape[8];
        snprintf(escape, sizeof(escape), "\\u%04x", byte);
        text_ += escape;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  bool first_ = true;
};

} // namespace ferrata::native
