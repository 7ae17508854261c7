// Writing to GM without dragging the destination through the caches, once a launch has written more than they hold.
#pragma once
#include <string.h>
#include "ferrata/core/abi.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ferrata {
// What one seat writes in a launch before its stores bypass the caches. Below it, results are likely to be read soon.
constexpr uint64_t bytes_before_streaming = uint64_t(4) << 20;

inline void store_to_gm(Core &core, uint8_t *to, const uint8_t *from, uint64_t bytes) {
  core.stored += bytes;
#if defined(__SSE2__)
  if (core.stored > bytes_before_streaming && bytes >= 1024) {
    const uint64_t head = (64 - reinterpret_cast<uint64_t>(to) % 64) % 64;
    memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
      for (int i = 0; i < 64; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i *>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i)));
    _mm_sfence(); // before anybody is told that the data is there
  }
#endif
  memcpy(to, from, bytes);
}
} // namespace ferrata
