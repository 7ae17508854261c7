// The vector unit for x86-64 machines with AVX2: the same loops in vectors of 32 bytes.
#include "vector_unit.h"
#if defined(__x86_64__)
#include <math.h>
#include <string.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define FERRATA_SHUFFLES // of eight elements by positions are one instruction
#define FERRATA_LOOKUP lookup_avx2
#include "vector_loops.inc"
#define FERRATA_ROW_LOOPS row_loops_avx2
#include "row_loops.inc"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
