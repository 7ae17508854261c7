// The memory layout under every context: sizes, node information, then pointers to 16-byte slots.
#pragma once
#include "base_type.h"

namespace gert {

// A slot: a value of up to 8 bytes in place, or a pointer to a larger one, and who frees it.
class Chain {
public:
  using Deleter = void (*)(void *);

  template <typename T> const T *GetPointer() const {
    return sizeof(T) <= sizeof(value_) ? reinterpret_cast<const T *>(&value_) : static_cast<const T *>(value_.pointer);
  }
  template <typename T> T *GetPointer() { return const_cast<T *>(static_cast<const Chain *>(this)->GetPointer<T>()); }
  template <typename T> const T &GetValue() const { return *GetPointer<T>(); }
  template <typename T> T &GetValue() { return *GetPointer<T>(); }
  bool HasDeleter() const { return deleter_ != nullptr; }

  void Set(void *pointer, Deleter deleter) {
    Free();
    value_.pointer = pointer;
    deleter_ = deleter;
  }
  template <typename T> void SetInline(const T &value) {
    static_assert(sizeof(T) <= 8, "larger values lie behind the pointer");
    Free();
    __builtin_memcpy(&value_, &value, sizeof(T));
  }
  void Free() {
    if (deleter_ != nullptr)
      deleter_(value_.pointer);
    deleter_ = nullptr;
    value_.pointer = nullptr;
  }

private:
  union {
    void *pointer;
    uint8_t bytes[8];
  } value_;
  Deleter deleter_;
};
static_assert(sizeof(Chain) == 16, "size of the interface");
using AsyncAnyValue = Chain;

struct KernelRunContext {
  size_t input_size;
  size_t output_size;
  const void *compute_node_info;
  const void *kernel_extend_info;
  Chain **output_start;
  Chain *values[1]; // input_size + output_size of them
};
static_assert(sizeof(KernelRunContext) == 48, "size of the interface");

} // namespace gert
