// platform/platform_infos_def.h by its path under external/.
#pragma once
#include "../../platform/platform_infos_def.h"
