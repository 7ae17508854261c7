// Entry of the instructions that are not lane by lane: see shuffle.h.
#include "shuffle.h"

using namespace ferrata;

void ferrata_shuffle(ShuffleCall *call) {
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(call->api, call->loc);
  core->last = call->loc;
  ShuffleRun run{*call, *core};
  switch (call->form) {
  case Shuffle::broadcast_blocks:
  case Shuffle::gather:
  case Shuffle::gather_blocks:
  case Shuffle::interpolate:
  case Shuffle::arange:
    return gather_family(run);
  case Shuffle::pack:
    return pack(run);
  case Shuffle::sort:
  case Shuffle::merge:
  case Shuffle::extract:
    return sort_family(run);
  case Shuffle::transpose:
  case Shuffle::permute:
  case Shuffle::blocks_16:
    return layout_family(run);
  case Shuffle::dequant:
  case Shuffle::dequant_sum:
    return dequant_family(run);
  }
}
