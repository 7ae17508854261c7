// exe_graph/runtime/runtime_tensor.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/runtime_tensor.h"
