// exe_graph/runtime/eager_op_execution_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/eager_op_execution_context.h"
