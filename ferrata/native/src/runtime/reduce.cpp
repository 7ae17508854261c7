// The executor of reductions. Sums are trees of adjacent pairs over the active lanes of a repeat, every node rounded to
// the element type; extremes let NaN win and take the smallest position on ties.
#include <math.h>
#include "lanes.h"
#include "launch.h"
#include "row_loops.h"

namespace ferrata {
namespace {
enum Reduction : uint8_t { sum, max, min };
enum Order : uint8_t { value_index, index_value, only_value, only_index };

struct Extreme {
  float value;
  uint32_t index;
};

// The active lanes of one repeat as floats.
struct Row {
  float x[128];
  bool active[128];
  uint32_t lanes;
  bool any;
};

void load(Row &row, const Layout &layout, Type type, uint64_t r, uint32_t n, const Lanes &lanes) {
  alignas(32) uint8_t raw[512];
  gather(raw, layout, r, n);
  row.lanes = n;
  row.any = n > 0;
  if (type == Type::f32)
    memcpy(row.x, raw, n * 4);
  else
    for (uint32_t i = 0; i < n; ++i)
      row.x[i] = half_to_float(reinterpret_cast<const uint16_t *>(raw)[i]);
  for (uint32_t i = 0; i < n; ++i)
    row.active[i] = lanes.active(i);
}

float rounded(float value, Type type, bool saturate) {
  if (type == Type::f32)
    return value;
  if (saturate)
    value = value != value ? 0.0f : value > 65504.0f ? 65504.0f : value < -65504.0f ? -65504.0f : value;
  return half_to_float(float_to_half(value));
}

// Adjacent pairs, level by level, over lanes first..first+n-1; a lone partner passes through. False: no lane is active.
bool tree(const Row &row, uint32_t first, uint32_t n, Type type, bool saturate, float &result) {
  float x[128];
  bool active[128];
  bool all = true;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n && first + i < row.lanes; ++i, ++count) {
    x[count] = row.x[first + i];
    active[count] = row.active[first + i];
    all = all && active[count];
  }
  while (count > 1) {
    const uint32_t pairs = count / 2;
    if (all && type == Type::f32) {
      for (uint32_t k = 0; k < pairs; ++k)
        x[k] = x[2 * k] + x[2 * k + 1];
    } else {
      for (uint32_t k = 0; k < pairs; ++k) {
        const bool left = active[2 * k], right = active[2 * k + 1];
        x[k] = left && right ? rounded(x[2 * k] + x[2 * k + 1], type, saturate) : left ? x[2 * k] : x[2 * k + 1];
        active[k] = left || right;
      }
    }
    if (count % 2) {
      x[pairs] = x[count - 1];
      active[pairs] = active[count - 1];
    }
    count = pairs + count % 2;
  }
  if (count == 0 || !active[0])
    return false;
  result = x[0];
  return true;
}

// The larger or smaller of two; NaN wins, and of two zeros the one with the right sign.
float better(Reduction kind, float a, float b) {
  if (a != a || b != b)
    return a != a ? a : b;
  if (a == b)
    return (kind == max) == static_cast<bool>(signbit(a)) ? b : a;
  return (kind == max) == (a > b) ? a : b;
}
uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

// The extreme of lanes first..first+n-1 and the first lane that holds its bits (0 when clamping left none).
bool extreme(const Row &row, uint32_t first, uint32_t n, Reduction kind, Type type, bool saturate, Extreme &result) {
  bool found = false;
  const uint32_t end = std::min(first + n, row.lanes);
  for (uint32_t i = first; i < end; ++i) {
    if (!row.active[i])
      continue;
    const float next = found ? better(kind, result.value, row.x[i]) : row.x[i];
    if (!found || bits_of(next) != bits_of(result.value))
      result = {next, i};
    found = true;
  }
  if (!found || !saturate || type != Type::f16)
    return found;
  const float clamped = rounded(result.value, type, true);
  if (bits_of(clamped) != bits_of(result.value)) {
    uint32_t i = first;
    while (i < end && !(row.active[i] && bits_of(row.x[i]) == bits_of(clamped)))
      ++i;
    result = {clamped, i < end ? i : 0};
  }
  return true;
}

void store(uint8_t *to, float value, Type type) {
  if (type == Type::f32) {
    memcpy(to, &value, 4);
    return;
  }
  uint16_t bits = float_to_half(value);
  memcpy(to, &bits, 2);
}
uint64_t value_bits(float value, Type type) {
  uint64_t bits = 0;
  store(reinterpret_cast<uint8_t *>(&bits), value, type);
  return bits;
}

struct Reducer {
  const ReduceCall &call;
  Core &core;
  Lanes lanes;
  Layout src;
  Type type;
  uint32_t width;
  Reduction kind;
  bool saturate;

