// The current stream of the npu device, for C++ that launches kernels: c10_npu::getCurrentNPUStream().stream().
// Header only: it asks the device through c10's own interface, so linking torch is enough.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdint>

#include "acl/acl.h"

namespace c10_npu {

constexpr c10::DeviceType NPU_DEVICE_TYPE = c10::DeviceType::PrivateUse1;

class NPUStream {
public:
  explicit NPUStream(c10::Stream stream) : stream_(stream) {}

  // The ACL stream. Launches are synchronous, so there is no queue to empty first; the argument is accepted.
  aclrtStream stream(bool need_empty = true) const {
    (void)need_empty;
    return guard()->getStreamNativeHandle(stream_);
  }
  operator aclrtStream() const { return stream(); }
  operator c10::Stream() const { return stream_; }
  c10::Stream unwrap() const { return stream_; }

  c10::DeviceIndex device_index() const { return stream_.device_index(); }
  c10::Device device() const { return stream_.device(); }
  c10::StreamId id() const { return stream_.id(); }
  bool query() const { return guard()->queryStream(stream_); }
  void synchronize() const { guard()->synchronizeStream(stream_); }

  bool operator==(const NPUStream &other) const { return stream_ == other.stream_; }
  bool operator!=(const NPUStream &other) const { return stream_ != other.stream_; }

  static const c10::impl::DeviceGuardImplInterface *guard() { return c10::impl::getDeviceGuardImpl(NPU_DEVICE_TYPE); }

private:
  c10::Stream stream_;
};

namespace detail {
inline c10::Device device_or_current(c10::DeviceIndex index) {
  return index < 0 ? NPUStream::guard()->getDevice() : c10::Device(NPU_DEVICE_TYPE, index);
}
} // namespace detail

// The current stream of a device in this thread; -1 is the current device.
inline NPUStream getCurrentNPUStream(c10::DeviceIndex device_index = -1) {
  return NPUStream(NPUStream::guard()->getStream(detail::device_or_current(device_index)));
}
inline NPUStream getDefaultNPUStream(c10::DeviceIndex device_index = -1) {
  return NPUStream(NPUStream::guard()->getDefaultStream(detail::device_or_current(device_index)));
}
inline NPUStream getNPUStreamFromPool(bool high_priority = false, c10::DeviceIndex device_index = -1) {
  return NPUStream(NPUStream::guard()->getStreamFromGlobalPool(detail::device_or_current(device_index), high_priority));
}
inline NPUStream getNPUStreamFromPool(c10::DeviceIndex device_index) {
  return getNPUStreamFromPool(false, device_index);
}
inline void setCurrentNPUStream(NPUStream stream) { NPUStream::guard()->exchangeStream(stream.unwrap()); }

} // namespace c10_npu
