// exe_graph/runtime/shape.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/shape.h"
