// Copies that change the layout: ND to NZ and back, slices of up to eight dimensions, and filling GM with a value.
#include <string.h>
#include <algorithm>
#include <vector>
#include "lanes.h"
#include "launch.h"
#include "movement.h"
#include "numbers.h"

namespace ferrata {
namespace {
Core &begin(const char *api, Loc loc) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(api, loc);
  core->last = loc;
  return *core;
}

// Bytes from the start to the end of the furthest element of matrices of rows of groups.
uint64_t extent(const LayoutCall &call, uint64_t matrix, uint64_t row, uint64_t group, uint64_t groups, uint64_t last) {
  return (call.matrices - 1) * matrix + (call.rows - 1) * row + (groups - 1) * group + last;
}

// One selection of a slice copy, as a list of offsets.
struct Selection {
  std::vector<uint64_t> offsets; // elements, of the pieces in order
  uint64_t piece;                // elements
};

Selection select(const char *name, const SliceCall &call, const SliceRange *ranges, uint64_t width) {
  const Loc loc = call.loc;
  Selection chosen;
  chosen.piece = ranges[0].burst * 32 / width;
  chosen.offsets = {0};
  // from the outermost dimension in, so that dimension 0 runs fastest
  std::vector<uint64_t> next;
  for (uint32_t d = call.dimensions; d-- > 0;) {
    const SliceRange &range = ranges[d];
    const uint64_t length = d ? 1 : chosen.piece;
    if (d && range.burst != 1)
      ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line,
                    "%s[%u].burstLen is %u; it must be 1 for every dimension but the innermost", name, d, range.burst);
    if (range.end < range.start)
      ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line,
                    "%s[%u].endIndex is %u, less than its startIndex %u", name, d, range.end, range.start);
    const uint64_t span = uint64_t(range.end) - range.start + 1 + range.stride, step = length + range.stride;
    if (span % step)
      ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line,
                    "%s[%u]: startIndex %u to endIndex %u are %llu elements, which no number of pieces of %llu with "
                    "gaps of %u fills",
                    name, d, range.start, range.end, static_cast<unsigned long long>(span - range.stride),
                    static_cast<unsigned long long>(length), range.stride);
    if (d + 1 < call.dimensions && range.end >= range.shape)
      ferrata_fault(Fault::OutOfBounds, call.api, loc.file, loc.line,
                    "%s[%u].endIndex is %u; the dimension has shapeValue %u", name, d, range.end, range.shape);
    next.clear();
    for (uint64_t outer : chosen.offsets)
      for (uint64_t i = 0; i < span / step; ++i)
        next.push_back(outer * (d + 1 < call.dimensions ? range.shape : 1) + range.start + i * step);
    chosen.offsets.swap(next);
  }
  return chosen;
}

void check_pieces(const SliceCall &call, const char *name, const CopySide &side, const Selection &chosen,
                  uint64_t width) {
  const uint64_t furthest = *std::max_element(chosen.offsets.begin(), chosen.offsets.end());
  check_copy_side(call.api, name, side, (furthest + chosen.piece) * width, 1, call.loc);
  if (is_gm(side))
    return;
  for (uint64_t offset : chosen.offsets)
    if (offset * width % 32)
      ferrata_fault(Fault::Misaligned, call.api, call.loc.file, call.loc.line,
                    "a piece of %s starts at byte %llu of the tensor; in UB it must be a multiple of 32", name,
                    static_cast<unsigned long long>(offset * width));
}
} // namespace
} // namespace ferrata

using namespace ferrata;

