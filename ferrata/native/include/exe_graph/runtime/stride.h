// gert::Stride: the strides of a view, element-wise, in the manner of Shape.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "base_type.h"

namespace gert {

struct Stride {
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidStrideValue = std::numeric_limits<int64_t>::min();

  Stride() : dim_num_(0), strides_{0}, reserved_{0} {}
  Stride(std::initializer_list<int64_t> strides) : Stride() {
    if (strides.size() > kMaxDimNum)
      return;
    for (const int64_t stride : strides)
      strides_[dim_num_++] = stride;
  }
  Stride(const Stride &other) : dim_num_(other.dim_num_), reserved_{0} { CopyLive(other); }
  Stride &operator=(const Stride &other) {
    dim_num_ = other.dim_num_;
    CopyLive(other);
    return *this;
  }

  bool operator==(const Stride &other) const {
    if (dim_num_ != other.dim_num_)
      return false;
    for (size_t i = 0; i < Live(); ++i)
      if (strides_[i] != other.strides_[i])
        return false;
    return true;
  }
  bool operator!=(const Stride &other) const { return !(*this == other); }

  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(size_t rank) { dim_num_ = rank; }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  int64_t GetStride(size_t i) const { return i < kMaxDimNum ? strides_[i] : kInvalidStrideValue; }
  int64_t operator[](size_t i) const { return strides_[i]; }
  int64_t &operator[](size_t i) { return strides_[i]; }
  void SetStride(size_t i, int64_t value) {
    if (i >= kMaxDimNum)
      return;
    strides_[i] = value;
    dim_num_ = dim_num_ < i ? i : dim_num_;
  }
  Stride &AppendStride(int64_t value) {
    if (dim_num_ < kMaxDimNum)
      strides_[dim_num_++] = value;
    return *this;
  }

private:
  size_t Live() const { return dim_num_ < kMaxDimNum ? dim_num_ : kMaxDimNum; }
  void CopyLive(const Stride &other) {
    for (size_t i = 0; i < other.Live(); ++i)
      strides_[i] = other.strides_[i];
  }

  size_t dim_num_;
  int64_t strides_[kMaxDimNum];
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(Stride) == 248, "size of the interface");

} // namespace gert
