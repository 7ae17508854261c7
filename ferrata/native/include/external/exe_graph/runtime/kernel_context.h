// exe_graph/runtime/kernel_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/kernel_context.h"
