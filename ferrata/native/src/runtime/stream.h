// Writing to GM without dragging the destination through the caches, once a launch has written more than they hold.
// The one place that names a processor: stores past the caches have no portable form in GCC (clang has a builtin).
#pragma once
#include <string.h>
#include "ferrata/core/abi.h"

namespace ferrata {
// What one seat writes in a launch before its stores bypass the caches. Below it, results are likely to be read soon.
constexpr uint64_t bytes_before_streaming = uint64_t(4) << 20;

typedef long long Line16 __attribute__((vector_size(16)));
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define FERRATA_STREAM16(to, value) __builtin_nontemporal_store(value, to)
#endif
#endif
#if !defined(FERRATA_STREAM16) && defined(__SSE2__)
#define FERRATA_STREAM16(to, value) __builtin_ia32_movntdq(to, value)
#endif

// 64 bytes to an address that is a multiple of 64.
inline void stream_line(uint8_t *to, const uint8_t *from) {
#if defined(__aarch64__) && !defined(FERRATA_STREAM16)
  Line16 v[4];
  memcpy(v, from, 64);
  asm volatile("stnp %q1, %q2, [%0]\n\tstnp %q3, %q4, [%0, #32]"
               :
               : "r"(to), "w"(v[0]), "w"(v[1]), "w"(v[2]), "w"(v[3])
               : "memory");
#elif defined(FERRATA_STREAM16)
  for (int i = 0; i < 64; i += 16) {
    Line16 v;
    memcpy(&v, from + i, 16);
    FERRATA_STREAM16(reinterpret_cast<Line16 *>(to + i), v);
  }
#else
  memcpy(to, from, 64);
#endif
}

inline void store_to_gm(Core &core, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  core.stored += bytes;
  if (core.stored > bytes_before_streaming && bytes >= 1024) {
    const uint64_t head = (64 - reinterpret_cast<uint64_t>(to) % 64) % 64;
    memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
      stream_line(to, from);
#if defined(__SSE2__)
    __builtin_ia32_sfence(); // such stores are not ordered with others: before anybody is told that the data is there
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  }
  memcpy(to, from, bytes);
}
#undef FERRATA_STREAM16
} // namespace ferrata
