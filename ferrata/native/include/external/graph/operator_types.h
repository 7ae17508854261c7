// graph/operator_types.h by its path under external/.
#pragma once
#include "../../graph/operator_types.h"
