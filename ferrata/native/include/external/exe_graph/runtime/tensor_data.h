// exe_graph/runtime/tensor_data.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/tensor_data.h"
