// graph/custom_op.h by its path under external/.
#pragma once
#include "../../graph/custom_op.h"
