// graph/infer_format_context.h by its path under external/.
#pragma once
#include "../../graph/infer_format_context.h"
