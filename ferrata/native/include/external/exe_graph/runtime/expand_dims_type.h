// exe_graph/runtime/expand_dims_type.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/expand_dims_type.h"
