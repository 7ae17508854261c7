// graph/operator.h by its path under external/.
#pragma once
#include "../../graph/operator.h"
