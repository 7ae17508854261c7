// exe_graph/runtime/storage_shape.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/storage_shape.h"
