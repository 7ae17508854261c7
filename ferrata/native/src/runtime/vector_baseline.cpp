// The vector unit for any machine of the architecture.
#include "vector_unit.h"
#define FERRATA_LOOKUP lookup_baseline
#include "vector_loops.inc"
#define FERRATA_ROW_LOOPS row_loops_baseline
#include "row_loops.inc"
