// graph/inference_context.h by its path under external/.
#pragma once
#include "../../graph/inference_context.h"
