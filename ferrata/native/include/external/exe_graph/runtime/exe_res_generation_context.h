// exe_graph/runtime/exe_res_generation_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/exe_res_generation_context.h"
