// Finding the device memory block behind an address.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ferrata {
struct GmBlock {
  uint8_t *base;
  size_t bytes; // asked for
  size_t legal; // what kernels may touch: whole 32-byte blocks, as copies move them
};
bool gm_block(const void *address, GmBlock &out);
bool gm_reserved(const void *address); // inside the address range of device memory, allocated or not
} // namespace ferrata
