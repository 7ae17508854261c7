// Dynamic inputs: a list of tensors described in GM by their shapes and the addresses of their data.
//   uint64 offset of the address array | per tensor: uint32 rank, uint32 index, uint64 shape[rank] | addresses
#pragma once
#include "ferrata/core/tensor.h"

namespace AscendC {
template <class T> class TensorDesc {
public:
  void SetShapeAddr(uint64_t *shape) { shape_ = shape; }
  uint64_t GetDim() const { return rank_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t offset, ferrata::Loc loc = ferrata::Loc::here()) const {
    if (!shape_ || offset >= rank_)
      ferrata_fault(ferrata::Fault::OutOfBounds, "TensorDesc::GetShape", loc.file, loc.line,
                    shape_ ? "dimension %u of a tensor with %u"
                           : "no room for the shape: call SetShapeAddr before GetDesc",
                    offset, rank_);
    return shape_[offset];
  }
  __gm__ T *GetDataPtr() const { return data_; }
  GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

private:
  friend class ListTensorDesc;
  uint64_t *shape_ = nullptr;
  T *data_ = nullptr;
  uint32_t rank_ = 0, index_ = 0;
};

class ListTensorDesc {
public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                 ferrata::Loc loc = ferrata::Loc::here()) {
    Init(data, length, shapeSize, loc);
  }
  // `length` in bytes and `shapeSize`, the number of tensors, only validate.
  void Init(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
            ferrata::Loc loc = ferrata::Loc::here()) {
    constexpr const char *api = "ListTensorDesc";
    begin_ = static_cast<const uint8_t *>(data);
    ferrata_check_gm(begin_, 8, api, "the descriptor", loc);
    const uint64_t offset = word(begin_);
    if (offset < 8 || offset % 8 || offset > length)
      ferrata_fault(ferrata::Fault::BadArgument, api, loc.file, loc.line,
                    "the offset of the addresses is %llu; this is no list of tensors",
                    static_cast<unsigned long long>(offset));
    ferrata_check_gm(begin_, offset, api, "the descriptor", loc);
    addresses_ = begin_ + offset;
    count_ = 0;
    const uint8_t *at = begin_ + 8;
    while (at < addresses_) {
      at += 8 + 8 * uint64_t(half_word(at));
      ++count_;
    }
    if (at != addresses_ || (shapeSize != 0xffffffff && shapeSize != count_))
      ferrata_fault(ferrata::Fault::BadArgument, api, loc.file, loc.line,
                    at != addresses_ ? "the shapes of %u tensors do not end where the addresses begin"
                                     : "the list has %u tensors and %u are expected",
                    count_, shapeSize);
    ferrata_check_gm(addresses_, 8 * uint64_t(count_), api, "the addresses", loc);
  }
  uint32_t GetSize() const { return count_; }

  template <class T> __gm__ T *GetDataPtr(uint32_t index, ferrata::Loc loc = ferrata::Loc::here()) const {
    check("ListTensorDesc::GetDataPtr", index, loc);
    return reinterpret_cast<T *>(word(addresses_ + 8 * uint64_t(index)));
  }
  // The shape goes to the address that the caller gave with desc.SetShapeAddr.
  template <class T> void GetDesc(TensorDesc<T> &desc, uint32_t index, ferrata::Loc loc = ferrata::Loc::here()) const {
    check("ListTensorDesc::GetDesc", index, loc);
    const uint8_t *at = begin_ + 8;
    for (uint32_t i = 0; i < index; ++i)
      at += 8 + 8 * uint64_t(half_word(at));
    desc.rank_ = half_word(at);
    desc.index_ = half_word(at + 4);
    desc.data_ = GetDataPtr<T>(index, loc);
    if (desc.shape_)
      for (uint32_t i = 0; i < desc.rank_; ++i)
        desc.shape_[i] = word(at + 8 + 8 * uint64_t(i));
  }

private:
  static uint64_t word(const uint8_t *at) {
    uint64_t value;
    __builtin_memcpy(&value, at, 8);
    return value;
  }
  static uint32_t half_word(const uint8_t *at) {
    uint32_t value;
    __builtin_memcpy(&value, at, 4);
    return value;
  }
  void check(const char *api, uint32_t index, ferrata::Loc loc) const {
    if (index >= count_)
      ferrata_fault(ferrata::Fault::OutOfBounds, api, loc.file, loc.line, "tensor %u of a list of %u", index, count_);
  }
  const uint8_t *begin_ = nullptr, *addresses_ = nullptr;
  uint32_t count_ = 0;
};
} // namespace AscendC
