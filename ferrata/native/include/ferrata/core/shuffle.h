// Descriptor of the instructions that are not lane by lane: broadcasts of blocks, gathers, packing by a mask, sorts,
// merges, transposes, dequantisation. The API headers fill it in, the library (src/runtime/shuffle.h) checks and
// executes.
#pragma once
#include "ferrata/core/observe.h"

namespace ferrata {
enum class Shuffle : uint8_t {
  broadcast_blocks, // src[8 r + j] fills block j of repeat r
  gather,           // src[0] elements at byte offsets src[1]; value: base
  gather_blocks,    // src[0] blocks at byte offsets src[1]
  pack,        // src[0] elements whose bit in src[1] is 1; value: pattern (0: src[1]), use lanes, lanes; result: taken
  interpolate, // src: data, offsets, weights, scratch; value: hRepeat, weight per block, dst block stride, vROffset,
               // vRepeat
  arange,      // scalar: first, result[0]: step
  sort,        // src: scores, indices, scratch; value: elements of a group (0: all), use scratch; records to dst
  merge,       // src: four queues; value: lengths[4], suspend, valid bit; result: taken
  extract,     // src[0] records; dst scores, src[1] indices (written)
  transpose,   // 16 x 16
  permute,     // value: n, rows, columns, scratch bytes; src[1] scratch
  blocks_16,   // TransDataTo5HD; list: addresses; value: high halves dst, src, repeat strides dst, src
  dequant,     // src[0] int16; value: table, upper half
  dequant_sum, // AddDeqRelu: src[0] + src[1]
};

struct ShuffleCall {
  const char *api;
  Shuffle form;
  Form mask_form;
  uint8_t observed; // tell the observer which ranges were touched
  Operand dst, src[4];
  uint64_t mask[2];
  int64_t repeat;
  uint64_t scalar;
  uint32_t value[6];
  uint64_t result[4];
  const uint64_t *list[2]; // blocks_16: 16 destination and 16 source addresses
  const uint32_t *room[2]; // blocks_16: bytes behind each address, or null
  Loc loc;
};
} // namespace ferrata

FERRATA_EXPORT void ferrata_shuffle(ferrata::ShuffleCall *call);

namespace ferrata {
inline ShuffleCall shuffle_call(const char *api, Shuffle form, const Operand &dst, int64_t repeat, Loc loc) {
  ShuffleCall call;
  call.api = api;
  call.form = form;
  call.mask_form = Form::state;
  call.observed = observer_level != 0;
  call.dst = dst;
  call.repeat = repeat;
  call.loc = loc;
  return call;
}
} // namespace ferrata
