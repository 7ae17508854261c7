// The vector unit for x86-64 machines with AVX-512: the same loops in vectors of 64 bytes.
#include "vector_unit.h"
#if defined(__x86_64__) && !defined(__clang__)
#include <math.h>
#include <string.h>
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,prefer-vector-width=512")
#define FERRATA_SHUFFLES // of eight elements by positions are one instruction
#define FERRATA_LOOKUP lookup_avx512
#include "vector_loops.inc"
#define FERRATA_ROW_LOOPS row_loops_avx512
#include "row_loops.inc"
#pragma GCC pop_options
#endif
