// The executor of the instructions that are not lane by lane (ferrata/core/shuffle.h): what its files share.
#pragma once
#include "lanes.h"
#include "launch.h"
#include "ferrata/core/shuffle.h"

namespace ferrata {
// One call, with the checks that most forms make.
struct ShuffleRun {
  ShuffleCall &call;
  Core &core;

  template <class... Args> [[noreturn]] void fail(Fault kind, const char *format, Args... args) const {
    ferrata_fault(kind, call.api, call.loc.file, call.loc.line, format, args...);
  }
  // The instruction reads or writes `extent` bytes of an operand: checked, and told to the observer.
  void touches(const char *name, const Operand &operand, uint64_t extent, bool write, uint32_t align = 32) const {
    check_vector_operand(call.api, name, operand, extent, call.loc, align);
    saw(operand.data, extent, write);
  }
  void saw(const uint8_t *data, uint64_t extent, bool write) const {
    note_work(&core, extent);
    if (__builtin_expect(call.observed, 0)) {
      const Event event{EventKind::access, PIPE_V,  write,   -1,   0,      call.api, nullptr,
                        nullptr,           nullptr, nullptr, data, extent, call.loc};
      ferrata_observe(&event);
    }
  }
  void apart(const char *a_name, const uint8_t *a, uint64_t a_bytes, const char *b_name, const uint8_t *b,
             uint64_t b_bytes) const {
    if (__builtin_expect(a_bytes && b_bytes && overlap(a, a_bytes, b, b_bytes), 0))
      fail(Fault::BadArgument,
           "%s (bytes %u to %u of the Unified Buffer) overlaps %s (bytes %u to %u); they must be apart", a_name, low(a),
           low(a + a_bytes - 1), b_name, low(b), low(b + b_bytes - 1));
  }
  void repeats_up_to(int64_t most) const {
    if (call.repeat < 0 || call.repeat > most)
      fail(Fault::BadArgument, "repeatTime is %lld; it must be 0..%lld", static_cast<long long>(call.repeat),
           static_cast<long long>(most));
  }
  static uint32_t low(const uint8_t *address) { return static_cast<uint32_t>(reinterpret_cast<uint64_t>(address)); }
};

void gather_family(ShuffleRun &run);  // gather.cpp
void pack(ShuffleRun &run);           // pack.cpp
void sort_family(ShuffleRun &run);    // sort.cpp
void layout_family(ShuffleRun &run);  // layout.cpp
void dequant_family(ShuffleRun &run); // dequant.cpp
} // namespace ferrata