  // How many repeats, from the first on, are 64 floats each that follow each other.
  uint64_t dense_floats() const {
    if (type != Type::f32 || !lanes.prefix || lanes.top != 64 || !src.packed ||
        (lanes.repeats > 1 && src.repeat != 256))
      return 0;
    return lanes.last == 64 ? lanes.repeats : lanes.repeats - 1;
  }
  // All lanes follow each other, and no clamping of halves is asked for.
  bool dense() const {
    const bool follow =
        lanes.prefix && src.packed && (lanes.repeats == 1 || (lanes.top == lanes.each && src.repeat == 256));
    return follow && !(saturate && type == Type::f16);
  }

  // A repeat of all lanes, in the registers' order: what the fast loops take. Null if it is not one.
  const uint8_t *whole_row(uint64_t r) const {
    return lanes.prefix && src.packed && lanes.lanes_of(r) == lanes.each && src.block == 32 ? src.data + r * src.repeat
                                                                                            : nullptr;
  }
  // How many whole repeats of halves follow each other from `r` on, at most what the fast loop takes at once.
  uint64_t half_rows(uint64_t r) const {
    if (type != Type::f16)
      return 0;
    uint64_t rows = 0;
    while (rows < most_rows && r + rows < lanes.repeats && whole_row(r + rows) && (rows == 0 || src.repeat == 256))
      ++rows;
    return rows;
  }
  // The sums of the repeats one after another: use(repeat, sum), without those of which no lane is active.
  template <class Use> void sums(uint64_t first, bool one_by_one, Use use) const {
    Row row;
    for (uint64_t r = first; r < lanes.repeats;) {
      if (const uint64_t rows = one_by_one ? std::min<uint64_t>(half_rows(r), 1) : half_rows(r)) {
        uint16_t out[most_rows];
        row_loops().sums_half(out, reinterpret_cast<const uint16_t *>(whole_row(r)), rows, 128, saturate);
        for (uint64_t i = 0; i < rows; ++i)
          use(r + i, half_to_float(out[i]));
        r += rows;
        continue;
      }
      float sum;
      if (const uint8_t *whole = whole_row(r)) {
        use(r, row_loops().sum(reinterpret_cast<const float *>(whole), 1));
      } else {
        load_row(row, r);
        if (tree(row, 0, lanes.each, type, saturate, sum))
          use(r, sum);
      }
      ++r;
    }
  }
  // The extreme of a whole repeat, or of `n` lanes of it from `first` on, when no NaN is among them.
  bool fast_extreme(uint64_t r, uint32_t first, uint32_t n, Extreme &best) const {
    const uint8_t *whole = saturate && type == Type::f16 ? nullptr : whole_row(r);
    if (!whole)
      return false;
    const float *floats = reinterpret_cast<const float *>(whole) + first;
    const uint16_t *halves = reinterpret_cast<const uint16_t *>(whole) + first;
    const size_t at = type == Type::f32 ? row_loops().extreme_float(floats, n, kind == max)
                                        : row_loops().extreme_half(halves, n, kind == max);
    if (at == n)
      return false;
    best = {type == Type::f32 ? floats[at] : half_to_float(halves[at]), first + static_cast<uint32_t>(at)};
    return true;
  }

  void load_row(Row &row, uint64_t r) const { load(row, src, type, r, lanes.lanes_of(r), lanes); }
  void check_dst(uint64_t bytes, uint32_t align) const {
    check_vector_operand(call.api, "dst", call.dst, bytes, call.loc, align);
  }

  void sum_all() {
    const uint64_t dense = dense_floats();
    float total = dense ? row_loops().sum(reinterpret_cast<const float *>(src.data), dense) : 0;
    bool started = dense > 0;
    sums(dense, false, [&](uint64_t, float part) {
      total = started ? rounded(total + part, type, saturate) : part;
      started = true;
    });
    if (!started)
      return;
    check_dst(width, width);
    store(call.dst.data, total, type);
    core.reduced_value = value_bits(total, type);
    core.reduced = 1;
  }

  // Trees of trees: the partial sums of one round are the source of the next.
  void sum_repeats() {
    std::vector<float> parts;
    Row row;
    sums(0, false, [&](uint64_t, float part) { parts.push_back(part); });
    while (parts.size() > 1) {
      std::vector<float> next;
      for (size_t at = 0; at < parts.size(); at += lanes.each) {
        row.lanes = static_cast<uint32_t>(std::min<size_t>(lanes.each, parts.size() - at));
        for (uint32_t i = 0; i < row.lanes; ++i) {
          row.x[i] = parts[at + i];
          row.active[i] = true;
        }
        float part;
        tree(row, 0, lanes.each, type, saturate, part);
        next.push_back(part);
      }
      parts.swap(next);
    }
    if (parts.empty())
      return;
    check_dst(width, width);
    store(call.dst.data, parts[0], type);
  }

