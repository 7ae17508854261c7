// ASCENDC_TPL_*: the template parameters of a kernel and their permitted combinations, in a header that host and kernel
// share. The host packs a choice into the tiling key; the kernel's launcher finds the instantiation of a key.
// A key holds the parameters in the order of their declaration, the first one in the lowest bits.
#pragma once
#include <stdint.h>

// Element types and formats as template arguments; the numbers are those of the graph engine.
#define C_DT_FLOAT 0
#define C_DT_FLOAT16 1
#define C_DT_INT8 2
#define C_DT_INT32 3
#define C_DT_UINT8 4
#define C_DT_INT16 6
#define C_DT_UINT16 7
#define C_DT_UINT32 8
#define C_DT_INT64 9
#define C_DT_UINT64 10
#define C_DT_DOUBLE 11
#define C_DT_BOOL 12
#define C_DT_COMPLEX64 16
#define C_DT_COMPLEX128 17
#define C_DT_BF16 27
#define C_DT_INT4 29
#define C_FORMAT_NCHW 0
#define C_FORMAT_NHWC 1
#define C_FORMAT_ND 2
#define C_FORMAT_NC1HWC0 3
#define C_FORMAT_FRACTAL_Z 4
#define C_FORMAT_FRACTAL_NZ 29

// The type or format of a tensor, known when the operator is compiled for its inputs.
#define ASCENDC_TPL_INPUT(i) (0x10000 + (i))
#define ASCENDC_TPL_OUTPUT(i) (0x20000 + (i))

#define ASCENDC_TPL_UI_RANGE 1
#define ASCENDC_TPL_UI_LIST 2
#define ASCENDC_TPL_UI_MIX 3

namespace ferrata {
namespace tpl {
enum class Role : uint8_t { none, datatype, dtype, format, number, boolean, kernel_type, tiling_struct };

// A declared parameter, or what a combination permits for it. `mode` says how `values` read: a list; a count of ranges
// and their bounds; or both, the list last.
struct Parameter {
  const char *name;
  Role role;
  uint8_t bits;
  int mode;
  int count;
  uint64_t values[64];

  constexpr bool allows(uint64_t value) const {
    int at = 0;
    if (mode != ASCENDC_TPL_UI_LIST) {
      const int ranges = static_cast<int>(values[0]);
      for (int i = 0; i < ranges; ++i)
        if (value >= values[1 + 2 * i] && value <= values[2 + 2 * i])
          return true;
      if (mode == ASCENDC_TPL_UI_RANGE)
        return false;
      at = 1 + 2 * ranges;
    }
    for (; at < count; ++at)
      if (values[at] == value || values[at] >= 0x10000)
        return true;
    return false;
  }
};
struct Combination {
  Parameter parts[24];
};

template <class... V> constexpr Parameter parameter(const char *name, Role role, int bits, int mode, V... values) {
  static_assert(sizeof...(values) <= 64, "at most 64 values for a template parameter");
  return {name,
          role,
          static_cast<uint8_t>(bits),
          mode,
          static_cast<int>(sizeof...(values)),
          {static_cast<uint64_t>(values)...}};
}

// Pack values into a key. All widths together must fit into 64 bits, and each value into its own.
template <int declared, class... V> constexpr uint64_t key(const Parameter (&parameters)[declared], V... values) {
  static_assert(sizeof...(values) == declared, "GET_TPL_TILING_KEY: one value for each declared template parameter");
  const uint64_t given[] = {static_cast<uint64_t>(values)...};
  uint64_t packed = 0;
  int shift = 0;
  for (int i = 0; i < declared; ++i) {
    const uint64_t mask = parameters[i].bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << parameters[i].bits) - 1;
    packed |= (given[i] & mask) << shift;
    shift += parameters[i].bits;
  }
  return packed;
}

// One parameter of a key.
template <int declared> constexpr uint64_t value(const Parameter (&parameters)[declared], uint64_t packed, int index) {
  int shift = 0;
  for (int i = 0; i < index; ++i)
    shift += parameters[i].bits;
  const uint64_t mask = parameters[index].bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << parameters[index].bits) - 1;
  return (packed >> shift) & mask;
}

// The first combination that permits a key, or -1.
template <int declared, int combinations>
constexpr int combination_of(const Parameter (&parameters)[declared], const Combination (&all)[combinations],
                             uint64_t packed) {
  int index = 0;
  for (const Combination &one : all) {
    bool good = true;
    for (int i = 0; i < declared && good; ++i) {
      bool listed = false, found = false;
      for (const Parameter &part : one.parts)
        if (part.name && part.role == parameters[i].role) {
          bool same = true;
          const char *a = part.name, *b = parameters[i].name;
          for (; *a || *b; ++a, ++b)
            if (*a != *b) {
              same = false;
              break;
            }
          if (same) {
            listed = true;
            found = part.allows(value(parameters, packed, i));
          }
        }
      good = listed ? found : parameters[i].allows(value(parameters, packed, i));
    }
    if (good)
      return index;
    ++index;
  }
  return -1;
}
template <int declared, int combinations>
constexpr bool permitted(const Parameter (&parameters)[declared], const Combination (&all)[combinations],
                         uint64_t packed) {
  return combination_of(parameters, all, packed) >= 0;
}
} // namespace tpl
} // namespace ferrata

#define ASCENDC_TPL_ARGS_DECL(OpType, ...)                                                                             \
  [[maybe_unused]] static constexpr ::ferrata::tpl::Parameter ferrata_tpl_parameters[] = {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...)                                                                                           \
  [[maybe_unused]] static constexpr ::ferrata::tpl::Combination ferrata_tpl_combinations[] = {__VA_ARGS__}
#define ASCENDC_TPL_ARGS_SEL(...)                                                                                      \
  ::ferrata::tpl::Combination {                                                                                        \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }

#define FERRATA_TPL(x, role, bits, mode, ...)                                                                          \
  ::ferrata::tpl::parameter(#x, ::ferrata::tpl::Role::role, bits, mode, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) FERRATA_TPL(x, datatype, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_DECL(x, ...) FERRATA_TPL(x, dtype, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) FERRATA_TPL(x, format, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bw, mode, ...) FERRATA_TPL(x, number, bw, mode, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) FERRATA_TPL(x, boolean, 1, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) FERRATA_TPL(x, datatype, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(x, ...) FERRATA_TPL(x, dtype, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) FERRATA_TPL(x, format, 8, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, mode, ...) FERRATA_TPL(x, number, 0, mode, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) FERRATA_TPL(x, boolean, 1, ASCENDC_TPL_UI_LIST, __VA_ARGS__)
// By their text, since the host does not declare the names (asc/tilingkeys.py, core/tiling_keys.h).
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)                                                                               \
  ::ferrata::tpl::parameter(#__VA_ARGS__, ::ferrata::tpl::Role::kernel_type, 0, ASCENDC_TPL_UI_LIST, 0)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)                                                                             \
  ::ferrata::tpl::parameter(#__VA_ARGS__, ::ferrata::tpl::Role::tiling_struct, 0, ASCENDC_TPL_UI_LIST, 0)

#define GET_TPL_TILING_KEY(...) ::ferrata::tpl::key(ferrata_tpl_parameters, __VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))
