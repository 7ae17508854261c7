// A plain structure that both sides include.
#pragma once
#include <cstdint>
struct AffineTiling {
  uint32_t total;
  uint32_t tile;
  float scale;
  int32_t shifts[3];
};
