// exe_graph/runtime/tensor.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/tensor.h"
