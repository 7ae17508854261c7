// graph/utils/type_utils.h by its path under external/.
#pragma once
#include "../../../graph/utils/type_utils.h"
