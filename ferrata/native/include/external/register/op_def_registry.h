// register/op_def_registry.h by its path under external/.
#pragma once
#include "../../register/op_def_registry.h"
