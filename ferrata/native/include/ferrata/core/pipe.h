// Memory of a core: TPipe, the queues and buffers that it hands out, and LocalMemAllocator for kernels without it.
// Every block is a state machine FREE -> OCCUPIED -> ENQUEUED -> DEQUEUED -> FREE; a wrong step names the user's line.
#pragma once
#include "ferrata/core/trait.h"
#include "ferrata/core/vector.h"

namespace ferrata {
constexpr const char *state_names[] = {"free", "allocated", "in the queue", "taken from the queue"};

// Events of a queue by its positions: what EnQue sets and DeQue waits for, and what FreeTensor sets and AllocTensor
// waits for.
struct QueueEvents {
  AscendC::HardEvent enque, free;
};
constexpr QueueEvents queue_events(AscendC::TPosition source, AscendC::TPosition destination) {
  using P = AscendC::TPosition;
  using E = AscendC::HardEvent;
  if (source == P::VECIN && destination == P::VECOUT)
    return {E::MTE2_MTE3, E::MTE3_MTE2};
  if (destination == P::TSCM) // staged for the matrix unit, from GM or, through GM, from UB
    return {source == P::GM ? E::MTE2_MTE1 : E::MTE3_MTE1, source == P::GM ? E::MTE1_MTE2 : E::MTE1_MTE3};
  if (source == P::GM && destination == P::VECIN)
    return {E::MTE2_V, E::V_MTE2};
  if (source == P::VECOUT || source == P::VECCALC || destination == P::VECCALC)
    return {E::V_MTE3, E::MTE3_V};
  if (source == P::GM)
    return {E::MTE2_MTE1, E::MTE1_MTE2};
  if (source == P::CO1)
    return {E::M_FIX, E::FIX_M};
  if (source == P::A1 || source == P::B1 || source == P::C1)
    return {E::MTE1_M, E::M_MTE1};
  return {E::MTE2_V, E::V_MTE2};
}

// Place a queue or buffer of `count` blocks at the bump pointer; `what` is for the over-budget message.
inline void lay(Buffer *first, uint8_t *base, uint64_t each, uint32_t count, const void *owner) {
  for (uint32_t i = 0; i < count; ++i)
    first[i] = {base + i * each, static_cast<uint32_t>(each), BufferState::free, -1, -1, 0, owner};
}
inline uint32_t queue_blocks(int64_t number, Loc loc) {
  if (number < 1 || number > 255)
    ferrata_fault(Fault::BadArgument, "InitBuffer", loc.file, loc.line,
                  "num is %lld; a queue needs at least one buffer and has at most 255", static_cast<long long>(number));
  return static_cast<uint32_t>(number);
}
inline Buffer *take_buffers(uint32_t count, Loc loc) {
  Core *core = ferrata::core();
  if (core->buffers + count > max_buffers)
    ferrata_fault(Fault::QueueMisuse, "InitBuffer", loc.file, loc.line, "%u buffers in one kernel; it has room for %d",
                  core->buffers + count, int(max_buffers));
  core->buffers += count;
  return &core->buffer[core->buffers - count];
}
inline Buffer *place(Memory memory, const char *what, uint64_t each, uint32_t count, const void *owner, Loc loc) {
  Core *core = ferrata::core();
  each = (each + 31) / 32 * 32;
  uint64_t start = core->top[static_cast<int>(memory)], end = start + each * count;
  ferrata_note_allocation(memory, what, each, count, end, chip_bytes(memory), loc);
  Buffer *first = take_buffers(count, loc);
  lay(first, ferrata_local_memory(memory) + start, each, count, owner);
  core->top[static_cast<int>(memory)] = static_cast<uint32_t>(end);
  return first;
}
} // namespace ferrata

