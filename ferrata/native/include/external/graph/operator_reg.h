// graph/operator_reg.h by its path under external/.
#pragma once
#include "../../graph/operator_reg.h"
