// Transpose in its two forms and TransDataTo5HD.
#include <bitset>
#include "shuffle.h"
#include "ferrata/chips.h"

namespace ferrata {
namespace {
// Rows of `columns` elements to columns; in blocks of 8 x 8 so that both sides stay in the first cache.
template <class T> void transpose_into(T *to, const T *from, uint64_t rows, uint64_t columns) {
  constexpr uint64_t tile = 8;
  for (uint64_t r0 = 0; r0 < rows; r0 += tile)
    for (uint64_t c0 = 0; c0 < columns; c0 += tile) {
      const uint64_t r1 = std::min(r0 + tile, rows), c1 = std::min(c0 + tile, columns);
      for (uint64_t c = c0; c < c1; ++c)
        for (uint64_t r = r0; r < r1; ++r)
          to[c * rows + r] = from[r * columns + c];
    }
}

// 16 x 16 of 16 bits, four rounds of interleaving rows 8 apart.
typedef uint16_t Row __attribute__((vector_size(16)));
#if defined(__clang__)
#define FERRATA_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define FERRATA_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define FERRATA_ZIP_LOW(a, b) __builtin_shuffle(a, b, Row{0, 8, 1, 9, 2, 10, 3, 11})
#define FERRATA_ZIP_HIGH(a, b) __builtin_shuffle(a, b, Row{4, 12, 5, 13, 6, 14, 7, 15})
#endif
// 8 x 8: `from` rows are `from_pitch` elements apart, `to` rows `to_pitch`.
void transpose_8x8(uint16_t *to, uint64_t to_pitch, const uint16_t *from, uint64_t from_pitch) {
  Row a[8], b[8];
  for (int i = 0; i < 8; ++i)
    memcpy(&a[i], from + static_cast<uint64_t>(i) * from_pitch, 16);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      b[2 * i] = FERRATA_ZIP_LOW(a[i], a[i + 4]);
      b[2 * i + 1] = FERRATA_ZIP_HIGH(a[i], a[i + 4]);
    }
    memcpy(a, b, sizeof a);
  }
  for (int i = 0; i < 8; ++i)
    memcpy(to + static_cast<uint64_t>(i) * to_pitch, &a[i], 16);
}

void transpose_16(uint16_t *to, const uint16_t *from) {
  alignas(32) uint16_t copy[256];
  if (to == from) {
    memcpy(copy, from, sizeof copy);
    from = copy;
  }
  for (int r = 0; r < 16; r += 8)
    for (int c = 0; c < 16; c += 8)
      transpose_8x8(to + c * 16 + r, 16, from + r * 16 + c, 16);
}

void transpose(ShuffleRun &run) {
  const ShuffleCall &call = run.call;
  run.touches("src", call.src[0], 512, false);
  run.touches("dst", call.dst, 512, true);
  if (call.dst.data != call.src[0].data)
    run.apart("dst", call.dst.data, 512, "src", call.src[0].data, 512);
  transpose_16(reinterpret_cast<uint16_t *>(call.dst.data), reinterpret_cast<const uint16_t *>(call.src[0].data));
}

template <class T> void permute_all(const ShuffleCall &call, uint64_t n, uint64_t rows, uint64_t columns) {
  T *to = reinterpret_cast<T *>(call.dst.data);
  const T *from = reinterpret_cast<const T *>(call.src[0].data);
  for (uint64_t i = 0; i < n; ++i, to += rows * columns, from += rows * columns)
    transpose_into(to, from, rows, columns);
}

void permute(ShuffleRun &run) {
  using AscendC::TransposeType;
  ShuffleCall &call = run.call;
  const uint32_t width = element_bytes(call.dst.type);
  const uint64_t n = call.value[0], c = call.value[1], plane = uint64_t(call.value[2]) * call.value[3];
  const TransposeType type = static_cast<TransposeType>(call.value[4]);
  if (type == TransposeType::TRANSPOSE_ND2ND_B16) {
    if (width != 2)
      run.fail(Fault::BadArgument, "TRANSPOSE_ND2ND_B16 takes 16-bit elements; these have %u", width * 8);
    if (call.value[2] != 16 || call.value[3] != 16)
      run.fail(Fault::BadArgument, "hSize is %u and wSize is %u; TRANSPOSE_ND2ND_B16 needs 16 and 16", call.value[2],
               call.value[3]);
    return transpose(run);
  }
  const bool to_last = type == TransposeType::TRANSPOSE_NCHW2NHWC;
  if (!to_last && type != TransposeType::TRANSPOSE_NHWC2NCHW)
    run.fail(Fault::BadArgument,
             "transposeType %u is not supported: TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW are",
             call.value[4]);
  if (c > 4095)
    run.fail(Fault::BadArgument, "cSize is %u; it must be 0..4095", call.value[1]);
  if (plane > 4095)
    run.fail(Fault::BadArgument, "hSize * wSize is %u * %u; it must be 0..4095", call.value[2], call.value[3]);
  if (!n || !c || !plane)
    return;
  if (plane * width % 32)
    run.fail(Fault::BadArgument, "hSize * wSize is %u * %u elements of %u bytes; it must be a multiple of 32 bytes",
             call.value[2], call.value[3], width);
  const uint64_t bytes = n * c * plane * width, h0 = width == 1 ? 32 : 16;
  run.touches("src", call.src[0], bytes, false);
  run.touches("dst", call.dst, bytes, true);
  run.touches("sharedTmpBuffer", call.src[1], (to_last ? c + 2 : 2 * c + 1) * h0 * 32, true); // w0 * width is a block
  run.apart("dst", call.dst.data, bytes, "src", call.src[0].data, bytes);
  const uint64_t rows = to_last ? c : plane, columns = to_last ? plane : c;
  switch (width) {
  case 1:
    return permute_all<uint8_t>(call, n, rows, columns);
  case 2:
    return permute_all<uint16_t>(call, n, rows, columns);
  default:
    return permute_all<uint32_t>(call, n, rows, columns);
  }
}

