// exe_graph/runtime/range.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/range.h"