namespace AscendC {
using TBufHandle = uint8_t *;

struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

} // namespace AscendC
namespace ferrata {
template <class Pool, class Other> void share_pool(Pool &pool, uint32_t length, Other &shared, Loc loc); // pool.h
template <class T> constexpr bool is_config = false;
template <> inline constexpr bool is_config<const AscendC::TQueConfig *> = true;
} // namespace ferrata
namespace AscendC {

template <TPosition source, TPosition destination, int32_t depth, auto mask = 0> class TQueBind {
public:
  static constexpr TPosition srcPosition = source;
  static constexpr TPosition dstPosition = destination;
  // The position whose memory holds the blocks: the on-chip end of the pair, and of two the one that is written first,
  // except that staging for the matrix unit is in L1.
  static constexpr TPosition position =
      ferrata::memory_of(source) == ferrata::Memory::gm || destination == TPosition::TSCM ? destination : source;

  template <class T> LocalTensor<T> AllocTensor(ferrata::Loc loc = ferrata::Loc::here()) {
    static_assert(depth != 0, "a queue of depth 0 has only the in-place form AllocTensor<T>(tensor)");
    return allocate<T>(loc);
  }
  template <class T> void AllocTensor(LocalTensor<T> &tensor, ferrata::Loc loc = ferrata::Loc::here()) {
    tensor = allocate<T>(loc);
  }

  template <class T> bool EnQue(const LocalTensor<T> &tensor, ferrata::Loc loc = ferrata::Loc::here()) {
    return enque(tensor.buffer(), ferrata::queue_events(source, destination).enque, tensor.GetUserTag(), loc);
  }
  template <TPosition from, TPosition to, class T>
  bool EnQue(const LocalTensor<T> &tensor, ferrata::Loc loc = ferrata::Loc::here()) {
    return enque(tensor.buffer(), ferrata::queue_events(from, to).enque, tensor.GetUserTag(), loc);
  }
  template <class T> LocalTensor<T> DeQue(ferrata::Loc loc = ferrata::Loc::here()) {
    static_assert(depth != 0, "a queue of depth 0 has only the in-place form DeQue<T>(tensor)");
    return deque<T>(loc);
  }
  template <class T> void DeQue(LocalTensor<T> &tensor, ferrata::Loc loc = ferrata::Loc::here()) {
    tensor = deque<T>(loc);
  }
  template <TPosition from, TPosition to, class T> LocalTensor<T> DeQue(ferrata::Loc loc = ferrata::Loc::here()) {
    return deque<T>(loc);
  }

  template <class T> void FreeTensor(LocalTensor<T> &tensor, ferrata::Loc loc = ferrata::Loc::here()) {
    ferrata::Buffer *buffer = own(tensor.buffer(), "FreeTensor", loc);
    if (buffer->state != ferrata::BufferState::occupied && buffer->state != ferrata::BufferState::dequeued)
      ferrata_fault(ferrata::Fault::QueueMisuse, "FreeTensor", loc.file, loc.line,
                    "this tensor is %s; only an allocated or dequeued one can be freed",
                    ferrata::state_names[static_cast<int>(buffer->state)]);
    constexpr HardEvent event = ferrata::queue_events(source, destination).free;
    buffer->free_id = static_cast<int8_t>(ferrata::reserve_event(event, "FreeTensor", loc));
    buffer->free_event = static_cast<uint8_t>(static_cast<uint8_t>(event) + 1);
    buffer->state = ferrata::BufferState::free;
    ferrata::observe_flag(ferrata::EventKind::set_flag, event, buffer->free_id, "FreeTensor", loc);
  }

  bool VacantInQue() const { return count_ < capacity; }
  bool HasTensorInQue() const { return count_ > 0; }
  int32_t GetTensorCountInQue() const { return static_cast<int32_t>(count_); }
  bool HasIdleBuffer() const {
    for (uint32_t i = 0; i < number_; ++i)
      if (buffers_[i].state == ferrata::BufferState::free)
        return true;
    return false;
  }
  void FreeAllEvent() {
    for (uint32_t i = 0; i < number_; ++i)
      release_free_event(buffers_[i], {});
  }
  template <class T> TBufState GetState(const LocalTensor<T> &tensor) const {
    return static_cast<TBufState>(tensor.buffer()->state);
  }

  // For pools of one's own: the blocks' records lie from `handle` on; then each block gets its place.
  void InitStartBufHandle(TBufHandle handle, ferrata::Wide count, uint32_t length,
                          ferrata::Loc loc = ferrata::Loc::here()) {
    const uint32_t number = count.fit<uint8_t>("InitStartBufHandle", "num");
    check_config(number, length, loc);
    bind(reinterpret_cast<ferrata::Buffer *>(handle), number);
  }
  template <class Pool>
  void InitBufHandle(Pool *pool, uint32_t index, TBufHandle handle, uint32_t address, uint32_t length,
                     ferrata::Loc loc = ferrata::Loc::here()) {
    constexpr ferrata::Memory memory = ferrata::memory_of(position);
    if (index >= number_ || !handle)
      ferrata_fault(ferrata::Fault::BadArgument, "InitBufHandle", loc.file, loc.line,
                    "index is %u; InitStartBufHandle made %u blocks", index, number_);
    if (address % 32)
      ferrata_fault(ferrata::Fault::Misaligned, "InitBufHandle", loc.file, loc.line,
                    "address %u is not a multiple of 32 bytes", address);
    pool->ferrata_check(buffers_ + index, loc);
    ferrata_note_allocation(memory, "InitBufHandle", length, 0, uint64_t(address) + length, ferrata::chip_bytes(memory),
                            loc);
    ferrata::lay(buffers_ + index, ferrata_local_memory(memory) + address, length, 1, this);
  }

  // Called by TPipe and pools.
  void init(uint32_t number, uint64_t length, ferrata::Loc loc) {
    check_config(number, length, loc);
    const char *what = source == destination && depth == 0 ? "TBuf" : "TQue";
    bind(ferrata::place(ferrata::memory_of(position), what, length, number, this, loc), number);
  }
  void bind(ferrata::Buffer *buffers, uint32_t number) {
    number_ = number;
    next_ = head_ = count_ = 0;
    buffers_ = buffers;
  }
  void check_config(uint32_t number, uint64_t length, ferrata::Loc loc) const {
    if constexpr (ferrata::is_config<decltype(mask)>) {
      if ((mask->bufferLen && mask->bufferLen != length) || (mask->bufferNumber && mask->bufferNumber != number))
        ferrata_fault(ferrata::Fault::BadArgument, "InitBuffer", loc.file, loc.line,
                      "%u blocks of %llu bytes; the queue's TQueConfig says %u of %u", number,
                      static_cast<unsigned long long>(length), mask->bufferNumber, mask->bufferLen);
    }
  }

protected:
  static constexpr uint32_t capacity = depth > 0 ? depth : 1;

  ferrata::Buffer *own(ferrata::Buffer *buffer, const char *api, ferrata::Loc loc) const {
    if (__builtin_expect(!buffer || buffer < buffers_ || buffer >= buffers_ + number_, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, api, loc.file, loc.line,
                    "this tensor was not allocated from this queue");
    return buffer;
  }

  void release_free_event(ferrata::Buffer &buffer, ferrata::Loc loc) {
    if (buffer.free_id < 0)
      return;
    constexpr HardEvent event = ferrata::queue_events(source, destination).free;
    ferrata::observe_flag(ferrata::EventKind::wait_flag, event, buffer.free_id, "AllocTensor", loc);
    ferrata::release_event(event, buffer.free_id);
    buffer.free_id = -1;
  }

  template <class T> LocalTensor<T> allocate(ferrata::Loc loc) {
    if (__builtin_expect(!number_, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "AllocTensor", loc.file, loc.line,
                    "the queue has no buffers: call TPipe::InitBuffer first");
    for (uint32_t tried = 0; tried < number_; ++tried) {
      ferrata::Buffer &buffer = buffers_[next_];
      next_ = next_ + 1 == number_ ? 0 : next_ + 1;
      if (buffer.state != ferrata::BufferState::free)
        continue;
      release_free_event(buffer, loc);
      buffer.state = ferrata::BufferState::occupied;
      ferrata::observe(ferrata::EventKind::queue, PIPE_S, "AllocTensor", loc, buffer.data, buffer.bytes);
      return LocalTensor<T>::make(position, buffer.data, buffer.bytes, &buffer);
    }
    ferrata_fault(ferrata::Fault::QueueMisuse, "AllocTensor", loc.file, loc.line,
                  "no free block: all %u are in use. FreeTensor one first or give InitBuffer more", number_);
  }

  bool enque(ferrata::Buffer *buffer, HardEvent event, TTagType tag, ferrata::Loc loc) {
    own(buffer, "EnQue", loc);
    if (__builtin_expect(
            buffer->state != ferrata::BufferState::occupied && buffer->state != ferrata::BufferState::dequeued, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "EnQue", loc.file, loc.line,
                    "this tensor is %s; only an allocated one can be put into the queue",
                    ferrata::state_names[static_cast<int>(buffer->state)]);
    if (__builtin_expect(count_ >= capacity, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "EnQue", loc.file, loc.line,
                    "the queue already holds %u tensors, its depth", count_);
    buffer->enque_id = static_cast<int8_t>(ferrata::reserve_event(event, "EnQue", loc));
    buffer->enque_event = static_cast<uint8_t>(event);
    buffer->state = ferrata::BufferState::enqueued;
    fifo_[(head_ + count_) % capacity] = buffer;
    tags_[(head_ + count_) % capacity] = tag;
    ++count_;
    ferrata::observe_flag(ferrata::EventKind::set_flag, event, buffer->enque_id, "EnQue", loc);
    return true;
  }

  template <class T> LocalTensor<T> deque(ferrata::Loc loc) {
    if (__builtin_expect(!count_, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "DeQue", loc.file, loc.line,
                    "the queue is empty: nothing was put in with EnQue");
    ferrata::Buffer *buffer = fifo_[head_];
    TTagType tag = tags_[head_];
    head_ = (head_ + 1) % capacity;
    --count_;
    HardEvent event = static_cast<HardEvent>(buffer->enque_event);
    ferrata::observe_flag(ferrata::EventKind::wait_flag, event, buffer->enque_id, "DeQue", loc);
    ferrata::release_event(event, buffer->enque_id);
    buffer->enque_id = -1;
    buffer->state = ferrata::BufferState::dequeued;
    LocalTensor<T> tensor = LocalTensor<T>::make(position, buffer->data, buffer->bytes, buffer);
    tensor.SetUserTag(tag);
    return tensor;
  }

  ferrata::Buffer *buffers_ = nullptr;
  uint32_t number_ = 0, next_ = 0, head_ = 0, count_ = 0;
  ferrata::Buffer *fifo_[capacity] = {};
  TTagType tags_[capacity] = {};
};

namespace internal {
// Pairing of the one-position queues.
constexpr TPosition queue_source(TPosition position) {
  switch (position) {
  case TPosition::A2:
    return TPosition::A1;
  case TPosition::B2:
    return TPosition::B1;
  case TPosition::C2:
    return TPosition::C1;
  case TPosition::VECOUT:
  case TPosition::VECCALC:
  case TPosition::CO1:
    return position;
  default:
    return TPosition::GM;
  }
}
constexpr TPosition queue_destination(TPosition position) {
  switch (position) {
  case TPosition::VECOUT:
    return TPosition::GM;
  case TPosition::CO1:
    return TPosition::CO2;
  default:
    return position;
  }
}
} // namespace internal

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<internal::queue_source(pos), internal::queue_destination(pos), depth, mask> {};

// L1 staging for matrix objects.
template <TPosition pos, int32_t depth = 1, auto mask = 0> using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

template <TPosition pos = TPosition::LCM> class TBuf : public TQueBind<pos, pos, 0, 0> {
public:
  template <class T> LocalTensor<T> Get(ferrata::Loc loc = ferrata::Loc::here()) {
    return view<T>(0, length("TBuf::Get", loc));
  }
  template <class T> LocalTensor<T> Get(uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
    return checked<T>("TBuf::Get", 0, count, loc);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset, ferrata::Loc loc = ferrata::Loc::here()) {
    if (offset % 32)
      ferrata_fault(ferrata::Fault::Misaligned, "TBuf::GetWithOffset", loc.file, loc.line,
                    "offset %u is not a multiple of 32 bytes", offset);
    return checked<T>("TBuf::GetWithOffset", offset, count, loc);
  }

private:
  uint32_t length(const char *api, ferrata::Loc loc) const {
    if (__builtin_expect(!this->number_, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, api, loc.file, loc.line,
                    "the TBuf has no memory: call TPipe::InitBuffer first");
    return this->buffers_[0].bytes;
  }
  template <class T> LocalTensor<T> checked(const char *api, uint32_t offset, uint32_t count, ferrata::Loc loc) const {
    uint32_t all = length(api, loc);
    if (__builtin_expect(offset + ferrata::bytes_of<T>(count) > all, 0))
      ferrata_fault(ferrata::Fault::OutOfBounds, api, loc.file, loc.line,
                    "%u elements (%llu bytes) from byte %u on do not fit into the buffer of %u bytes", count,
                    static_cast<unsigned long long>(ferrata::bytes_of<T>(count)), offset, all);
    return view<T>(offset, ferrata::bytes_of<T>(count));
  }
  // No buffer handle: a TBuf has no states.
  template <class T> LocalTensor<T> view(uint32_t offset, uint64_t bytes) const {
    return LocalTensor<T>::make(pos, this->buffers_[0].data + offset, bytes, nullptr);
  }
};

class TPipe {
public:
  TPipe(ferrata::Loc loc = ferrata::Loc::here()) {
    ferrata::Core *core = ferrata::core();
    if (__builtin_expect(core->pipe != nullptr, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "TPipe", loc.file, loc.line,
                    "a second TPipe while one is alive (line %d); a kernel has one", core->pipe_loc.line);
    if (__builtin_expect(core->allocators, 0))
      ferrata_fault(
          ferrata::Fault::QueueMisuse, "TPipe", loc.file, loc.line,
          "the kernel has a LocalMemAllocator (line %d): both start at the same addresses; use one of the two",
          core->placed.line);
    core->pipe_loc = loc;
    Init();
  }
  ~TPipe() {
    if (ferrata_core && ferrata_core->pipe == this)
      Destroy();
  }
  TPipe(const TPipe &) = delete;

  void Init() {
    ferrata::core()->pipe = this;
    Reset();
    InitSocState();
  }
  // All buffers and event ids are free again.
  void Reset() {
    ferrata::Core *core = ferrata::core();
    __builtin_memcpy(core->top, core->declared, sizeof core->top);
    core->buffers = core->allocations = 0;
    __builtin_memset(core->reserved, 0, sizeof core->reserved);
  }
  void Destroy() { DestroyWithoutPipeAll(); }
  void DestroyWithoutPipeAll() {
    Reset();
    ferrata::core()->pipe = nullptr;
  }

  template <TPosition pos>
  bool InitBuffer(TBuf<pos> &buffer, uint32_t length, ferrata::Loc loc = ferrata::Loc::here()) {
    buffer.init(1, length, loc);
    return true;
  }
  template <TPosition source, TPosition destination, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<source, destination, depth, mask> &queue, int64_t number, uint32_t length,
                  ferrata::Loc loc = ferrata::Loc::here()) {
    queue.init(ferrata::queue_blocks(number, loc), length, loc);
    return true;
  }

  // Blocks where the user wants them: each Std::make_tuple(address, bytes).
  template <TPosition source, TPosition destination, int32_t depth, auto mask, class Address, class Length,
            class... More>
  bool InitBuffer(TQueBind<source, destination, depth, mask> &queue, const Std::tuple<Address, Length> &first,
                  const More &...more) {
    using Queue = TQueBind<source, destination, depth, mask>;
    constexpr ferrata::Memory memory = ferrata::memory_of(Queue::position);
    const ferrata::Loc loc = first.loc;
    ferrata::Buffer *buffers = ferrata::take_buffers(1 + sizeof...(more), loc), *next = buffers;
    auto put = [&](const auto &block) {
      const uint64_t address = static_cast<uint64_t>(Std::get<0>(block)),
                     bytes = static_cast<uint64_t>(Std::get<1>(block));
      if (address % 32)
        ferrata_fault(ferrata::Fault::Misaligned, "InitBuffer", block.loc.file, block.loc.line,
                      "address %llu is not a multiple of 32 bytes", static_cast<unsigned long long>(address));
      ferrata_note_allocation(memory, "InitBuffer", bytes, 1, address + bytes, ferrata::chip_bytes(memory), block.loc);
      ferrata::lay(next++, ferrata_local_memory(memory) + address, bytes, 1, &queue);
    };
    put(first);
    (put(more), ...);
    queue.bind(buffers, 1 + sizeof...(more));
    return true;
  }

  // A part of a memory for a pool, or the part of another pool once more.
  template <class Pool> bool InitBufPool(Pool &pool, uint32_t length, ferrata::Loc loc = ferrata::Loc::here()) {
    constexpr ferrata::Memory memory = ferrata::memory_of(Pool::poolPos);
    const uint64_t bytes = (uint64_t(length) + 31) / 32 * 32;
    uint32_t &top = ferrata::core()->top[static_cast<int>(memory)];
    ferrata_note_allocation(memory, "TBufPool", bytes, 1, top + bytes, ferrata::chip_bytes(memory), loc);
    pool.ferrata_open(top, static_cast<uint32_t>(bytes), nullptr);
    top += static_cast<uint32_t>(bytes);
    return true;
  }
  template <class Pool, class Other>
  bool InitBufPool(Pool &pool, uint32_t length, Other &shared, ferrata::Loc loc = ferrata::Loc::here()) {
    static_assert(ferrata::memory_of(Pool::poolPos) == ferrata::memory_of(Other::poolPos),
                  "InitBufPool: both pools must lie in one memory");
    ferrata::share_pool(pool, length, shared, loc);
    return true;
  }

  // A spill area in GM.
  template <class T>
  void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bytes, ferrata::Loc loc = ferrata::Loc::here()) {
    const ferrata::CopySide side = workspace.side(0);
    if (bytes <= 0 || static_cast<uint64_t>(bytes) > side.bytes)
      ferrata_fault(ferrata::Fault::BadArgument, "InitSpmBuffer", loc.file, loc.line,
                    "bufferSize is %d; the workspace has %llu bytes", bytes,
                    static_cast<unsigned long long>(side.bytes));
    ferrata_check_gm(side.data, static_cast<uint64_t>(bytes), "InitSpmBuffer", "workspace", loc);
    spill_ = side.data;
    spill_bytes_ = static_cast<uint32_t>(bytes);
  }
  template <class T>
  void WriteSpmBuffer(const LocalTensor<T> &local, const DataCopyParams &params, int32_t offset = 0,
                      ferrata::Loc loc = ferrata::Loc::here()) {
    DataCopy(spill<T>("WriteSpmBuffer", offset, loc), local, params, loc);
  }
  template <class T>
  void WriteSpmBuffer(const LocalTensor<T> &local, const int32_t count, int32_t offset = 0,
                      ferrata::Loc loc = ferrata::Loc::here()) {
    DataCopy(spill<T>("WriteSpmBuffer", offset, loc), local, static_cast<uint32_t>(count), loc);
  }
  template <class T>
  void ReadSpmBuffer(const LocalTensor<T> &local, const DataCopyParams &params, int32_t offset = 0,
                     ferrata::Loc loc = ferrata::Loc::here()) {
    DataCopy(local, spill<T>("ReadSpmBuffer", offset, loc), params, loc);
  }
  template <class T>
  void ReadSpmBuffer(const LocalTensor<T> &local, const int32_t count, int32_t offset = 0,
                     ferrata::Loc loc = ferrata::Loc::here()) {
    DataCopy(local, spill<T>("ReadSpmBuffer", offset, loc), static_cast<uint32_t>(count), loc);
  }

  uint8_t *GetBaseAddr(int8_t position) {
    return ferrata_local_memory(ferrata::memory_of(static_cast<TPosition>(position)));
  }

  template <HardEvent event> TEventID AllocEventID(ferrata::Loc loc = ferrata::Loc::here()) {
    return static_cast<TEventID>(ferrata::reserve_event(event, "AllocEventID", loc));
  }
  template <HardEvent event> void ReleaseEventID(TEventID id, ferrata::Loc loc = ferrata::Loc::here()) {
    ferrata::check_event("ReleaseEventID", event, id, loc);
    ferrata::release_event(event, id);
  }
  template <HardEvent event> TEventID FetchEventID(ferrata::Loc loc = ferrata::Loc::here()) {
    return FetchEventID(event, loc);
  }
  TEventID FetchEventID(HardEvent event, ferrata::Loc loc = ferrata::Loc::here()) {
    return static_cast<TEventID>(ferrata::free_event(event, "FetchEventID", loc));
  }
  template <TPosition pos, class T>
  LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size, ferrata::Loc loc = ferrata::Loc::here()) const {
    return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(size), loc);
  }

private:
  template <class T> GlobalTensor<T> spill(const char *api, int32_t offset, ferrata::Loc loc) const {
    if (!spill_ || offset < 0 || static_cast<uint32_t>(offset) > spill_bytes_ || offset % 32)
      ferrata_fault(ferrata::Fault::BadArgument, api, loc.file, loc.line,
                    spill_ ? "offset %d; it must be a multiple of 32 inside the spill area of %u bytes"
                           : "no spill area: call InitSpmBuffer first",
                    offset, spill_bytes_);
    GlobalTensor<T> area;
    area.SetGlobalBuffer(reinterpret_cast<T *>(spill_ + offset),
                         (spill_bytes_ - static_cast<uint32_t>(offset)) / ferrata::width_of<T>);
    return area;
  }
  uint8_t *spill_ = nullptr;
  uint32_t spill_bytes_ = 0;
};

// The rest of a memory, from the bump pointer on; the pointer does not move.
template <class T, TPosition pos> inline bool PopStackBuffer(LocalTensor<T> &tensor) {
  constexpr ferrata::Memory memory = ferrata::memory_of(pos);
  uint32_t top = ferrata::core()->top[static_cast<int>(memory)];
  tensor = LocalTensor<T>::make(pos, ferrata_local_memory(memory) + top, ferrata::chip_bytes(memory) - top, nullptr);
  return true;
}

// Bump allocation from address 0 for kernels without TPipe.
template <Hardware hard = Hardware::UB> class LocalMemAllocator {
  static_assert(hard != Hardware::GM && hard != Hardware::MAX, "LocalMemAllocator: an on-chip memory");
  static constexpr ferrata::Memory memory = static_cast<ferrata::Memory>(hard);
  static constexpr TPosition any() {
    switch (hard) {
    case Hardware::L1:
      return TPosition::A1;
    case Hardware::L0A:
      return TPosition::A2;
    case Hardware::L0B:
      return TPosition::B2;
    case Hardware::L0C:
      return TPosition::CO1;
    case Hardware::BIAS:
      return TPosition::C2;
    case Hardware::FIXBUF:
      return TPosition::C2PIPE2GM;
    default:
      return TPosition::VECCALC;
    }
  }

public:
  LocalMemAllocator(ferrata::Loc loc = ferrata::Loc::here()) {
    ferrata::Core *core = ferrata::core();
    const uint8_t bit = static_cast<uint8_t>(1u << static_cast<int>(memory));
    if (__builtin_expect(core->pipe != nullptr, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "LocalMemAllocator", loc.file, loc.line,
                    "the kernel has a TPipe (line %d): both start at the same addresses; use one of the two",
                    core->pipe_loc.line);
    if (__builtin_expect(core->allocators & bit, 0))
      ferrata_fault(ferrata::Fault::QueueMisuse, "LocalMemAllocator", loc.file, loc.line,
                    "a second one for the same memory (the first: line %d) would give out the same addresses again",
                    core->placed.line);
    core->allocators |= bit;
    core->placed = loc;
  }
  uint32_t GetCurAddr() const { return top_; }
  template <class T, uint32_t count> LocalTensor<T> Alloc(ferrata::Loc loc = ferrata::Loc::here()) {
    return take<T>(any(), count, loc);
  }
  template <TPosition pos, class T, uint32_t count> LocalTensor<T> Alloc(ferrata::Loc loc = ferrata::Loc::here()) {
    return at<pos, T>(count, loc);
  }
  template <class T> LocalTensor<T> Alloc(uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
    return take<T>(any(), count, loc);
  }
  template <TPosition pos, class T> LocalTensor<T> Alloc(uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
    return at<pos, T>(count, loc);
  }
  // Elements as the trait's layout has them.
  template <class Trait> LocalTensor<Trait> Alloc(ferrata::Loc loc = ferrata::Loc::here()) {
    return at<Trait::tPos == TPosition::GM ? any() : Trait::tPos, Trait>(
        static_cast<uint32_t>(ferrata::size_of_trait<Trait>()), loc);
  }

private:
  template <TPosition pos, class T> LocalTensor<T> at(uint32_t count, ferrata::Loc loc) {
    static_assert(ferrata::memory_of(pos) == memory, "LocalMemAllocator: this position lies in another memory");
    return take<T>(pos, count, loc);
  }
  template <class T> LocalTensor<T> take(TPosition position, uint32_t count, ferrata::Loc loc) {
    constexpr uint64_t align = hard == Hardware::L0A || hard == Hardware::L0B ? 512
                               : hard == Hardware::UB || hard == Hardware::L1 ? 32
                                                                              : 64;
    uint64_t bytes = ferrata::bytes_of<T>(count), start = top_;
    uint64_t end = (start + bytes + align - 1) / align * align;
    ferrata_note_allocation(memory, "LocalMemAllocator::Alloc", bytes, 1, end, ferrata::chip_bytes(memory), loc);
    top_ = static_cast<uint32_t>(end);
    return LocalTensor<T>::make(position, ferrata_local_memory(memory) + start, bytes, nullptr);
  }
  uint32_t top_ = ferrata::core()->declared[static_cast<int>(memory)];
};
} // namespace AscendC

inline AscendC::TPipe *GetTPipePtr() { return static_cast<AscendC::TPipe *>(ferrata::core()->pipe); }
