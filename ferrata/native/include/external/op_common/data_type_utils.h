// op_common/data_type_utils.h by its path under external/.
#pragma once
#include "../../op_common/data_type_utils.h"
