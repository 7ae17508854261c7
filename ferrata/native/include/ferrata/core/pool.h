// Pools: a part of a memory that queues and buffers share, given back as a whole by Reset. Pools over the same part are
// used in turn. EXTERN_IMPL_BUFPOOL makes a pool of a user's class.
#pragma once
#include "ferrata/core/pipe.h"

namespace ferrata {
// The blocks of a pool; the class templates below only add the position and the room.
struct PoolState {
  uint32_t start = 0, length = 0, top = 0; // bytes of the memory; top: next free one
  uint32_t used = 0, limit = 0;            // blocks
  bool open = false;
  PoolState *root = nullptr;   // of pools over one part: the first
  PoolState *active = nullptr; // of a root: the one that holds buffers

  void begin(uint32_t at, uint32_t bytes, PoolState *shared) {
    start = top = at;
    length = bytes;
    used = 0;
    open = true;
    root = shared ? shared->root : this;
    if (!shared)
      active = nullptr;
  }

  // Room for `count` blocks of `each` bytes, after the checks; the address of the first.
  uint32_t take(const char *what, Memory memory, uint64_t each, uint32_t count, Loc loc) {
    if (!open)
      ferrata_fault(Fault::QueueMisuse, what, loc.file, loc.line, "the pool has no memory: call InitBufPool first");
    if (root->active && root->active != this && root->active->used)
      ferrata_fault(Fault::QueueMisuse, what, loc.file, loc.line,
                    "another pool over the same memory holds %u buffers; Reset it first", root->active->used);
    if (used + count > limit)
      ferrata_fault(Fault::QueueMisuse, what, loc.file, loc.line, "%u buffers in a pool with room for %u", used + count,
                    limit);
    each = (each + 31) / 32 * 32;
    const uint64_t end = top - start + each * count;
    if (end > length)
      ferrata_note_allocation(memory, what, each, count, end, length, loc);
    root->active = this;
    const uint32_t at = top;
    top += static_cast<uint32_t>(each * count);
    used += count;
    return at;
  }

  void reset(Buffer *buffers) {
    for (uint32_t i = 0; i < used; ++i)
      if (buffers[i].free_id >= 0 && buffers[i].free_event)
        release_event(static_cast<AscendC::HardEvent>(buffers[i].free_event - 1), buffers[i].free_id);
    top = start;
    used = 0;
    if (root && root->active == this)
      root->active = nullptr;
  }
};

template <class Pool, class Other> inline void share_pool(Pool &pool, uint32_t length, Other &shared, Loc loc) {
  const uint64_t bytes = (uint64_t(length) + 31) / 32 * 32;
  PoolState &other = shared.ferrata_state();
  if (!other.open)
    ferrata_fault(Fault::QueueMisuse, "InitBufPool", loc.file, loc.line,
                  "the pool to share with has no memory: call InitBufPool for it first");
  if (bytes > other.length)
    ferrata_fault(Fault::BadArgument, "InitBufPool", loc.file, loc.line,
                  "len is %llu; a pool over another one has at most its %u bytes",
                  static_cast<unsigned long long>(bytes), other.length);
  pool.ferrata_open(other.start, static_cast<uint32_t>(bytes), &other);
}
} // namespace ferrata

namespace AscendC {
template <TPosition pos, uint32_t bufIDSize = 4> class TBufPool {
  static constexpr ferrata::Memory memory = ferrata::memory_of(pos);
  static_assert(memory == ferrata::Memory::ub || memory == ferrata::Memory::l1,
                "TBufPool: the position must be in UB or L1");
  static_assert(bufIDSize <= 16, "TBufPool: at most 16 buffers");

public:
  static constexpr TPosition poolPos = pos;

  TBufPool() = default;
  TBufPool(const TBufPool &) = delete;

  template <TPosition source, TPosition destination, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<source, destination, depth, mask> &queue, int64_t count, uint32_t length,
                  ferrata::Loc loc = ferrata::Loc::here()) {
    const uint32_t number = ferrata::queue_blocks(count, loc);
    using Queue = TQueBind<source, destination, depth, mask>;
    static_assert(ferrata::memory_of(Queue::position) == memory,
                  "TBufPool: this queue lies in another memory than the pool");
    queue.check_config(number, length, loc);
    queue.bind(blocks(&queue, length, number, loc), number);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position> &buffer, uint32_t length, ferrata::Loc loc = ferrata::Loc::here()) {
    static_assert(ferrata::memory_of(position) == memory, "TBufPool: this buffer lies in another memory than the pool");
    buffer.bind(blocks(&buffer, length, 1, loc), 1);
    return true;
  }
  // A pool inside this one; it may use the blocks that are left here.
  template <class Pool> bool InitBufPool(Pool &pool, uint32_t length, ferrata::Loc loc = ferrata::Loc::here()) {
    const uint32_t at = state_.take("InitBufPool", memory, length, 0, loc);
    const uint64_t bytes = (uint64_t(length) + 31) / 32 * 32;
    if (at - state_.start + bytes > state_.length)
      ferrata_note_allocation(memory, "InitBufPool", bytes, 1, at - state_.start + bytes, state_.length, loc);
    state_.top += static_cast<uint32_t>(bytes);
    pool.ferrata_open(at, static_cast<uint32_t>(bytes), nullptr);
    ferrata::PoolState &inner = pool.ferrata_state();
    if (inner.limit > state_.limit - state_.used)
      inner.limit = state_.limit - state_.used;
    return true;
  }
  template <class Pool, class Other>
  bool InitBufPool(Pool &pool, uint32_t length, Other &shared, ferrata::Loc loc = ferrata::Loc::here()) {
    ferrata::share_pool(pool, length, shared, loc);
    return true;
  }
  // All blocks are free again.
  void Reset() { state_.reset(buffers_); }

