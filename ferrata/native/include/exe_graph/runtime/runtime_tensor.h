// gert::Tensor: what Execute sees of an input or an output. The origin shape comes first, so that a pointer to a
// Tensor is also a pointer to its origin Shape.
#pragma once
#include <memory>

#include "storage_format.h"
#include "storage_shape.h"
#include "stride.h"
#include "tensor_data.h"

namespace gert {

enum TensorVersion : uint8_t {
  kTensorV1 = 0,
  kTensorV2 = 1,
};

class Tensor {
public:
  Tensor() : format_(ge::FORMAT_ND, ge::FORMAT_ND, ExpandDimsType()) {}
  Tensor(const StorageShape &shape, const StorageFormat &format, ge::DataType type)
      : shape_(shape), format_(format), data_type_(type) {}
  Tensor(const StorageShape &shape, const StorageFormat &format, TensorPlacement placement, ge::DataType type,
         TensorAddress address, TensorAddrManager manager = nullptr)
      : shape_(shape), format_(format), data_type_(type), data_(address, manager, 0, placement) {
    const int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), type);
    data_.SetSize(bytes < 0 ? 0 : static_cast<size_t>(bytes));
  }

  // Elements by the storage shape.
  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  const void *GetAddr() const { return Following() ? After() : data_.GetAddr(); }
  void *GetAddr() { return Following() ? const_cast<void *>(After()) : data_.GetAddr(); }
  template <typename T> const T *GetData() const { return static_cast<const T *>(GetAddr()); }
  template <typename T> T *GetData() { return static_cast<T *>(GetAddr()); }
  void SetData(TensorData &&data) { data_ = static_cast<TensorData &&>(data); }
  const TensorData &GetTensorData() const { return data_; }
  TensorData &MutableTensorData() { return data_; }

  size_t GetSize() const { return data_.GetSize(); }
  void SetSize(size_t size) { data_.SetSize(size); }
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(ge::DataType type) { data_type_ = type; }
  TensorPlacement GetPlacement() const { return data_.GetPlacement(); }
  void SetPlacement(TensorPlacement placement) { data_.SetPlacement(placement); }
  TensorVersion GetVersion() const { return version_; }

  const StorageShape &GetShape() const { return shape_; }
  StorageShape &GetShape() { return shape_; }
  const Shape &GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape &GetOriginShape() const { return shape_.GetOriginShape(); }
  Shape &MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape &MutableOriginShape() { return shape_.MutableOriginShape(); }

  const StorageFormat &GetFormat() const { return format_; }
  StorageFormat &MutableFormat() { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType &expand) { format_.SetExpandDimsType(expand); }

  // A Tensor with room for its data behind it, placement kFollowing; `total` receives the bytes of both.
  static std::unique_ptr<uint8_t[]> CreateFollowing(int64_t elements, ge::DataType type, size_t &total) {
    const int64_t bytes = ge::GetSizeInBytes(elements, type);
    return bytes < 0 ? nullptr : CreateFollowing(type, static_cast<size_t>(bytes), total);
  }
  static std::unique_ptr<uint8_t[]> CreateFollowing(ge::DataType type, size_t bytes, size_t &total) {
    if (__builtin_add_overflow(bytes, sizeof(Tensor), &total))
      return nullptr;
    std::unique_ptr<uint8_t[]> holder(new uint8_t[total]());
    Tensor *tensor = new (holder.get()) Tensor();
    tensor->SetDataType(type);
    tensor->SetPlacement(kFollowing);
    tensor->SetSize(bytes);
    return holder;
  }

protected:
  explicit Tensor(TensorVersion version) : Tensor() { version_ = version; }

private:
  bool Following() const { return data_.GetPlacement() == kFollowing; }
  inline const void *After() const;

  StorageShape shape_;
  StorageFormat format_;
  TensorVersion version_ = kTensorV1;
  uint8_t padding_[3] = {0}; // NOLINT: part of the size
  ge::DataType data_type_ = ge::DT_FLOAT;
  TensorData data_;
  uint8_t reserved_[kReservedBytes] = {0}; // NOLINT: part of the size

  friend class TensorV2;
};
static_assert(sizeof(Tensor) == 752, "size of the interface");

// A Tensor (version 1 of the layout) with the stride and offset of a view.
class TensorV2 {
public:
  TensorV2() : tensor_(kTensorV2), stride_(), offset_(0), reserved_{0} {}
  TensorV2(const StorageShape &shape, const StorageFormat &format, ge::DataType type, const Stride &stride,
           int64_t offset)
      : tensor_(shape, format, type), stride_(stride), offset_(offset), reserved_{0} {
    tensor_.version_ = kTensorV2;
  }
  TensorV2(const StorageShape &shape, const StorageFormat &format, TensorPlacement placement, ge::DataType type,
           TensorAddress address, TensorAddrManager manager, const Stride &stride, int64_t offset)
      : tensor_(shape, format, placement, type, address, manager), stride_(stride), offset_(offset), reserved_{0} {
    tensor_.version_ = kTensorV2;
  }

  const Tensor &GetTensor() const { return tensor_; }
  Tensor &MutableTensor() { return tensor_; }
  const Stride &GetStride() const { return stride_; }
  Stride &MutableStride() { return stride_; }
  int64_t GetOffset() const { return offset_; }
  void SetOffset(int64_t offset) { offset_ = offset; }

private:
  Tensor tensor_;
  Stride stride_;
  int64_t offset_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(TensorV2) == 1048, "size of the interface");

inline const void *Tensor::After() const {
  return reinterpret_cast<const uint8_t *>(this) + (version_ == kTensorV2 ? sizeof(TensorV2) : sizeof(Tensor));
}

} // namespace gert
