// Device memory. One reserved address range is cut into 2 MiB chunks: small size classes share chunks, large blocks
// take runs of chunks. So the block behind any address is found by arithmetic, without a lock, which keeps checks of
// kernels cheap. Ranges that others own (adopted) are kept in an ordered map beside it. State: this file's globals.
#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>
#include <cstdlib>
#include "gm.h"
#include "ferrata/runtime.h"

namespace {
constexpr size_t chunk_bytes = size_t(2) << 20;
constexpr size_t largest_small = chunk_bytes / 4;
constexpr size_t most_chunks = size_t(1) << 17; // 256 GiB of addresses
constexpr uint32_t unused = ~uint32_t(0);

enum ChunkKind : uint8_t { chunk_free, chunk_small, chunk_head, chunk_tail };
struct Chunk {
  ChunkKind kind;
  uint32_t block;      // small: bytes of a block; tail: index of the head
  uint32_t *requested; // small: bytes asked for, by block; `unused` when free
  size_t bytes;        // head: bytes asked for
  uint32_t run;        // head: chunks
};

uint8_t *base;
size_t limit;    // chunks that the reserved range has
size_t used;     // chunks handed out so far
size_t writable; // chunks that are mapped for access
Chunk chunks[most_chunks];
std::vector<void *> free_small[64];
std::multimap<size_t, size_t> free_runs; // length -> first chunk
std::map<size_t, size_t> free_by_start;  // first chunk -> length
std::mutex mutex;
ferrata_gm_stats_t stats;

std::map<uintptr_t, size_t> adopted;
std::shared_mutex adopted_mutex;
std::atomic<int> adopted_count;

// Four classes per power of two from 64 bytes on.
int class_of(size_t bytes, size_t &rounded) {
  rounded = 64;
  int index = 0;
  size_t step = 64;
  while (rounded < bytes) {
    if (rounded >= 256 && (rounded & (rounded - 1)) == 0)
      step = rounded / 4;
    rounded += step;
    ++index;
  }
  return index;
}

bool reserve_range() {
  if (base)
    return true;
  for (limit = most_chunks; limit >= 512; limit /= 2) {
    void *p = mmap(nullptr, (limit + 1) * chunk_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
      base =
          reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(p) + chunk_bytes - 1) / chunk_bytes * chunk_bytes);
      return true;
    }
  }
  return false;
}

void drop_run(size_t start, size_t length) {
  free_by_start.erase(start);
  auto range = free_runs.equal_range(length);
  for (auto it = range.first; it != range.second; ++it)
    if (it->second == start) {
      free_runs.erase(it);
      return;
    }
}

void add_run(size_t start, size_t length) {
  auto next = free_by_start.lower_bound(start);
  if (next != free_by_start.end() && next->first == start + length) {
    size_t more = next->second;
    drop_run(start + length, more);
    length += more;
  }
  auto before = free_by_start.lower_bound(start);
  if (before != free_by_start.begin()) {
    --before;
    if (before->first + before->second == start) {
      size_t first = before->first, more = before->second;
      drop_run(first, more);
      start = first;
      length += more;
    }
  }
  free_by_start[start] = length;
  free_runs.emplace(length, start);
}

// First chunk of a run of `count`, or `most_chunks` when memory is out.
size_t take_run(size_t count) {
  auto fit = free_runs.lower_bound(count);
  if (fit != free_runs.end()) {
    size_t start = fit->second, length = fit->first;
    drop_run(start, length);
    if (length > count)
      add_run(start + count, length - count);
    return start;
  }
  if (!reserve_range() || used + count > limit)
    return most_chunks;
  if (used + count > writable) {
    size_t target = std::min(limit, used + std::max<size_t>(count, 32));
    if (mprotect(base + writable * chunk_bytes, (target - writable) * chunk_bytes, PROT_READ | PROT_WRITE) != 0)
      return most_chunks;
    madvise(base + writable * chunk_bytes, (target - writable) * chunk_bytes, MADV_HUGEPAGE);
    writable = target;
  }
  size_t start = used;
  used += count;
  stats.reserved = static_cast<int64_t>(used * chunk_bytes);
  stats.peak_reserved = std::max(stats.peak_reserved, stats.reserved);
  return start;
}

void count_allocation(size_t bytes) {
  stats.allocated += static_cast<int64_t>(bytes);
  stats.peak = std::max(stats.peak, stats.allocated);
  ++stats.allocations;
}
} // namespace

