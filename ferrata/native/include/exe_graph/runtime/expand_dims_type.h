// gert::ExpandDimsType: which axes of size one a format inserts into an origin shape.
#pragma once
#include "shape.h"

namespace gert {

class ExpandDimsType {
public:
  using AxisIndex = uint64_t;
  static constexpr size_t kMaxExpandSize = 56;

  ExpandDimsType() : size_(0), mask_(0), reserved_{0} {}
  // Text of '0' and '1'; a '1' at place i inserts an axis there. Longer than 56: nothing.
  explicit ExpandDimsType(const char *text) : ExpandDimsType() {
    if (text == nullptr)
      return;
    size_t length = __builtin_strlen(text);
    if (length > kMaxExpandSize)
      return;
    size_ = length;
    for (size_t i = 0; i < length; ++i)
      if (text[i] == '1')
        SetExpandIndex(i);
  }
  // Length in the top 8 bits; only the low 8 bits of the mask are taken, as the interface defines it.
  explicit ExpandDimsType(const int64_t &packed) : ExpandDimsType() {
    size_ = static_cast<uint64_t>(packed) >> kMaxExpandSize;
    mask_ = static_cast<uint64_t>(packed) & 0xffU;
  }

  bool operator==(const ExpandDimsType &other) const { return size_ == other.size_ && mask_ == other.mask_; }
  bool operator!=(const ExpandDimsType &other) const { return !(*this == other); }
  AxisIndex GetFullSize() const { return size_; }
  void SetExpandIndex(AxisIndex i) { mask_ |= uint64_t{1} << i; }
  bool IsExpandIndex(AxisIndex i) const { return i < kMaxExpandSize && ((mask_ >> i) & 1U) != 0; }

  // `out` is `shape` with the axes inserted. GRAPH_FAILED when `shape` has too few dimensions.
  ge::graphStatus Expand(const Shape &shape, Shape &out) const {
    size_t taken = 0;
    Shape result;
    for (size_t i = 0; i < size_; ++i) {
      if (IsExpandIndex(i)) {
        result.AppendDim(1);
        continue;
      }
      if (taken >= shape.GetDimNum())
        return ge::GRAPH_FAILED;
      result.AppendDim(shape.GetDim(taken++));
    }
    for (; taken < shape.GetDimNum(); ++taken)
      result.AppendDim(shape.GetDim(taken));
    out = result;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus Expand(Shape &shape) const { return Expand(shape, shape); }

private:
  uint64_t size_ : 8;
  uint64_t mask_ : 56;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(ExpandDimsType) == 48, "size of the interface");

} // namespace gert
