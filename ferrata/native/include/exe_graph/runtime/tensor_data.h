// gert::TensorData: an address with the function that counts its owners. Without such a function the address is
// used as it is and never freed.
#pragma once
#include "base_type.h"

namespace gert {

using TensorAddress = void *;
using ConstTensorAddressPtr = const void *;

enum TensorPlacement : int32_t {
  kOnDeviceHbm = 0,
  kOnHost = 1,
  kFollowing = 2, // the bytes after the Tensor object
  kOnDeviceP2p = 3,
  kTensorPlacementEnd = 4,
};

enum TensorOperateType : int32_t {
  kGetTensorAddress = 0,
  kFreeTensor = 1,
  kPlusShareCount = 2,
  kTensorOperateType = 3,
};

using TensorAddrManager = ge::graphStatus (*)(TensorAddress address, TensorOperateType operation, void **out);

class TensorData {
public:
  explicit TensorData(TensorAddress address = nullptr, TensorAddrManager manager = nullptr)
      : address_(address), manager_(manager) {}
  TensorData(TensorAddress address, TensorAddrManager manager, size_t size, TensorPlacement placement)
      : address_(address), manager_(manager), size_(size), placement_(placement) {}
  TensorData(const TensorData &) = delete;
  TensorData &operator=(const TensorData &) = delete;
  TensorData(TensorData &&other) noexcept
      : address_(other.address_), manager_(other.manager_), size_(other.size_), placement_(other.placement_) {
    other.Forget();
  }
  TensorData &operator=(TensorData &&other) noexcept {
    if (this != &other) {
      Free();
      address_ = other.address_;
      manager_ = other.manager_;
      size_ = other.size_;
      placement_ = other.placement_;
      other.Forget();
    }
    return *this;
  }
  ~TensorData() { Free(); }

  TensorAddress GetAddr() const {
    if (manager_ == nullptr || address_ == nullptr)
      return address_;
    void *address = nullptr;
    return manager_(address_, kGetTensorAddress, &address) == ge::GRAPH_SUCCESS ? address : nullptr;
  }
  size_t GetSize() const { return size_; }
  void SetSize(size_t size) { size_ = size; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(TensorPlacement placement) { placement_ = placement; }

  ge::graphStatus Free() {
    if (manager_ != nullptr && address_ != nullptr) {
      const ge::graphStatus status = manager_(address_, kFreeTensor, nullptr);
      if (status != ge::GRAPH_SUCCESS)
        return status;
    }
    Forget();
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus SetAddr(ConstTensorAddressPtr address, TensorAddrManager manager) {
    const ge::graphStatus status = Free();
    if (status == ge::GRAPH_SUCCESS) {
      address_ = const_cast<TensorAddress>(address);
      manager_ = manager;
    }
    return status;
  }
  bool IsSharedWith(const TensorData &other) const {
    return address_ == other.address_ && manager_ == other.manager_ && size_ == other.size_ &&
           placement_ == other.placement_;
  }
  ge::graphStatus ShareFrom(const TensorData &other) {
    if (this == &other || IsSharedWith(other))
      return ge::GRAPH_SUCCESS;
    ge::graphStatus status = Free();
    if (status != ge::GRAPH_SUCCESS)
      return status;
    address_ = other.address_;
    manager_ = other.manager_;
    size_ = other.size_;
    placement_ = other.placement_;
    return manager_ != nullptr && address_ != nullptr ? manager_(address_, kPlusShareCount, nullptr)
                                                      : ge::GRAPH_SUCCESS;
  }
  // Gives up the address and its manager without freeing.
  TensorAddress Release(TensorAddrManager &manager) {
    const TensorAddress address = address_;
    manager = manager_;
    Forget();
    return address;
  }

private:
  void Forget() {
    address_ = nullptr;
    manager_ = nullptr;
    size_ = 0;
    placement_ = kTensorPlacementEnd;
  }

  TensorAddress address_;
  TensorAddrManager manager_;
  size_t size_ = 0;
  TensorPlacement placement_ = kTensorPlacementEnd;
  uint8_t reserved_[kReservedBytes] = {0}; // NOLINT: part of the size
};
static_assert(sizeof(TensorData) == 72, "size of the interface");

} // namespace gert
