// What the translation units of the torch device share: its identity, memory, streams and generators.
//
// PrivateUse1 is renamed `npu`; its memory is host memory that the registry of libascendcl knows (ferrata/runtime.h).
//   memory.cpp     allocators of the device, of pinned memory, and of CPU tensors that belong to the device
//   device.cpp     devices, streams, events, hooks, generators
//   fallback.cpp   every operator on ATen's CPU kernels, with the same storage
//   ops.cpp        operators that the device implements itself: factories, views, copies
//   autocast.cpp   rules of torch.autocast("npu")
//   entry.cpp      compiled kernels as Python callables
//   lent.cpp       Python code for CPU tensors on the device's memory
//   module.cpp     the Python module
#pragma once
#include <ATen/core/Generator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ferrata_npu {

constexpr c10::DeviceType NPU = c10::DeviceType::PrivateUse1;

// --- devices (state: the count is fixed when the module is loaded, the current device is per thread) ---
void set_device_count(int count);
c10::DeviceIndex device_count();
c10::DeviceIndex current_device();
// Set the current device of this thread and return the one before; an unknown index is an error.
c10::DeviceIndex exchange_device(c10::DeviceIndex index);
inline c10::Device npu(c10::DeviceIndex index) { return c10::Device(NPU, index < 0 ? current_device() : index); }

// --- memory ---
c10::DeviceAllocator *allocator();
c10::Allocator *pinned_allocator();
bool is_pinned(const void *data);
// Device to which a block of device memory belongs.
c10::Device device_of(const void *data);
// Make memory that a CPU kernel produced the device's: kept as it is, known to the registry from now on.
void take_over(c10::StorageImpl *storage, c10::Device device);
bool is_device_memory(const c10::DataPtr &data);
// A block of device memory tagged with any device (CPU while a CPU kernel works on it).
c10::DataPtr device_block(size_t bytes, c10::DeviceIndex index, c10::Device tag);
// Bytes that a device may allocate; 0 is no limit. What mem_get_info reports as the total.
void set_memory_limit(c10::DeviceIndex index, size_t bytes);
void set_memory_total(size_t bytes);

// While one lives, CPU tensors that this thread allocates lie in device memory.
class HostMemoryOnDevice {
public:
  explicit HostMemoryOnDevice(c10::DeviceIndex index);
  ~HostMemoryOnDevice();
  HostMemoryOnDevice(const HostMemoryOnDevice &) = delete;
  HostMemoryOnDevice &operator=(const HostMemoryOnDevice &) = delete;

private:
  int before_;
};

// --- streams ---
c10::Stream current_stream(c10::DeviceIndex index = -1);
void *native_stream(c10::Stream stream);

// --- generators ---
const at::Generator &default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);
// The CPU generator that holds the state of a generator of the device.
at::Generator host_generator(const at::Generator &generator);

// --- policy of the fallback, set from the environment when the module is loaded ---
void set_strict_fallback(bool strict); // TORCH_NPU_FALLBACK_CPU_DISABLE

} // namespace ferrata_npu
