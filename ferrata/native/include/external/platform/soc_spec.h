// platform/soc_spec.h by its path under external/.
#pragma once
#include "../../platform/soc_spec.h"
