// exe_graph/runtime/context_extend.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/context_extend.h"
