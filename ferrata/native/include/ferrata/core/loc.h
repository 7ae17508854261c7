// Where in the user's source a call stands. Every API takes a trailing `Loc loc = Loc::here()`.
#pragma once
#include <stdint.h>

namespace ferrata {
struct Loc {
  const char *file = nullptr;
  int line = 0;
  static constexpr Loc here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};
} // namespace ferrata
