// graph/ascend_string.h by its path under external/.
#pragma once
#include "../../graph/ascend_string.h"
