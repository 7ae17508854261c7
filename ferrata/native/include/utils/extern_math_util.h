// Arithmetic that reports overflow.
#pragma once
#include <cstdint>

namespace ge {

// True when the result does not fit `result`.
template <typename A, typename B, typename R> bool MulOverflow(A a, B b, R &result) {
  return __builtin_mul_overflow(a, b, &result);
}
template <typename A, typename B, typename R> bool AddOverflow(A a, B b, R &result) {
  return __builtin_add_overflow(a, b, &result);
}

} // namespace ge
