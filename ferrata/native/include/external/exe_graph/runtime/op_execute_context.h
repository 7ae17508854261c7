// exe_graph/runtime/op_execute_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/op_execute_context.h"
