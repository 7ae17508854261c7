// gert::StorageShape: the shape the author of a model sees (origin) and the one in memory (storage). Equal here.
#pragma once
#include "shape.h"

namespace gert {

class StorageShape {
public:
  StorageShape() : reserved_{0} {}
  StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
      : origin_(origin), storage_(storage), reserved_{0} {}
  StorageShape(const Shape &origin, const Shape &storage) : origin_(origin), storage_(storage), reserved_{0} {}
  StorageShape(const StorageShape &other) : origin_(other.origin_), storage_(other.storage_), reserved_{0} {}
  StorageShape &operator=(const StorageShape &other) {
    origin_ = other.origin_;
    storage_ = other.storage_;
    return *this;
  }

  // The origin shape.
  const Shape &GetShape() const { return origin_; }
  Shape &MutableShape() { return origin_; }
  const Shape &GetOriginShape() const { return origin_; }
  const Shape &GetStorageShape() const { return storage_; }
  Shape &MutableOriginShape() { return origin_; }
  Shape &MutableStorageShape() { return storage_; }

  bool operator==(const StorageShape &other) const { return origin_ == other.origin_ && storage_ == other.storage_; }
  bool operator!=(const StorageShape &other) const { return !(*this == other); }

private:
  Shape origin_;
  Shape storage_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(StorageShape) == 536, "size of the interface");

} // namespace gert
