// exe_graph/runtime/annotated_args_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/annotated_args_context.h"
