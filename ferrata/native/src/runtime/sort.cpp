// Sort32, Sort, MrgSort and Extract. Scores are compared through integer keys: larger score, larger key; -0 equals +0;
// NaN is above everything.
#include <memory>
#include <vector>
#include "shuffle.h"

namespace ferrata {
namespace {
constexpr uint64_t record_bytes = 8;
constexpr uint32_t most = 255 * 32, most_merged = 4 * 4095; // records
// Working memory of a thread; no call keeps anything in it.
struct Scratch {
  std::vector<uint64_t> keys = std::vector<uint64_t>(most);
  std::vector<uint8_t> records = std::vector<uint8_t>(most_merged * record_bytes);
};
Scratch &scratch() {
  static thread_local std::unique_ptr<Scratch> mine(new Scratch);
  return *mine;
}

inline uint32_t key_of(uint16_t bits) {
  if ((bits & 0x7fffu) > 0x7c00u)
    return 0xffff;
  const uint32_t b = (bits & 0x7fffu) == 0 ? 0 : bits;
  return b & 0x8000u ? 0xffffu - b : b | 0x8000u;
}
inline uint32_t key_of(uint32_t bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0xffffffffu;
  const uint32_t b = (bits & 0x7fffffffu) == 0 ? 0 : bits;
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}

template <class T> void put_record(uint8_t *to, T score, uint32_t index) {
  uint32_t low = score;
  memcpy(to, &low, 4);
  memcpy(to + 4, &index, 4);
}

// `n` pairs to records in descending order. The position breaks ties, so the order is stable.
template <class T>
void sort_group(uint8_t *to, const T *scores, const uint32_t *indices, uint32_t n, uint64_t *keys, uint8_t *records) {
  for (uint32_t i = 0; i < n; ++i)
    keys[i] = static_cast<uint64_t>(~key_of(scores[i])) << 32 | i;
  std::sort(keys, keys + n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t from = static_cast<uint32_t>(keys[i]);
    put_record(records + i * record_bytes, scores[from], indices[from]);
  }
  memcpy(to, records, n * record_bytes);
}

template <class T> void sort_groups(ShuffleRun &run) {
  const ShuffleCall &call = run.call;
  const uint32_t count = static_cast<uint32_t>(call.repeat) * 32, group = call.value[0] ? call.value[0] : count;
  const T *scores = reinterpret_cast<const T *>(call.src[0].data);
  const uint32_t *indices = reinterpret_cast<const uint32_t *>(call.src[1].data);
  Scratch &work = scratch();
  for (uint32_t at = 0; at < count; at += group)
    sort_group(call.dst.data + at * record_bytes, scores + at, indices + at, group, work.keys.data(),
               work.records.data());
}

void sort(ShuffleRun &run) {
  run.repeats_up_to(255);
  const ShuffleCall &call = run.call;
  if (!call.repeat)
    return;
  const uint64_t count = static_cast<uint64_t>(call.repeat) * 32;
  const uint32_t width = element_bytes(call.dst.type);
  const bool plain = call.src[0].type == call.dst.type && call.api[4] == '3'; // Sort32 has stricter alignment
  run.touches(plain ? "src0" : "concat", call.src[0], count * width, false, plain ? 32 * width : 32);
  run.touches(plain ? "src1" : "index", call.src[1], count * 4, false, plain ? 128 : 32);
  run.touches("dst", call.dst, count * record_bytes, true, plain ? 256 : 32);
  if (call.value[1])
    run.touches("tmp", call.src[2], count * record_bytes, true);
  width == 2 ? sort_groups<uint16_t>(run) : sort_groups<uint32_t>(run);
}

template <class T>
void merge_queues(const uint8_t *queue[4], const uint32_t length[4], int queues, bool suspend, uint8_t *to,
                  uint16_t taken[4]) {
  int64_t key[4];
  const auto next = [&](int q) {
    T score;
    memcpy(&score, queue[q] + taken[q] * record_bytes, sizeof score);
    return static_cast<int64_t>(key_of(score));
  };
  int open = 0;
  for (int q = 0; q < 4; ++q) {
    taken[q] = 0;
    key[q] = q < queues && length[q] ? next(q) : -1;
    open += key[q] >= 0;
  }
  while (open && !(suspend && open < queues)) {
    int best = 0;
    for (int q = 1; q < 4; ++q)
      best = key[q] > key[best] ? q : best; // a tie stays with the lower queue
    memcpy(to, queue[best] + taken[best] * record_bytes, record_bytes);
    to += record_bytes;
    const bool more = ++taken[best] < length[best];
    key[best] = more ? next(best) : -1;
    open -= !more;
  }
}

void merge(ShuffleRun &run) {
  ShuffleCall &call = run.call;
  static const char *const names[] = {"src1", "src2", "src3", "src4"};
  const uint32_t valid = call.value[5];
  const bool suspend = call.value[4];
  if (valid != 3 && valid != 7 && valid != 15)
    run.fail(Fault::BadArgument, "validBit is %u; it must be 3, 7 or 15: the first two, three or four queues", valid);
  run.repeats_up_to(255);
  const int queues = valid == 3 ? 2 : valid == 7 ? 3 : 4;
  uint64_t total = 0;
  for (int q = 0; q < queues; ++q) {
    if (call.value[q] > 4095)
      run.fail(Fault::BadArgument, "elementLengths[%d] is %u; it must be 0..4095", q, call.value[q]);
    total += call.value[q] * record_bytes;
  }
  if (!call.repeat)
    return;
  const uint64_t repeats = static_cast<uint64_t>(call.repeat);
  if (repeats > 1) {
    const bool equal =
        call.value[0] == call.value[1] && call.value[0] == call.value[2] && call.value[0] == call.value[3];
    const char *wrong = queues < 4 ? "validBit is not 15"
                        : suspend  ? "ifExhaustedSuspension is true"
                        : !equal   ? "the lengths differ"
                                   : nullptr;
    for (int q = 1; !wrong && q < 4; ++q)
      if (call.src[q].data != call.src[q - 1].data + call.value[q - 1] * record_bytes)
        wrong = "the queues do not follow each other";
    if (wrong)
      run.fail(
          Fault::BadArgument,
          "repeatTimes is %u, which needs four queues of equal length that follow each other and no suspension: %s",
          static_cast<unsigned>(repeats), wrong);
  }
  const uint64_t written = total * repeats;
  run.touches("dst", call.dst, suspend ? 0 : written, true);
  const uint8_t *queue[4] = {};
  for (int q = 0; q < queues; ++q) {
    queue[q] = call.src[q].data;
    if (!call.value[q])
      continue;
    const uint64_t extent = (repeats - 1) * total + call.value[q] * record_bytes;
    run.touches(names[q], call.src[q], extent, false, 8);
    run.apart("dst", call.dst.data, written, names[q], call.src[q].data, extent);
  }
  uint16_t taken[4] = {};
  for (uint64_t r = 0; r < repeats; ++r) {
    uint8_t *to = call.dst.data + r * total;
    if (suspend && written > call.dst.bytes) { // how much is written depends on the scores: see whether it fits
      call.src[0].type == Type::f16
          ? merge_queues<uint16_t>(queue, call.value, queues, suspend, scratch().records.data(), taken)
          : merge_queues<uint32_t>(queue, call.value, queues, suspend, scratch().records.data(), taken);
      run.touches("dst", call.dst, record_bytes * (taken[0] + taken[1] + taken[2] + taken[3]), true);
    }
    call.src[0].type == Type::f16 ? merge_queues<uint16_t>(queue, call.value, queues, suspend, to, taken)
                                  : merge_queues<uint32_t>(queue, call.value, queues, suspend, to, taken);
    for (int q = 0; q < queues; ++q)
      queue[q] += total;
  }
  memcpy(run.core.merged, taken, sizeof taken);
  run.core.merge_suspended = suspend;
}

template <class T> void split(const ShuffleCall &call, uint64_t count) {
  const uint8_t *from = call.src[0].data;
  T *scores = reinterpret_cast<T *>(call.dst.data);
  uint32_t *indices = reinterpret_cast<uint32_t *>(call.src[1].data);
  for (uint64_t i = 0; i < count; ++i) {
    memcpy(&scores[i], from + i * record_bytes, sizeof(T));
    memcpy(&indices[i], from + i * record_bytes + 4, 4);
  }
}

void extract(ShuffleRun &run) {
  run.repeats_up_to(255);
  const ShuffleCall &call = run.call;
  if (!call.repeat)
    return;
  const uint64_t count = static_cast<uint64_t>(call.repeat) * 32;
  const uint32_t width = element_bytes(call.dst.type);
  run.touches("sorted", call.src[0], count * record_bytes, false);
  run.touches("dstValue", call.dst, count * width, true);
  run.touches("dstIndex", call.src[1], count * 4, true);
  run.apart("dstValue", call.dst.data, count * width, "dstIndex", call.src[1].data, count * 4);
  width == 2 ? split<uint16_t>(call, count) : split<uint32_t>(call, count);
}
} // namespace

void sort_family(ShuffleRun &run) {
  switch (run.call.form) {
  case Shuffle::sort:
    return sort(run);
  case Shuffle::merge:
    return merge(run);
  default:
    return extract(run);
  }
}
} // namespace ferrata
