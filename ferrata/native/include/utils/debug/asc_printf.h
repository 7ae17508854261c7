// Unqualified printf in device code. The C library's printf has no room for the core's prefix, so the name becomes a
// macro for overloads that print with a prefix inside a kernel and go to the C library's elsewhere.
#pragma once
#include <cstdio>
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"

template <class... Args> inline int ferrata_device_printf(const char *format, Args &&...args) {
  AscendC::printf(format, args...);
  return 0;
}
namespace AscendC {
using ::ferrata_device_printf;
}
namespace std {
using ::ferrata_device_printf;
}
#define printf(...) ferrata_device_printf(__VA_ARGS__)
