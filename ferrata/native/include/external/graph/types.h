// graph/types.h by its path under external/.
#pragma once
#include "../../graph/types.h"
