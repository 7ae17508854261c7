// GlobalTensor and LocalTensor: typed views of GM and of a core's memories. A view is a descriptor; copying it shares
// the storage. Element access is checked; bulk access is checked by the instruction that uses the view.
#pragma once
#include "ferrata/core/observe.h"
#include "ferrata/chips.h"

namespace ferrata {
// An element offset that remembers where it was written, so that `tensor[i]` can name the user's line.
struct Offset {
  int64_t value;
  Loc loc;
  template <class I>
  constexpr Offset(I offset, Loc where = Loc::here()) : value(static_cast<int64_t>(offset)), loc(where) {}
};

struct Access; // the library's side door into the tensors

// What `dst = a + b` and the like stand for.
struct WholeAdd;
struct WholeSub;
struct WholeMul;
struct WholeDiv;
struct WholeAnd;
struct WholeOr;
template <AscendC::CMPMODE mode> struct WholeCompare;
} // namespace ferrata

namespace AscendC {

template <class T> class GlobalTensor {
public:
  using PrimType = T;
  uint64_t bufferSize_ = 0;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;

  GlobalTensor() = default;
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t size) {
    data_ = base_ = buffer;
    bufferSize_ = size;
    bounded_ = true;
  }
  // Without a size the only limit is the memory block that `buffer` points into.
  void SetGlobalBuffer(__gm__ T *buffer) {
    data_ = base_ = buffer;
    bufferSize_ = 0;
    bounded_ = false;
  }

  const __gm__ T *GetPhyAddr() const { return data_; }
  __gm__ T *GetPhyAddr(uint64_t offset) const { return data_ + offset; }
  uint64_t GetSize() const { return bufferSize_; }

  T GetValue(uint64_t offset, ferrata::Loc loc = ferrata::Loc::here()) const {
    return *element(offset, "GlobalTensor::GetValue", false, loc);
  }
  void SetValue(uint64_t offset, T value, ferrata::Loc loc = ferrata::Loc::here()) {
    *element(offset, "GlobalTensor::SetValue", true, loc) = value;
  }
  __gm__ T &operator()(uint64_t offset, ferrata::Loc loc = ferrata::Loc::here()) const {
    return *element(offset, "GlobalTensor::operator()", true, loc);
  }

  // The rest of the tensor from `offset` on; what lies outside is found when it is used.
  GlobalTensor operator[](ferrata::Offset offset) const {
    GlobalTensor view = *this;
    view.data_ = data_ + offset.value;
    if (bounded_)
      view.bufferSize_ =
          static_cast<uint64_t>(offset.value) <= bufferSize_ ? bufferSize_ - static_cast<uint64_t>(offset.value) : 0;
    return view;
  }

  void SetShapeInfo(const ShapeInfo &info) {
    if (!shape_)
      shape_ = static_cast<ShapeInfo *>(ferrata_core_block(sizeof(ShapeInfo)));
    *shape_ = info;
  }
  ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }
  template <CacheRwMode mode = CacheRwMode::RW> void SetL2CacheHint(CacheMode cache) { cacheMode_ = cache; }

  // One side of a copy that starts here.
  ferrata::CopySide side(uint64_t step) const {
    return {reinterpret_cast<uint8_t *>(data_),
            bounded_ ? ferrata::bytes_of<T>(bufferSize_) : ~uint64_t(0),
            step,
            static_cast<uint8_t>(TPosition::GM),
            nullptr,
            base_};
  }

private:
  T *element(uint64_t offset, const char *api, bool write, ferrata::Loc loc) const {
    if (__builtin_expect(bounded_ && offset >= bufferSize_, 0))
      ferrata_fault(ferrata::Fault::OutOfBounds, api, loc.file, loc.line,
                    "element %llu is outside the GlobalTensor, which has %llu elements",
                    static_cast<unsigned long long>(offset), static_cast<unsigned long long>(bufferSize_));
    ferrata_check_gm(data_ + offset, sizeof(T), api, "element", loc, base_);
    ferrata::observe(ferrata::EventKind::scalar, PIPE_S, api, loc, data_ + offset, sizeof(T), write);
    return data_ + offset;
  }

  T *data_ = nullptr, *base_ = nullptr;
  ShapeInfo *shape_ = nullptr;
  bool bounded_ = false;
};