void *ferrata_gm_alloc(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes <= largest_small) {
    size_t rounded;
    int index = class_of(bytes ? bytes : 1, rounded);
    std::vector<void *> &list = free_small[index];
    if (list.empty()) {
      size_t start = take_run(1);
      if (start == most_chunks)
        return nullptr;
      size_t blocks = chunk_bytes / rounded;
      uint32_t *requested = static_cast<uint32_t *>(malloc(blocks * sizeof(uint32_t)));
      std::fill(requested, requested + blocks, unused);
      chunks[start] = {chunk_small, static_cast<uint32_t>(rounded), requested, 0, 1};
      for (size_t i = blocks; i-- > 0;)
        list.push_back(base + start * chunk_bytes + i * rounded);
    }
    uint8_t *block = static_cast<uint8_t *>(list.back());
    list.pop_back();
    size_t offset = static_cast<size_t>(block - base);
    chunks[offset / chunk_bytes].requested[offset % chunk_bytes / rounded] = static_cast<uint32_t>(bytes);
    count_allocation(bytes);
    return block;
  }
  if (bytes > (most_chunks - 1) * chunk_bytes)
    return nullptr;
  size_t count = (bytes + chunk_bytes - 1) / chunk_bytes, start = take_run(count);
  if (start == most_chunks)
    return nullptr;
  for (size_t i = 1; i < count; ++i)
    chunks[start + i] = {chunk_tail, static_cast<uint32_t>(start), nullptr, 0, 0};
  chunks[start] = {chunk_head, 0, nullptr, bytes, static_cast<uint32_t>(count)};
  count_allocation(bytes);
  return base + start * chunk_bytes;
}

void ferrata_gm_free(void *block) {
  if (!block)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  size_t offset = static_cast<size_t>(static_cast<uint8_t *>(block) - base);
  if (!base || offset >= used * chunk_bytes)
    return;
  Chunk &chunk = chunks[offset / chunk_bytes];
  if (chunk.kind == chunk_small) {
    size_t rounded = chunk.block, index = offset % chunk_bytes / rounded;
    if (chunk.requested[index] == unused)
      return;
    stats.allocated -= chunk.requested[index];
    chunk.requested[index] = unused;
    size_t same;
    free_small[class_of(rounded, same)].push_back(block);
  } else if (chunk.kind == chunk_head) {
    size_t start = offset / chunk_bytes, run = chunk.run;
    stats.allocated -= static_cast<int64_t>(chunk.bytes);
    for (size_t i = 0; i < run; ++i)
      chunks[start + i].kind = chunk_free;
    add_run(start, run);
  } else {
    return;
  }
  ++stats.frees;
}

void ferrata_gm_adopt(void *address, size_t bytes) {
  std::unique_lock<std::shared_mutex> lock(adopted_mutex);
  adopted[reinterpret_cast<uintptr_t>(address)] = bytes;
  adopted_count = static_cast<int>(adopted.size());
}

void ferrata_gm_forget(void *address) {
  std::unique_lock<std::shared_mutex> lock(adopted_mutex);
  adopted.erase(reinterpret_cast<uintptr_t>(address));
  adopted_count = static_cast<int>(adopted.size());
}

namespace ferrata {
bool gm_reserved(const void *address) {
  return base && static_cast<size_t>(static_cast<const uint8_t *>(address) - base) < limit * chunk_bytes;
}

bool gm_block(const void *address, GmBlock &out) {
  const uint8_t *p = static_cast<const uint8_t *>(address);
  if (gm_reserved(address)) {
    size_t offset = static_cast<size_t>(p - base), index = offset / chunk_bytes;
    const Chunk *chunk = &chunks[index];
    if (chunk->kind == chunk_tail)
      chunk = &chunks[index = chunk->block];
    if (chunk->kind == chunk_head) {
      out = {base + index * chunk_bytes, chunk->bytes, (chunk->bytes + 31) / 32 * 32};
      return true;
    }
    if (chunk->kind != chunk_small)
      return false;
    size_t block = offset % chunk_bytes / chunk->block;
    if (block >= chunk_bytes / chunk->block || chunk->requested[block] == unused)
      return false;
    size_t bytes = chunk->requested[block];
    out = {base + index * chunk_bytes + block * chunk->block, bytes, (bytes + 31) / 32 * 32};
    return true;
  }
  if (adopted_count.load(std::memory_order_relaxed) == 0)
    return false;
  std::shared_lock<std::shared_mutex> lock(adopted_mutex);
  auto after = adopted.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (after == adopted.begin())
    return false;
  --after;
  if (reinterpret_cast<uintptr_t>(address) - after->first > after->second)
    return false; // the end itself counts, so that a range running off the end is named rightly
  out = {reinterpret_cast<uint8_t *>(after->first), after->second, after->second};
  return true;
}
} // namespace ferrata

int ferrata_gm_find(const void *address, void **block, size_t *bytes) {
  ferrata::GmBlock found;
  if (!ferrata::gm_block(address, found) ||
      static_cast<const uint8_t *>(address) >= found.base + std::max<size_t>(found.bytes, 1))
    return 0;
  if (block)
    *block = found.base;
  if (bytes)
    *bytes = found.bytes;
  return 1;
}

void ferrata_gm_stats(ferrata_gm_stats_t *out) {
  std::lock_guard<std::mutex> lock(mutex);
  *out = stats;
}

void ferrata_gm_reset_peak(void) {
  std::lock_guard<std::mutex> lock(mutex);
  stats.peak = stats.allocated;
  stats.peak_reserved = stats.reserved;
}

void ferrata_gm_trim(void) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &run : free_by_start)
    madvise(base + run.first * chunk_bytes, run.second * chunk_bytes, MADV_DONTNEED);
}
