// What the C interface is made of: pointers as operands, `_sync` twins, types and constants.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/vector.h"

constexpr int ASC_C_API_MRGSORT_ELEMENT_LEN = 4;
constexpr int ASC_VDEQ_SIZE = 16;

enum ub_addr8_t : uint8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
enum mem_dsb_t : uint8_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };

union asc_store_atomic_config {
  uint64_t config;
  struct {
    uint64_t atomic_type : 3;
    uint64_t atomic_op : 2;
  };
};

namespace ferrata {
// A parameter that takes no part in the deduction of T, so that numbers convert to it.
template <class T> struct Plain {
  typedef T type;
};
template <class T> using plain = typename Plain<T>::type;

// A pointer into the Unified Buffer as a tensor that reaches to its end.
template <class T> inline AscendC::LocalTensor<T> at(const T *pointer, const char *api, Loc loc) {
  const uint8_t *base = ferrata_local_memory(Memory::ub), *data = reinterpret_cast<const uint8_t *>(pointer);
  const uint64_t size = static_cast<uint64_t>(chip_bytes(Memory::ub));
  if (__builtin_expect(data < base || data >= base + size, 0))
    ferrata_fault(Fault::WrongPosition, api, loc.file, loc.line,
                  "the pointer %p does not point into the Unified Buffer%s", static_cast<const void *>(pointer),
                  on_stack(reinterpret_cast<uint64_t>(pointer)) ? on_stack_hint : "");
  return AscendC::LocalTensor<T>::make(AscendC::TPosition::VECCALC, const_cast<uint8_t *>(data),
                                       size - static_cast<uint64_t>(data - base), nullptr);
}
template <class T>
inline Operand operand_at(const T *pointer, const char *api, Loc loc, uint16_t block_stride = 1,
                          uint16_t repeat_stride = 8) {
  return at(pointer, api, loc).operand(block_stride, repeat_stride);
}
inline void wait_complete(const char *api, Loc loc) { observe(EventKind::barrier, PIPE_ALL, api, loc); }
} // namespace ferrata

#define FERRATA_LOC ::ferrata::Loc loc = ::ferrata::Loc::here()
// A function and its twin. `head` is the template header or nothing, `params` the parameters in parentheses without the
// location, written with FERRATA_LOC last.
#define FERRATA_C(name, head, params, ...)                                                                             \
  head inline void name params {                                                                                       \
    FERRATA_SPEAKS(#name);                                                                                             \
    __VA_ARGS__                                                                                                        \
  }                                                                                                                    \
  head inline void name##_sync params {                                                                                \
    FERRATA_SPEAKS(#name "_sync");                                                                                     \
    __VA_ARGS__ ::ferrata::wait_complete(#name "_sync", loc);                                                          \
  }
// Faults inside name this function, not what it calls.
#define FERRATA_SPEAKS(name) const ::ferrata::Speaking ferrata_speaking(name)
#define FERRATA_C_T template <class T>
#define FERRATA_C_TU template <class T, class U>

// Parameters behind the operands of the form with repeats; wider than their fields, so that nothing is truncated.
#define FERRATA_C_REPEAT1                                                                                              \
  ::ferrata::Wide repeat, ::ferrata::Wide dst_block_stride, ::ferrata::Wide src_block_stride,                          \
      ::ferrata::Wide dst_repeat_stride, ::ferrata::Wide src_repeat_stride, FERRATA_LOC
#define FERRATA_C_REPEAT2                                                                                              \
  ::ferrata::Wide repeat, ::ferrata::Wide dst_block_stride, ::ferrata::Wide src0_block_stride,                         \
      ::ferrata::Wide src1_block_stride, ::ferrata::Wide dst_repeat_stride, ::ferrata::Wide src0_repeat_stride,        \
      ::ferrata::Wide src1_repeat_stride, FERRATA_LOC
// A stride, which must fit into its field of 8 or 16 bits.
#define FERRATA_FIT8(stride) stride.fit<uint8_t>(nullptr, #stride)
#define FERRATA_FIT16(stride) stride.fit<uint16_t>(nullptr, #stride)
