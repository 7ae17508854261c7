// register/op_def.h by its path under external/.
#pragma once
#include "../../register/op_def.h"
