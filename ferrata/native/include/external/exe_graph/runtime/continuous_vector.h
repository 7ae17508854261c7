// exe_graph/runtime/continuous_vector.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/continuous_vector.h"
