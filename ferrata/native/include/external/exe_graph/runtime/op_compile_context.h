// exe_graph/runtime/op_compile_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/op_compile_context.h"