template <class T> class LocalTensor;

// The right side of an operator. It remembers the user's line, which an operator cannot be given otherwise.
template <class T> struct RightSide {
  const LocalTensor<T> &tensor;
  ferrata::Loc loc;
  RightSide(const LocalTensor<T> &right, ferrata::Loc where = ferrata::Loc::here()) : tensor(right), loc(where) {}
};

// `a + b` and the like: what to compute, until it is assigned to a tensor. `Operation` is in vector.h or compare.h.
template <class T, class Operation> struct TensorExpression {
  LocalTensor<T> left, right;
  ferrata::Loc loc;
};

template <class T> class LocalTensor {
public:
  using PrimType = T;

  LocalTensor() = default;
  // `address` in bytes from the start of the memory of `position`; `size` in elements.
  LocalTensor(TPosition position, uint32_t address, uint32_t size, ferrata::Loc loc = ferrata::Loc::here());

  uint64_t GetPhyAddr() const { return reinterpret_cast<uint64_t>(data_); }
  uint64_t GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + ferrata::bytes_of<T>(offset); }

  T GetValue(uint32_t index, ferrata::Loc loc = ferrata::Loc::here()) const {
    return *element(index, "LocalTensor::GetValue", false, loc);
  }
  template <class U> void SetValue(uint32_t index, U value, ferrata::Loc loc = ferrata::Loc::here()) const {
    *element(index, "LocalTensor::SetValue", true, loc) = static_cast<T>(value);
  }
  __ubuf__ T &operator()(uint32_t index, ferrata::Loc loc = ferrata::Loc::here()) const {
    return *element(index, "LocalTensor::operator()", true, loc);
  }

  LocalTensor operator[](ferrata::Offset offset) const {
    uint64_t bytes = static_cast<uint64_t>(offset.value) * ferrata::bytes_of<T>(2) / 2;
    if (__builtin_expect(offset.value < 0 || bytes > bytes_, 0))
      ferrata_fault(ferrata::Fault::OutOfBounds, "LocalTensor::operator[]", offset.loc.file, offset.loc.line,
                    "offset %lld is outside the LocalTensor, which has %u elements",
                    static_cast<long long>(offset.value), GetSize());
    LocalTensor view = *this;
    view.data_ += bytes;
    view.bytes_ -= static_cast<uint32_t>(bytes);
    return view;
  }

  template <class U> LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> view;
    view.data_ = data_;
    view.bytes_ = bytes_;
    view.position_ = position_;
    view.buffer_ = buffer_;
    view.tag_ = tag_;
    view.shape_ = shape_;
    return view;
  }
  template <class U> void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset) {
    *this = source.template ReinterpretCast<T>();
    data_ += ferrata::bytes_of<U>(offset);
  }
  void SetSize(uint32_t elements) { bytes_ = static_cast<uint32_t>(ferrata::bytes_of<T>(elements)); }
  uint32_t GetSize() const { return static_cast<uint32_t>(ferrata::elements_of<T>(bytes_)); }
  uint32_t GetLength() const { return bytes_; }
  void SetBufferLen(uint32_t elements) { SetSize(elements); }
  void SetUserTag(TTagType tag) { tag_ = tag; }
  TTagType GetUserTag() const { return tag_; }
  int32_t GetPosition() const { return static_cast<int32_t>(position_); }
  void SetShapeInfo(const ShapeInfo &info) {
    if (!shape_)
      shape_ = static_cast<ShapeInfo *>(ferrata_core_block(sizeof(ShapeInfo)));
    *shape_ = info;
  }
  ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }

  // Operators work on whole tensors; the calls that they stand for are made on assignment.
  template <class U, class Operation> void operator=(const TensorExpression<U, Operation> &e) {
    Operation::run(*this, e.left, e.right, e.loc);
  }
