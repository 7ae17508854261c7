// exe_graph/runtime/op_execute_launch_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/op_execute_launch_context.h"
