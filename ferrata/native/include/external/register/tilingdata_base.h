// register/tilingdata_base.h by its path under external/.
#pragma once
#include "../../register/tilingdata_base.h"
