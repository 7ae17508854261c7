// utils/extern_math_util.h by its path under external/.
#pragma once
#include "../../utils/extern_math_util.h"