void ferrata_layout_copy(const LayoutCall *c) {
  const LayoutCall &call = *c;
  Core &core = begin(call.api, call.loc);
  const uint64_t group = call.to_nz ? 32 : 16 * call.width; // bytes
  const uint64_t row = call.columns * call.width, groups = (row + group - 1) / group;
  const uint64_t nd = extent(call, call.nd_matrix, call.nd_row, group, groups, row - (groups - 1) * group);
  const uint64_t nz = extent(call, call.nz_matrix, call.nz_row, call.nz_group, groups, group);
  check_copy_path(call.api, core, call.dst, call.src, call.loc);
  const bool to_l1 = AscendC::TPosition(call.dst.position) != AscendC::TPosition::GM &&
                     memory_of(AscendC::TPosition(call.dst.position)) == Memory::l1;
  check_copy_side(call.api, "dst", call.dst, call.to_nz ? nz : nd, call.width, call.loc);
  check_copy_side(call.api, "src", call.src, call.to_nz ? nd : nz, to_l1 ? 1 : call.width, call.loc);
  if (call.to_nz && call.matrices > 1 && call.nz_matrix % 32)
    ferrata_fault(Fault::Misaligned, call.api, call.loc.file, call.loc.line,
                  "dstNzMatrixStride is %llu elements; matrices must start on multiples of 32 bytes",
                  static_cast<unsigned long long>(call.nz_matrix / call.width));
  note_work(&core, 2 * call.matrices * call.rows * row);
  const bool atomic = core.atomic && is_gm(call.dst);
  for (uint64_t k = 0; k < call.matrices; ++k)
    for (uint64_t g = 0; g < groups; ++g) {
      const uint64_t part = std::min(group, row - g * group);
      uint64_t at_nd = k * call.nd_matrix + g * group, at_nz = k * call.nz_matrix + g * call.nz_group;
      if (atomic) {
        atomic_store(core, call.dst.data + at_nd, call.src.data + at_nz, call.rows, part, call.nd_row, call.nz_row);
        continue;
      }
      for (uint64_t n = 0; n < call.rows; ++n, at_nd += call.nd_row, at_nz += call.nz_row) {
        if (!call.to_nz) {
          memmove(call.dst.data + at_nd, call.src.data + at_nz, part);
        } else if (part == 32) { // a whole group: a constant size
          memcpy(call.dst.data + at_nz, call.src.data + at_nd, 32);
        } else {
          uint8_t block[32] = {};
          memcpy(block, call.src.data + at_nd, part);
          memcpy(call.dst.data + at_nz, block, 32);
        }
      }
    }
}

void ferrata_slice_copy(const SliceCall *c) {
  const SliceCall &call = *c;
  Core &core = begin(call.api, call.loc);
  const Loc loc = call.loc;
  if (call.dimensions < 1 || call.dimensions > 8)
    ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line, "dimValue is %u; it must be 1..8", call.dimensions);
  if (call.dst_ranges[0].burst != call.src_ranges[0].burst)
    ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line,
                  "burstLen is %u in dst and %u in src; it must be the same", call.dst_ranges[0].burst,
                  call.src_ranges[0].burst);
  if (call.dst_ranges[0].burst == 0)
    return;
  check_copy_path(call.api, core, call.dst, call.src, loc);
  const Selection to = select("dstSliceInfo", call, call.dst_ranges, call.width),
                  from = select("srcSliceInfo", call, call.src_ranges, call.width);
  if (to.offsets.size() != from.offsets.size())
    ferrata_fault(Fault::BadArgument, call.api, loc.file, loc.line,
                  "the destination's slice has %zu pieces and the source's has %zu", to.offsets.size(),
                  from.offsets.size());
  check_pieces(call, "dst", call.dst, to, call.width);
  check_pieces(call, "src", call.src, from, call.width);
  const uint64_t bytes = to.piece * call.width;
  note_work(&core, 2 * bytes * to.offsets.size());
  const bool atomic = core.atomic && is_gm(call.dst);
  for (size_t i = 0; i < to.offsets.size(); ++i) {
    uint8_t *out = call.dst.data + to.offsets[i] * call.width;
    const uint8_t *in = call.src.data + from.offsets[i] * call.width;
    if (atomic)
      atomic_store(core, out, in, 1, bytes, 0, 0);
    else
      memmove(out, in, bytes);
  }
}

void ferrata_fill_gm(const CopySide *dst, uint64_t count, uint32_t width, uint64_t bits, Loc loc, const char *api) {
  Core &core = begin(api, loc);
  if (!count)
    return;
  check_copy_side(api, "gmWorkspaceAddr", *dst, count * width, width, loc);
  note_work(&core, count * width);
  uint8_t *to = dst->data;
  switch (width) {
  case 1:
    memset(to, static_cast<int>(bits), count);
    break;
  case 2:
    std::fill_n(reinterpret_cast<uint16_t *>(to), count, static_cast<uint16_t>(bits));
    break;
  case 4:
    std::fill_n(reinterpret_cast<uint32_t *>(to), count, static_cast<uint32_t>(bits));
    break;
  default:
    std::fill_n(reinterpret_cast<uint64_t *>(to), count, bits);
    break;
  }
}