#define FERRATA_OPERATOR(symbol, Name)                                                                                 \
  friend TensorExpression<T, ferrata::Name> operator symbol(const LocalTensor &left, RightSide<T> right) {             \
    return {left, right.tensor, right.loc};                                                                            \
  }
  FERRATA_OPERATOR(+, WholeAdd)
  FERRATA_OPERATOR(-, WholeSub)
  FERRATA_OPERATOR(*, WholeMul)
  FERRATA_OPERATOR(/, WholeDiv)
  FERRATA_OPERATOR(&, WholeAnd)
  FERRATA_OPERATOR(|, WholeOr)
  FERRATA_OPERATOR(<, WholeCompare<CMPMODE::LT>)
  FERRATA_OPERATOR(>, WholeCompare<CMPMODE::GT>)
  FERRATA_OPERATOR(==, WholeCompare<CMPMODE::EQ>)
  FERRATA_OPERATOR(<=, WholeCompare<CMPMODE::LE>)
  FERRATA_OPERATOR(>=, WholeCompare<CMPMODE::GE>)
  FERRATA_OPERATOR(!=, WholeCompare<CMPMODE::NE>)
#undef FERRATA_OPERATOR

  // For debugging (twin.h): the first `count` elements as text, all bytes to a file (0, or -1).
  void Print() const;
  void Print(uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) const;
  template <class Name> int ToFile(const Name &name) const;

  // This tensor as an operand of a vector instruction, and as one side of a copy.
  ferrata::Operand operand(uint16_t block_stride = 1, uint16_t repeat_stride = 8) const {
    return {data_, bytes_, block_stride, repeat_stride, ferrata::type_of<T>, static_cast<uint8_t>(position_), buffer_};
  }
  ferrata::CopySide side(uint64_t step) const {
    return {data_, bytes_, step, static_cast<uint8_t>(position_), buffer_, nullptr};
  }
  ferrata::Buffer *buffer() const { return buffer_; }

  // Made by the allocators and queues.
  static LocalTensor make(TPosition position, uint8_t *data, uint64_t bytes, ferrata::Buffer *buffer) {
    LocalTensor tensor;
    tensor.data_ = data;
    tensor.bytes_ = static_cast<uint32_t>(bytes);
    tensor.position_ = position;
    tensor.buffer_ = buffer;
    return tensor;
  }

private:
  template <class U> friend class LocalTensor;

  T *element(uint32_t index, const char *api, bool write, ferrata::Loc loc) const {
    if (__builtin_expect(!data_ || index >= GetSize(), 0))
      ferrata_fault(ferrata::Fault::OutOfBounds, api, loc.file, loc.line,
                    "element %u is outside the LocalTensor, which has %u elements", index, data_ ? GetSize() : 0);
    T *address = reinterpret_cast<T *>(data_) + index;
    ferrata::observe(ferrata::EventKind::scalar, PIPE_S, api, loc, address, sizeof(T), write);
    return address;
  }

  uint8_t *data_ = nullptr;
  ferrata::Buffer *buffer_ = nullptr;
  ShapeInfo *shape_ = nullptr;
  uint32_t bytes_ = 0;
  TTagType tag_ = 0;
  TPosition position_ = TPosition::VECCALC;
};

template <class T>
LocalTensor<T>::LocalTensor(TPosition position, uint32_t address, uint32_t size, ferrata::Loc loc)
    : position_(position) {
  ferrata::Memory memory = ferrata::memory_of(position);
  uint64_t bytes = ferrata::bytes_of<T>(size);
  if (address % 32)
    ferrata_fault(ferrata::Fault::Misaligned, "LocalTensor", loc.file, loc.line,
                  "start address %u is not a multiple of 32 bytes", address);
  ferrata_note_allocation(memory, "LocalTensor", bytes, 0, address + bytes, ferrata::chip_bytes(memory), loc);
  ferrata::core()->placed = loc;
  data_ = ferrata_local_memory(memory) + address;
  bytes_ = static_cast<uint32_t>(bytes);
}
} // namespace AscendC
