// What kernels that are templates ask about their types, in the device library's names and, as the device compiler's
// headers do, in those of <type_traits>.
#pragma once
#include <type_traits>

// Scalar mathematics that kernels call without <cmath>; the declarations are those of the C library.
extern "C" double sqrt(double) noexcept;
extern "C" double fabs(double) noexcept;

namespace AscendC {
template <class T, class U> using IsSameType = std::is_same<T, U>;

namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_base_of;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_same;
using std::is_same_v;
using std::remove_cv_t;
using std::remove_reference_t;
using std::true_type;

template <class T, class U> constexpr T min(T a, U b) { return static_cast<T>(b) < a ? static_cast<T>(b) : a; }
template <class T, class U> constexpr T max(T a, U b) { return a < static_cast<T>(b) ? static_cast<T>(b) : a; }
} // namespace Std
} // namespace AscendC