// --- TransDataTo5HD ---
struct Lists {
  uint8_t *dst[16];
  const uint8_t *src[16];
};

template <class T> void blocks_8(const Lists &lists, uint32_t dst_high, uint32_t src_high) {
  uint8_t in[16][16];
  for (int j = 0; j < 16; ++j)
    memcpy(in[j], lists.src[j] + 16 * src_high, 16);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      lists.dst[i][16 * dst_high + static_cast<uint32_t>(j)] = in[j][i];
}
void blocks_16_bits(const Lists &lists) {
  alignas(32) uint16_t in[256], out[256];
  for (int j = 0; j < 16; ++j)
    memcpy(in + j * 16, lists.src[j], 32);
  transpose_16(out, in);
  for (int i = 0; i < 16; ++i)
    memcpy(lists.dst[i], out + i * 16, 32);
}
void blocks_32_bits(const Lists &lists) {
  uint32_t in[16][8], out[16][8];
  for (int r = 0; r < 16; ++r)
    memcpy(in[r], lists.src[r], 32);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 8; ++c)
      out[2 * c + r / 8][r % 8] = in[r][c];
  for (int i = 0; i < 16; ++i)
    memcpy(lists.dst[i], out[i], 32);
}

// One address of a list: in the Unified Buffer, a whole block, as many as the repeats need.
void check_address(const ShuffleRun &run, const char *list, int i, uint64_t address, uint64_t extent,
                   const uint32_t *room) {
  const uint64_t start = reinterpret_cast<uint64_t>(ferrata_local_memory(Memory::ub)), bytes = chip_bytes(Memory::ub);
  if (address < start || address + extent > start + bytes)
    run.fail(address - start < bytes ? Fault::OutOfBounds : Fault::WrongPosition,
             "%s[%d] is 0x%llx and %llu bytes are needed: this is not inside the Unified Buffer; take addresses from "
             "LocalTensor::GetPhyAddr",
             list, i, static_cast<unsigned long long>(address), static_cast<unsigned long long>(extent));
  if (address % 32)
    run.fail(Fault::Misaligned, "%s[%d] starts at byte %u of the Unified Buffer; it must be a multiple of 32", list, i,
             static_cast<uint32_t>(address));
  if (room && room[i] < extent)
    run.fail(Fault::OutOfBounds, "%s[%d] has %u bytes and %llu are needed", list, i, room[i],
             static_cast<unsigned long long>(extent));
}

void blocks(ShuffleRun &run) {
  run.repeats_up_to(255);
  const ShuffleCall &call = run.call;
  if (!call.repeat)
    return;
  // with one repeat the strides are added once to every address
  const uint64_t repeats = static_cast<uint64_t>(call.repeat), start = repeats == 1 ? 1 : 0;
  const uint64_t step[2] = {uint64_t(call.value[2]) * 32, uint64_t(call.value[3]) * 32};
  static const char *const names[2] = {"dstList", "srcList"};
  uint64_t low[2] = {~uint64_t(0), ~uint64_t(0)}, high[2] = {0, 0};
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 16; ++i) {
      const uint64_t address = call.list[side][i], extent = (repeats - 1 + start) * step[side] + 32;
      check_address(run, names[side], i, address, extent, call.room[side]);
      low[side] = std::min(low[side], address);
      high[side] = std::max(high[side], address + extent);
      run.saw(reinterpret_cast<const uint8_t *>(address), extent, side == 0);
    }
  if (low[0] < high[1] && low[1] < high[0]) { // the areas meet: see whether any block is in both
    std::bitset<8192> read;
    const auto block = [&](int side, int i, uint64_t r) {
      return (static_cast<uint32_t>(call.list[side][i]) + (r + start) * step[side]) / 32 % 8192;
    };
    for (int i = 0; i < 16; ++i)
      for (uint64_t r = 0; r < repeats; ++r)
        read.set(block(1, i, r));
    for (int i = 0; i < 16; ++i)
      for (uint64_t r = 0; r < repeats; ++r)
        if (read.test(block(0, i, r)))
          run.fail(
              Fault::BadArgument,
              "the block that dstList[%d] writes in repeat %llu is also read; destinations and sources must be apart",
              i, static_cast<unsigned long long>(r));
  }
  const uint32_t width = element_bytes(call.dst.type);
  for (uint64_t r = start; r < repeats + start; ++r) {
    Lists lists;
    for (int i = 0; i < 16; ++i) {
      lists.dst[i] = reinterpret_cast<uint8_t *>(call.list[0][i] + r * step[0]);
      lists.src[i] = reinterpret_cast<const uint8_t *>(call.list[1][i] + r * step[1]);
    }
    if (width == 1)
      blocks_8<uint8_t>(lists, call.value[0], call.value[1]);
    else
      width == 2 ? blocks_16_bits(lists) : blocks_32_bits(lists);
  }
}
} // namespace

void layout_family(ShuffleRun &run) {
  switch (run.call.form) {
  case Shuffle::transpose:
    return transpose(run);
  case Shuffle::permute:
    return permute(run);
  default:
    return blocks(run);
  }
}
} // namespace ferrata
