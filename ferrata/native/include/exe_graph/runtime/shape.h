// gert::Shape: up to 25 dimensions in place. What authors' InferShape and Execute read and write.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "base_type.h"

namespace gert {

struct Shape {
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() : dim_num_(0), dims_{0}, reserved_{0} {}
  // A list longer than kMaxDimNum gives rank 0.
  Shape(std::initializer_list<int64_t> dims) : Shape() {
    if (dims.size() > kMaxDimNum)
      return;
    for (const int64_t dim : dims)
      dims_[dim_num_++] = dim;
  }
  Shape(const Shape &other) : dim_num_(other.dim_num_), reserved_{0} { CopyDims(other); }
  Shape &operator=(const Shape &other) {
    dim_num_ = other.dim_num_;
    CopyDims(other);
    return *this;
  }

  bool operator==(const Shape &other) const {
    if (dim_num_ != other.dim_num_)
      return false;
    for (size_t i = 0; i < Live(); ++i)
      if (dims_[i] != other.dims_[i])
        return false;
    return true;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

  // Product of the dimensions (1 for a scalar); kInvalidDimValue on overflow. -1 is an ordinary factor.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < Live(); ++i)
      if (__builtin_mul_overflow(size, dims_[i], &size))
        return kInvalidDimValue;
    return size;
  }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }

  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(size_t rank) { dim_num_ = rank; }
  // The slot, even beyond the rank; kInvalidDimValue from kMaxDimNum on.
  int64_t GetDim(size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t &operator[](size_t i) { return dims_[i]; }
  // The rank becomes max(rank, i), not i + 1, as the interface defines it: set the rank first.
  void SetDim(size_t i, int64_t value) {
    if (i >= kMaxDimNum)
      return;
    dims_[i] = value;
    dim_num_ = dim_num_ < i ? i : dim_num_;
  }
  Shape &AppendDim(int64_t value) {
    if (dim_num_ < kMaxDimNum)
      dims_[dim_num_++] = value;
    return *this;
  }

private:
  size_t Live() const { return dim_num_ < kMaxDimNum ? dim_num_ : kMaxDimNum; }
  void CopyDims(const Shape &other) {
    for (size_t i = 0; i < other.Live(); ++i)
      dims_[i] = other.dims_[i];
  }

  size_t dim_num_;
  int64_t dims_[kMaxDimNum];
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(Shape) == 248, "size of the interface");

} // namespace gert
