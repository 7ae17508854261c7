// gert::Range: the lower and upper bound of a value that is known by pointers.
#pragma once
#include "base_type.h"

namespace gert {

template <typename T> class Range {
public:
  Range() = default;
  explicit Range(T *both) : min_(both), max_(both) {}
  Range(T *min, T *max) : min_(min), max_(max) {}

  // Pointers first, then what they point to.
  bool operator==(const Range &other) const { return Same(min_, other.min_) && Same(max_, other.max_); }
  bool operator!=(const Range &other) const { return !(*this == other); }

  const T *GetMin() const { return min_; }
  const T *GetMax() const { return max_; }
  T *GetMin() { return min_; }
  T *GetMax() { return max_; }
  void SetMin(T *min) { min_ = min; }
  void SetMax(T *max) { max_ = max; }

private:
  static bool Same(const T *a, const T *b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }

  T *min_ = nullptr;
  T *max_ = nullptr;
  uint8_t reserved_[kReservedBytes] = {0}; // NOLINT: part of the size
};
static_assert(sizeof(Range<int>) == 56, "size of the interface");

} // namespace gert
