// exe_graph/runtime/tiling_parse_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/tiling_parse_context.h"
