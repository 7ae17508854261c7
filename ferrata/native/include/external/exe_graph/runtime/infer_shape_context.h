// exe_graph/runtime/infer_shape_context.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/infer_shape_context.h"