  // False: a NaN is among the lanes, which repeats treat by themselves.
  bool dense_extreme(Extreme &best) const {
    const uint64_t n = (lanes.repeats - 1) * lanes.each + lanes.lanes_of(lanes.repeats - 1);
    const float *floats = reinterpret_cast<const float *>(src.data);
    const uint16_t *halves = reinterpret_cast<const uint16_t *>(src.data);
    const size_t at = type == Type::f32 ? row_loops().extreme_float(floats, n, kind == max)
                                        : row_loops().extreme_half(halves, n, kind == max);
    if (at == n)
      return false;
    best = {type == Type::f32 ? floats[at] : half_to_float(halves[at]), static_cast<uint32_t>(at)};
    return true;
  }
  bool extreme_by_repeats(Extreme &best) const {
    Row row;
    bool found = false;
    for (uint64_t r = 0; r < lanes.repeats; ++r) {
      load_row(row, r);
      Extreme here;
      if (!extreme(row, 0, lanes.each, kind, type, saturate, here))
        continue;
      here.index += static_cast<uint32_t>(r * lanes.each);
      const float next = found ? better(kind, best.value, here.value) : here.value;
      if (!found || bits_of(next) != bits_of(best.value))
        best = {next, here.index};
      found = true;
    }
    return found;
  }

  void extreme_all() {
    Extreme best{0, 0};
    if (!(dense() && dense_extreme(best)) && !extreme_by_repeats(best))
      return;
    check_dst(call.index ? 2 * width : width, call.index ? 2 * width : width);
    store(call.dst.data, best.value, type);
    if (call.index)
      memcpy(call.dst.data + width, &best.index, width);
    core.reduced_value = value_bits(best.value, type);
    core.reduced_index = best.index;
    core.reduced = 2;
  }

  void per_repeat() {
    const uint32_t record = kind == sum || call.order == only_value ? width : call.order == only_index ? 4 : 2 * width;
    const uint64_t step = uint64_t(call.dst.repeat_stride) * record;
    check_dst((lanes.repeats - 1) * step + record, record);
    Row row;
    bool first = true;
    Extreme over_all{0, 0};
    uint64_t dense = kind == sum && step % 4 == 0 ? dense_floats() : 0;
    if (overlap(call.dst.data, dense ? (dense - 1) * step + 4 : 0, src.data, dense * 256))
      dense = 0; // in place: repeat by repeat
    if (dense)
      row_loops().sum_each(reinterpret_cast<float *>(call.dst.data), step / 4,
                           reinterpret_cast<const float *>(src.data), dense);
    if (kind == sum)
      return sums(dense, meets(step, record), [&](uint64_t r, float s) { store(call.dst.data + r * step, s, type); });
    for (uint64_t r = 0; r < lanes.repeats; ++r) {
      uint8_t *to = call.dst.data + r * step;
      Extreme best;
      if (!fast_extreme(r, 0, lanes.each, best)) {
        load_row(row, r);
        if (!extreme(row, 0, lanes.each, kind, type, saturate, best))
          continue;
      }
      if (call.order == only_index)
        memcpy(to, &best.index, 4);
      else
        store(to + (call.order == index_value ? width : 0), best.value, type);
      if (call.order == value_index || call.order == index_value)
        memcpy(to + (call.order == value_index ? width : 0), &best.index, width);
      const float next = first ? best.value : better(kind, over_all.value, best.value);
      if (first || bits_of(next) != bits_of(over_all.value))
        over_all = {next, best.index + static_cast<uint32_t>(r * lanes.each)};
      first = false;
    }
    if (!first) {
      core.reduced_value = value_bits(over_all.value, type);
      core.reduced_index = over_all.index;
      core.reduced = 2;
    }
  }

  // Results go where later repeats are read: then repeat by repeat.
  bool meets(uint64_t step, uint64_t bytes) const {
    return overlap(call.dst.data, (lanes.repeats - 1) * step + bytes, src.data, extent_of(src, lanes));
  }
  // The results of a whole repeat, read before any is written. False: a NaN among extremes.
  bool whole_groups(uint8_t *to, uint64_t r, uint32_t group) const {
    const uint8_t *const x = whole_row(r);
    const float *floats = reinterpret_cast<const float *>(x);
    const uint32_t results = lanes.each / group;
    alignas(32) uint8_t out[128];
    const RowLoops &loops = row_loops();
    if (kind != sum) {
      for (uint32_t g = 0; g < results; ++g) {
        Extreme best;
        if (!fast_extreme(r, g * group, group, best))
          return false;
        store(out + g * width, best.value, type);
      }
    } else { // floats: halves are summed by several repeats at once
      (group == 2 ? loops.pair_sums_float : loops.block_sums_float)(reinterpret_cast<float *>(out), floats);
    }
    memcpy(to, out, results * width);
    return true;
  }

