// exe_graph/runtime/runtime_attrs.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/runtime_attrs.h"
