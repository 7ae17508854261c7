// gert::StorageFormat: origin and storage format of a tensor. Both are ND on this device.
#pragma once
#include "expand_dims_type.h"

namespace gert {

class StorageFormat {
public:
  StorageFormat() = default; // leaves the formats unset, as the interface defines it
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType &expand)
      : origin_(origin), storage_(storage), expand_(expand) {}

  ge::Format GetOriginFormat() const { return origin_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  ExpandDimsType GetExpandDimsType() const { return expand_; }
  void SetExpandDimsType(const ExpandDimsType &expand) { expand_ = expand; }
  ExpandDimsType &MutableExpandDimsType() { return expand_; }

  bool operator==(const StorageFormat &other) const {
    return origin_ == other.origin_ && storage_ == other.storage_ && expand_ == other.expand_;
  }
  bool operator!=(const StorageFormat &other) const { return !(*this == other); }

private:
  ge::Format origin_;
  ge::Format storage_;
  ExpandDimsType expand_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(StorageFormat) == 96, "size of the interface");

} // namespace gert