  // Called by whoever makes room for this pool.
  void ferrata_open(uint32_t start, uint32_t length, ferrata::PoolState *shared) {
    state_.limit = bufIDSize;
    state_.begin(start, length, shared);
  }
  ferrata::PoolState &ferrata_state() { return state_; }

private:
  ferrata::Buffer *blocks(const void *owner, uint64_t length, uint32_t number, ferrata::Loc loc) {
    const uint32_t at = state_.take("InitBuffer", memory, length, number, loc);
    ferrata::Buffer *first = buffers_ + state_.used - number;
    ferrata::lay(first, ferrata_local_memory(memory) + at, (length + 31) / 32 * 32, number, owner);
    return first;
  }
  ferrata::PoolState state_;
  ferrata::Buffer buffers_[bufIDSize];
};
} // namespace AscendC

// Members that make a class a pool of `count` blocks; the class itself says, in its InitBuffer, where blocks lie.
#define EXTERN_IMPL_BUFPOOL(Class, position, count)                                                                    \
private:                                                                                                               \
  ::ferrata::Buffer ferrata_buffers_[count];                                                                           \
  ::ferrata::PoolState ferrata_state_;                                                                                 \
                                                                                                                       \
public:                                                                                                                \
  static constexpr AscendC::TPosition poolPos = position;                                                              \
  static_assert(::ferrata::memory_of(poolPos) == ::ferrata::Memory::ub ||                                              \
                    ::ferrata::memory_of(poolPos) == ::ferrata::Memory::l1,                                            \
                "EXTERN_IMPL_BUFPOOL: the position must be in UB or L1");                                              \
  ~Class() { Reset(); }                                                                                                \
  void Init() { ferrata_state_.used = 0; }                                                                             \
  void Reset() {                                                                                                       \
    if (ferrata_core)                                                                                                  \
      ferrata_state_.reset(ferrata_buffers_);                                                                          \
  }                                                                                                                    \
  AscendC::TBufHandle GetBufHandle(uint8_t index, ::ferrata::Loc loc = ::ferrata::Loc::here()) {                       \
    if (index >= count)                                                                                                \
      ferrata_fault(::ferrata::Fault::QueueMisuse, "GetBufHandle", loc.file, loc.line,                                 \
                    "buffer %u of a pool with room for %u", index, static_cast<unsigned>(count));                      \
    return reinterpret_cast<AscendC::TBufHandle>(&ferrata_buffers_[index]);                                            \
  }                                                                                                                    \
  void SetCurAddr(uint32_t address, ::ferrata::Loc loc = ::ferrata::Loc::here()) {                                     \
    if (ferrata_state_.open && address > ferrata_state_.start + ferrata_state_.length)                                 \
      ferrata_fault(::ferrata::Fault::UbOverBudget, "SetCurAddr", loc.file, loc.line,                                  \
                    "address %u is behind the pool, which ends at %u", address,                                        \
                    ferrata_state_.start + ferrata_state_.length);                                                     \
    ferrata_state_.top = address;                                                                                      \
  }                                                                                                                    \
  uint32_t GetCurAddr() const { return ferrata_state_.top; }                                                           \
  void SetCurBufSize(uint8_t number, ::ferrata::Loc loc = ::ferrata::Loc::here()) {                                    \
    if (number > count)                                                                                                \
      ferrata_fault(::ferrata::Fault::QueueMisuse, "SetCurBufSize", loc.file, loc.line,                                \
                    "%u buffers in a pool with room for %u", number, static_cast<unsigned>(count));                    \
    ferrata_state_.used = number;                                                                                      \
  }                                                                                                                    \
  uint8_t GetCurBufSize() const { return static_cast<uint8_t>(ferrata_state_.used); }                                  \
  void ferrata_open(uint32_t start, uint32_t length, ::ferrata::PoolState *shared) {                                   \
    ferrata_state_.limit = count;                                                                                      \
    ferrata_state_.begin(start, length, shared);                                                                       \
  }                                                                                                                    \
  ::ferrata::PoolState &ferrata_state() { return ferrata_state_; }                                                     \
  void ferrata_check(const ::ferrata::Buffer *buffer, ::ferrata::Loc loc) const {                                      \
    if (buffer < ferrata_buffers_ || buffer >= ferrata_buffers_ + count)                                               \
      ferrata_fault(::ferrata::Fault::QueueMisuse, "InitBufHandle", loc.file, loc.line,                                \
                    "buffer %lld of a pool with room for %u", static_cast<long long>(buffer - ferrata_buffers_),       \
                    static_cast<unsigned>(count));                                                                     \
  }
