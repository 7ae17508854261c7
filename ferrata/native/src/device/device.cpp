// Devices, streams, events, hooks and generators of the torch device.
//
// Execution is synchronous in the calling thread, so a stream is an identity with an ACL handle, and an event is the
// time at which it was recorded. This file holds the state: per thread the current device and streams, per process the
// rest.
#include "device.h"

#include "ferrata/runtime.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <chrono>
#include <deque>
#include <mutex>

extern "C" int aclInit(const char *config);
extern "C" int aclrtSetDevice(int32_t device);
extern "C" int aclrtCreateStream(void **stream);

namespace ferrata_npu {
namespace {

int count = 1;
thread_local c10::DeviceIndex current = 0;

c10::DeviceIndex checked(c10::DeviceIndex index) {
  if (index < 0)
    return current;
  TORCH_CHECK(index < count, "Invalid device: npu:", static_cast<int>(index), " does not exist; ", count,
              " emulated npu device", count == 1 ? " is" : "s are",
              " visible. Set FERRATA_NPU_DEVICES (and ASCEND_RT_VISIBLE_DEVICES) before the first use for more.");
  return index;
}

// --- streams: id 0 is the device's default stream, id n > 0 the n-th that was made ---

struct StreamRecord {
  void *native;
  int priority;
};
struct Streams {
  std::mutex lock;
  std::deque<StreamRecord> made; // id 1 is made[0]
  std::vector<void *> defaults;
};
Streams &streams() {
  static auto *state = new Streams;
  return *state;
}
thread_local std::vector<c10::StreamId> current_ids; // per device

c10::Stream make_stream(c10::DeviceIndex index, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(NPU, index), id);
}

// ACL knows one device; each thread that uses it needs its context, also for launches on a null stream.
void ensure_context() {
  static const bool initialised = (aclInit(nullptr), true); // "already initialised" is as good
  thread_local bool ready = initialised && aclrtSetDevice(0) == 0;
  TORCH_CHECK(ready, "aclrtSetDevice failed.");
}

c10::Stream new_stream(c10::DeviceIndex index, int priority) {
  ensure_context();
  void *native = nullptr;
  TORCH_CHECK(aclrtCreateStream(&native) == 0, "aclrtCreateStream failed for npu:", static_cast<int>(index), ".");
  std::lock_guard guard(streams().lock);
  streams().made.push_back({native, priority});
  return make_stream(index, static_cast<c10::StreamId>(streams().made.size()));
}

struct Event {
  std::chrono::steady_clock::time_point time;
  bool timing;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return NPU; }
  c10::Device exchangeDevice(c10::Device device) const override {
    return c10::Device(NPU, exchange_device(device.index()));
  }
  c10::Device getDevice() const override { return c10::Device(NPU, current); }
  void setDevice(c10::Device device) const override { exchange_device(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index())
      current = device.index();
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(count); }

  c10::Stream getStream(c10::Device device) const override { return current_stream(device.index()); }
  c10::Stream getDefaultStream(c10::Device device) const override { return make_stream(checked(device.index()), 0); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool high) const override {
    return new_stream(checked(device.index()), high ? -1 : 0);
  }
  c10::Stream getNewStream(c10::Device device, int priority) const override {
    return new_stream(checked(device.index()), priority);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    auto before = current_stream(stream.device_index());
    current_ids[static_cast<size_t>(stream.device_index())] = stream.id();
    return before;
  }
  void *getStreamNativeHandle(const c10::Stream stream) const override { return native_stream(stream); }
  bool queryStream(const c10::Stream &) const override { return true; }
  void synchronizeStream(const c10::Stream &) const override {}
  void synchronizeDevice(const c10::DeviceIndex index) const override { checked(index); }

