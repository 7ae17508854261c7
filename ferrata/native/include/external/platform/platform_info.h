// platform/platform_info.h by its path under external/.
#pragma once
#include "../../platform/platform_info.h"
