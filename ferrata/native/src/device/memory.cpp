// Memory of the torch device: all of it comes from ferrata_gm_alloc, so kernels may touch it and nothing else.
//
// Three allocators: the device's own; the CPU's, replaced by one that hands out device memory while a CPU kernel runs
// for the device (so results need no copy); and pinned memory, which is plain host memory that answers is_pinned.
#include "device.h"

#include "ferrata/runtime.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace ferrata_npu {
namespace {

// libascendcl counts the memory of the process. Device 0 owns what no other device does, so a single device, the usual
// case, pays nothing for the accounting.
struct OtherDevices {
  struct Block {
    c10::DeviceIndex index;
    int64_t bytes;
  };
  std::mutex lock;
  std::unordered_map<const void *, Block> blocks;
  std::map<c10::DeviceIndex, ferrata_gm_stats_t> stats;
};
OtherDevices &others() {
  static auto *state = new OtherDevices; // never destroyed: tensors may outlive static destructors
  return *state;
}

struct Baseline { // counts at the last reset_accumulated_memory_stats
  int64_t allocations = 0, frees = 0;
};
std::mutex settings_lock;
std::map<c10::DeviceIndex, Baseline> baselines;
std::array<std::atomic<size_t>, 128> limits{};
std::atomic<size_t> memory_total{0};
std::atomic<int64_t> out_of_memory_count{0};

// Only blocks of device >= 1 carry this deleter.
void free_other(void *block) {
  {
    std::lock_guard guard(others().lock);
    auto found = others().blocks.find(block);
    if (found != others().blocks.end()) {
      auto &stats = others().stats[found->second.index];
      stats.allocated -= found->second.bytes;
      stats.frees += 1;
      others().blocks.erase(found);
    }
  }
  ferrata_gm_free(block);
}

ferrata_gm_stats_t stats_of(c10::DeviceIndex index) {
  std::lock_guard guard(others().lock);
  if (index != 0) {
    auto stats = others().stats[index];
    stats.reserved = stats.allocated;
    stats.peak_reserved = stats.peak;
    return stats;
  }
  ferrata_gm_stats_t stats;
  ferrata_gm_stats(&stats);
  for (auto &[_, other] : others().stats) {
    stats.allocated -= other.allocated;
    stats.reserved -= other.allocated;
    stats.allocations -= other.allocations;
    stats.frees -= other.frees;
  }
  return stats;
}

[[noreturn]] void out_of_memory(size_t bytes, c10::DeviceIndex index) {
  out_of_memory_count += 1;
  auto stats = stats_of(index);
  size_t limit = limits[static_cast<size_t>(index)];
  TORCH_CHECK_WITH(OutOfMemoryError, false, "NPU out of memory. Tried to allocate ",
                   c10::CachingAllocator::format_size(bytes), " on npu:", static_cast<int>(index), "; ",
                   c10::CachingAllocator::format_size(static_cast<uint64_t>(stats.allocated)), " are allocated",
                   limit
                       ? ", allowed by set_per_process_memory_fraction are " + c10::CachingAllocator::format_size(limit)
                       : std::string(),
                   ". Free tensors, or call torch.npu.empty_cache().");
  std::abort(); // not reached
}

thread_local int host_on_device = -1; // device whose memory CPU tensors of this thread take, or -1

class DeviceMemory final : public c10::DeviceAllocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    auto index = current_device();
    return device_block(bytes, index, c10::Device(NPU, index));
  }
  c10::DeleterFnPtr raw_deleter() const override { return &ferrata_gm_free; }
  void copy_data(void *to, const void *from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { ferrata_gm_trim(); }
  void recordStream(const c10::DataPtr &, c10::Stream) override {} // execution is synchronous

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    auto now = stats_of(index);
    Baseline base;
    {
      std::lock_guard guard(settings_lock);
      base = baselines[index];
    }
    c10::CachingDeviceAllocator::DeviceStats out;
    auto set = [](c10::CachingAllocator::StatArray &stat, int64_t current, int64_t peak, int64_t in, int64_t gone) {
      auto &all = stat[0];
      all.current = current, all.peak = peak, all.allocated = in, all.freed = gone;
    };
    int64_t in = now.allocations - base.allocations, gone = now.frees - base.frees, alive = now.allocations - now.frees;
    set(out.allocation, alive, alive, in, gone);
    set(out.active, alive, alive, in, gone);
    for (auto *bytes : {&out.allocated_bytes, &out.active_bytes, &out.requested_bytes})
      set(*bytes, now.allocated, now.peak, now.peak, now.peak - now.allocated);
    set(out.reserved_bytes, now.reserved, now.peak_reserved, now.peak_reserved, now.peak_reserved - now.reserved);
    out.num_ooms = out_of_memory_count;
    out.num_device_alloc = now.allocations;
    out.num_device_free = now.frees;
    return out;
  }
  void resetAccumulatedStats(c10::DeviceIndex index) override {
    auto now = stats_of(index);
    std::lock_guard guard(settings_lock);
    baselines[index] = {now.allocations, now.frees};
  }
  void resetPeakStats(c10::DeviceIndex index) override {
    if (index == 0)
      return ferrata_gm_reset_peak();
    std::lock_guard guard(others().lock);
    auto &stats = others().stats[index];
    stats.peak = stats.allocated;
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override {
    size_t total = memory_total, used = static_cast<size_t>(std::max<int64_t>(stats_of(index).reserved, 0));
    return {total > used ? total - used : 0, total};
  }
};