  void record(void **event, const c10::Stream &, const c10::DeviceIndex, const c10::EventFlag flag) const override {
    if (!*event)
      *event = new Event{{}, flag == c10::EventFlag::BACKEND_DEFAULT};
    static_cast<Event *>(*event)->time = std::chrono::steady_clock::now();
  }
  void block(void *, const c10::Stream &) const override {}
  bool queryEvent(void *) const override { return true; }
  void synchronizeEvent(void *) const override {}
  void destroyEvent(void *event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event *>(event); }
  double elapsedTime(void *from, void *to, const c10::DeviceIndex) const override {
    TORCH_CHECK(from && to, "Both events must be recorded before elapsed_time.");
    auto *a = static_cast<Event *>(from), *b = static_cast<Event *>(to);
    TORCH_CHECK(a->timing && b->timing, "Both events must be created with enable_timing=True.");
    return std::chrono::duration<double, std::milli>(b->time - a->time).count();
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// --- generators: the state is a CPU generator's, so CPU kernels draw from it, and each device has its own ---

struct Generator final : c10::GeneratorImpl {
  explicit Generator(c10::DeviceIndex index, at::Generator host = at::detail::createCPUGenerator())
      : c10::GeneratorImpl(c10::Device(NPU, index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host_(std::move(host)) {}
  static c10::DeviceType device_type() { return NPU; }
  void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
  void set_offset(uint64_t) override { TORCH_CHECK_NOT_IMPLEMENTED(false, "npu generators have no offset."); }
  uint64_t get_offset() const override { TORCH_CHECK_NOT_IMPLEMENTED(false, "npu generators have no offset."); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override { return host_.seed(); }
  void set_state(const c10::TensorImpl &state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }
  Generator *clone_impl() const override { return new Generator(device().index(), host_.clone()); }
  at::Generator host_;
};

std::vector<at::Generator> &default_generators() {
  static auto *all = [] {
    auto *list = new std::vector<at::Generator>;
    for (int index = 0; index < count; ++index)
      list->push_back(at::make_generator<Generator>(static_cast<c10::DeviceIndex>(index)));
    return list;
  }();
  return *all;
}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return count > 0; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  void init() const override {}
  c10::DeviceIndex deviceCount() const override { return device_count(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { exchange_device(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current; }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override { return exchange_device(index); }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override { return exchange_device(index); }
  const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override { return new_generator(index); }
  at::Device getDeviceFromPtr(void *data) const override { return device_of(data); }
  bool isPinnedPtr(const void *data) const override { return is_pinned(data); }
  c10::Allocator *getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override {
    auto *impl = storage.unsafeGetStorageImpl();
    TORCH_CHECK(impl->resizable(), "Trying to resize a storage that is not resizable.");
    auto device = impl->device();
    c10::DataPtr data = device_block(bytes, device.index(), device);
    if (size_t keep = std::min(bytes, impl->nbytes()))
      std::memcpy(data.mutable_get(), impl->data(), keep);
    impl->set_data_ptr_noswap(std::move(data));
    impl->set_nbytes(bytes);
  }
};
const bool hooked = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

} // namespace

void set_device_count(int number) { count = number; }
c10::DeviceIndex device_count() { return static_cast<c10::DeviceIndex>(count); }
c10::DeviceIndex current_device() { return current; }
c10::DeviceIndex exchange_device(c10::DeviceIndex index) {
  auto before = current;
  current = checked(index);
  return before;
}

c10::Stream current_stream(c10::DeviceIndex index) {
  index = checked(index);
  if (C10_UNLIKELY(current_ids.empty()))
    current_ids.resize(static_cast<size_t>(count), 0);
  return make_stream(index, current_ids[static_cast<size_t>(index)]);
}

void *native_stream(c10::Stream stream) {
  ensure_context();
  if (stream.id() == 0 && stream.device_index() == 0)
    return ferrata_default_stream();
  std::lock_guard guard(streams().lock);
  if (stream.id() > 0) {
    auto position = static_cast<size_t>(stream.id()) - 1;
    TORCH_CHECK(position < streams().made.size(), "Stream ", stream.id(), " is not a stream of the npu device.");
    return streams().made[position].native;
  }
  auto &defaults = streams().defaults;
  defaults.resize(static_cast<size_t>(count), nullptr);
  auto &native = defaults[static_cast<size_t>(stream.device_index())];
  if (!native)
    TORCH_CHECK(aclrtCreateStream(&native) == 0, "aclrtCreateStream failed.");
  return native;
}

const at::Generator &default_generator(c10::DeviceIndex index) {
  return default_generators()[static_cast<size_t>(checked(index))];
}
at::Generator new_generator(c10::DeviceIndex index) { return at::make_generator<Generator>(checked(index)); }
at::Generator host_generator(const at::Generator &generator) {
  TORCH_CHECK(generator.device().type() == NPU, "Expected a 'npu' device type for generator but found '",
              generator.device().type(), "'");
  return static_cast<Generator *>(generator.unsafeGetGeneratorImpl())->host_;
}

} // namespace ferrata_npu
