// gert::TilingData: the raw buffer that a tiling function fills and the kernel receives.
#pragma once
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "base_type.h"

namespace gert {

class TilingData {
public:
  TilingData(const TilingData &) = delete;
  TilingData &operator=(const TilingData &) = delete;

  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return data_size_; }
  void SetDataSize(size_t size) { data_size_ = size; }
  void *GetData() { return data_; }
  const void *GetData() const { return data_; }

  // GRAPH_FAILED beyond the capacity.
  template <typename T, typename = std::enable_if_t<std::is_standard_layout_v<T>>>
  ge::graphStatus Append(const T &value) {
    return AppendBytes(&value, sizeof(T));
  }
  template <typename T, typename = std::enable_if_t<std::is_standard_layout_v<T>>>
  ge::graphStatus Append(const T *values, size_t count) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(sizeof(T), count, &bytes))
      return ge::GRAPH_MUL_OVERFLOW;
    return AppendBytes(values, bytes);
  }
  // The next `bytes` bytes, or null beyond the capacity.
  void *Expand(size_t bytes) {
    size_t end = 0;
    if (__builtin_add_overflow(data_size_, bytes, &end) || end > capacity_)
      return nullptr;
    void *place = static_cast<uint8_t *>(data_) + data_size_;
    data_size_ = end;
    return place;
  }

  void Init(size_t capacity, void *data) {
    capacity_ = capacity;
    data_size_ = 0;
    data_ = data;
    memset(reserved_, 0, sizeof(reserved_));
  }
  static ge::graphStatus CalcTotalSize(size_t capacity, size_t &total) {
    return __builtin_add_overflow(capacity, sizeof(TilingData), &total) ? ge::GRAPH_ADD_OVERFLOW : ge::GRAPH_SUCCESS;
  }
  // Object and buffer in one block.
  static std::unique_ptr<uint8_t[]> CreateCap(size_t capacity) {
    size_t total = 0;
    if (CalcTotalSize(capacity, total) != ge::GRAPH_SUCCESS)
      return nullptr;
    std::unique_ptr<uint8_t[]> holder(new uint8_t[total]());
    (new (holder.get()) TilingData())->Init(capacity, holder.get() + sizeof(TilingData));
    return holder;
  }

private:
  TilingData() = default;
  ge::graphStatus AppendBytes(const void *bytes, size_t size) {
    size_t end = 0;
    if (__builtin_add_overflow(data_size_, size, &end))
      return ge::GRAPH_ADD_OVERFLOW;
    if (end > capacity_)
      return ge::GRAPH_FAILED;
    memcpy(static_cast<uint8_t *>(data_) + data_size_, bytes, size);
    data_size_ = end;
    return ge::GRAPH_SUCCESS;
  }

  size_t capacity_;
  size_t data_size_;
  void *data_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(TilingData) == 64, "size of the interface");

template <typename T> TilingData &operator<<(TilingData &out, const T &value) {
  (void)out.Append(value);
  return out;
}

} // namespace gert
