// Forced before the host sources of an operator project (op/project/host.py): GRAPH_FAILED says where it was written,
// so that a refused tiling names the check and not only the function. A source that does with the name what no function
// call can do is compiled without this header.
#pragma once
#include "graph/error_codes.h"

// Notes the place for the thread's running function of the author.
extern "C" void ferrata_ge_note_failure(const char *file, int32_t line);

namespace ge {
constexpr graphStatus ferrata_failed_at(const char *file, int32_t line) {
  if (!__builtin_is_constant_evaluated())
    ferrata_ge_note_failure(file, line);
  return GRAPH_FAILED;
}
} // namespace ge
#define GRAPH_FAILED ferrata_failed_at(__FILE__, __LINE__)
