// graph/attr_value.h by its path under external/.
#pragma once
#include "../../graph/attr_value.h"