// The process's CPU allocator, in front of the one that was there before.
class HostMemory final : public c10::Allocator {
public:
  explicit HostMemory(c10::Allocator *before) : before_(before) { free_before = before->raw_deleter(); }
  c10::DataPtr allocate(size_t bytes) override {
    if (C10_UNLIKELY(host_on_device >= 0))
      return device_block(bytes, static_cast<c10::DeviceIndex>(host_on_device), c10::Device(c10::DeviceType::CPU));
    return before_->allocate(bytes);
  }
  // raw_allocate needs one function for memory of both kinds.
  c10::DeleterFnPtr raw_deleter() const override { return &free_any; }
  void copy_data(void *to, const void *from, size_t bytes) const override { before_->copy_data(to, from, bytes); }

private:
  static void free_any(void *block) {
    void *base = nullptr;
    if (ferrata_gm_find(block, &base, nullptr) && base == block)
      return device_of(block).index() ? free_other(block) : ferrata_gm_free(block);
    free_before(block);
  }
  c10::Allocator *before_;
  static inline c10::DeleterFnPtr free_before = nullptr;
};

class PinnedMemory final : public c10::Allocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    void *block = bytes ? c10::GetDefaultCPUAllocator()->allocate(bytes).release_context() : nullptr;
    if (block) {
      std::unique_lock guard(lock);
      blocks[static_cast<const char *>(block)] = bytes;
    }
    return {block, block, &free, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free; }
  void copy_data(void *to, const void *from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  static bool contains(const void *data) {
    std::shared_lock guard(lock);
    auto after = blocks.upper_bound(static_cast<const char *>(data));
    if (after == blocks.begin())
      return false;
    auto &[base, bytes] = *--after;
    return static_cast<const char *>(data) < base + bytes;
  }

private:
  static void free(void *block) {
    {
      std::unique_lock guard(lock);
      blocks.erase(static_cast<const char *>(block));
    }
    c10::GetDefaultCPUAllocator()->raw_deleter()(block);
  }
  static inline std::shared_mutex lock;
  static inline auto &blocks = *new std::map<const char *, size_t>;
};

auto &device_memory = *new DeviceMemory;
auto &pinned_memory = *new PinnedMemory;
const bool installed = [] {
  c10::SetAllocator(NPU, &device_memory);
  c10::SetCPUAllocator(new HostMemory(c10::GetCPUAllocator()), 255);
  return true;
}();

// Memory of a CPU kernel that did not come from us (a blob, another thread), lent to the device until it is freed.
struct Adopted {
  c10::DataPtr data;
  static void forget(void *self) {
    ferrata_gm_forget(static_cast<Adopted *>(self)->data.get());
    delete static_cast<Adopted *>(self);
  }
};

} // namespace

c10::DeviceAllocator *allocator() { return &device_memory; }
c10::Allocator *pinned_allocator() { return &pinned_memory; }
bool is_pinned(const void *data) { return data && PinnedMemory::contains(data); }

c10::DataPtr device_block(size_t bytes, c10::DeviceIndex index, c10::Device tag) {
  if (bytes == 0)
    return {nullptr, nullptr, &c10::detail::deleteNothing, tag};
  if (size_t limit = limits[static_cast<size_t>(index)].load(std::memory_order_relaxed))
    if (static_cast<size_t>(stats_of(index).allocated) + bytes > limit)
      out_of_memory(bytes, index);
  void *block = ferrata_gm_alloc(bytes);
  if (!block)
    out_of_memory(bytes, index);
  if (C10_LIKELY(index == 0))
    return {block, block, &ferrata_gm_free, tag};
  std::lock_guard guard(others().lock);
  others().blocks[block] = {index, static_cast<int64_t>(bytes)};
  auto &stats = others().stats[index];
  stats.allocated += static_cast<int64_t>(bytes);
  stats.peak = std::max(stats.peak, stats.allocated);
  stats.allocations += 1;
  return {block, block, &free_other, tag};
}

bool is_device_memory(const c10::DataPtr &data) {
  auto deleter = data.get_deleter();
  return deleter == &ferrata_gm_free || deleter == &free_other || deleter == &Adopted::forget || data.get() == nullptr;
}

c10::Device device_of(const void *data) {
  void *base = nullptr;
  TORCH_CHECK(ferrata_gm_find(data, &base, nullptr), "The pointer ", data, " does not lie in memory of an npu device.");
  std::lock_guard guard(others().lock);
  auto found = others().blocks.find(base);
  return c10::Device(NPU, found == others().blocks.end() ? c10::DeviceIndex(0) : found->second.index);
}

void take_over(c10::StorageImpl *storage, c10::Device device) {
  c10::DataPtr &data = storage->mutable_data_ptr();
  if (C10_LIKELY(is_device_memory(data))) {
    data.unsafe_set_device(device);
  } else {
    void *block = data.mutable_get();
    auto *adopted = new Adopted{std::move(data)};
    ferrata_gm_adopt(block, storage->nbytes());
    storage->set_data_ptr_noswap({block, adopted, &Adopted::forget, device});
  }
  storage->set_allocator(&device_memory);
}

void set_memory_limit(c10::DeviceIndex index, size_t bytes) { limits[static_cast<size_t>(index)] = bytes; }
void set_memory_total(size_t bytes) { memory_total = bytes; }

HostMemoryOnDevice::HostMemoryOnDevice(c10::DeviceIndex index) : before_(host_on_device) { host_on_device = index; }
HostMemoryOnDevice::~HostMemoryOnDevice() { host_on_device = before_; }

} // namespace ferrata_npu
