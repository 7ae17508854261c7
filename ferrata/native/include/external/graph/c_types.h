// graph/c_types.h by its path under external/.
#pragma once
#include "../../graph/c_types.h"
