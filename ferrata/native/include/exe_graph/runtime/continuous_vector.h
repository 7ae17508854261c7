// Vectors in one block of memory: the header, then the elements. Lists of attributes and workspace sizes use them.
#pragma once
#include <cstring>
#include <memory>
#include <new>

#include "base_type.h"

namespace gert {

class ContinuousVector {
public:
  size_t GetSize() const { return size_; }
  size_t GetCapacity() const { return capacity_; }
  const void *GetData() const { return elements_; }
  void *MutableData() { return elements_; }
  // GRAPH_PARAM_OUT_OF_RANGE beyond the capacity.
  ge::graphStatus SetSize(size_t size) {
    if (size > capacity_)
      return ge::GRAPH_PARAM_OUT_OF_RANGE;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }
  void Init(size_t capacity) {
    capacity_ = capacity;
    size_ = 0;
    memset(reserved_, 0, sizeof(reserved_));
  }
  static constexpr size_t GetOverHeadLength() { return 56; }

  template <typename T> static std::unique_ptr<uint8_t[]> Create(size_t capacity) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(capacity, sizeof(T), &bytes) ||
        __builtin_add_overflow(bytes, sizeof(ContinuousVector), &bytes))
      return nullptr;
    std::unique_ptr<uint8_t[]> holder(new uint8_t[bytes]());
    (new (holder.get()) ContinuousVector())->Init(capacity);
    return holder;
  }

private:
  size_t capacity_;
  size_t size_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
  uint8_t elements_[8];              // the first bytes of the elements
};
static_assert(sizeof(ContinuousVector) == 64, "size of the interface");

template <typename T> class TypedContinuousVector : private ContinuousVector {
public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  using ContinuousVector::SetSize;
  const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
  T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
};

// A list of ContinuousVectors: after the header one offset (from the start of this object) per vector.
class ContinuousVectorVector {
public:
  size_t GetSize() const { return size_; }
  const ContinuousVector *Get(size_t i) const {
    return i < size_ ? reinterpret_cast<const ContinuousVector *>(reinterpret_cast<const uint8_t *>(this) + offsets_[i])
                     : nullptr;
  }
  void Init(size_t size) {
    size_ = size;
    capacity_ = size;
    memset(reserved_, 0, sizeof(reserved_));
  }
  void SetOffset(size_t i, size_t offset) { offsets_[i] = offset; }
  static constexpr size_t GetOverHeadLength() { return 56; }

private:
  size_t capacity_;
  size_t size_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
  size_t offsets_[1];                // the first of `size_` offsets
};
static_assert(sizeof(ContinuousVectorVector) == 64, "size of the interface");

} // namespace gert
