// printf, assert, DumpTensor, Trap and time stamps of device code. ASCENDC_DUMP=0 before the first include turns the
// printing ones off, NDEBUG turns assert off.
#pragma once
#include "ferrata/core/compare.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace ferrata {
template <class T> struct Bare {
  using type = T;
};
template <class T> struct Bare<T &> : Bare<T> {};
template <class T> struct Bare<T &&> : Bare<T> {};
template <class T> struct Bare<const T> : Bare<T> {};
template <class T> struct Bare<T[]> {
  using type = const T *;
};
template <class T, unsigned long n> struct Bare<T[n]> {
  using type = const T *;
};
template <class T, unsigned long n> struct Bare<const T[n]> {
  using type = const T *;
};
template <class T> using bare = typename Bare<T>::type;

template <class T> constexpr bool is_pointer = false;
template <class T> constexpr bool is_pointer<T *> = true;

template <class T> inline PrintArg print_arg(const T &value) {
  PrintArg arg{};
  if constexpr (one_of<T, half, float, double>) {
    arg.tag = PrintArg::real;
    arg.d = static_cast<double>(value);
  } else if constexpr (same<T, bfloat16_t>) {
    arg.tag = PrintArg::real;
    arg.d = AscendC::Cast(value);
  } else if constexpr (one_of<T, const char *, char *>) {
    arg.tag = PrintArg::text;
    arg.p = static_cast<const char *>(value);
  } else if constexpr (is_pointer<T> || same<T, decltype(nullptr)>) {
    arg.tag = PrintArg::pointer;
    arg.p = (const void *)value; // NOLINT: also of nullptr
  } else {
    arg.tag = PrintArg::integer;
    arg.i = static_cast<int64_t>(value);
    arg.bytes = sizeof(T) > 8 ? 8 : sizeof(T);
    if (same<T, BlockIndex> || same<T, BlockCount>)
      arg.bytes = 8;
  }
  return arg;
}

template <class... Args> inline void print(Loc loc, const char *format, const Args &...args) {
  const PrintArg list[sizeof...(Args) + 1] = {print_arg<Args>(args)...};
  ferrata_print(format, list, sizeof...(Args), loc);
}

// assert(condition) and assert(condition, format, arguments...)
__attribute__((noreturn)) inline void assertion_failed(Loc loc, const char *expression) {
  ferrata_assert_failed(expression, nullptr, nullptr, 0, loc);
}
template <class... Args>
__attribute__((noreturn)) inline void assertion_failed(Loc loc, const char *expression, const char *format,
                                                       const Args &...args) {
  const PrintArg list[sizeof...(Args) + 1] = {print_arg<Args>(args)...};
  ferrata_assert_failed(expression, format, list, sizeof...(Args), loc);
}

constexpr const char *memory_names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};

template <class T>
inline void dump(const AscendC::LocalTensor<T> &tensor, uint32_t label, uint64_t from, uint32_t count,
                 const AscendC::ShapeInfo *shape, Loc loc) {
  const uint64_t skip = from < tensor.GetSize() ? from : tensor.GetSize();
  ferrata_dump(reinterpret_cast<const void *>(tensor.GetPhyAddr(static_cast<uint32_t>(skip))),
               static_cast<uint32_t>(tensor.GetPhyAddr(static_cast<uint32_t>(skip))), type_of<T>,
               memory_names[static_cast<int>(memory_of(static_cast<AscendC::TPosition>(tensor.GetPosition())))], label,
               tensor.GetSize() - skip, count, shape ? shape->shape : nullptr, shape ? shape->shapeDim : 0, loc);
}
template <class T>
inline void dump(const AscendC::GlobalTensor<T> &tensor, uint32_t label, uint64_t from, uint32_t count,
                 const AscendC::ShapeInfo *shape, Loc loc) {
  const T *start = tensor.GetPhyAddr(from);
  if (count)
    ferrata_check_gm(start, bytes_of<T>(count), "DumpTensor", "tensor", loc);
  ferrata_dump(start, reinterpret_cast<uint64_t>(start), type_of<T>, "GM", label, count, count,
               shape ? shape->shape : nullptr, shape ? shape->shapeDim : 0, loc);
}
} // namespace ferrata

namespace AscendC {
// In a kernel: text with the core's prefix. The host program that says `using namespace AscendC` gets the C library's.
template <class... Args> inline int printf(const char *format, Args &&...args) {
  if (!ferrata_core) {
    if constexpr (sizeof...(Args) == 0)
      return __builtin_printf(format, 0); // an argument that nothing reads: a format alone looks like a mistake
    else
      return __builtin_printf(format, args...);
  } else if constexpr (ASCENDC_DUMP != 0) {
    ferrata::print<ferrata::bare<Args>...>({}, format, args...);
  }
  return 0;
}
#undef _FPRTF
#define _FPRTF(...) ::AscendC::printf(__VA_ARGS__)
template <class... Args> inline void PRINTF(const char *format, Args &&...args) { AscendC::printf(format, args...); }

template <class Tensor>
inline void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t dumpSize,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  if constexpr (ASCENDC_DUMP != 0)
    ferrata::dump(tensor, desc, 0, dumpSize, nullptr, loc);
}
template <class Tensor>
inline void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shape,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  if constexpr (ASCENDC_DUMP != 0)
    ferrata::dump(tensor, desc, 0, dumpSize, &shape, loc);
}
template <class Tensor>
inline void DumpAccChkPoint(const Tensor &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                            ferrata::Loc loc = ferrata::Loc::here()) {
  if constexpr (ASCENDC_DUMP != 0)
    ferrata::dump(tensor, index, countOff, dumpSize, nullptr, loc);
}

inline void Trap(ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata_fault(ferrata::Fault::Trapped, "Trap", loc.file, loc.line, "the kernel called Trap");
}

inline void PrintTimeStamp([[maybe_unused]] uint32_t descId, [[maybe_unused]] ferrata::Loc loc = ferrata::Loc::here()) {
#if defined(ASCENDC_TIME_STAMP_ON)
  ferrata::print(loc, "descId is %u, rsv is 0, timeStamp is %ld, pcPtr is %ld, entry is 0.\n", descId, GetSystemCycle(),
                 GetProgramCounter());
#endif
}
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}
template <pipe_t pipe, uint16_t index> inline void MarkStamp() {}
template <pipe_t pipe> inline void MarkStamp(uint16_t) {}
} // namespace AscendC

#define TRACE_START(apid)
#define TRACE_STOP(apid)

#if ASCENDC_DUMP && !defined(NDEBUG)
#define ascendc_assert(condition, ...)                                                                                 \
  ((condition) ? (void)0 : ::ferrata::assertion_failed(::ferrata::Loc::here(), #condition __VA_OPT__(, ) __VA_ARGS__))
#else
#define ascendc_assert(...) ((void)0)
#endif
#undef _FASRT
#define _FASRT(...) ascendc_assert(__VA_ARGS__)
#if !defined(ASSERT) // the name of older kernels
#define ASSERT(...) ascendc_assert(__VA_ARGS__)
#endif
