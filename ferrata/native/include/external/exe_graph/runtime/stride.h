// exe_graph/runtime/stride.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/stride.h"
