// exe_graph/runtime/base_type.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/base_type.h"
