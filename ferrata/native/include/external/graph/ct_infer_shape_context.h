// graph/ct_infer_shape_context.h by its path under external/.
#pragma once
#include "../../graph/ct_infer_shape_context.h"
