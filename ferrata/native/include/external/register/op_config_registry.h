// register/op_config_registry.h by its path under external/.
#pragma once
#include "../../register/op_config_registry.h"