  // `group` lanes to one value: the lanes of a block, or two neighbours.
  void per_group(uint32_t group, uint64_t unit, uint32_t align) {
    const uint64_t step = uint64_t(call.dst.repeat_stride) * unit;
    const uint32_t last = lanes.lanes_of(lanes.repeats - 1),
                   results = (std::max(last, lanes.repeats > 1 ? lanes.top : last) + group - 1) / group;
    check_dst((lanes.repeats - 1) * step + uint64_t(results) * width, align);
    Row row;
    const uint64_t most = meets(step, uint64_t(results) * width) ? 1 : most_rows;
    for (uint64_t r = 0; r < lanes.repeats; ++r) {
      if (const uint64_t rows = kind == sum ? std::min(half_rows(r), most) : 0) {
        uint16_t out[64 * most_rows];
        const uint32_t each = 128 / group;
        row_loops().sums_half(out, reinterpret_cast<const uint16_t *>(whole_row(r)), rows, group, saturate);
        for (uint64_t i = 0; i < rows; ++i)
          memcpy(call.dst.data + (r + i) * step, out + i * each, each * 2);
        r += rows - 1;
        continue;
      }
      if (whole_row(r) && whole_groups(call.dst.data + r * step, r, group))
        continue;
      load_row(row, r);
      for (uint32_t g = 0; g * group < row.lanes; ++g) {
        uint8_t *to = call.dst.data + r * step + uint64_t(g) * width;
        float total;
        Extreme best;
        if (kind == sum) {
          if (tree(row, g * group, group, type, saturate, total))
            store(to, total, type);
        } else if (extreme(row, g * group, group, kind, type, saturate, best)) {
          store(to, best.value, type);
        }
      }
    }
  }
};

// Elements of scratch that ReduceMax and ReduceMin need.
uint64_t scratch_elements(uint64_t repeats, bool index, uint32_t width) {
  const uint64_t block = 32 / width, each = 256 / width;
  auto up = [&](uint64_t n) { return (n + block - 1) / block * block; };
  uint64_t need = up(2 * repeats);
  if (!index)
    return need;
  const uint64_t second = 2 * ((2 * repeats + each - 1) / each);
  need += up(second);
  return second > 2 ? need + up(2 * ((second + each - 1) / each)) : need;
}
} // namespace
} // namespace ferrata

using namespace ferrata;

void ferrata_reduce(const ReduceCall *call) {
  Core *core = ferrata_core;
  if (__builtin_expect(!core, 0))
    ferrata_not_in_kernel(call->api, call->loc);
  core->last = call->loc;
  if (__builtin_expect(call->order > only_index, 0))
    ferrata_fault(Fault::BadArgument, call->api, call->loc.file, call->loc.line,
                  "order is %d; it must be a ReduceOrder, 0..3", call->order);
  const Type type = call->src.type;
  const uint32_t width = element_bytes(type);
  Reducer reducer{*call, *core, {}, {}, type, width, static_cast<Reduction>(call->type), core->saturate != 0};
  const MaskArgument mask{call->mask_form,
                          call->mask[0],
                          call->mask[1],
                          call->repeat,
                          call->form == ReduceForm::all_repeats ? INT32_MAX : 255,
                          false};
  if (!resolve(mask, call->api, call->loc, *core, 256 / width, reducer.lanes))
    return;
  const bool counted = call->mask_form == Form::count;
  reducer.src = layout_of(call->src, false, counted, reducer.lanes.each);
  const uint64_t extent = extent_of(reducer.src, reducer.lanes);
  check_vector_operand(call->api, "src", call->src, extent, call->loc);
  note_work(core, extent);
  if (call->form <= ReduceForm::all_repeats && (reducer.kind != sum || call->form == ReduceForm::all_repeats)) {
    const uint64_t repeats = reducer.lanes.repeats, block = 32 / width;
    const uint64_t need =
        reducer.kind == sum ? (repeats + block - 1) / block * block : scratch_elements(repeats, call->index, width);
    check_vector_operand(call->api, "sharedTmpBuffer", call->scratch, need * width, call->loc);
  }
  switch (call->form) {
  case ReduceForm::all:
    return reducer.kind == sum ? reducer.sum_all() : reducer.extreme_all();
  case ReduceForm::all_repeats:
    return reducer.kind == sum ? reducer.sum_repeats() : reducer.extreme_all();
  case ReduceForm::repeat:
    return reducer.per_repeat();
  case ReduceForm::block:
    return reducer.per_group(32 / width, 8 * width, 8 * width);
  case ReduceForm::pair:
    return reducer.per_group(2, 128, 32);
  }
}
