// DMA atomics: what a core in an atomic mode writes to GM is added to, or compared with, what is there. An element's
// read-modify-write is indivisible across cores, which run on several threads: one lock a copy.
#include <string.h>
#include <mutex>
#include "movement.h"
#include "numbers.h"

namespace ferrata {
namespace {
std::mutex mutex;

enum : uint8_t { add = 1, larger = 2, smaller = 3 };

template <class T> struct Wide {
  using type = T;
};
// int32 wraps around; so do the narrower ones, which compute as int
template <> struct Wide<int32_t> {
  using type = uint32_t;
};

// These loops must vectorise: no branch on the mode inside, and no aliasing since GM and on-chip memory are apart.
template <class T, uint8_t mode> void run(uint8_t *__restrict to, const uint8_t *__restrict from, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T old, value;
    memcpy(&old, to + i * sizeof(T), sizeof(T));
    memcpy(&value, from + i * sizeof(T), sizeof(T));
    using W = typename Wide<T>::type;
    if (mode == add)
      old = static_cast<T>(static_cast<W>(old) + static_cast<W>(value));
    else if (mode == larger)
      old = value > old ? value : old;
    else
      old = value < old ? value : old;
    memcpy(to + i * sizeof(T), &old, sizeof(T));
  }
}

// 16-bit floats combine in float and are rounded once.
template <Type type, uint8_t mode> void run_half(uint8_t *to, const uint8_t *from, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    uint16_t a, b;
    memcpy(&a, to + i * 2, 2);
    memcpy(&b, from + i * 2, 2);
    const float old = type == Type::f16 ? half_to_float(a) : bf16_to_float(a),
                value = type == Type::f16 ? half_to_float(b) : bf16_to_float(b);
    if (mode == add) {
      const float sum = old + value;
      a = type == Type::f16 ? to_half(sum) : to_bf16(sum);
    } else if (mode == larger ? value > old : value < old) {
      a = b;
    }
    memcpy(to + i * 2, &a, 2);
  }
}

template <uint8_t mode> void dispatch(Type type, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  switch (type) {
  case Type::i8:
    return run<int8_t, mode>(to, from, bytes);
  case Type::i16:
    return run<int16_t, mode>(to, from, bytes / 2);
  case Type::i32:
    return run<int32_t, mode>(to, from, bytes / 4);
  case Type::f32:
    return run<float, mode>(to, from, bytes / 4);
  case Type::f16:
    return run_half<Type::f16, mode>(to, from, bytes / 2);
  default:
    return run_half<Type::bf16, mode>(to, from, bytes / 2);
  }
}
} // namespace

void atomic_store(const Core &core, uint8_t *to, const uint8_t *from, uint64_t pieces, uint64_t bytes, uint64_t to_step,
                  uint64_t from_step) {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t i = 0; i < pieces; ++i, to += to_step, from += from_step) {
    switch (core.atomic) {
    case add:
      dispatch<add>(core.atomic_type, to, from, bytes);
      break;
    case larger:
      dispatch<larger>(core.atomic_type, to, from, bytes);
      break;
    default:
      dispatch<smaller>(core.atomic_type, to, from, bytes);
      break;
    }
  }
}
} // namespace ferrata
